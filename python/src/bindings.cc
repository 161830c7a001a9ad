// The module spml._spml: the public C++ interface (include/spml) on NumPy arrays. Nothing is computed
// here. Arrays in C order of the right type are used where they lie; the GIL is released while C++
// works, and taken for a moment after every step, to see whether Ctrl-C was pressed.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <memory>
#include <string>

#include "spml/spml.h"

namespace py = pybind11;
using namespace py::literals;

namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style>;

void check_two_dimensions(const py::array& array, const char* what) {
  if (array.ndim() == 2) return;
  throw spml::Error(std::string(what) + ": expected an array of 2 dimensions, found " +
                    std::to_string(array.ndim()));
}

template <class T>
spml::View<const T> view_of(const Array<T>& array, const char* what) {
  check_two_dimensions(array, what);
  return {array.data(), static_cast<size_t>(array.shape(0)), static_cast<size_t>(array.shape(1))};
}

template <class T>
spml::View<const T> view_of(const std::optional<Array<T>>& array, const char* what) {
  return array ? view_of(*array, what) : spml::View<const T>{};
}


// float32 or float16 in C order, as python/src/spml/_arrays.py prepares them.
spml::Features features_of(const py::array& array) {
  check_two_dimensions(array, "features");
  const auto rows = static_cast<size_t>(array.shape(0)), cols = static_cast<size_t>(array.shape(1));
  if ((array.flags() & py::array::c_style) == 0) {
    throw spml::Error("features: expected an array in C order");
  }
  if (array.dtype().kind() == 'f' && array.itemsize() == 2) {
    return spml::Features::float16({static_cast<const uint16_t*>(array.data()), rows, cols});
  }
  if (array.dtype().kind() == 'f' && array.itemsize() == 4) {
    return spml::View<const float>{static_cast<const float*>(array.data()), rows, cols};
  }
  throw spml::Error("features: expected float32 or float16");
}

// The matrix's own memory as an array: moved, not copied.
template <class T>
py::array_t<T> to_array(spml::Matrix<T> matrix) {
  auto owned = std::make_unique<spml::Matrix<T>>(std::move(matrix));
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(owned->rows()),
                                       static_cast<py::ssize_t>(owned->cols())};
  T* data = owned->data();
  py::capsule keeper(owned.release(),
                     [](void* p) { delete static_cast<spml::Matrix<T>*>(p); });
  return py::array_t<T>(shape, data, keeper);
}

