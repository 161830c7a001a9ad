#include "formats/torch_checkpoint.h"

#include <bit>
#include <cstring>

#include "base/fail.h"
#include "base/float16.h"
#include "base/memory_budget.h"
#include "formats/zip.h"

namespace spml {
namespace {

constexpr size_t kMaxPickle = size_t{64} << 20;  // torchvision's largest is under 100 kB
// Tensors may share numbers (tied weights), so that all of them together have more than the file;
// but a megabyte shared by thousands would be gigabytes.
constexpr size_t kMaxSharing = 2;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

size_t item_size(std::string_view dtype) {
  if (dtype.ends_with("64")) return 8;
  if (dtype.ends_with("32")) return 4;
  if (dtype.ends_with("16")) return 2;
  return 1;
}

// Every element lies within the storage, and there are no more of them than the storage has (a
// stride of 0 could otherwise make gigabytes of four bytes).
bool fits(const PickledTensor& tensor) {
  if (tensor.shape.size() != tensor.strides.size()) return false;
  size_t elements = 1, last = tensor.offset;
  for (const size_t dim : tensor.shape) {
    if (dim == 0) return true;
  }
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    size_t reach;
    if (__builtin_mul_overflow(elements, tensor.shape[i], &elements) ||
        __builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  return elements <= tensor.storage_elements && last < tensor.storage_elements;
}

template <class Bits>
Bits load(std::span<const std::byte> bytes, size_t index) {
  Bits bits;
  std::memcpy(&bits, bytes.data() + index * sizeof(Bits), sizeof(Bits));
  return bits;
}

// Calls visit(index into the storage) for every element, in C order.
template <class Visit>
void for_each_element(const PickledTensor& tensor, Visit visit) {
  const size_t dims = tensor.shape.size();
  for (const size_t dim : tensor.shape) {
    if (dim == 0) return;
  }
  std::vector<size_t> position(dims, 0);
  size_t index = tensor.offset;
  while (true) {
    visit(index);
    size_t d = dims;
    while (d-- > 0) {
      index += tensor.strides[d];
      if (++position[d] < tensor.shape[d]) break;
      index -= tensor.strides[d] * tensor.shape[d];
      position[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

}  // namespace

TorchCheckpoint::TorchCheckpoint(const Path& path) : file_(path) {
  const std::string where = path.string();
  if (!as_text(file_.bytes()).starts_with("PK")) {
    fail(
        "{}: expected a .pth file of PyTorch 1.6 or later (a zip archive); convert an older one "
        "with torch.save(torch.load(old), new)",
        where);
  }
  entries_ = parse_zip(file_.bytes(), where);
  for (const auto& [name, bytes] : entries_) {
    if (name.ends_with("/constants.pkl")) {
      fail("{}: expected a dictionary of tensors, found a TorchScript program", where);
    }
    if (name.ends_with("/data.pkl")) folder_ = name.substr(0, name.size() - 8);
  }
  const auto pickle = entries_.find(folder_ + "data.pkl");
  if (pickle == entries_.end()) fail("{}: not a PyTorch file: it has no data.pkl", where);
  if (pickle->second.size() > kMaxPickle) {
    fail("{}: expected at most {} bytes of data.pkl, found {}", where, kMaxPickle,
         pickle->second.size());
  }
  const auto order = entries_.find(folder_ + "byteorder");
  if (order != entries_.end() && as_text(order->second) != "little") {
    fail("{}: expected little-endian tensors", where);
  }
  tensors_ = parse_tensor_pickle(as_text(pickle->second), where);
  uint64_t bytes = 0;
  for (const auto& [name, tensor] : tensors_) {
    storage(tensor, name);
    uint64_t elements = 1;
    for (const size_t dim : tensor.shape) elements *= dim;  // at most those of the storage
    bytes = saturating_sum(bytes, saturating_product(elements, item_size(tensor.dtype)));
  }
  if (bytes > kMaxSharing * file_.bytes().size()) {
    fail("{}: expected tensors of at most {} times the file's {} bytes, found {} in all", where,
         kMaxSharing, file_.bytes().size(), size_text(bytes));
  }
}

std::span<const std::byte> TorchCheckpoint::storage(const PickledTensor& tensor,
                                                    const std::string& name) const {
  const auto entry = entries_.find(folder_ + "data/" + tensor.storage);
  if (entry == entries_.end()) {
    fail("{}: tensor '{}': its storage '{}' is missing", path().string(), name, tensor.storage);
  }
  if (tensor.storage_elements > entry->second.size() / item_size(tensor.dtype) || !fits(tensor)) {
    fail("{}: tensor '{}' reaches outside its storage of {} bytes", path().string(), name,
         entry->second.size());
  }
  return entry->second;
}

std::vector<float> TorchCheckpoint::floats(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail("{}: no tensor '{}'", path().string(), name);
  const PickledTensor& tensor = found->second;
  const auto bytes = storage(tensor, name);
  size_t elements = 1;
  for (const size_t dim : tensor.shape) elements *= dim;  // at most those of the storage
  // The bytes may be a hole: the size of the file bounds no memory.
  MemoryBudget().require(saturating_product(elements, sizeof(float)),
                         fmt::format("{}: tensor '{}'", path().string(), name));
  std::vector<float> values;
  values.reserve(elements);
  if (tensor.dtype == "F32") {
    for_each_element(tensor, [&](size_t i) { values.push_back(load<float>(bytes, i)); });
  } else if (tensor.dtype == "F64") {
    for_each_element(
        tensor, [&](size_t i) { values.push_back(static_cast<float>(load<double>(bytes, i))); });
  } else if (tensor.dtype == "F16") {
    for_each_element(tensor,
                     [&](size_t i) { values.push_back(half_to_float(load<uint16_t>(bytes, i))); });
  } else if (tensor.dtype == "BF16") {
    for_each_element(tensor, [&](size_t i) {
      values.push_back(std::bit_cast<float>(uint32_t{load<uint16_t>(bytes, i)} << 16));
    });
  } else {
    fail("{}: tensor '{}': expected a floating-point type, found {}", path().string(), name,
         tensor.dtype);
  }
  return values;
}

}  // namespace spml
