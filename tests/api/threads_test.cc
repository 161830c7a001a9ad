// One classifier, many threads. Also run under ThreadSanitizer.
#include <thread>

#include "api/toy.h"
#include "testing.h"

namespace spml {
namespace {

TEST(Threads, PredictWithOneClassifierAtOnce) {
  const Toy toy = make_toy(300, 24, 6);
  TrainOptions options = quick("an", 1);
  options.threads = 2;
  const LinearClassifier model = train(toy.data(), options);
  const Matrix<float> expected = model.predict(toy.features);
  std::vector<Matrix<float>> found(8);
  std::vector<std::thread> threads;
  for (Matrix<float>& scores : found) {
    threads.emplace_back([&, copy = model] {
      for (int i = 0; i < 5; ++i) scores = copy.predict(toy.features, 1 + i % 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<float>& scores : found) EXPECT_EQ(scores, expected);
}

TEST(Threads, TrainSeveralClassifiersAtOnce) {
  const Toy toy = make_toy(200, 8, 4);
  const LinearClassifier expected = train(toy.data(), quick());
  std::vector<Matrix<float>> found(4);
  std::vector<std::thread> threads;
  for (Matrix<float>& weight : found) {
    threads.emplace_back([&] { weight = train(toy.data(), quick()).parts().weight; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<float>& weight : found) EXPECT_EQ(weight, expected.parts().weight);
}

}  // namespace
}  // namespace spml
