#include "report/simulation_page.h"

#include "report/page.h"
#include "suggest/simulate.h"

namespace spml {

std::string draw_simulation(const Simulation& simulation) {
  return fill_page("simulation.html", json_text(simulation));
}

}  // namespace spml
