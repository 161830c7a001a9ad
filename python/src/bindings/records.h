// Settings from Python's dictionaries, and records as such.
#pragma once

#include <string>

#include "arrays.h"

namespace spml_python {

py::dict to_dict(const spml::EpochRecord& epoch);
// The keys of result.json, and `history`.
py::dict record_of(const spml::LinearClassifier& model);

const char* name_of(spml::TransformKind kind);
spml::TransformKind transform_of(const std::string& name);

// Settings as `spml train` has them; unknown names are refused in spml/_training.py. What is None
// takes its default.
spml::TrainOptions options_of(const py::dict& settings);

}  // namespace spml_python
