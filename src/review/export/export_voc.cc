// ImageSets/Main lists as in VOC: 1 present, -1 absent, 0 unsure. An image whose label for a class
// is unknown is not in that class's list; train.txt lists all images.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>

#include "base/fail.h"
#include "base/folders.h"
#include "base/memory_budget.h"
#include "base/utf8.h"
#include "review/export/export_formats.h"

namespace spml::review {
namespace {

// Names come from the data: '_' replaces line ends, control characters and `others`.
std::string word_of(std::string_view text, std::u32string_view others) {
  std::string word;
  while (!text.empty()) {
    const std::optional<char32_t> c = take_utf8(text);
    const bool ends_a_line =
        c && (*c < 0x20 || (*c >= 0x7f && *c < 0xa0) || *c == 0x2028 || *c == 0x2029);
    if (!c || ends_a_line || others.find(*c) != others.npos) {
      word += '_';
    } else {
      append_utf8(word, *c);
    }
  }
  return word;
}

constexpr std::string_view kEnding = "_train.txt";
constexpr size_t kMaxWord = 200;  // bytes: file systems take 255, drafts and endings included

// At most kMaxWord bytes; a shortened word ends with a hash of the whole.
std::string shortened(const std::string& word) {
  if (word.size() <= kMaxWord) return word;
  std::string_view rest = word;
  std::string kept;
  while (const std::optional<char32_t> c = take_utf8(rest)) {
    if (word.size() - rest.size() > kMaxWord) break;
    append_utf8(kept, *c);
  }
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const unsigned char byte : word) hash = (hash ^ byte) * 0x100000001b3;
  return fmt::format("{}~{:016x}", kept, hash);
}

// The class as part of a file name: leads nowhere else and is short enough.
std::string file_word(const std::string& text) {
  std::string word = word_of(text, U"/\\");
  if (word.empty() || word.front() == '.') word.insert(word.begin(), '_');
  return shortened(word);
}

// 2008_000001 of JPEGImages/2008_000001.jpg, one word.
std::string image_id(std::string name) {
  if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.erase(dot);
  return word_of(name, U" ");
}

// The NAME of NAME_train.txt for each class. Where two names become the same, the later one gets a
// number, so that every class has a list.
std::vector<std::string> list_names(const std::vector<std::string>& classes) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const std::string& name : classes) {
    const std::string word = file_word(name);
    names.push_back(word);
    for (int n = 2; !used.insert(names.back()).second; ++n) {
      names.back() = fmt::format("{}~{}", word, n);
    }
  }
  return names;
}

// Readers of the lists would take two images of the same name for one. Sorting hashes finds such
// pairs with 16 bytes a row; equal hashes are settled by the names.
void refuse_equal_ids(const Labelled& labelled) {
  struct Hashed {
    size_t hash, row;
  };
  const size_t rows = labelled.labels.rows();
  MemoryBudget().require(saturating_product(rows, sizeof(Hashed)), "comparing the images' names");
  std::vector<Hashed> order(rows);
  for (size_t i = 0; i < rows; ++i) {
    order[i] = {std::hash<std::string>()(image_id(labelled.name(i))), i};
  }
  const auto id = [&](const Hashed& entry) { return image_id(labelled.name(entry.row)); };
  std::sort(order.begin(), order.end(), [&](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : std::pair(id(a), a.row) < std::pair(id(b), b.row);
  });
  for (size_t i = 1; i < rows; ++i) {
    if (order[i - 1].hash != order[i].hash || id(order[i - 1]) != id(order[i])) continue;
    fail(
        "images '{}' and '{}' would both be '{}' in the lists; rename one or choose another format",
        labelled.name(order[i - 1].row), labelled.name(order[i].row), id(order[i]));
  }
}

void write_list(const Labelled& labelled, size_t label, const Path& path) {
  TextFile file(path);
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    int8_t value = 0;
    labelled.labels.read_part(i, label, std::span(&value, 1));
    const Entry entry{static_cast<int32_t>(i), static_cast<int32_t>(label)};
    if (value == 0 && !std::binary_search(labelled.unsure.begin(), labelled.unsure.end(), entry)) {
      continue;
    }
    file.write(fmt::format("{} {:2}\n", image_id(labelled.name(i)), value));
  }
  file.commit();
}

// A folder that is removed with its contents unless it has been moved into place.
class Staging {
 public:
  explicit Staging(Path path) : path_(std::move(path)) { make_folder(path_); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const Path& path() const { return path_; }

 private:
  Path path_;
};

// Only lists that an earlier export may have written.
void check_replaceable(const Path& lists) {
  for (const Path& entry : list_folder(lists)) {
    const std::string name = entry.filename().string();
    if (!is_folder(entry) && (name == "train.txt" || name.ends_with(kEnding))) continue;
    fail("{}: expected lists of an earlier export, found something else; choose another folder",
         entry.string());
  }
}

void write_lists(const Labelled& labelled, const Path& folder) {
  const std::vector<std::string> names = list_names(labelled.classes);
  for (size_t j = 0; j < names.size(); ++j) {
    write_list(labelled, j, folder / (names[j] + std::string(kEnding)));
  }
  TextFile all(folder / "train.txt");
  for (size_t i = 0; i < labelled.labels.rows(); ++i) {
    all.write(image_id(labelled.name(i)) + "\n");
  }
  all.commit();
}

}  // namespace

// All lists appear at once: some of them alone would read as data with fewer classes.
void write_voc(const Labelled& labelled, const ExportOptions& options) {
  refuse_equal_ids(labelled);
  const Path sets = options.out / "ImageSets", lists = sets / "Main";
  make_folder(options.out);
  make_folder_inside(sets);
  const bool replaces = path_exists(lists) || is_link(lists);
  if (replaces) {
    make_folder_inside(lists);  // no link, no file
    check_replaceable(lists);
  }
  const Staging staging(sets / (".Main-" + unpredictable_name()));
  write_lists(labelled, staging.path());
  sync_folder(staging.path());
  const unsigned how = replaces ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, staging.path().c_str(), AT_FDCWD, lists.c_str(), how) != 0) {
    fail("{}: cannot be put in place: {}", lists.string(), std::strerror(errno));
  }
  sync_folder(sets);
}

}  // namespace spml::review
