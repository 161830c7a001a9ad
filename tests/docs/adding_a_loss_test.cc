// The example of docs/adding-a-loss.md, compiled from the document, is a loss.
#include <gtest/gtest.h>

#include <cmath>

#include "brier_row.h"
#include "loss/batch.h"

namespace spml {
namespace {

TEST(AddingALoss, TheExampleOfTheDocumentWorks) {
  Batch batch(1, 3);  // f = 3/4, 1/4, 1/2
  batch.z = {std::log(3.0), -std::log(3.0), 0};
  batch.observed = {1, 0, -1};
  const LossSetup setup = {.labels = 3, .k = {}, .params = {{"weight", 0.5}}};
  const auto result = batch.evaluate<double>(*kBrier.make(setup));
  EXPECT_NEAR(result.value, (1 / 16. + 1 / 32. + 1 / 4.) / 3, 1e-15);
  // 2 p (1-p) times -(1-p), p/2 and p.
  const std::vector<double> dz = {-6 / 64. / 3, 6 / 128. / 3, 1 / 4. / 3};
  for (size_t i = 0; i < dz.size(); ++i) EXPECT_NEAR(result.dz[i], dz[i], 1e-15) << i;
}

}  // namespace
}  // namespace spml
