// Anyone's own table. What it lists are observed labels, unless the user says that it is complete.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "base/text.h"
#include "data/import/images.h"
#include "data/import/import.h"
#include "data/import/rows.h"
#include "data/import/table_records.h"
#include "data/import/tag_spellings.h"
#include "formats/lines.h"
#include "formats/npy.h"
#include "formats/table_text.h"

namespace spml {
namespace {

bool is_json_lines(const Path& path, TableFormat format) {
  if (format != TableFormat::kByName) return format == TableFormat::kJsonLines;
  const std::string extension = path.extension().string();
  return extension == ".jsonl" || extension == ".ndjson" || extension == ".json";
}

std::vector<std::string> read_classes(const Path& path) {
  std::vector<std::string> classes;
  std::unordered_map<std::string, size_t> seen;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::string name(trim(line));
    if (name.empty()) continue;
    if (name.size() > kMaxClassName) {
      fail("{}: expected the name of a class in at most {} bytes, found '{}...'", reader.where(),
           kMaxClassName, name.substr(0, 40));
    }
    if (!seen.emplace(name, reader.number()).second) {
      fail("{}: class '{}' is listed twice", reader.where(), name);
    }
    if (classes.size() == kMaxClasses) {
      fail("{}: expected at most {} classes", reader.where(), kMaxClasses);
    }
    classes.push_back(name);
  }
  if (classes.empty()) fail("{}: expected one class per line, found none", path.string());
  return classes;
}

// Collects rows while records arrive in any order, each image once.
class TableBuilder {
 public:
  TableBuilder(const Path& source, const TableOptions& options,
               const std::vector<std::string>& classes, ImageCheck& images)
      : images_(images),
        find_others_(options.features.empty() || !options.images.root.empty()),
        fixed_classes_(!classes.empty()),
        memory_(fmt::format("{}: its images and labels", source.string())),
        spellings_(classes, options.keep_case) {
    if (options.complete_rows.empty()) return;
    LineReader reader(options.complete_rows);
    for (std::string_view line; reader.next(line);) {
      if (trim(line).empty()) continue;
      memory_.add(kNameBytes + line.size());
      listed_complete_.insert(image_name(std::string(trim(line)), reader.where()));
    }
  }

  void add(const TableRecord& record) {
    const std::string image = image_name(record.image, record.place);
    memory_.add(kLabelBytes * record.labels.size() + 3 * sizeof(int32_t) * record.absent.size());
    const auto [place, is_new] = row_of_.emplace(image, rows_.size());
    if (is_new) {
      images_.require(image, record.place);
      memory_.add(kRowBytes + 2 * kNameBytes + 4 * image.size() + record.image.size());
      rows_.push_back({image, {}});
      rows_.back().complete = listed_complete_.erase(image) > 0;
      is_test_.push_back(is_test(record));
      first_line_.push_back(record.line);
    }
    const size_t row = place->second;
    rows_[row].complete |= record.complete;
    if (is_test(record) != is_test_[row]) {
      fail("{}: '{}' is in another split than at line {}", record.place, record.image,
           first_line_[row]);
    }
    for (const std::string& name : record.absent) {
      rows_[row].negatives.push_back(label(name, record.place));
    }
    for (const std::string& name : record.labels) {
      const size_t before = rows_[row].positives.size();
      add_positive(rows_[row], label(name, record.place));
      if (rows_[row].positives.size() == before) note_repetition(record);
    }
  }

  // Moves everything to the set, labels in order of the classes' names.
  void finish(const Path& source, ImportedSet& set) {
    if (rows_.empty()) fail("{}: expected images and labels, found no row", source.string());
    if (!listed_complete_.empty()) {
      fail("{}: expected the complete images to be in the table, found '{}', which is not",
           source.string(), *listed_complete_.begin());
    }
    classes_ = spellings_.names();
    refuse_contradictions(source);
    if (!fixed_classes_) sort_classes();
    if (classes_.empty()) fail("{}: expected labels, found none", source.string());
    set.classes = std::move(classes_);
    for (size_t i = 0; i < rows_.size(); ++i) {
      drop_repeated_negatives(rows_[i]);
      (is_test_[i] ? set.test : set.train).push_back(std::move(rows_[i]));
      (is_test_[i] ? test_positions_ : train_positions_).push_back(i);
    }
    if (set.train.empty()) fail("{}: expected rows of split 'train', found none", source.string());
    if (const std::string notice = spellings_.notice(); !notice.empty()) {
      set.warnings.push_back(fmt::format("{}: {}", source.string(), notice));
    }
    if (repeated_ > 0) {
      set.warnings.push_back(fmt::format("{} labels repeat an earlier row; the first: {}",
                                         repeated_, first_repeated_));
    }
    if (val_rows_ && test_rows_) {
      set.warnings.push_back(
          fmt::format("{}: splits 'val' and 'test' both go into the test files", source.string()));
    }
  }

  // Position in the table of every row of a part, counting images by first appearance.
  const std::vector<size_t>& train_positions() const { return train_positions_; }
  const std::vector<size_t>& test_positions() const { return test_positions_; }

 private:
  bool is_test(const TableRecord& record) {
    const std::string& split = record.split;
    if (split.empty() || split == "train") return false;
    val_rows_ |= split == "val";
    test_rows_ |= split == "test";
    if (split == "val" || split == "test") return true;
    fail("{}: expected split train, val or test, found '{}'", record.place, split);
  }

  int32_t label(const std::string& name, const std::string& place) {
    return spellings_.number(name, place, memory_);
  }

  // With features of the user's own, images are not looked for beyond their own names.
  std::string image_name(const std::string& listed, std::string_view place) {
    return find_others_ ? images_.resolve(listed, place) : images_.below_root(listed);
  }

