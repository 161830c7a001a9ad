// Texts that people take for the same although their bytes differ.
#pragma once

#include <string>
#include <string_view>

namespace spml {

// Letters with their accents as one character (NFC), as everybody but macOS stores file names; a
// text that is not UTF-8 as it is.
std::string composed(std::string_view text);

// The same, and in one case: "Äpfel" and "äpfel". Without libutf8proc only A to Z change.
std::string folded(std::string_view text);

}  // namespace spml
