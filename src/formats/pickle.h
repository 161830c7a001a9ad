// The part of Python's pickle format that a dictionary of tensors needs. Nothing is executed: the
// only callables known are OrderedDict and torch's tensor constructor, both understood here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

// A tensor as the pickle describes it; its numbers are in the archive's entry `storage`.
struct PickledTensor {
  std::string dtype;  // as in safetensors: "F32", "F16", ...
  std::string storage;
  size_t storage_elements = 0;
  size_t offset = 0;  // in elements
  std::vector<size_t> shape, strides;
};

// Error for anything but a flat dictionary from text to tensors; `where` names the file. Shapes,
// strides and offsets are as the file says, not checked.
std::map<std::string, PickledTensor> parse_tensor_pickle(std::string_view pickle,
                                                         std::string_view where);

}  // namespace spml
