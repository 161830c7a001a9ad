// The words for choices, as files have them; formats/json_fields.h calls these.
#pragma once

#include <string_view>

#include "settings/config.h"

namespace spml {

inline void from_word(std::string_view word, Mode& mode) { mode = mode_from(word); }
inline void from_word(std::string_view word, Select& select) { select = select_from(word); }

}  // namespace spml
