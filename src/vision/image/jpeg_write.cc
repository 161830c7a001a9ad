#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

// libjpeg's headers use size_t and FILE without declaring them.
#include <jpeglib.h>

#include "base/fail.h"
#include "vision/image/scene.h"

namespace spml {
namespace {

struct ErrorState {
  jpeg_error_mgr manager;  // first: libjpeg hands this pointer back
  std::jmp_buf jump;
};

[[noreturn]] void give_up(j_common_ptr info) {
  std::longjmp(reinterpret_cast<ErrorState*>(info->err)->jump, 1);
}

struct Output {
  unsigned char* data = nullptr;
  unsigned long size = 0;
  ~Output() { std::free(data); }
};

// Owns nothing, so that the longjmp skips no destructor.
bool compress(const Image& image, int quality, Output& out) {
  jpeg_compress_struct info{};
  ErrorState error{};
  info.err = jpeg_std_error(&error.manager);
  error.manager.error_exit = give_up;
  if (setjmp(error.jump) != 0) {
    jpeg_destroy_compress(&info);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &out.data, &out.size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<unsigned char*>(image.rgb.data()) +
                size_t{3} * info.image_width * info.next_scanline;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

}  // namespace

std::string encode_jpeg(const Image& image, int quality) {
  Output out;
  if (!compress(image, quality, out)) fail("an image could not be written as JPEG");
  return {reinterpret_cast<const char*>(out.data), out.size};
}

}  // namespace spml
