// Unguessable numbers as text.
#pragma once

#include <cstddef>
#include <string>

namespace spml::review {

std::string random_hex(size_t bytes);  // from the operating system; two digits per byte

}  // namespace spml::review
