// JPEG files made of many scans that say next to nothing: a few hundred bytes for every pass over
// all blocks of a large image.
#include <string>

#include "testing.h"
#include "vision/image/decode.h"

namespace spml {
namespace {

using testing::HasSubstr;

std::string segment(char marker, const std::string& body) {
  const size_t length = body.size() + 2;
  return std::string("\xff") + marker + static_cast<char>(length >> 8) +
         static_cast<char>(length & 0xff) + body;
}

// A table of one code, the bit 0, for `symbol`.
std::string huffman(char place, char symbol) {
  return segment('\xc4', std::string(1, place) + '\1' + std::string(15, '\0') + symbol);
}

// Gray, `side` x `side`, every coefficient 0. A bit 0 is a block in the first scan; fifteen of them
// are 2^14 blocks without coefficients in the others, which repeat one another.
std::string many_scans(int side, int scans) {
  const std::string length = {static_cast<char>(side >> 8), static_cast<char>(side & 0xff)};
  const size_t blocks = static_cast<size_t>(side / 8) * static_cast<size_t>(side / 8);
  std::string file = "\xff\xd8";
  file += segment('\xdb', std::string(1, '\0') + std::string(64, '\1'));
  file += segment('\xc2', "\b" + length + length + std::string("\1\1\x11\0", 4));
  file += huffman('\0', '\0') + huffman('\x10', '\xe0');
  file += segment('\xda', std::string("\1\1\0\0\0\0", 6)) + std::string(blocks / 8, '\0');
  for (int i = 1; i < scans; ++i) {
    file += segment('\xda', std::string("\1\1\0\1\x3f\0", 6));
    file += std::string(((blocks >> 14) * 15 + 7) / 8, '\0');
  }
  return file + "\xff\xd9";
}

Image decode(const std::string& file, const DecodeOptions& options = {}) {
  return decode_image(std::as_bytes(std::span(file)), "x.jpg", options);
}

TEST(Scans, OfASmallImageMayBeMany) {
  const Image image = decode(many_scans(1024, 300));
  EXPECT_EQ(image.width, 1024);
  EXPECT_EQ(image.rgb.front(), 128);
}

TEST(Scans, TimesBlocksAreBounded) {
  EXPECT_SPML_ERROR(decode(many_scans(8192, 400)), HasSubstr("scans are too many for its size"));
}

TEST(Scans, EndWhenAsked) {
  int asked = 0;
  DecodeOptions options;
  options.stop_requested = [&] { return ++asked == 100; };
  EXPECT_SPML_ERROR(decode(many_scans(1024, 300), options), HasSubstr("stopped"));
  EXPECT_EQ(asked, 100);
}

}  // namespace
}  // namespace spml
