#include "search/trial.h"

#include "formats/json_fields.h"
#include "search/trial_fields.h"

namespace spml {

std::vector<SearchTrial> read_search(const Path& file) {
  return read_record_lines<SearchTrial>(file);
}

}  // namespace spml
