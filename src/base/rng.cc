#include "base/rng.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace spml {

// MT19937 (Matsumoto and Nishimura, 1998), seeded by init_genrand as RandomState(seed) does.
NumpyRandom::NumpyRandom(uint32_t seed) {
  state_[0] = seed;
  for (uint32_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

void NumpyRandom::refill() {
  constexpr size_t kShift = 397;
  for (size_t i = 0; i < kWords; ++i) {
    const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kWords] & 0x7fffffffu);
    state_[i] = state_[(i + kShift) % kWords] ^ (y >> 1) ^ ((y & 1u) ? 0x9908b0dfu : 0u);
  }
  used_ = 0;
}

uint32_t NumpyRandom::next_u32() {
  if (used_ == kWords) refill();
  uint32_t y = state_[used_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

uint32_t NumpyRandom::interval(uint32_t max) {
  if (max == 0) return 0;
  uint32_t mask = max;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  uint32_t value;
  do {
    value = next_u32() & mask;
  } while (value > max);
  return value;
}

std::vector<int32_t> NumpyRandom::permutation(size_t n) {
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  shuffle(std::span<int32_t>(order));
  return order;
}

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
