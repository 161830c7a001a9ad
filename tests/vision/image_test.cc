#include "vision/image/image.h"
#include "vision/image/decode.h"

#include <sys/resource.h>
#include <zlib.h>

#include <cstdlib>

#include "pictures.h"

namespace spml {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class LikePillow : public testing::TestWithParam<const char*> {};

TEST_P(LikePillow, EveryPixel) {
  const Image image = read_image(picture(GetParam()));
  const Image expected = read_ppm(picture(GetParam()).replace_extension(".ppm"));
  EXPECT_EQ(image.width, expected.width);
  EXPECT_EQ(image.height, expected.height);
  EXPECT_EQ(image.rgb, expected.rgb);
}

INSTANTIATE_TEST_SUITE_P(Image, LikePillow,
                         testing::Values("color.jpg", "progressive.jpg", "gray.jpg", "cmyk.jpg",
                                         "alpha.png", "gray_alpha.png", "palette.png",
                                         "bilevel.png", "rgb16.png", "interlaced.png",
                                         "animated.png"));

TEST(Image, SixteenBitGrayIsScaledToEight) {
  EXPECT_EQ(read_image(picture("gray16.png")).rgb, read_ppm(picture("gray16.ppm")).rgb);
}

TEST(Image, TypeIsToldByContentNotByName) {
  TemporaryFolder folder;
  std::filesystem::copy_file(picture("alpha.png"), folder / "photo.jpg");
  EXPECT_EQ(read_image(folder / "photo.jpg").rgb, read_ppm(picture("alpha.ppm")).rgb);
}

TEST(Image, OtherTypesAreNamed) {
  EXPECT_SPML_ERROR(decode_image(as_bytes("GIF89a......"), "a.gif"),
                    HasSubstr("a.gif: expected a JPEG or PNG image, found GIF"));
  EXPECT_SPML_ERROR(decode_image({}, "b"), HasSubstr("found an empty file"));
  EXPECT_SPML_ERROR(read_image("/nowhere/c.jpg"), HasSubstr("/nowhere/c.jpg: cannot open"));
}

TEST(Image, EveryTruncationIsAnError) {
  for (const char* name :
       {"color.jpg", "progressive.jpg", "cmyk.jpg", "alpha.png", "interlaced.png"}) {
    const std::string whole = read_file(picture(name));
    // The last two bytes of a JPEG are its end marker; without them all pixels are still there,
    // but the file is not.
    for (size_t length = 0; length < whole.size() - 1; ++length) {
      EXPECT_SPML_ERROR(decode_image(as_bytes(whole.substr(0, length)), name),
                        AnyOf(HasSubstr("damaged"), HasSubstr("not a readable"),
                              HasSubstr("expected a JPEG or PNG")));
    }
  }
}

TEST(Image, FlippedBytesNeverCrash) {
  for (const char* name : {"color.jpg", "progressive.jpg", "gray.jpg", "cmyk.jpg", "palette.png",
                           "interlaced.png", "animated.png", "rgb16.png"}) {
    const std::string whole = read_file(picture(name));
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
      try {
        const Image image = decode_image(as_bytes(damaged), name, {.max_pixels = 1 << 20});
        EXPECT_EQ(image.rgb.size(), size_t(3) * size_t(image.width) * size_t(image.height));
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(name));
      }
    }
  }
}

TEST(Image, DecompressionBombsAreRefusedBeforeAllocation) {
  std::string jpeg = read_file(picture("color.jpg"));
  const size_t frame = jpeg.find("\xff\xc0");  // then length (2), depth (1), height, width
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_SPML_ERROR(decode_image(as_bytes(jpeg), "bomb"),
                    HasSubstr("bomb: expected at most 178956970 pixels, found 65500 x 65500"));
  EXPECT_SPML_ERROR(read_image(picture("color.jpg"), {.max_pixels = 13 * 9 - 1}),
                    HasSubstr("expected at most 116 pixels, found 13 x 9"));
  EXPECT_SPML_ERROR(read_image(picture("alpha.png"), {.max_pixels = 13 * 9 - 1}),
                    HasSubstr("expected at most 116 pixels, found 13 x 9"));
  EXPECT_EQ(read_image(picture("color.jpg"), {.max_pixels = 13 * 9}).width, 13);
}

// A header of a few bytes that promises millions of pixels.
TEST(Image, PixelsAreBoundedByTheBytesThereAre) {
  std::string jpeg = read_file(picture("cmyk.jpg"));
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\x30\x00\x30\x00", 4);  // 12288 x 12288
  EXPECT_SPML_ERROR(decode_image(as_bytes(jpeg), "a.jpg"),
                    HasSubstr("cannot hold 12288 x 12288 pixels"));
  std::string png = read_file(picture("bilevel.png"));
  png.replace(16, 8, "\0\0\x30\0\0\0\x30\0", 8);
  EXPECT_SPML_ERROR(decode_image(as_bytes(png), "a.png"),
                    AnyOf(HasSubstr("cannot hold"), HasSubstr("CRC")));
}

std::string big_endian(uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

// A PNG with `count` compressed texts of 7 MB each behind its header.
std::string png_with_texts(size_t count) {
  const std::string text(7'000'000, 'x');
  std::string packed(compressBound(text.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(text.data()), text.size());
  const std::string body = "zTXt" + std::string("Comment\0\0", 9) + packed.substr(0, size);
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  const std::string chunk = big_endian(static_cast<uint32_t>(body.size() - 4)) + body +
                            big_endian(static_cast<uint32_t>(sum));
  std::string png = read_file(picture("alpha.png")), chunks;
  for (size_t i = 0; i < count; ++i) chunks += chunk;
  return png.insert(33, chunks);  // behind signature and IHDR
}

TEST(Image, TextsOfAPngAreNotUnpacked) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer itself needs more address space than the limit allows";
#endif
  const std::string png = png_with_texts(700);  // 4.9 GB
  const auto decode = [&] {
    const rlimit limit{rlim_t{2} << 30, rlim_t{2} << 30};
    ::setrlimit(RLIMIT_AS, &limit);
    const Image image = decode_image(as_bytes(png), "a.png");
    std::exit(image.rgb == read_ppm(picture("alpha.ppm")).rgb ? 0 : 1);
  };
  EXPECT_EXIT(decode(), testing::ExitedWithCode(0), "");
}

TEST(Image, PixelsAreBoundedByMemory) {
  EXPECT_SPML_ERROR(decode_image(as_bytes(read_file(picture("color.jpg"))), "a.jpg",
                                 {.memory = MemoryBudget(100)}),
                    HasSubstr("--max-memory"));
}

}  // namespace
}  // namespace spml
