#include "ridge/product.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ridge/product.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#ifndef SPML_RIDGE_TILE
#define SPML_RIDGE_TILE
namespace spml {
// A tile of C is kTileRows x kTileColumns; its operands are packed kDepth at a time, so that they
// stay in the second-level cache.
inline constexpr size_t kTileRows = 64, kTileColumns = 256, kDepth = 256, kRowsAtOnce = 4;
inline constexpr size_t kMostSharing = 8;
}  // namespace spml
#endif

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// tile (kTileRows, kTileColumns) += A B for packed operands: A (depth, kTileRows), transposed, and
// B (depth, kTileColumns). Of the tile, `rows` and `columns` are wanted, and a few more written.
void multiply_tile(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t rows,
                   size_t columns, size_t depth, float* HWY_RESTRICT tile) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < rows; i += kRowsAtOnce) {
    for (size_t j = 0; j < columns; j += 2 * lanes) {
      auto c00 = hn::Zero(d), c01 = c00, c10 = c00, c11 = c00;
      auto c20 = c00, c21 = c00, c30 = c00, c31 = c00;
      for (size_t k = 0; k < depth; ++k) {
        const float* row = a + k * kTileRows + i;
        const auto b0 = hn::LoadU(d, b + k * kTileColumns + j);
        const auto b1 = hn::LoadU(d, b + k * kTileColumns + j + lanes);
        const auto a0 = hn::Set(d, row[0]), a1 = hn::Set(d, row[1]);
        c00 = hn::MulAdd(a0, b0, c00);
        c01 = hn::MulAdd(a0, b1, c01);
        c10 = hn::MulAdd(a1, b0, c10);
        c11 = hn::MulAdd(a1, b1, c11);
        const auto a2 = hn::Set(d, row[2]), a3 = hn::Set(d, row[3]);
        c20 = hn::MulAdd(a2, b0, c20);
        c21 = hn::MulAdd(a2, b1, c21);
        c30 = hn::MulAdd(a3, b0, c30);
        c31 = hn::MulAdd(a3, b1, c31);
      }
      const auto add = [&](size_t r, auto left, auto right) {
        float* at = tile + (i + r) * kTileColumns + j;
        hn::StoreU(hn::Add(hn::LoadU(d, at), left), d, at);
        hn::StoreU(hn::Add(hn::LoadU(d, at + lanes), right), d, at + lanes);
      };
      add(0, c00, c01);
      add(1, c10, c11);
      add(2, c20, c21);
      add(3, c30, c31);
    }
  }
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {

HWY_EXPORT(multiply_tile);

namespace {

// The block of a matrix that starts at (row, column), `rows` deep, as rows of `width`, of which the
// first `columns` are there and the rest 0.
void pack(Strided from, size_t row, size_t rows, size_t column, size_t columns, size_t width,
          float* out) {
  for (size_t r = 0; r < rows; ++r) {
    const float* source = from.data + (row + r) * from.row_step + column * from.column_step;
    float* line = out + r * width;
    for (size_t c = 0; c < columns; ++c) line[c] = source[c * from.column_step];
    std::fill(line + columns, line + width, 0.0f);
  }
}

}  // namespace

void add_product(Strided a, Strided b, size_t m, size_t n, size_t k, float scale, float* c,
                 size_t c_step, int threads) {
  const size_t across = (n + kTileColumns - 1) / kTileColumns;
  const size_t down = (m + kTileRows - 1) / kTileRows;
  // Tiles below one another share what is packed of B, but not so many that threads are idle.
  const size_t sharing = std::clamp<size_t>(
      down * across / static_cast<size_t>(std::max(threads, 1)), 1, kMostSharing);
  const size_t groups = (down + sharing - 1) / sharing;
  const Strided a_transposed{a.data, a.column_step, a.row_step};
  parallel_for(groups * across, threads, [&](size_t t) {
    const size_t top = t / across * sharing, tiles_here = std::min(sharing, down - top);
    const size_t j = t % across * kTileColumns, columns = std::min(kTileColumns, n - j);
    AlignedVector<float> left(kDepth * kTileRows), right(kDepth * kTileColumns);
    AlignedVector<float> tiles(tiles_here * kTileRows * kTileColumns);
    std::ranges::fill(tiles, 0.0f);
    for (size_t first = 0; first < k; first += kDepth) {
      const size_t depth = std::min(kDepth, k - first);
      pack(b, first, depth, j, columns, kTileColumns, right.data());
      for (size_t tile = 0; tile < tiles_here; ++tile) {
        const size_t i = (top + tile) * kTileRows;
        const size_t rows = std::min(kTileRows, m - i);
        pack(a_transposed, first, depth, i, rows, kTileRows, left.data());
        HWY_DYNAMIC_DISPATCH(multiply_tile)
        (left.data(), right.data(), rows, columns, depth, &tiles[tile * kTileRows * kTileColumns]);
      }
    }
    const size_t begin = top * kTileRows, end = std::min(m, begin + tiles_here * kTileRows);
    for (size_t r = begin; r < end; ++r) {
      const float* sum = &tiles[(r - begin) * kTileColumns];
      float* out = c + r * c_step + j;
      for (size_t s = 0; s < columns; ++s) out[s] += scale * sum[s];
    }
  });
}

}  // namespace spml
#endif  // HWY_ONCE
