#include "train/model.h"

#include "base/fail.h"

namespace spml {

void Model::load_labels(const SafetensorsFile&, const LabelPart&) {
  fail("only a linear model is kept by several ranks, each with some of its labels");
}

}  // namespace spml
