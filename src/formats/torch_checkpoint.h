// PyTorch's .pth files, read-only: a dictionary of tensors as torch.save(model.state_dict(), file)
// writes it since PyTorch 1.6 (zip and pickle). Anything else in the file is refused, nothing in
// it is executed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "formats/pickle.h"

namespace spml {

class TorchCheckpoint {
 public:
  explicit TorchCheckpoint(const Path& path);

  // Every tensor is checked to lie within its storage and to be no larger than it.
  const std::map<std::string, PickledTensor>& tensors() const { return tensors_; }
  const Path& path() const { return file_.path(); }

  // In C order. F32, F16, BF16 or F64; Error for another type or an unknown name.
  std::vector<float> floats(const std::string& name) const;

 private:
  std::span<const std::byte> storage(const PickledTensor& tensor, const std::string& name) const;

  MappedFile file_;
  std::map<std::string, std::span<const std::byte>, std::less<>> entries_;
  std::string folder_;  // the archive's one folder, with a slash
  std::map<std::string, PickledTensor> tensors_;
};

}  // namespace spml
