// The module spml._spml: the public C++ interface (include/spml) on NumPy arrays. Nothing is
// computed here. The GIL is released while C++ works.
#include "arrays.h"

PYBIND11_MODULE(_spml, m) {
  m.doc() = "The C++ library of spml on NumPy arrays.";
  m.attr("__version__") = spml::library_version();
  pybind11::register_exception<spml::Error>(m, "Error", PyExc_ValueError);
  m.attr("Error").attr("__module__") = "spml";
  m.attr("Error").attr("__doc__") =
      "What went wrong, in one line: what was expected, what was found, where, what to do.";
  spml_python::add_losses(m);
  spml_python::add_metrics(m);
  spml_python::add_dataset(m);
  spml_python::add_model(m);
  spml_python::add_training(m);
  spml_python::add_settings(m);
}
