// consumer FEATURES.npy OBSERVED.npy: trains on one positive label per row, then tags the rows.
#include <spml/spml.h>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 3) throw spml::Error("expected FEATURES.npy OBSERVED.npy");
  const auto features = spml::load_floats(argv[1]);  // (N, D)
  const auto observed = spml::load_labels(argv[2]);  // (N, L): +1 positive, 0 unknown

  spml::LinearOptions options;
  options.loss = "role";  // estimates the labels nobody gave
  options.k = 1.5;        // how many labels an example has, about
  options.epochs = 10;
  options.on_epoch = [](int epoch, double loss, double map) {
    std::printf("epoch %2d  loss %.4f  validation MAP %.2f\n", epoch, loss, map);
  };
  const auto model = spml::LinearClassifier::train(features.view(), observed.view(), options);

  const auto scores = model.predict(features.view());  // (N, L) probabilities
  for (size_t row = 0; row < 3; ++row) {
    const auto begin = scores.begin() + static_cast<long>(row * model.labels());
    const auto best = std::max_element(begin, begin + static_cast<long>(model.labels()));
    std::printf("row %zu: label %ld with probability %.2f\n", row, best - begin, *best);
  }
} catch (const spml::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
