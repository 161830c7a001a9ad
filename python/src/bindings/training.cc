// spml.train(): on arrays or a data folder, with Python's callbacks and Ctrl-C.
#include <pybind11/stl.h>

#include "arrays.h"
#include "records.h"
#include "supervise.h"

namespace spml_python {

namespace {

struct Callbacks {
  py::object on_epoch, on_step, on_notice;
};

// Has the GIL when it is called and when it returns. Callbacks run on the calling thread.
template <class Data>
spml::LinearClassifier train(const Data& data, const py::dict& settings,
                             const Callbacks& callbacks) {
  spml::TrainOptions options = options_of(settings);
  Supervisor supervisor;
  options.stop = supervisor.stop_token();
  if (!callbacks.on_epoch.is_none()) {
    options.on_epoch = [&](const spml::EpochRecord& record) {
      supervisor.call([&] { callbacks.on_epoch(to_dict(record)); });
    };
  }
  if (!callbacks.on_step.is_none()) {
    options.on_step = [&](const spml::StepProgress& p) {
      supervisor.call([&] { callbacks.on_step(p.step, p.total, p.epoch); });
    };
  }
  if (!callbacks.on_notice.is_none()) {
    options.on_notice = [&](const std::string& text) {
      supervisor.call([&] { callbacks.on_notice(text); });
    };
  }
  std::optional<spml::LinearClassifier> model;
  supervisor.run([&] { model = spml::train(data, options); });
  return *model;
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
  return train(data, settings, {on_epoch, on_step, on_notice});
}

}  // namespace

void add_training(py::module_& m) {
  m.def("train_arrays", &train_arrays, "features"_a, "observed"_a, "truth"_a, "test_features"_a,
        "test_truth"_a, "classes"_a, "settings"_a, "on_epoch"_a, "on_step"_a, "on_notice"_a);
  m.def(
      "train_folder",
      [](const spml::DataFolder& data, const py::dict& settings, const py::object& on_epoch,
         const py::object& on_step, const py::object& on_notice) {
        return train(data, settings, {on_epoch, on_step, on_notice});
      },
      "data"_a, "settings"_a, "on_epoch"_a, "on_step"_a, "on_notice"_a);
}

}  // namespace spml_python
