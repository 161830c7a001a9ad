#include "vision/image/resize.h"

#include "pictures.h"

namespace spml {
namespace {

class ResizeLikePillow : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(ResizeLikePillow, EveryPixel) {
  const auto [width, height] = GetParam();
  const Image resized = resize_bilinear(read_ppm(picture("resize_source.ppm")), width, height);
  const Image expected =
      read_ppm(picture("resize_" + std::to_string(width) + "x" + std::to_string(height) + ".ppm"));
  EXPECT_EQ(resized.width, width);
  EXPECT_EQ(resized.height, height);
  EXPECT_EQ(resized.rgb, expected.rgb);
}

INSTANTIATE_TEST_SUITE_P(Resize, ResizeLikePillow,
                         testing::Values(std::pair(16, 16), std::pair(50, 41), std::pair(37, 7),
                                         std::pair(5, 23), std::pair(1, 1)));

TEST(Resize, SameSizeIsTheSameImage) {
  const Image image = read_ppm(picture("resize_source.ppm"));
  EXPECT_EQ(resize_bilinear(image, image.width, image.height).rgb, image.rgb);
}

TEST(Resize, WhiteStaysWhite) {
  const Image white{300, 7, std::vector<uint8_t>(3 * 300 * 7, 255)};
  for (const int side : {1, 11, 448}) {
    for (const uint8_t pixel : resize_bilinear(white, side, side).rgb) ASSERT_EQ(pixel, 255);
  }
}

}  // namespace
}  // namespace spml