// A read-only array over memory that `owner` keeps alive.
py::array borrow(const py::dtype& dtype, const void* data, size_t rows, size_t cols,
                 const py::object& owner) {
  py::array array(dtype, {rows, cols}, data, owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::object borrow(spml::View<const int8_t> view, const py::object& owner) {
  if (view.empty()) return py::none();
  return borrow(py::dtype::of<int8_t>(), view.data, view.rows, view.cols, owner);
}

py::object borrow(const spml::Features& features, const py::object& owner) {
  if (features.empty()) return py::none();
  const bool half = features.is_float16();
  const void* data = half ? static_cast<const void*>(features.float16_bits().data)
                          : static_cast<const void*>(features.floats().data);
  return borrow(half ? py::dtype("float16") : py::dtype::of<float>(), data, features.rows(),
                features.cols(), owner);
}

// ---- losses

py::dict to_dict(const spml::LossDescription& loss) {
  py::list params;
  for (const auto& p : loss.params) {
    params.append(py::dict("name"_a = p.name, "help"_a = p.help, "default"_a = p.default_value,
                           "default_text"_a = p.default_text, "min"_a = p.min, "max"_a = p.max));
  }
  return py::dict("name"_a = loss.name, "summary"_a = loss.summary, "formula"_a = loss.formula,
                  "source"_a = loss.source, "needs"_a = std::string(to_string(loss.needs)),
                  "needs_k"_a = loss.needs_k, "uses_estimates"_a = loss.uses_estimates,
                  "params"_a = params);
}

struct LossCallArguments {
  std::string name;
  std::optional<double> k;
  spml::LossParameters params;
  int epoch, epochs;
  uint64_t step, seed;
};

template <class T>
py::tuple evaluate_loss(const LossCallArguments& call, const Array<T>& logits,
                        const std::optional<Array<int8_t>>& observed,
                        const std::optional<Array<T>>& estimates,
                        const std::optional<Array<int8_t>>& truth,
                        const std::optional<Array<T>>& soft_labels,
                        const std::optional<Array<T>>& priors) {
  spml::BasicLossInput<T> in;
  in.logits = view_of(logits, "logits");
  in.estimates = view_of(estimates, "estimates");
  in.soft_labels = view_of(soft_labels, "soft_labels");
  if (priors) in.class_priors = {priors->data(), static_cast<size_t>(priors->size())};
  in.epoch = call.epoch;
  in.epochs = call.epochs;
  in.step = call.step;
  in.seed = call.seed;
  const auto o = view_of(observed, "observed"), y = view_of(truth, "truth");
  spml::LossValue<T> result;
  {
    const py::gil_scoped_release release;
    const auto loss = spml::make_loss(
        call.name, {.labels = in.logits.cols, .k = call.k, .params = call.params});
    const spml::Matrix<int8_t> labels = spml::labels_for(loss->traits(), o, y);
    in.observed = labels;
    result = spml::evaluate(*loss, in);
  }
  return py::make_tuple(
      result.value, to_array(std::move(result.dlogits)),
      result.destimates.empty() ? py::object(py::none()) : to_array(std::move(result.destimates)));
}

// ---- training

py::dict to_dict(const spml::EpochRecord& e) {
  return py::dict("epoch"_a = e.epoch, "train_loss"_a = e.train_loss, "val_map"_a = e.val_map,
                  "khat"_a = e.khat, "khat_estimates"_a = e.khat_estimates,
                  "seconds"_a = e.seconds);
}

py::dict to_dict(const spml::TrainingResult& r) {
  py::list history;
  for (const auto& epoch : r.history) history.append(to_dict(epoch));
  return py::dict("loss"_a = r.loss, "mode"_a = r.mode, "lr"_a = r.lr, "batch"_a = r.batch,
                  "epochs"_a = r.epochs, "seed"_a = r.seed, "k"_a = r.k, "params"_a = r.params,
                  "best_epoch"_a = r.best_epoch, "val_map"_a = r.val_map, "test_map"_a = r.test_map,
                  "train_map"_a = r.train_map, "test_map_nonempty"_a = r.test_map_nonempty,
                  "per_class_ap"_a = r.per_class_ap, "steps"_a = r.steps,
                  "resumed_from_step"_a = r.resumed_from_step,
                  "train_seconds"_a = r.train_seconds, "seconds"_a = r.seconds,
                  "history"_a = history);
}

template <class Choice>
Choice choice_of(const std::string& name, std::initializer_list<std::pair<const char*, Choice>> all) {
  std::string known;
  for (const auto& [word, value] : all) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw spml::Error("expected one of " + known + ", found '" + name + "'",
                    spml::Error::Kind::kUsage);
}

// Keyword arguments that train() shares with `spml train`; unknown names are refused in Python.
spml::TrainOptions options_of(const py::dict& given) {
  using spml::EstimatorKind, spml::Select, spml::TransformKind;
  spml::TrainOptions o;
  const auto set = [&](const char* name, auto& value) {
    if (given.contains(name) && !given[name].is_none()) {
      value = given[name].cast<std::decay_t<decltype(value)>>();
    }
  };
  std::string loss = "role", transform = "none", estimator = "table", select = "clean";
  std::string existing = "refuse";
  std::optional<std::tuple<size_t, size_t, uint32_t>> observe;
  set("loss", loss);
  set("params", o.params);
  set("k", o.k);
  set("lr", o.lr);
  set("batch", o.batch);
  set("epochs", o.epochs);
  set("patience", o.patience);
  set("weight_decay", o.weight_decay);
  set("transform", transform);
  set("seed", o.seed);
  set("threads", o.threads);
  set("val_fraction", o.val_fraction);
  set("split_seed", o.split_seed);
  set("subsample", o.subsample);
  set("select", select);
  set("observe", observe);
  set("estimator", estimator);
  set("rank", o.estimator.rank);
  set("hidden", o.estimator.hidden);
  set("out", o.out);
  set("existing", existing);
  o.loss = loss;
  o.transform = choice_of<TransformKind>(transform, {{"none", TransformKind::kNone},
                                                     {"sqrt", TransformKind::kSqrt},
                                                     {"l2", TransformKind::kL2},
                                                     {"standardize", TransformKind::kStandardize}});
  o.select = choice_of<Select>(select, {{"clean", Select::kClean}, {"observed", Select::kObserved}});
  o.estimator.kind = choice_of<EstimatorKind>(estimator, {{"table", EstimatorKind::kTable},
                                                          {"factored", EstimatorKind::kFactored},
                                                          {"network", EstimatorKind::kNetwork}});
  o.existing = choice_of<spml::Existing>(existing, {{"refuse", spml::Existing::kRefuse},
                                                    {"resume", spml::Existing::kResume},
                                                    {"overwrite", spml::Existing::kOverwrite}});
  if (observe) {
    const auto& [positives, negatives, seed] = *observe;
    o.observe = spml::ObserveOptions{positives, negatives, seed};
  }
  return o;
}

// Python's callbacks and Ctrl-C, for a training that runs without the GIL.
void connect(spml::TrainOptions& options, const py::object& on_epoch, const py::object& on_step,
             const py::object& on_notice) {
  if (!on_epoch.is_none()) {
    options.on_epoch = [&on_epoch](const spml::EpochRecord& record) {
      const py::gil_scoped_acquire acquire;
      on_epoch(to_dict(record));
    };
  }
  if (!on_notice.is_none()) {
    options.on_notice = [&on_notice](const std::string& text) {
      const py::gil_scoped_acquire acquire;
      on_notice(text);
    };
  }
  // Asking for the GIL costs more than a small step: look for signals some times a second.
  constexpr std::chrono::milliseconds kInterval(20);
  auto last = std::make_shared<std::chrono::steady_clock::time_point>();
  options.on_step = [&on_step, last](const spml::StepProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (on_step.is_none() && now - *last < kInterval) return;
    *last = now;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!on_step.is_none()) on_step(progress.step, progress.total, progress.epoch);
  };
}

spml::LinearClassifier train_arrays(const py::array& features,
                                    const std::optional<Array<int8_t>>& observed,
                                    const std::optional<Array<int8_t>>& truth,
                                    const std::optional<py::array>& test_features,
                                    const std::optional<Array<int8_t>>& test_truth,
                                    std::vector<std::string> classes, const py::dict& settings,
                                    const py::object& on_epoch, const py::object& on_step,
                                    const py::object& on_notice) {
  spml::TrainingData data;
  data.features = features_of(features);
  data.observed = view_of(observed, "observed");
  data.truth = view_of(truth, "truth");
  if (test_features) data.test_features = features_of(*test_features);
  data.test_truth = view_of(test_truth, "test_truth");
  data.classes = std::move(classes);
  spml::TrainOptions options = options_of(settings);
  connect(options, on_epoch, on_step, on_notice);
  const py::gil_scoped_release release;
  return spml::train(data, options);
}

spml::LinearClassifier train_folder(const spml::DataFolder& data, const py::dict& settings,
                                    const py::object& on_epoch, const py::object& on_step,
                                    const py::object& on_notice) {
  spml::TrainOptions options = options_of(settings);
  connect(options, on_epoch, on_step, on_notice);
  const py::gil_scoped_release release;
  return spml::train(data, options);
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

py::array_t<float> vector_array(const std::vector<float>& values) {
  return py::array_t<float>(static_cast<py::ssize_t>(values.size()), values.data());
}

// ---- the module

void add_losses(py::module_& m) {
  m.def("losses", [] {
    py::list all;
    for (const auto& loss : spml::losses()) all.append(to_dict(loss));
    return all;
  });
  m.def("describe_loss", [](const std::string& name) { return to_dict(spml::describe_loss(name)); });
  m.def(
      "evaluate_loss",
      [](const std::string& name, const py::array& logits, std::optional<Array<int8_t>> observed,
         const py::object& estimates, std::optional<Array<int8_t>> truth,
         const py::object& soft_labels, const py::object& priors, std::optional<double> k,
         spml::LossParameters params, int epoch, int epochs, uint64_t step, uint64_t seed) {
        const LossCallArguments call{name, k, std::move(params), epoch, epochs, step, seed};
        const auto run = [&](auto zero) {
          using T = decltype(zero);
          const auto cast = [](const py::object& o) { return o.cast<std::optional<Array<T>>>(); };
          return evaluate_loss<T>(call, logits.cast<Array<T>>(), observed, cast(estimates), truth,
                                  cast(soft_labels), cast(priors));
        };
        return logits.itemsize() == 8 ? run(0.0) : run(0.0F);
      },
      "name"_a, "logits"_a, "observed"_a, "estimates"_a, "truth"_a, "soft_labels"_a, "priors"_a,
      "k"_a, "params"_a, "epoch"_a, "epochs"_a, "step"_a, "seed"_a);
}

void add_metrics(py::module_& m) {
  m.def("average_precision", [](const Array<float>& scores, const Array<int8_t>& truth) {
    const std::span<const float> s(scores.data(), static_cast<size_t>(scores.size()));
    const std::span<const int8_t> y(truth.data(), static_cast<size_t>(truth.size()));
    const py::gil_scoped_release release;
    return spml::average_precision(s, y);
  });
  m.def("mean_average_precision",
        [](const Array<float>& scores, const Array<int8_t>& truth, int threads) {
          const auto s = view_of(scores, "scores");
          const auto y = view_of(truth, "truth");
          spml::MapResult r;
          {
            const py::gil_scoped_release release;
            r = spml::mean_average_precision(s, y, threads);
          }
          return py::dict("map"_a = r.map, "map_nonempty"_a = r.map_nonempty,
                          "per_class_ap"_a = r.per_class_ap);
        });
  m.def("ranking_at", [](size_t cut, const Array<float>& scores, const Array<int8_t>& truth,
                         int threads) {
    const auto s = view_of(scores, "scores");
    const auto y = view_of(truth, "truth");
    spml::RankingAt r;
    {
      const py::gil_scoped_release release;
      r = spml::ranking_at(cut, s, y, threads);
    }
    return py::dict("precision"_a = r.precision, "recall"_a = r.recall, "hit"_a = r.hit);
  });
  m.def("f1_scores", [](const Array<float>& scores, const Array<int8_t>& truth,
                        const std::vector<float>& thresholds) {
    const auto r = spml::f1_scores(view_of(scores, "scores"), view_of(truth, "truth"), thresholds);
    return py::dict("micro"_a = r.micro, "macro"_a = r.macro);
  });
  m.def("tune_thresholds",
        [](const Array<float>& scores, const Array<int8_t>& truth, int threads) {
          return vector_array(spml::tune_thresholds(view_of(scores, "scores"),
                                                    view_of(truth, "truth"), threads));
        });
}

void add_dataset(py::module_& m) {
  using spml::DataFolder;
  using Part = DataFolder::Part;
  struct HeldPart {  // a part with the folder that it is of
    DataFolder folder;
    Part part;
  };
  py::class_<HeldPart>(m, "Part")
      .def_property_readonly("rows", [](const HeldPart& p) { return p.part.rows(); })
      .def_property_readonly(
          "truth", [](py::object self) { return borrow(self.cast<HeldPart&>().part.truth(), self); })
      .def_property_readonly(
          "observed",
          [](py::object self) { return borrow(self.cast<HeldPart&>().part.observed(), self); })
      .def_property_readonly(
          "features",
          [](py::object self) { return borrow(self.cast<HeldPart&>().part.features(), self); })
      .def_property_readonly("images", [](const HeldPart& p) {
        std::vector<std::string> names;
        const size_t rows = p.part.has_images() ? p.part.rows() : 0;
        for (size_t i = 0; i < rows; ++i) names.push_back(p.part.image_file(i).string());
        return names;
      });
  py::class_<DataFolder>(m, "Dataset")
      .def(py::init([](const std::filesystem::path& path, bool need_features, bool check_features,
                       int threads) {
             const py::gil_scoped_release release;
             return DataFolder::open(path, {need_features, check_features, threads});
           }),
           "path"_a, py::kw_only(), "need_features"_a = false, "check_features"_a = true,
           "threads"_a = 0)
      .def_property_readonly("path", [](const DataFolder& d) { return d.path().string(); })
      .def_property_readonly("name", [](const DataFolder& d) { return d.name(); })
      .def_property_readonly("classes", [](const DataFolder& d) { return d.classes(); })
      .def_property_readonly("expected_positives",
                             [](const DataFolder& d) { return d.expected_positives(); })
      .def_property_readonly("train",
                             [](const DataFolder& d) { return HeldPart{d, d.train_file()}; })
      .def_property_readonly("test", [](const DataFolder& d) { return HeldPart{d, d.test()}; })
      .def(
          "split",
          [](const DataFolder& d, double val_fraction, uint32_t seed) {
            const spml::Split split = d.split(val_fraction, seed);
            const auto array = [](const std::vector<int32_t>& rows) {
              return py::array_t<int32_t>(static_cast<py::ssize_t>(rows.size()), rows.data());
            };
            return py::make_tuple(array(split.train), array(split.val));
          },
          "val_fraction"_a = 0.2, "seed"_a = 1200);
  m.def("draw_observed", [](const Array<int8_t>& truth, size_t positives, size_t negatives,
                            uint32_t seed) {
    return to_array(spml::draw_observed(view_of(truth, "truth"), {positives, negatives, seed}));
  });
}

py::tuple state_of(const spml::LinearClassifier& model) {
  const spml::LinearParts p = model.parts();
  return py::make_tuple(to_array(p.weight), p.bias, std::string(name_of(p.transform)), p.mean,
                        p.inverse_scale, p.classes, p.thresholds);
}

spml::LinearClassifier from_state(const py::tuple& state) {
  if (state.size() != 7) throw spml::Error("a pickled model: expected 7 parts");
  spml::LinearParts p;
  const auto weight = state[0].cast<Array<float>>();
  p.weight = spml::Matrix<float>(view_of(weight, "weight"));
  p.bias = state[1].cast<std::vector<float>>();
  py::dict transform("transform"_a = state[2]);
  p.transform = options_of(transform).transform;
  p.mean = state[3].cast<std::vector<float>>();
  p.inverse_scale = state[4].cast<std::vector<float>>();
  p.classes = state[5].cast<std::vector<std::string>>();
  p.thresholds = state[6].cast<std::vector<float>>();
  return spml::LinearClassifier(std::move(p));
}

void add_model(py::module_& m) {
  using Model = spml::LinearClassifier;
  py::class_<Model>(m, "Model")
      .def_static("load",
                  [](const std::filesystem::path& folder) {
                    const py::gil_scoped_release release;
                    return Model::load(folder);
                  })
      .def(
          "save",
          [](const Model& model, const std::filesystem::path& folder, bool overwrite) {
            const py::gil_scoped_release release;
            model.save(folder, overwrite ? spml::Existing::kOverwrite : spml::Existing::kRefuse);
          },
          "folder"_a, "overwrite"_a = false)
      .def_property_readonly("classes", [](const Model& model) { return model.classes(); })
      .def_property_readonly("thresholds",
                             [](const Model& model) { return vector_array(model.thresholds()); })
      .def_property_readonly("weight",
                             [](const Model& model) { return to_array(model.parts().weight); })
      .def_property_readonly("bias",
                             [](const Model& model) { return vector_array(model.parts().bias); })
      .def_property_readonly("transform",
                             [](const Model& model) { return name_of(model.parts().transform); })
      .def_property_readonly("result", [](const Model& model) { return to_dict(model.result()); })
      .def("logits",
           [](const Model& model, const py::array& features, int threads) {
             const spml::Features x = features_of(features);
             spml::Matrix<float> scores;
             {
               const py::gil_scoped_release release;
               scores = model.logits(x, threads);
             }
             return to_array(std::move(scores));
           },
           "features"_a, "threads"_a = 0)
      .def("predict",
           [](const Model& model, const py::array& features, int threads) {
             const spml::Features x = features_of(features);
             spml::Matrix<float> scores;
             {
               const py::gil_scoped_release release;
               scores = model.predict(x, threads);
             }
             return to_array(std::move(scores));
           },
           "features"_a, "threads"_a = 0)
      .def(py::pickle(&state_of, &from_state));
  m.def("train_arrays", &train_arrays, "features"_a, "observed"_a, "truth"_a, "test_features"_a,
        "test_truth"_a, "classes"_a, "settings"_a, "on_epoch"_a, "on_step"_a, "on_notice"_a);
  m.def("train_folder", &train_folder, "data"_a, "settings"_a, "on_epoch"_a, "on_step"_a,
        "on_notice"_a);
}

}  // namespace

PYBIND11_MODULE(_spml, m) {
  m.doc() = "The C++ library of spml on NumPy arrays.";
  m.attr("__version__") = spml::library_version();
  py::register_exception<spml::Error>(m, "Error", PyExc_ValueError);
  add_losses(m);
  add_metrics(m);
  add_dataset(m);
  add_model(m);
}
