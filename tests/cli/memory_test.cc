// Data larger than memory: features are mapped, what a run allocates does not grow with them.
#include <chrono>
#include <fstream>
#include <thread>

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
void write_large_data(const Path& folder) {
  make_folder(folder);
  std::vector<int8_t> truth(kRows * kLabels);
  NpyRowWriter writer(folder / "train_features_imagenet_resnet50.npy", DType::kF32, kRows,
                      kFeatures);
  std::vector<float> row(kFeatures);
  for (size_t i = 0; i < kRows; ++i) {
    truth[i * kLabels + i % kLabels] = 1;
    std::fill(row.begin(), row.end(), 0.0f);
    row[i % kLabels * 100] = 1;
    row[i % kFeatures] += 0.5f;
    writer.append(row);
  }
  writer.finish();
  write_npy(folder / "formatted_train_labels.npy",
            View<const int8_t>{truth.data(), kRows, kLabels});
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
  write_large_data(folder / "data");
  Running running({"train", folder / "data", "--loss", "role", "--epochs", "1", "--batch", "16",
                   "--transform", "standardize", "--checkpoint-every", "1000", "--quiet", "--out",
                   folder / "out"});
  size_t peak = 0;
  while (!running.ended()) {
    peak = std::max(peak, anonymous_bytes(running.pid()));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Ran ran = running.wait();
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_GT(peak, 0u);
  EXPECT_LT(peak, kBound);
  RecordProperty("peak_anonymous_bytes", std::to_string(peak));
}

}  // namespace
}  // namespace spml
