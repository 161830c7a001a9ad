#include "records.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace spml_python {

namespace {

template <class Choice>
Choice choice_of(const char* setting, const std::string& name,
                 std::initializer_list<std::pair<const char*, Choice>> all) {
  std::string known;
  for (const auto& [word, value] : all) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  fail(std::string(setting) + ": expected one of " + known + ", found '" + name + "'");
}

// value = settings[name], where that is there and not None.
template <class T>
void set(const py::dict& settings, const char* name, T& value) {
  if (!settings.contains(name) || settings[name].is_none()) return;
  try {
    value = settings[name].cast<T>();
  } catch (const py::cast_error&) {
    fail(std::string(name) + ": found " + py::repr(settings[name]).cast<std::string>() +
         ", which is not of the type or range of this setting");
  }
}

std::string word(const py::dict& settings, const char* name, const char* fallback) {
  std::string value = fallback;
  set(settings, name, value);
  return value;
}

}  // namespace

py::dict to_dict(const spml::EpochRecord& e) {
  return py::dict("epoch"_a = e.epoch, "train_loss"_a = e.train_loss, "val_map"_a = e.val_map,
                  "khat"_a = e.khat, "khat_estimates"_a = e.khat_estimates,
                  "seconds"_a = e.seconds);
}

py::dict record_of(const spml::LinearClassifier& model) {
  py::dict record = py::module_::import("json").attr("loads")(model.result_json());
  py::list history;
  for (const auto& epoch : model.result().history) history.append(to_dict(epoch));
  record["history"] = history;
  return record;
}

const char* name_of(spml::TransformKind kind) {
  switch (kind) {
    case spml::TransformKind::kSqrt:
      return "sqrt";
    case spml::TransformKind::kL2:
      return "l2";
    case spml::TransformKind::kStandardize:
      return "standardize";
    case spml::TransformKind::kNone:
      break;
  }
  return "none";
}

spml::TransformKind transform_of(const std::string& name) {
  using enum spml::TransformKind;
  return choice_of<spml::TransformKind>(
      "transform", name,
      {{"none", kNone}, {"sqrt", kSqrt}, {"l2", kL2}, {"standardize", kStandardize}});
}

spml::TrainOptions options_of(const py::dict& settings) {
  using spml::EstimatorKind, spml::Select, spml::Existing;
  spml::TrainOptions o;
  o.loss = word(settings, "loss", o.loss.name().c_str());
  set(settings, "params", o.params);
  set(settings, "k", o.k);
  set(settings, "lr", o.lr);
  set(settings, "batch", o.batch);
  set(settings, "epochs", o.epochs);
  set(settings, "patience", o.patience);
  set(settings, "weight_decay", o.weight_decay);
  o.transform = transform_of(word(settings, "transform", "none"));
  set(settings, "seed", o.seed);
  set(settings, "threads", o.threads);
  set(settings, "trials", o.trials);
  set(settings, "time_limit", o.time_limit);
  set(settings, "refit", o.refit);
  set(settings, "val_fraction", o.val_fraction);
  set(settings, "split_seed", o.split_seed);
  set(settings, "subsample", o.subsample);
  o.select = choice_of<Select>("select", word(settings, "select", "clean"),
                               {{"clean", Select::kClean}, {"observed", Select::kObserved}});
  o.estimator.kind = choice_of<EstimatorKind>("estimator", word(settings, "estimator", "table"),
                                              {{"table", EstimatorKind::kTable},
                                               {"factored", EstimatorKind::kFactored},
                                               {"network", EstimatorKind::kNetwork}});
  set(settings, "rank", o.estimator.rank);
  set(settings, "hidden", o.estimator.hidden);
  set(settings, "out", o.out);
  o.existing = choice_of<Existing>("existing", word(settings, "existing", "refuse"),
                                   {{"refuse", Existing::kRefuse},
                                    {"resume", Existing::kResume},
                                    {"overwrite", Existing::kOverwrite}});
  std::optional<std::tuple<size_t, size_t, uint32_t>> observe;
  set(settings, "observe", observe);
  if (observe) {
    o.observe.emplace();
    std::tie(o.observe->num_pos, o.observe->num_neg, o.observe->seed) = *observe;
  }
  return o;
}

}  // namespace spml_python
