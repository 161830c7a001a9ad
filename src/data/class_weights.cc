#include <string_view>
#include <unordered_map>

#include "base/fail.h"
#include "base/text.h"
#include "data/observe_bias.h"
#include "formats/csv.h"
#include "formats/json.h"
#include "formats/lines.h"

namespace spml {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 26;

// Takes weights by position or by name, each class once.
class WeightList {
 public:
  explicit WeightList(const std::vector<std::string>& classes)
      : classes_(classes), weights_(classes.size(), -1) {
    for (size_t i = 0; i < classes.size(); ++i) label_of_.emplace(classes[i], i);
  }

  void set(std::string_view name, double weight, std::string_view place) {
    const auto found = label_of_.find(name);
    if (found == label_of_.end()) {
      fail("{}: '{}' is not one of the classes{}", place, name, did_you_mean(name, classes_));
    }
    put(found->second, weight, place);
  }

  void append(double weight, std::string_view place) {
    if (next_ == weights_.size()) {
      fail("{}: expected {} weights, one per class, found more", place, weights_.size());
    }
    put(next_++, weight, place);
  }

  std::vector<float> finish(std::string_view where) const {
    for (size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] < 0) {
        fail("{}: expected {} weights, found none for '{}'", where, weights_.size(), classes_[i]);
      }
    }
    return weights_;
  }

 private:
  void put(size_t label, double weight, std::string_view place) {
    if (!(weight >= 0 && weight <= 1e30)) {
      fail("{}: expected a weight of at least 0, found {}", place, weight);
    }
    if (weights_[label] >= 0) fail("{}: class '{}' is listed twice", place, classes_[label]);
    weights_[label] = static_cast<float>(weight);
  }

  const std::vector<std::string>& classes_;
  std::unordered_map<std::string_view, size_t> label_of_;
  std::vector<float> weights_;  // -1: not set yet
  size_t next_ = 0;
};

void read_json(std::string_view text, const std::string& where, WeightList& list) {
  const nlohmann::json json = parse_json(text, where);
  if (!json.is_array() && !json.is_object()) {
    fail("{}: expected an array of numbers or an object from class to number", where);
  }
  for (const auto& [key, value] : json.items()) {
    const std::string place = fmt::format("{}: {}", where, key);
    if (!value.is_number()) fail("{}: expected a number", place);
    if (json.is_array()) {
      list.append(value.get<double>(), place);
    } else {
      list.set(key, value.get<double>(), place);
    }
  }
}

void read_csv(std::string_view text, const std::string& where, WeightList& list) {
  CsvReader reader(text, where);
  for (std::vector<std::string> fields; reader.next(fields);) {
    double weight = 0;
    if (fields.size() > 2 || !parse_number(trim(fields.back()), weight)) {
      fail("{}: expected a number, or a class and a number", reader.place());
    }
    if (fields.size() == 1) {
      list.append(weight, reader.place());
    } else {
      list.set(trim(fields[0]), weight, reader.place());
    }
  }
}

}  // namespace

std::vector<float> read_class_weights(const Path& path, const std::vector<std::string>& classes) {
  const std::string text = read_file(path, kMaxBytes);
  WeightList list(classes);
  if (path.extension() == ".json") {
    read_json(text, path.string(), list);
  } else {
    read_csv(text, path.string(), list);
  }
  return list.finish(path.string());
}

}  // namespace spml
