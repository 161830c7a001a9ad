#include <algorithm>

#include "base/fail.h"
#include "vision/image/image_queue.h"
#include "vision/image/normalise.h"
#include "vision/network_inputs.h"

namespace spml {
namespace {

class ImageInputs : public NetworkInputs {
 public:
  ImageInputs(std::vector<Path> files, int size, int threads)
      : files_(std::move(files)), size_(size), threads_(threads) {}

  size_t numbers() const override {
    return 3 * static_cast<size_t>(size_) * static_cast<size_t>(size_);
  }

  void prefetch(std::span<const int32_t> rows) override {
    ahead_rows_.assign(rows.begin(), rows.end());
    ahead_ = nullptr;
    if (rows.empty()) return;
    std::vector<Path> files;
    for (const int32_t row : rows) files.push_back(files_.at(static_cast<size_t>(row)));
    ahead_ = std::make_unique<ImageQueue>(
        std::move(files),
        ImageQueue::Options{
            .sizes = {size_}, .threads = threads_, .ahead = rows.size(), .decode = {}});
  }

  void load(std::span<const int32_t> rows, const std::vector<bool>& mirrored,
            std::span<float> out) override {
    if (ahead_ == nullptr || !std::ranges::equal(rows, ahead_rows_)) prefetch(rows);
    for (size_t b = 0; b < rows.size(); ++b) {
      const LoadedImage loaded = ahead_->next();
      if (!loaded.error.empty()) fail("{} (row {} of the training file)", loaded.error, rows[b]);
      normalise_channels_last(loaded.images.front(), mirrored[b],
                              out.subspan(b * numbers(), numbers()));
    }
    ahead_.reset();
  }

 private:
  std::vector<Path> files_;
  int size_, threads_;
  std::vector<int32_t> ahead_rows_;
  std::unique_ptr<ImageQueue> ahead_;  // images of ahead_rows_
};

}  // namespace

std::unique_ptr<NetworkInputs> make_image_inputs(std::vector<Path> files, int size, int threads) {
  return std::make_unique<ImageInputs>(std::move(files), size, threads);
}

}  // namespace spml
