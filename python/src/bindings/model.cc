// spml.Model: a trained classifier.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"
#include "records.h"

namespace spml_python {

namespace {

using Model = spml::LinearClassifier;

// Any array as features, by the rules of spml/_arrays.py.
py::array prepared(const py::object& features) {
  return py::module_::import("spml._arrays").attr("features")(features);
}

template <auto kMethod>
auto scores(const Model& model, const py::object& features, int threads) {
  const py::array array = prepared(features);
  const spml::Features x = features_of(array);
  decltype((model.*kMethod)(x, threads)) result;
  {
    const py::gil_scoped_release release;
    result = (model.*kMethod)(x, threads);
  }
  return to_array(std::move(result));
}

// What a pickle holds.
py::tuple state_of(const Model& model) {
  const spml::LinearParts p = model.parts();
  return py::make_tuple(to_array(p.weight), to_array(p.bias), std::string(name_of(p.transform)),
                        to_array(p.mean), to_array(p.inverse_scale), p.classes,
                        to_array(p.thresholds), to_array(p.slope), to_array(p.offset));
}

Model from_state(const py::tuple& state) {
  if (state.size() != 9) fail("a pickled model: expected 9 parts, as this version writes them");
  const auto vector = [&](size_t i) { return state[i].cast<std::vector<float>>(); };
  const auto weight = state[0].cast<Array<float>>();
  spml::LinearParts p;
  p.weight = spml::Matrix<float>(view_of(weight, "weight"));
  p.bias = vector(1);
  p.transform = transform_of(state[2].cast<std::string>());
  p.mean = vector(3);
  p.inverse_scale = vector(4);
  p.classes = state[5].cast<std::vector<std::string>>();
  p.thresholds = vector(6);
  p.slope = state[7].cast<std::vector<double>>();
  p.offset = state[8].cast<std::vector<double>>();
  return Model(std::move(p));
}

}  // namespace

void add_model(py::module_& m) {
  py::class_<Model>(m, "Model", "A trained linear classifier. It never changes.")
      .def_static(
          "load",
          [](const std::filesystem::path& folder) {
            const py::gil_scoped_release release;
            return Model::load(folder);
          },
          "folder"_a, "Of a run folder")
      .def(
          "save",
          [](const Model& model, const std::filesystem::path& folder, bool overwrite) {
            const py::gil_scoped_release release;
            model.save(folder, overwrite ? spml::Existing::kOverwrite : spml::Existing::kRefuse);
          },
          "folder"_a, "overwrite"_a = false,
          "Writes the run folder that `spml predict` and `spml evaluate` read")
      .def_property_readonly("classes", [](const Model& model) { return model.classes(); })
      .def_property_readonly(
          "thresholds", [](const Model& model) { return to_array(model.thresholds()); },
          "(L), of the probabilities of predict()")
      .def_property_readonly(
          "weight", [](const Model& model) { return to_array(model.parts().weight); }, "(L, D)")
      .def_property_readonly(
          "bias", [](const Model& model) { return to_array(model.parts().bias); }, "(L)")
      .def_property_readonly(
          "calibration",
          [](const Model& model) {
            const spml::LinearParts parts = model.parts();
            return py::make_tuple(to_array(parts.slope), to_array(parts.offset));
          },
          "Slopes and offsets, (L) each: predict() is sigmoid(slope * logit + offset)")
      .def_property_readonly("transform",
                             [](const Model& model) { return name_of(model.parts().transform); })
      .def_property_readonly(
          "result", [](const Model& model) { return record_of(model); },
          "The record of its training; see docs/python.md")
      .def("logits", &scores<&Model::logits>, "features"_a, "threads"_a = 0, "(N, L) of float32")
      .def("predict", &scores<&Model::predict>, "features"_a, "threads"_a = 0,
           "Calibrated probabilities, (N, L) of float32")
      .def("predict_labels", &scores<&Model::predict_labels>, "features"_a, "threads"_a = 0,
           "1 where the probability reaches its label's threshold, (N, L) of int8")
      .def(py::pickle(&state_of, &from_state));
}

}  // namespace spml_python
