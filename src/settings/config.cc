#include "settings/config.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/fail.h"

namespace spml {

double TrainConfig::learning_rate() const {
  return lr.value_or(kDefaultLearningRate[static_cast<size_t>(mode)]);
}

int TrainConfig::epoch_count() const {
  return epochs.value_or(static_cast<int>(kDefaultEpochs[static_cast<size_t>(mode)]));
}

bool takes_steps(const TrainConfig& config) {
  if (config.mode != Mode::kLinear || config.own_loss) return true;
  return std::ranges::none_of(all_losses(), [&](const LossInfo* info) {
    return info->closed_form && info->name == config.loss;
  });
}

double TrainConfig::head_learning_rate() const {
  if (mode == Mode::kLinear) return learning_rate();
  return learning_rate() *
         image.head_lr_factor.value_or(kDefaultHeadLrFactor[static_cast<size_t>(mode)]);
}

AdamConfig TrainConfig::adam() const {
  AdamConfig adam;
  adam.lr = learning_rate();
  adam.decay = weight_decay;
  return adam;
}

ImageConfig paper_image_config() {
  ImageConfig image;
  image.schedule = "constant";
  image.warmup = 0;
  image.head_lr_factor = 1;
  image.freeze_bn = false;
  return image;
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
  std::set<std::string_view> keys;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view key = item.substr(0, equals);
    if (!keys.insert(key).second) fail_usage("'{}' is given twice, in '{}'", key, text);
    double share = 0;
    uint32_t value = 0;
    const char* last = item.data() + item.size();
    const char* first = equals < item.size() ? item.data() + equals + 1 : last;
    if (key == "complete") {
      const auto parsed_share = std::from_chars(first, last, share);
      if (parsed_share.ec != std::errc() || parsed_share.ptr != last ||
          !(share >= 0 && share <= 1)) {
        fail_usage("expected complete=F with F from 0 to 1, found '{}'", text);
      }
      options.complete = share;
      begin = end + 1;
      continue;
    }
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

const LossInfo& loss_info(const TrainConfig& config) {
  return config.own_loss ? config.own_loss->info : find_loss(config.loss);
}

}  // namespace spml
