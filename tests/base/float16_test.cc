#include "base/float16.h"

#include <cmath>

#include "testing.h"

namespace spml {
namespace {

TEST(Float16, KnownValues) {
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x03ff), 1023 * 0x1p-24f);
  EXPECT_EQ(half_to_float(0x7c00), INFINITY);
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  EXPECT_TRUE(std::isnan(half_to_float(0x7c01)));
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(NAN))));
}

TEST(Float16, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(float_to_half(value), bits);
  }
}

TEST(Float16, RoundsToNearestAndTiesToEven) {
  for (uint16_t lower = 0; lower < 0x7bff; ++lower) {
    const uint16_t upper = lower + 1;
    const float middle = (half_to_float(lower) + half_to_float(upper)) / 2;
    ASSERT_EQ(float_to_half(middle), lower % 2 == 0 ? lower : upper);
    ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0f)), lower);
    ASSERT_EQ(float_to_half(std::nextafter(middle, INFINITY)), upper);
  }
}

}  // namespace
}  // namespace spml
