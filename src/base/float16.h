// IEEE 754 half precision to and from float, one value at a time.
#pragma once

#include <bit>
#include <cstdint>

namespace spml {

inline constexpr uint16_t kHalfExponent = 0x7c00;  // all ones: infinity or NaN

// Exact for every half.
inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t fraction = half & 0x3ffu;
  uint32_t magnitude;
  if (exponent == 0) {
    magnitude = std::bit_cast<uint32_t>(static_cast<float>(fraction) * 0x1p-24f);
  } else if (exponent == 31) {
    magnitude = 0x7f800000u | (fraction << 13);
  } else {
    magnitude = ((exponent + 112) << 23) | (fraction << 13);
  }
  return std::bit_cast<float>(sign | magnitude);
}

// Rounds to nearest, ties to even; beyond the largest half gives infinity; NaN stays NaN.
inline uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= std::bit_cast<uint32_t>(65536.0f)) {
    half = kHalfExponent;
  } else if (magnitude < std::bit_cast<uint32_t>(0x1p-14f)) {
    // The last bit of a float in [0.5, 1) is worth 2^-24, the smallest half: adding 0.5 rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
  } else {
    const uint32_t ties_to_even = 0xfffu + ((magnitude >> 13) & 1u);
    half = (magnitude - (112u << 23) + ties_to_even) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

}  // namespace spml
