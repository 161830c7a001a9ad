// A training loop's view of the library: one batch, its loss and its gradient.
#include <spml/error.h>
#include <spml/loss.h>
#include <spml/version.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  try {
    constexpr size_t B = 2, L = 3;
    const std::vector<float> logits = {2.0F, -1.0F, 0.5F, -0.5F, 1.5F, -2.0F};
    const std::vector<int8_t> observed = {+1, 0, 0, 0, +1, 0};
    std::vector<float> gradient(B * L);

    const auto loss = spml::make_loss("an", {.labels = L, .k = {}, .params = {}});
    std::vector<float> scratch(loss->scratch_per_entry() * B * L);
    spml::LossInput in;
    in.logits = {logits.data(), B, L};
    in.observed = {observed.data(), B, L};
    spml::LossOutput out;
    out.logits = {gradient.data(), B, L};
    out.scratch = scratch;
    const double value = loss->evaluate(in, out);

    std::printf("spml %s, %zu losses; an = %.4f\n", spml::kVersion, spml::all_losses().size(),
                value);
    return value > 0 && gradient[0] < 0 && gradient[1] > 0 ? 0 : 1;
  } catch (const spml::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
