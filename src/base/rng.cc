#include "base/rng.h"

#include <cmath>
#include <numbers>

namespace spml {
namespace {

// SplitMix64's finaliser (Steele, Lea and Flood, 2014).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

}  // namespace

CounterRng::CounterRng(uint64_t seed, Stream stream, uint64_t counter)
    : state_(mix(mix(mix(seed + kGolden) + static_cast<uint64_t>(stream) * kGolden) +
                 counter * 0xd1342543de82ef95u)) {}

uint64_t CounterRng::next_u64() { return mix(state_ += kGolden); }

double CounterRng::uniform() { return to_unit(next_u64()); }

uint64_t CounterRng::below(uint64_t n) {
  // Lemire's multiply-shift with rejection: exact for every n.
  uint64_t bits = next_u64();
  __extension__ using u128 = unsigned __int128;
  u128 product = static_cast<u128>(bits) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = (0 - n) % n;
    while (static_cast<uint64_t>(product) < threshold) {
      product = static_cast<u128>(next_u64()) * n;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

double CounterRng::normal() {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t random_u64(uint64_t seed, Stream stream, uint64_t counter) {
  return CounterRng(seed, stream, counter).next_u64();
}

}  // namespace spml
