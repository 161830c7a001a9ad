// The curves of a simulated review as one HTML file that opens offline.
#pragma once

#include <string>

namespace spml {

struct Simulation;

// Error without the chart library.
std::string draw_simulation(const Simulation& simulation);

}  // namespace spml