  void sort_classes() {
    std::vector<int32_t> order(classes_.size()), rank(classes_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int32_t i) { return classes_[static_cast<size_t>(i)]; });
    for (size_t i = 0; i < order.size(); ++i) {
      rank[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    }
    std::ranges::sort(classes_);
    for (ImportedRow& row : rows_) {
      for (ImportedLabel& entry : row.positives) {
        entry.label = rank[static_cast<size_t>(entry.label)];
      }
      for (int32_t& absent : row.negatives) absent = rank[static_cast<size_t>(absent)];
      std::sort(row.positives.begin(), row.positives.end(),
                [](const ImportedLabel& a, const ImportedLabel& b) { return a.label < b.label; });
    }
  }

  // A label cannot be both there and absent.
  void refuse_contradictions(const Path& source) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (const int32_t absent : rows_[i].negatives) {
        if (find_positive(rows_[i], absent) == nullptr) continue;
        fail("{}:{}: '{}' is said to have the label '{}' and not to have it", source.string(),
             first_line_[i], rows_[i].image, classes_[static_cast<size_t>(absent)]);
      }
    }
  }

  static void drop_repeated_negatives(ImportedRow& row) {
    std::ranges::sort(row.negatives);
    row.negatives.erase(std::unique(row.negatives.begin(), row.negatives.end()),
                        row.negatives.end());
  }

  void note_repetition(const TableRecord& record) {
    if (repeated_++ == 0) first_repeated_ = record.place;
  }

  static constexpr uint64_t kNameBytes = 128;  // of a map and what stands beside it, without text

  ImageCheck& images_;
  bool find_others_;
  bool fixed_classes_;
  MemoryMeter memory_;
  TagSpellings spellings_;
  std::vector<std::string> classes_;
  std::vector<ImportedRow> rows_;
  std::vector<bool> is_test_;
  std::vector<size_t> first_line_;
  std::set<std::string> listed_complete_;  // of --complete, not yet met
  std::unordered_map<std::string, size_t> row_of_;
  std::vector<size_t> train_positions_, test_positions_;
  size_t repeated_ = 0;
  std::string first_repeated_;
  bool val_rows_ = false, test_rows_ = false;
};

std::vector<size_t> counting(size_t n) {
  std::vector<size_t> rows(n);
  std::iota(rows.begin(), rows.end(), size_t{0});
  return rows;
}

// One file may hold the rows of the whole table, or each part has its own.
void attach_features(const TableOptions& options, const TableBuilder& table, ImportedSet& set) {
  if (options.features.empty()) {
    if (!options.test_features.empty()) fail_usage("--test-features needs --features");
    return;
  }
  const size_t rows = NpyArray(options.features).rows();
  const size_t train = set.train.size(), test = set.test.size();
  if (options.test_features.empty() && rows == train + test) {
    set.train_features = {options.features, table.train_positions()};
    if (test > 0) set.test_features = {options.features, table.test_positions()};
    return;
  }
  if (rows != train) {
    fail("{}: expected {} rows, one per training image in order of first appearance, found {}",
         options.features.string(), train, rows);
  }
  set.train_features = {options.features, counting(train)};
  if (options.test_features.empty()) {
    if (test == 0) return;
    set.warnings.push_back(
        fmt::format("{}: {} test rows have no features; give them with --test-features",
                    options.features.string(), test));
    return;
  }
  const size_t test_rows = NpyArray(options.test_features).rows();
  if (test_rows != test) {
    fail("{}: expected {} rows, one per test image in order of first appearance, found {}",
         options.test_features.string(), test, test_rows);
  }
  set.test_features = {options.test_features, counting(test)};
}

// Nothing when they are to be found.
std::optional<TagSeparators> chosen_separators(const TableOptions& options) {
  if (options.tag_separator.empty()) return {};
  if (options.tag_separator == "none") return TagSeparators();
  return TagSeparators{options.tag_separator};
}

}  // namespace

ImportedSet import_table(const Path& source, const TableOptions& options) {
  ImportedSet set;
  set.name = source.stem().string();
  set.complete = options.complete;
  set.full_test = options.full_test;
  set.all_observed = options.complete;
  ImageOptions image_options = options.images;
  // With features of the user's own, the images are not needed.
  image_options.allow_missing |= !options.features.empty();
  const Path beside = source.has_parent_path() ? source.parent_path() : Path(".");
  ImageCheck images(image_options, beside);
  const std::vector<std::string> classes =
      options.classes.empty() ? std::vector<std::string>() : read_classes(options.classes);
  TableBuilder table(source, options, classes, images);

  const MappedFile file(source);
  const TableText text({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()},
                       source.string());
  if (!text.notice().empty()) set.warnings.push_back(text.notice());
  const auto add = [&](const TableRecord& record) { table.add(record); };
  const std::optional<TagSeparators> tags = chosen_separators(options);
  if (is_json_lines(source, options.format)) {
    read_json_lines_records(text.text(), source.string(), tags.value_or(TagSeparators()), add);
  } else {
    const TableLayout layout =
        read_table_layout(text.text(), source.string(),
                          {.header = options.header,
                           .columns = {options.image_column, options.label_columns},
                           .tags = tags,
                           .classes = classes});
    for (const std::string& notice : layout.notices) {
      set.warnings.push_back(fmt::format("{}: {}", source.string(), notice));
    }
    read_csv_records(text.text(), source.string(), layout, add);
    set.label_columns = layout.columns.labels;
  }
  table.finish(source, set);
  images.finish(set);
  attach_features(options, table, set);
  return set;
}

}  // namespace spml
