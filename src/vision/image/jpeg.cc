// libjpeg reports errors by a callback that must not return. Each step below runs under setjmp in
// a function that owns nothing, so that the longjmp skips no destructor; the caller throws.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>

// libjpeg's headers use size_t and FILE without declaring them.
#include <jpeglib.h>

#include <jerror.h>

#include "vision/image/codecs.h"

namespace spml {
namespace {

// A progressive file can hold scans by the million, each of which goes over all blocks and takes no
// more than a few bytes. Real ones have 3 to 20.
constexpr int kMaxScans = 500;
constexpr uint64_t kMaxBlocksRead = 100'000'000;  // of all scans together

struct ErrorState {
  jpeg_error_mgr manager;  // first: libjpeg hands this pointer back
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  uint64_t blocks = 0;  // of one scan
  const std::function<bool()>* stop_requested = nullptr;
};

[[noreturn]] void give_up(j_common_ptr info) {
  auto* state = reinterpret_cast<ErrorState*>(info->err);
  state->manager.format_message(info, state->message);
  std::longjmp(state->jump, 1);
}

// Warnings about lost pixels become errors; harmless ones (stray bytes between segments, odd
// headers), which real data sets are full of, are let pass.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:       // the file ends early
    case JWRN_HIT_MARKER:     // a segment ends early
    case JWRN_HUFF_BAD_CODE:  // the compressed data is damaged
      give_up(info);
    default:
      break;
  }
}

void limit_scans(j_common_ptr info) {
  auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  auto* state = reinterpret_cast<ErrorState*>(info->err);
  const int scans = decoder->input_scan_number;
  const bool too_many =
      scans > kMaxScans ||
      (scans > 1 && static_cast<uint64_t>(scans) * state->blocks > kMaxBlocksRead);
  if (too_many) {
    std::snprintf(state->message, sizeof state->message, "%d scans are too many for its size",
                  scans);
  } else if (*state->stop_requested && (*state->stop_requested)()) {
    std::snprintf(state->message, sizeof state->message, "stopped");
  } else {
    return;
  }
  std::longjmp(state->jump, 1);
}

struct Decoder {
  jpeg_decompress_struct info{};
  ErrorState error{};
  jpeg_progress_mgr progress{};

  Decoder() {
    info.err = jpeg_std_error(&error.manager);
    error.manager.error_exit = give_up;
    error.manager.emit_message = on_message;
    progress.progress_monitor = limit_scans;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&info); }
};

bool read_header(Decoder& d, const unsigned char* data, size_t size) {
  if (setjmp(d.error.jump) != 0) return false;
  jpeg_create_decompress(&d.info);
  d.info.progress = &d.progress;
  jpeg_mem_src(&d.info, data, size);
  jpeg_read_header(&d.info, TRUE);
  if (d.info.num_components == 4) {
    d.info.out_color_space = JCS_CMYK;
  } else if (d.info.num_components == 1) {
    d.info.out_color_space = JCS_GRAYSCALE;
  } else {
    d.info.out_color_space = JCS_RGB;
  }
  return true;
}

void repeat_gray(const unsigned char* gray, size_t pixels, unsigned char* rgb) {
  for (size_t i = 0; i < pixels; ++i) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = gray[i];
}

// CMYK in JPEG files is stored inverted (Adobe's habit): k' = 255 - k and so on. With that,
// channel = k' - round((255 - c') k' / 255), in the integer form that Pillow uses.
void multiply_out_cmyk(const unsigned char* cmyk, size_t pixels, unsigned char* rgb) {
  for (size_t i = 0; i < pixels; ++i) {
    const int paper = cmyk[4 * i + 3];
    for (size_t c = 0; c < 3; ++c) {
      const int product = (255 - cmyk[4 * i + c]) * paper + 128;
      rgb[3 * i + c] = static_cast<uint8_t>(paper - (((product >> 8) + product) >> 8));
    }
  }
}

// Row by row into `rgb`; `raw` is room for one row of another number of components.
bool read_rows(Decoder& d, unsigned char* rgb, unsigned char* raw) {
  if (setjmp(d.error.jump) != 0) return false;
  jpeg_start_decompress(&d.info);
  const size_t width = d.info.output_width;
  while (d.info.output_scanline < d.info.output_height) {
    unsigned char* to = rgb + 3 * width * d.info.output_scanline;
    JSAMPROW row = d.info.num_components == 3 ? to : raw;
    jpeg_read_scanlines(&d.info, &row, 1);
    if (d.info.num_components == 1) repeat_gray(raw, width, to);
    if (d.info.num_components == 4) multiply_out_cmyk(raw, width, to);
  }
  jpeg_finish_decompress(&d.info);
  return true;
}

// Every 8 x 8 block of the finest component takes at least one bit.
constexpr uint64_t kPixelsPerByte = uint64_t{8} * 64;

// A file of several scans has all its coefficients in memory, two bytes each, before a pixel is
// made of them.
uint64_t coefficient_bytes(Decoder& d) {
  const uint64_t pixels = uint64_t{d.info.image_width} * d.info.image_height;
  const uint64_t components = static_cast<uint64_t>(d.info.num_components);
  return jpeg_has_multiple_scans(&d.info) ? 2 * pixels * components : 0;
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options) {
  Decoder d;
  d.error.stop_requested = &options.stop_requested;
  if (!read_header(d, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size())) {
    fail("{}: not a readable JPEG: {}", where, d.error.message);
  }
  const int components = d.info.num_components;
  if (components != 1 && components != 3 && components != 4) {
    fail("{}: expected a JPEG of 1, 3 or 4 components, found {}", where, components);
  }
  Image image = blank_image({.width = d.info.image_width,
                             .height = d.info.image_height,
                             .file_bytes = bytes.size(),
                             .pixels_per_byte = kPixelsPerByte,
                             .decoder_bytes = coefficient_bytes(d)},
                            where, options);
  const auto blocks = [](JDIMENSION length) { return uint64_t{length} / 8 + 1; };
  d.error.blocks =
      blocks(d.info.image_width) * blocks(d.info.image_height) * static_cast<uint64_t>(components);
  std::vector<uint8_t> raw(4 * static_cast<size_t>(image.width));
  if (!read_rows(d, image.rgb.data(), raw.data())) {
    fail("{}: damaged JPEG: {}", where, d.error.message);
  }
  return image;
}

}  // namespace spml
