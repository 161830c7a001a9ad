// libpng reports errors by a callback that must not return; see jpeg.cc for how that is kept apart
// from C++ objects.
#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "vision/image/codecs.h"

namespace spml {
namespace {

// A byte of deflated data is at most 1032 bytes, a byte at most eight pixels.
constexpr uint64_t kPixelsPerByte = uint64_t{8} * 1032;

struct Source {
  const std::byte* data = nullptr;
  size_t left = 0;
  char message[128] = "";
};

void on_error(png_structp png, png_const_charp message) {
  auto* source = static_cast<Source*>(png_get_error_ptr(png));
  std::snprintf(source->message, sizeof source->message, "%s", message);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, size_t size) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (size > source->left) png_error(png, "the file ends early");
  std::memcpy(out, source->data, size);
  source->data += size;
  source->left -= size;
}

struct Decoder {
  Source source;
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit Decoder(std::span<const std::byte> bytes) : source{bytes.data(), bytes.size()} {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, ignore_warning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

bool read_header(Decoder& d) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  png_set_read_fn(d.png, &d.source, read_bytes);
  // Nothing but pixels is wanted: texts and profiles may unpack to gigabytes.
  png_set_keep_unknown_chunks(d.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(d.png, d.info);
  return true;
}

// Whatever the file holds becomes 8-bit RGB; no gamma or background is applied.
bool read_pixels(Decoder& d, unsigned char* out, size_t row_bytes, size_t height) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  png_set_strip_16(d.png);
  png_set_palette_to_rgb(d.png);
  png_set_expand_gray_1_2_4_to_8(d.png);
  png_set_gray_to_rgb(d.png);
  png_set_strip_alpha(d.png);
  const int passes = png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  if (png_get_rowbytes(d.png, d.info) != row_bytes) png_error(d.png, "unexpected row size");
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t y = 0; y < height; ++y) png_read_row(d.png, out + y * row_bytes, nullptr);
  }
  png_read_end(d.png, nullptr);
  return true;
}

}  // namespace

Image decode_png(std::span<const std::byte> bytes, std::string_view where,
                 const DecodeOptions& options) {
  Decoder d(bytes);
  if (d.png == nullptr || d.info == nullptr) fail("{}: out of memory", where);
  if (!read_header(d)) fail("{}: not a readable PNG: {}", where, d.source.message);
  Image image = blank_image({.width = png_get_image_width(d.png, d.info),
                             .height = png_get_image_height(d.png, d.info),
                             .file_bytes = bytes.size(),
                             .pixels_per_byte = kPixelsPerByte,
                             .decoder_bytes = 0},
                            where, options);
  const auto width = static_cast<size_t>(image.width), height = static_cast<size_t>(image.height);
  if (!read_pixels(d, image.rgb.data(), 3 * width, height)) {
    fail("{}: damaged PNG: {}", where, d.source.message);
  }
  return image;
}

}  // namespace spml
