// Worker threads ahead of their consumer. A program of its own, so that ThreadSanitizer can watch
// it without oneDNN's threads, which it does not understand.
#include "vision/image/image_queue.h"

#include "data/dataset_json.h"
#include "pictures.h"

namespace spml {
namespace {

using ::testing::HasSubstr;

// Every third file is missing.
std::vector<Path> files(size_t count) {
  std::vector<Path> paths;
  for (size_t i = 0; i < count; ++i) {
    paths.push_back(picture(i % 3 == 2 ? "missing.jpg" : i % 3 == 1 ? "gray.jpg" : "color.jpg"));
  }
  return paths;
}

TEST(ImageQueue, DeliversInOrderWhateverTheThreads) {
  const auto load = [](int threads, size_t ahead) {
    ImageQueue queue(files(30),
                     {.sizes = {16, 40}, .threads = threads, .ahead = ahead, .decode = {}});
    std::vector<LoadedImage> loaded;
    for (int i = 0; i < 30; ++i) loaded.push_back(queue.next());
    return loaded;
  };
  const std::vector<LoadedImage> expected = load(1, 1);
  for (const size_t ahead : {1, 3, 64}) {
    const std::vector<LoadedImage> found = load(4, ahead);
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].images.size(), expected[i].images.size()) << i;
      for (size_t s = 0; s < found[i].images.size(); ++s) {
        EXPECT_EQ(found[i].images[s].rgb, expected[i].images[s].rgb) << i;
      }
      EXPECT_EQ(found[i].error, expected[i].error) << i;
    }
  }
  ASSERT_EQ(expected[0].images.size(), 2u);
  EXPECT_EQ(expected[0].images[0].rgb.size(), 3u * 16 * 16);
  EXPECT_EQ(expected[0].images[1].rgb.size(), 3u * 40 * 40);
  EXPECT_TRUE(expected[2].images.empty());
  EXPECT_THAT(expected[2].error, HasSubstr("missing.jpg"));
}

TEST(ImageQueue, ResizingIsBoundedByMemory) {
  ImageQueue queue(files(1), {.sizes = {kMaxImageSize},
                              .threads = 1,
                              .decode = {.memory = MemoryBudget(uint64_t{1} << 20)}});
  EXPECT_THAT(queue.next().error, testing::HasSubstr("resizing"));
}

TEST(ImageQueue, CanBeLeftHalfway) {
  for (int wanted = 0; wanted < 5; ++wanted) {
    ImageQueue queue(files(40), {.sizes = {16}, .threads = 3, .ahead = 4, .decode = {}});
    for (int i = 0; i < wanted; ++i) queue.next();
  }
}

}  // namespace
}  // namespace spml
