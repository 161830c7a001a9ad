// spml.Dataset: a data folder, its arrays where they are mapped.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"

namespace spml_python {

namespace {

using spml::DataFolder;

struct Part {  // with the folder that it is of
  DataFolder folder;
  DataFolder::Part part;
};

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

std::vector<std::string> image_names(const Part& p) {
  std::vector<std::string> names;
  const size_t rows = p.part.has_images() ? p.part.rows() : 0;
  for (size_t i = 0; i < rows; ++i) names.push_back(p.part.image_file(i).string());
  return names;
}

void add_part(py::module_& m) {
  const auto part = [](const py::object& self) { return self.cast<Part&>().part; };
  py::class_<Part>(m, "Part", "The training file's data, or the test file's. Arrays are read-only.")
      .def_property_readonly(
          "rows", [](const Part& p) { return p.part.rows(); }, "N")
      .def_property_readonly(
          "truth", [part](const py::object& self) { return borrow(part(self).truth(), self); },
          "(N, L) of 0 and 1, or None")
      .def_property_readonly(
          "observed",
          [part](const py::object& self) { return borrow(part(self).observed(), self); },
          "(N, L): 1 positive, 0 unknown, -1 negative; or None")
      .def_property_readonly(
          "features",
          [part](const py::object& self) { return borrow(part(self).features(), self); },
          "(N, D) of float32 or float16, or None")
      .def_property_readonly("images", &image_names, "Paths of the images; empty without images");
}

py::tuple split(const DataFolder& d, double val_fraction, uint32_t seed) {
  const spml::Split rows = d.split(val_fraction, seed);
  return py::make_tuple(to_array(rows.train), to_array(rows.val));
}

}  // namespace

void add_dataset(py::module_& m) {
  add_part(m);
  py::class_<DataFolder>(m, "Dataset",
                         "A data folder: checked when it is opened, its arrays mapped, not read.")
      .def(py::init([](const std::filesystem::path& path, bool need_features, bool check_features,
                       int threads) {
             const py::gil_scoped_release release;
             return DataFolder::open(path, {need_features, check_features, threads});
           }),
           "path"_a, py::kw_only(), "need_features"_a = false, "check_features"_a = true,
           "threads"_a = 0)
      .def_property_readonly("path", [](const DataFolder& d) { return d.path().string(); })
      .def_property_readonly("name", [](const DataFolder& d) { return d.name(); })
      .def_property_readonly(
          "classes", [](const DataFolder& d) { return d.classes(); }, "L names")
      .def_property_readonly(
          "expected_positives", [](const DataFolder& d) { return d.expected_positives(); },
          "Labels of a row, where dataset.json has it")
      .def_property_readonly(
          "train",
          [](const DataFolder& d) {
            return Part{d, d.train_file()};
          },
          "The training file; see split()")
      .def_property_readonly(
          "test",
          [](const DataFolder& d) {
            return Part{d, d.test()};
          },
          "The test file")
      .def("split", &split, "val_fraction"_a = 0.2, "seed"_a = 1200,
           "Rows of the training file to train on, and to validate on")
      .def("__repr__",
           [](const DataFolder& d) { return "spml.Dataset('" + d.path().string() + "')"; });
  m.def("draw_observed",
        [](const Array<int8_t>& truth, size_t positives, size_t negatives, uint32_t seed) {
          const auto y = view_of(truth, "truth");
          spml::Matrix<int8_t> observed;
          {
            const py::gil_scoped_release release;
            spml::ObserveOptions options;
            options.num_pos = positives;
            options.num_neg = negatives;
            options.seed = seed;
            observed = spml::draw_observed(y, options);
          }
          return to_array(std::move(observed));
        });
}

}  // namespace spml_python
