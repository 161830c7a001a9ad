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

// As `spml train` takes it; observe as (positives, negatives, seed).
std::string text_of(const py::object& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::tuple>(value) && py::len(value) == 3) {
    const py::tuple t = value;
    return "pos=" + text_of(t[0]) + ",neg=" + text_of(t[1]) + ",seed=" + text_of(t[2]);
  }
  if (PyIndex_Check(value.ptr()) != 0) return py::str(py::int_(value)).cast<std::string>();
  if (PyNumber_Check(value.ptr()) != 0) {
    return py::repr(py::float_(value.cast<double>())).cast<std::string>();
  }
  return py::repr(value).cast<std::string>();
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
  using spml::Existing;
  spml::TrainOptions o;
  o.loss = word(settings, "loss", o.loss.name().c_str());
  set(settings, "params", o.params);
  set(settings, "threads", o.threads);
  set(settings, "trials", o.trials);
  set(settings, "time_limit", o.time_limit);
  set(settings, "refit", o.refit);
  set(settings, "out", o.out);
  o.existing = choice_of<Existing>("existing", word(settings, "existing", "refuse"),
                                   {{"refuse", Existing::kRefuse},
                                    {"resume", Existing::kResume},
                                    {"overwrite", Existing::kOverwrite}});
  for (const spml::SettingDescription& setting : spml::train_settings()) {
    const char* name = setting.name.c_str();
    if (setting.name == "params" || !settings.contains(name) || settings[name].is_none()) continue;
    spml::set(o, setting.name, text_of(settings[name]));
  }
  return o;
}

void add_settings(py::module_& m) {
  m.def(
      "train_settings",
      [] {
        py::list list;
        for (const spml::SettingDescription& s : spml::train_settings()) {
          list.append(py::dict("name"_a = s.name, "help"_a = s.help, "default"_a = s.default_text,
                               "choices"_a = s.choices, "searched"_a = s.searched));
        }
        return list;
      },
      "The settings of train(): of each its name, help, default, choices and whether a search "
      "chooses it");
}

}  // namespace spml_python
