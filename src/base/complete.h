// What the value of a flag names, so that shells can complete it.
#pragma once

namespace spml {

enum class Complete { kNothing, kFile, kFolder };

}  // namespace spml
