// The libFuzzer entry point of one target; SPML_FUZZ_TARGET names its function.
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  spml::SPML_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
