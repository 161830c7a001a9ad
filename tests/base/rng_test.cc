#include "base/rng.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/numpy_random.h"
#include "testing.h"

namespace spml {
namespace {

nlohmann::json numpy_vectors() {
  return nlohmann::json::parse(read_file(reference_data() / "numpy-vectors.json"));
}

TEST(NumpyRandom, FirstOutputsOfSeed1200) {
  NumpyRandom random(1200);
  EXPECT_EQ(random.next_u32(), 2413572691u);
  EXPECT_EQ(random.next_u32(), 1534083769u);
  EXPECT_EQ(random.next_u32(), 4133338855u);
}

TEST(NumpyRandom, PermutationOfSeed42) {
  EXPECT_THAT(NumpyRandom(42).permutation(10), testing::ElementsAre(8, 1, 5, 0, 7, 2, 9, 4, 3, 6));
}

TEST(NumpyRandom, AllPermutationVectors) {
  const auto vectors = numpy_vectors();
  for (const auto& vector : vectors["permutation"]) {
    const auto order = NumpyRandom(vector["seed"]).permutation(vector["n"]);
    SCOPED_TRACE(vector["n"]);
    if (vector.contains("out")) {
      EXPECT_EQ(order, vector["out"].get<std::vector<int32_t>>());
      continue;
    }
    const auto first = vector["first"].get<std::vector<int32_t>>();
    const auto last = vector["last"].get<std::vector<int32_t>>();
    EXPECT_TRUE(std::equal(first.begin(), first.end(), order.begin()));
    EXPECT_TRUE(std::equal(last.begin(), last.end(), order.end() - last.size()));
  }
}

TEST(NumpyRandom, ShufflesInSequence) {
  const auto vectors = numpy_vectors();
  for (const auto& sequence : vectors["shuffle_sequence"]) {
    NumpyRandom random(sequence["seed"].get<uint32_t>());
    for (size_t i = 0; i < sequence["lengths"].size(); ++i) {
      std::vector<int32_t> items(sequence["lengths"][i].get<size_t>());
      for (size_t j = 0; j < items.size(); ++j) items[j] = static_cast<int32_t>(j);
      random.shuffle(std::span(items));
      EXPECT_EQ(items, sequence["out"][i].get<std::vector<int32_t>>());
    }
  }
}

TEST(CounterRng, IsAFunctionOfItsKey) {
  EXPECT_EQ(CounterRng(1, Stream::kTrials, 7).next_u64(), random_u64(1, Stream::kTrials, 7));
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t counter = 0; counter < 100; ++counter) {
      seen.insert(random_u64(seed, Stream::kTrials, counter));
      seen.insert(random_u64(seed, Stream::kBatchOrder, counter));
    }
  }
  EXPECT_EQ(seen.size(), 2000u);
}

TEST(CounterRng, MomentsAreRight) {
  CounterRng random(3, Stream::kSynthetic);
  constexpr int kDraws = 200000;
  double uniform = 0, normal = 0, square = 0;
  std::vector<int> counts(7);
  for (int i = 0; i < kDraws; ++i) {
    uniform += random.uniform();
    const double x = random.normal();
    normal += x;
    square += x * x;
    ++counts[random.below(7)];
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.005);
  EXPECT_NEAR(normal / kDraws, 0.0, 0.01);
  EXPECT_NEAR(square / kDraws, 1.0, 0.02);
  for (int count : counts) EXPECT_NEAR(count, kDraws / 7.0, 800);
}

}  // namespace
}  // namespace spml
