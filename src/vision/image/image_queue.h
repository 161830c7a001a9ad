// Images read, decoded and resized ahead of their use by worker threads, delivered in order.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/path.h"
#include "vision/image/image.h"

namespace spml {

struct LoadedImage {
  std::vector<Image> images;  // one of each size
  std::string error;          // why there is none; "" when there is one
};

class ImageQueue {
 public:
  struct Options {
    std::vector<int> sizes{448};  // of which each file is resized to every one
    int threads = 1;
    size_t ahead = 32;  // images held in memory at most
    DecodeOptions decode;
  };

  ImageQueue(std::vector<Path> files, const Options& options);
  ImageQueue(const ImageQueue&) = delete;
  ImageQueue& operator=(const ImageQueue&) = delete;
  ~ImageQueue();

  // The next image; waits for it. To be called once per file, from one thread.
  LoadedImage next();

 private:
  void work();

  const std::vector<Path> files_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable room_, ready_;
  std::vector<LoadedImage> slots_;  // file i is in slot i % ahead
  std::vector<bool> filled_;
  size_t claimed_ = 0, delivered_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace spml
