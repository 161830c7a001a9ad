#include "vision/image/image_queue.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "base/fail.h"
#include "data/dataset_json.h"
#include "vision/image/decode.h"
#include "vision/image/resize.h"

namespace spml {
namespace {

LoadedImage load(const Path& file, const std::vector<int>& sizes, const DecodeOptions& decode) {
  try {
    const Image whole = read_image(file, decode);
    LoadedImage loaded;
    for (const int size : sizes) {
      if (size < 1 || size > kMaxImageSize) {
        fail("{}: expected a size from 1 to {} pixels, found {}", file.string(), kMaxImageSize,
             size);
      }
      // Rows are resized first, all of them.
      decode.memory.require(
          saturating_sum(whole.rgb.size(), saturating_product(3, size, whole.height + size)),
          fmt::format("{}: resizing {} x {} pixels", file.string(), whole.width, whole.height));
      loaded.images.push_back(resize_bilinear(whole, size, size));
    }
    return loaded;
  } catch (const Error& error) {
    return {{}, error.what()};
  } catch (const std::bad_alloc&) {
    return {{}, file.string() + ": out of memory"};
  } catch (const std::exception& error) {  // it must not leave the thread
    return {{}, file.string() + ": " + error.what()};
  }
}

// As many images are decoded at once as there are threads.
ImageQueue::Options shared_among_threads(ImageQueue::Options options) {
  options.decode.memory = options.decode.memory.share(static_cast<uint64_t>(options.threads));
  return options;
}

}  // namespace

ImageQueue::ImageQueue(std::vector<Path> files, const Options& options)
    : files_(std::move(files)),
      options_(shared_among_threads(options)),
      slots_(std::max<size_t>(1, options.ahead)),
      filled_(slots_.size(), false) {
  const size_t threads = std::min<size_t>(static_cast<size_t>(options.threads), files_.size());
  try {
    for (size_t t = 0; t < threads; ++t) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    if (workers_.empty()) fail("cannot start a thread: {}", error.what());
  }
}

ImageQueue::~ImageQueue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  room_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

LoadedImage ImageQueue::next() {
  std::unique_lock lock(mutex_);
  const size_t slot = delivered_ % slots_.size();
  ready_.wait(lock, [&] { return filled_[slot]; });
  LoadedImage image = std::move(slots_[slot]);
  filled_[slot] = false;
  ++delivered_;
  room_.notify_one();
  return image;
}

void ImageQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    room_.wait(lock, [&] {
      return stop_ || claimed_ == files_.size() || claimed_ < delivered_ + slots_.size();
    });
    if (stop_ || claimed_ == files_.size()) return;
    const size_t i = claimed_++;
    lock.unlock();
    LoadedImage image = load(files_[i], options_.sizes, options_.decode);
    lock.lock();
    slots_[i % slots_.size()] = std::move(image);
    filled_[i % slots_.size()] = true;
    ready_.notify_one();
  }
}

}  // namespace spml
