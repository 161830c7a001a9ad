#include "sections.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace spml {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxTensor = size_t{1} << 20;

std::string next_word(std::string& text) {
  const size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return word;
}

size_t item_size(const std::string& dtype) {
  if (dtype.ends_with("64")) return 8;
  if (dtype.ends_with("32")) return 4;
  if (dtype.ends_with("16")) return 2;
  return 1;
}

std::vector<size_t> read_shape(const std::string& text) {
  std::vector<size_t> shape;
  for (size_t begin = 0; begin < text.size() && shape.size() < 6;) {
    const size_t end = std::min(text.find(',', begin), text.size());
    size_t dim = 0;
    std::from_chars(text.data() + begin, text.data() + end, dim);
    shape.push_back(dim);
    begin = end + 1;
  }
  return shape;
}

}  // namespace

std::vector<Section> split_sections(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<Section> sections;
  for (size_t at = text.starts_with("@@") ? 0 : text.find("\n@@");
       at != std::string_view::npos && sections.size() < 64;) {
    const size_t title = at + (text[at] == '\n' ? 3 : 2);
    const size_t line_end = std::min(text.find('\n', title), text.size());
    const size_t next = text.find("\n@@", line_end);
    const size_t begin = std::min(line_end + 1, text.size());
    const size_t end = std::max(begin, std::min(next, text.size()));
    sections.push_back({std::string(text.substr(title, line_end - title)),
                        std::string(text.substr(begin, end - begin))});
    at = next;
  }
  return sections;
}

FuzzFolder::FuzzFolder() {
  const Path parent = fs::is_directory("/dev/shm") ? Path("/dev/shm") : fs::temp_directory_path();
  std::string pattern = parent / "spml-fuzz-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

FuzzFolder::~FuzzFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void FuzzFolder::clear() {
  for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
}

void FuzzFolder::put(const std::string& name, std::string_view bytes) {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << bytes;
}

void FuzzFolder::fill(const std::vector<Section>& sections, const std::vector<std::string>& names) {
  clear();
  for (const Section& section : sections) {
    if (std::find(names.begin(), names.end(), section.title) != names.end()) {
      put(section.title, section.bytes);
    }
  }
}

std::string assemble_safetensors(const std::vector<Section>& sections) {
  nlohmann::json header = nlohmann::json::object();
  std::string data;
  for (const Section& section : sections) {
    std::string title = section.title;
    const std::string name = next_word(title);
    if (name == "=") {
      header["__metadata__"][title] = section.bytes;
      continue;
    }
    const std::string dtype = next_word(title);
    std::vector<size_t> shape = read_shape(title);
    size_t bytes = item_size(dtype);
    for (const size_t dim : shape) {
      if (__builtin_mul_overflow(bytes, dim, &bytes)) bytes = kMaxTensor + 1;
    }
    if (bytes > kMaxTensor || header.contains(name)) continue;
    std::string values = section.bytes;
    values.resize(bytes, '\0');
    header[name] = {
        {"dtype", dtype}, {"shape", shape}, {"data_offsets", {data.size(), data.size() + bytes}}};
    data += values;
  }
  const std::string text = header.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  const uint64_t length = text.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + text + data;
}

}  // namespace spml
