#include "report/simulation_page.h"

#include "report/page.h"
#include "suggest/simulate.h"

namespace spml {

std::string draw_simulation(const Simulation& simulation) {
  return fill_page("A simulated review", {"simulation.js"}, json_text(simulation));
}

}  // namespace spml
