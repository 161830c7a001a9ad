#include "experiment/config.h"

#include <charconv>

#include "base/fail.h"

namespace spml {
namespace {

// Files count by their contents, not by where they are.
void add_image_config(const ImageConfig& image, Json& json) {
  json["weights-sha256"] = image.weights_sha256;
  json["size"] = image.size;
  json["accumulate"] = image.accumulate;
  json["head-lr-factor"] = image.head_lr_factor;
  json["freeze-bn"] = image.freeze_bn;
  json["device"] = image.device;
  if (!image.init.empty()) json["init"] = image.init;
}

}  // namespace

int TrainConfig::epoch_count() const {
  if (epochs) return *epochs;
  switch (mode) {
    case Mode::kFinetune:
      return 10;
    case Mode::kLinearInit:
      return 5;
    case Mode::kLinear:
      break;
  }
  return 25;
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kFinetune:
      return "finetune";
    case Mode::kLinearInit:
      return "linear-init";
    case Mode::kLinear:
      break;
  }
  return "linear";
}

std::string_view to_string(Select select) {
  return select == Select::kClean ? "clean" : "observed";
}

std::string_view to_string(EstimatorKind kind) {
  switch (kind) {
    case EstimatorKind::kFactored:
      return "factored";
    case EstimatorKind::kNetwork:
      return "network";
    case EstimatorKind::kTable:
      break;
  }
  return "table";
}

Mode mode_from(std::string_view name) {
  for (const Mode mode : {Mode::kLinear, Mode::kFinetune, Mode::kLinearInit}) {
    if (to_string(mode) == name) return mode;
  }
  fail_usage("expected a mode of linear, finetune or linear-init, found '{}'", name);
}

Select select_from(std::string_view name) {
  for (const Select select : {Select::kClean, Select::kObserved}) {
    if (to_string(select) == name) return select;
  }
  fail_usage("expected a selection of clean or observed, found '{}'", name);
}

EstimatorKind estimator_from(std::string_view name) {
  for (const EstimatorKind kind :
       {EstimatorKind::kTable, EstimatorKind::kFactored, EstimatorKind::kNetwork}) {
    if (to_string(kind) == name) return kind;
  }
  fail_usage("expected an estimator of table, factored or network, found '{}'", name);
}

ObserveOptions observe_from(std::string_view text) {
  ObserveOptions options;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view key = item.substr(0, equals);
    uint32_t value = 0;
    const char* last = item.data() + item.size();
    const char* first = equals < item.size() ? item.data() + equals + 1 : last;
    const auto parsed = std::from_chars(first, last, value);
    const bool is_number = parsed.ec == std::errc() && parsed.ptr == last && first != last;
    if (!is_number || (key != "pos" && key != "neg" && key != "seed")) {
      fail_usage("expected pos=1,neg=0,seed=1200 with whole numbers, found '{}'", text);
    }
    if (key == "pos") options.num_pos = value;
    if (key == "neg") options.num_neg = value;
    if (key == "seed") options.seed = value;
    begin = end + 1;
  }
  return options;
}

Json to_json(const TrainConfig& config) {
  Json json;
  json["loss"] = config.loss;
  json["param"] = Json::object();
  for (const auto& [name, value] : config.params) json["param"][name] = value;
  if (find_loss(config.loss).uses_estimates) {
    const EstimatorChoice& estimator = config.estimator;
    json["estimator"] = to_string(estimator.kind);
    if (estimator.kind == EstimatorKind::kFactored) json["rank"] = estimator.rank;
    if (estimator.kind == EstimatorKind::kNetwork) json["hidden"] = estimator.hidden;
  }
  json["mode"] = to_string(config.mode);
  json["lr"] = config.learning_rate();
  json["batch"] = config.batch;
  json["epochs"] = config.epoch_count();
  json["seed"] = config.seed;
  if (config.k) json["k"] = *config.k;
  if (config.observe) {
    json["observe"] = fmt::format("pos={},neg={},seed={}", config.observe->num_pos,
                                  config.observe->num_neg, config.observe->seed);
  }
  json["select"] = to_string(config.select);
  json["val-fraction"] = config.val_fraction;
  json["split-seed"] = config.split_seed;
  json["subsample"] = config.subsample;
  json["transform"] = to_string(config.transform);
  json["weight-decay"] = config.weight_decay;
  json["patience"] = config.patience;
  if (config.record_unobserved_positives) json["record"] = "unobserved-positives";
  if (config.mode != Mode::kLinear) add_image_config(config.image, json);
  return json;
}

}  // namespace spml
