// Data larger than memory: features are mapped, what a run allocates does not grow with them.
#include <chrono>
#include <fstream>
#include <thread>

#include "base/folders.h"
#include "formats/npy.h"
#include "training.h"

namespace spml {
namespace {

constexpr size_t kRows = 60'000, kFeatures = 1024, kLabels = 8;
constexpr size_t kBound = size_t{96} << 20;

// Bytes of RssAnon now; 0 once the process has ended.
size_t anonymous_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

// Rows that tell the labels apart in a few columns and are zero elsewhere.
void write_large_data(const Path& folder, const Shape& shape) {
  make_folder(folder);
  const auto [rows, labels, features] = shape;
  std::vector<int8_t> truth(rows * labels);
  NpyRowWriter writer(folder / "train_features_imagenet_resnet50.npy", DType::kF32, rows, features);
  std::vector<float> row(features);
  for (size_t i = 0; i < rows; ++i) {
    truth[i * labels + i % labels] = 1;
    std::fill(row.begin(), row.end(), 0.0f);
    row[i % labels * 100 % features] = 1;
    row[i % features] += 0.5f;
    writer.append(row);
  }
  writer.finish();
  write_npy(folder / "formatted_train_labels.npy", View<const int8_t>{truth.data(), rows, labels});
}

// The most anonymous memory that a command had.
size_t peak_of(const Words& words) {
  Running running(words);
  size_t peak = 0;
  while (!running.ended()) {
    peak = std::max(peak, anonymous_bytes(running.pid()));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Ran ran = running.wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_GT(peak, 0u);
  return peak;
}

TEST(Memory, StaysBelowModelEstimatesAndAConstant) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own memory would be measured";
#endif
  TemporaryFolder folder;
  const size_t file_bytes = kRows * kFeatures * sizeof(float);
  ASSERT_GT(file_bytes, 2 * kBound);
  if (std::filesystem::space(folder.path()).available < 2 * file_bytes) {
    GTEST_SKIP() << folder.path() << " has too little room for " << file_bytes << " bytes";
  }
  write_large_data(folder / "data", {kRows, kLabels, kFeatures});
  const size_t peak = peak_of({"train", folder / "data", "--loss", "role", "--epochs", "1",
                               "--batch", "16", "--transform", "standardize", "--checkpoint-every",
                               "1000", "--quiet", "--out", folder / "out"});
  EXPECT_LT(peak, kBound);
  RecordProperty("peak_anonymous_bytes", std::to_string(peak));
}

TEST(Memory, EvaluateDoesNotHoldAScoreForEveryRowAndLabel) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own memory would be measured";
#endif
  TemporaryFolder folder;
  const Shape shape{30'000, 1500, 8};
  ASSERT_GT(shape.rows * shape.labels * sizeof(float), kBound * 3 / 2);
  write_large_data(folder / "data", shape);
  expect_success({"train", folder / "data", "--loss", "an", "--epochs", "1", "--batch", "256",
                  "--quiet", "--out", folder / "out"});
  const size_t peak =
      peak_of({"evaluate", folder / "out", folder / "data", "--split", "train", "--json"});
  EXPECT_LT(peak, kBound);
  RecordProperty("peak_anonymous_bytes", std::to_string(peak));
}

}  // namespace
}  // namespace spml
