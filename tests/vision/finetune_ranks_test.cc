// Fine-tuning by several processes, each with some parts of every batch: what one process makes of
// as many parts.
#include <array>

#include "cluster/thread_cluster.h"
#include "finetune.h"
#include "vision/batch_parts.h"

namespace spml {
namespace {

std::vector<std::array<size_t, 2>> parts_of(const std::vector<RowRange>& ranges) {
  std::vector<std::array<size_t, 2>> parts;
  for (const RowRange range : ranges) parts.push_back({range.begin, range.end});
  return parts;
}

TEST(BatchParts, OfAllRanksTogetherAreThoseOfOneProcess) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (size_t each = 1; each <= 3; ++each) {
      const BatchParts alone(each * static_cast<size_t>(ranks), nullptr);
      for (size_t rows = 0; rows <= 20; ++rows) {
        const auto expected = parts_of(alone.here(rows));
        std::vector<std::vector<std::array<size_t, 2>>> found(static_cast<size_t>(ranks));
        std::vector<size_t> behind(found.size());
        run_cluster(ranks, [&](Cluster& cluster) {
          const BatchParts parts(each, &cluster);
          const auto r = static_cast<size_t>(cluster.rank());
          found[r] = parts_of(parts.here(rows));
          behind[r] = parts.behind(rows);
          const RowRange here = parts.rows_here(rows);
          EXPECT_EQ(here.size(), found[r].empty() ? 0 : found[r].back()[1] - found[r][0][0]);
        });
        size_t left = expected.size();
        std::vector<std::array<size_t, 2>> all;
        for (size_t r = 0; r < found.size(); ++r) {
          EXPECT_LE(found[r].size(), each);
          EXPECT_EQ(behind[r], left -= found[r].size());
          all.insert(all.end(), found[r].begin(), found[r].end());
        }
        EXPECT_EQ(all, expected) << rows << " rows, " << ranks << " x " << each;
      }
    }
  }
}

constexpr uint64_t kSteps = 2;

// The tensors after a few steps, and the best ones after the second.
struct Trained {
  std::string model, state;  // the bytes of the files
  std::vector<float> scores;
};

Trained train(const FinetuneOptions& options) {
  const auto model = make_narrow(options);
  for (uint64_t step = 0; step < kSteps; ++step) {
    model->prefetch(kRows);
    train_step(*model, step);
    if (step == 1) model->keep_best();
  }
  Trained trained;
  trained.scores.resize(kRows.size() * kLabels);
  model->predict(Part::kTrainFile, kRows, 0, {trained.scores.data(), kRows.size(), kLabels});
  trained.model = SavedModel(*model).bytes();
  TemporaryFolder folder;
  SafetensorsWriter writer;
  model->save_state(writer);
  writer.write(folder / "state");
  trained.state = read_file(folder / "state");
  return trained;
}

std::vector<Trained> train_by(int ranks, FinetuneOptions options) {
  std::vector<Trained> all(static_cast<size_t>(ranks));
  run_cluster(ranks, [&](Cluster& cluster) {
    FinetuneOptions mine = options;
    mine.cluster = &cluster;
    all[static_cast<size_t>(cluster.rank())] = train(mine);
  });
  return all;
}

// Of every tensor, the largest difference over how far it has moved from the start.
double farthest(const std::string& start, const std::string& a, const std::string& b) {
  TemporaryFolder folder;
  write_file(folder / "start", start);
  write_file(folder / "a", a);
  write_file(folder / "b", b);
  const SafetensorsFile from(folder / "start"), left(folder / "a"), right(folder / "b");
  double worst = 0;
  for (const auto& [name, info] : from.tensors()) {
    const double moved = largest_difference(from.floats(name), left.floats(name));
    const double apart = largest_difference(left.floats(name), right.floats(name));
    EXPECT_TRUE(moved > 0 || apart == 0) << name;
    if (moved > 0) worst = std::max(worst, apart / moved);
  }
  return worst;
}

class Ranks : public testing::TestWithParam<int> {
 protected:
  // 1e-3 of a weight's way: sums in another order.
  static void expect_as_one(int ranks, const FinetuneOptions& options) {
    FinetuneOptions in_parts = options;
    in_parts.accumulate *= static_cast<size_t>(ranks);
    const Trained one = train(in_parts);
    const std::vector<Trained> all = train_by(ranks, options);
    const std::string start = SavedModel(*make_narrow(options)).bytes();
    EXPECT_LT(farthest(start, one.model, all[0].model), 1e-3);
    EXPECT_LT(largest_difference(one.scores, all[0].scores), 1e-3);
    for (const Trained& rank : all) {
      EXPECT_TRUE(rank.state == all[0].state);
      EXPECT_EQ(rank.scores, all[0].scores);
    }
  }
};

TEST_P(Ranks, GiveWhatOneProcessGivesInAsManyParts) { expect_as_one(GetParam(), small_options()); }

TEST_P(Ranks, MayHaveSeveralPartsEach) {
  FinetuneOptions options = small_options();
  options.accumulate = 2;  // more than images for some
  expect_as_one(GetParam(), options);
}

TEST_P(Ranks, KeepFrozenStatistics) {
  FinetuneOptions options = small_options();
  options.freeze_bn = true;
  expect_as_one(GetParam(), options);
}

// Layers below stay as they are to the last bit.
TEST_P(Ranks, TrainFromALayerOnWithOneCache) {
  const TemporaryFolder folder;
  FinetuneOptions options = small_options();
  options.first_layer = 4;
  options.cache = folder / "cache";
  options.weights_sha256 = "0123456789abcdef0123";
  expect_as_one(GetParam(), options);
}

TEST_P(Ranks, GiveTheSameBytesAgain) {
  EXPECT_TRUE(train_by(GetParam(), small_options())[0].state ==
              train_by(GetParam(), small_options())[0].state);
}

#ifdef __SANITIZE_ADDRESS__  // the same code for any number, and ten times as slow
INSTANTIATE_TEST_SUITE_P(Finetune, Ranks, testing::Values(2));
#else
INSTANTIATE_TEST_SUITE_P(Finetune, Ranks, testing::Values(1, 2, 3, 4));
#endif

TEST(FinetuneRanks, ScoreRowsAsOneProcessDoes) {
  std::vector<int32_t> rows(50);  // more than are handed out at once
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i % 4);
  std::vector<float> expected(rows.size() * kLabels);
  make_narrow(small_options())
      ->predict(Part::kTest, rows, 0, {expected.data(), rows.size(), kLabels});
  run_cluster(3, [&](Cluster& cluster) {
    FinetuneOptions options = small_options();
    options.cluster = &cluster;
    std::vector<float> found(expected.size(), 7);
    make_narrow(options)->predict(Part::kTest, rows, 0, {found.data(), rows.size(), kLabels});
    EXPECT_EQ(found, expected);
  });
}

TEST(FinetuneRanks, AnImageThatOneCannotReadEndsAll) {
  std::vector<Path> images = image_list();
  images[3] = "/nowhere.jpg";
  EXPECT_SPML_ERROR(run_cluster(2,
                                [&](Cluster& cluster) {
                                  FinetuneOptions options = small_options();
                                  options.cluster = &cluster;
                                  const auto model =
                                      make_finetune_model(narrow_resnet(), images, {}, options);
                                  train_step(*model, 0);
                                }),
                    testing::HasSubstr("(row 3 of the training file)"));
}

}  // namespace
}  // namespace spml
