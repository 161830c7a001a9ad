// spml weights and spml extract, run as users run them.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>

#include "base/sha256.h"
#include "cli/run_program.h"
#include "data/dataset.h"
#include "formats/npy.h"
#include "pictures.h"
#include "small_resnet.h"

namespace spml {
namespace {

using testing::HasSubstr;

class VisionVerbs : public testing::Test {
 protected:
  VisionVerbs() {
    save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights_);
    std::filesystem::create_directory(data_);
    for (const char* name : {"color.jpg", "alpha.png"}) {
      std::filesystem::copy_file(picture(name), data_ / name);
    }
    const std::vector<std::string> names{"color.jpg", "alpha.png", "color.jpg"};
    write_npy(data_ / "formatted_train_images.npy", std::span(names));
  }

  Ran extract(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"extract", data_.string(), "--size", "64", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TemporaryFolder folder_;
  Path weights_ = folder_ / "w.safetensors", data_ = folder_ / "data";
};

TEST_F(VisionVerbs, ExtractWritesFeaturesAndReportsThem) {
  const Ran ran = extract({"--weights", weights_.string()});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["architecture"], "resnet18");
  EXPECT_EQ(ran.json()["parts"][0]["rows"], 3);
  const NpyArray features(data_ / "train_features_imagenet_resnet50.npy");
  EXPECT_EQ(features.cols(), 512u);
  const Ran again = extract({"--weights", weights_.string()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("--force"));
}

TEST_F(VisionVerbs, ExtractNeedsANetwork) {
  ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  const Ran none = extract();
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("spml weights fetch"));
  const Ran untrusted = extract({"--backbone", "m.pt"});
  EXPECT_EQ(untrusted.exit_code, 2);
  EXPECT_THAT(untrusted.err, HasSubstr("--trust-code"));
}

TEST_F(VisionVerbs, NamesAreLookedAtBeforeMemoryIsSpent) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer itself needs more address space than the limit allows";
#endif
  // 120 million empty names, all but the header a hole.
  const Path names = data_ / "formatted_train_images.npy";
  const std::string header = make_npy_header(DType::kBytes, 1, std::array<size_t, 1>{120'000'000});
  write_file(names, header);
  std::filesystem::resize_file(names, header.size() + 120'000'000);
  rlimit before;
  ::getrlimit(RLIMIT_AS, &before);
  rlimit limit = before;
  limit.rlim_cur = rlim_t{4'000'000} * 1024;
  ::setrlimit(RLIMIT_AS, &limit);
  const Ran ran = extract({"--weights", weights_.string()});
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("formatted_train_images.npy: row 0"));
}

TEST_F(VisionVerbs, SkippedImagesAreReported) {
  write_file(data_ / "alpha.png", "damaged");
  EXPECT_EQ(extract({"--weights", weights_.string()}).exit_code, 1);
  const Ran ran = extract({"--weights", weights_.string(), "--on-error", "skip"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["parts"][0]["skipped"][0]["row"], 1);
}

TEST_F(VisionVerbs, KilledExtractionGoesOnToTheSameBytes) {
  const Path file = data_ / "train_features_imagenet_resnet50.npy";
  const Path journal = data_ / ".train_features_imagenet_resnet50.journal";
  std::vector<std::string> names;
  for (size_t i = 0; i < 300; ++i) names.push_back(i % 3 == 0 ? "alpha.png" : "color.jpg");
  write_npy(data_ / "formatted_train_images.npy", std::span(names));
  ASSERT_EQ(extract({"--weights", weights_.string()}).exit_code, 0);
  const std::string whole = read_file(file);
  std::filesystem::remove(file);

  Running running({"extract", data_.string(), "--size", "64", "--weights", weights_.string()});
  while (!std::filesystem::exists(journal) && !running.ended()) ::usleep(500);
  running.signal(SIGKILL);
  ASSERT_EQ(running.wait().exit_code, 128 + SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(file));
  const Ran rest = extract({"--weights", weights_.string()});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_GT(rest.json()["parts"][0]["resumed_rows"], 0);
  EXPECT_TRUE(read_file(file) == whole);
}

TEST_F(VisionVerbs, RunsOnExtractedFeaturesKnowTheirOrigin) {
  std::vector<int8_t> labels;
  std::vector<std::string> names;
  for (size_t i = 0; i < 20; ++i) {
    names.push_back(i % 2 == 0 ? "alpha.png" : "color.jpg");
    labels.insert(labels.end(), {static_cast<int8_t>(i % 2 == 0), static_cast<int8_t>(i % 2)});
  }
  write_npy(data_ / "formatted_train_images.npy", std::span(names));
  write_npy(data_ / "formatted_train_labels.npy", View<const int8_t>{labels.data(), 20, 2});
  ASSERT_EQ(extract({"--weights", weights_.string()}).exit_code, 0);
  const Ran ran = run_program({"train", data_.string(), "--loss", "an", "--epochs", "1", "--batch",
                               "4", "--out", (folder_ / "run").string()});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto origin =
      nlohmann::json::parse(read_file(folder_ / "run" / "config.json"))["extraction"];
  EXPECT_EQ(origin["architecture"], "resnet18");
  EXPECT_EQ(origin["size"], 64);
  EXPECT_EQ(origin["weights_sha256"], sha256_of_file(weights_));
}

// The journey of README.md: photos and a table with one tag each, to the tags of other photos. Only
// what keeps the test short is said beside the commands there: the weights, the size, the trials.
class Journey : public VisionVerbs {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static void run(const std::vector<std::string>& words) {
    const Ran ran = run_program(words);
    ASSERT_EQ(ran.exit_code, 0) << testing::PrintToString(words) << ran.err;
  }

  // `table` has rows image,tag; the photos are looked up in `photos`. Every line of the result
  // names a new photo and a tag of the table.
  void go(const std::string& table, const std::string& photos, const Path& others, size_t tags) {
    write_file(folder_ / "tags.csv", "image,label\n" + table);
    run({"import", "csv", path("tags.csv"), "--images", photos, "--out", path("mine")});
    run({"extract", path("mine"), "--weights", weights_.string(), "--size", "64"});
    run({"train", path("mine"), "--epochs", "2", "--trials", "8", "--out", path("run")});
    run({"predict", path("run"), "--images", others.string(), "--weights", weights_.string(),
         "--out", path("new.csv")});
    std::istringstream lines(read_file(folder_ / "new.csv"));
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, "image_or_row,class,score");
    size_t decided = 0;
    for (; std::getline(lines, line); ++decided) {
      const size_t comma = line.find(',') + 1;
      const std::string tag = line.substr(comma, line.find(',', comma) - comma);
      EXPECT_THAT(table, HasSubstr("," + tag + "\n"));
      EXPECT_THAT(line, HasSubstr(".jpg,"));
    }
    EXPECT_GT(decided, 0u);
    const auto new_photos = std::distance(std::filesystem::directory_iterator(others), {});
    EXPECT_LT(decided, static_cast<size_t>(new_photos) * tags) << "not every tag of every photo";
  }
};

TEST_F(Journey, OfDrawnScenes) {
  run({"synth", "--out", path("scenes"), "--images", "--image-size", "64", "--rows", "120",
       "--test-rows", "6", "--labels", "4", "--seed", "1"});
  const Dataset scenes = open_dataset(folder_ / "scenes", {.load_features = false});
  std::string table;
  std::vector<int8_t> row(4);
  const std::vector<Path> photos = image_files(scenes, scenes.train_file);
  for (size_t i = 0; i < photos.size(); ++i) {
    scenes.train_file.truth.read_row(i, row);
    const auto tag = std::ranges::find(row, int8_t{1});
    if (tag == row.end()) continue;
    table += photos[i].filename().string() + ",tag" + std::to_string(tag - row.begin()) + "\n";
  }
  std::filesystem::create_directory(folder_ / "others");
  for (const Path& photo : image_files(scenes, scenes.test)) {
    std::filesystem::copy(photo, folder_ / "others");
  }
  go(table, photos.front().parent_path().string(), folder_ / "others", 4);
}

TEST_F(Journey, OfRealPhotos) {
  const Path tree = shared_data() / "voc12-mini/VOCdevkit/VOC2012";
  SPML_NEED_SHARED(tree);
  std::vector<Path> photos;
  for (const auto& entry : std::filesystem::directory_iterator(tree / "JPEGImages")) {
    photos.push_back(entry.path());
  }
  std::ranges::sort(photos);
  std::filesystem::create_directory(folder_ / "others");
  std::string table;
  for (size_t i = 0; i < photos.size(); ++i) {
    if (i % 12 == 0) {  // new ones, without a tag
      std::filesystem::copy(photos[i], folder_ / "others");
      continue;
    }
    // The first object is the tag that somebody gave.
    const std::string about =
        read_file(tree / "Annotations" / (photos[i].stem().string() + ".xml"));
    const size_t begin = about.find("<name>") + 6;
    table += photos[i].filename().string() + "," +
             about.substr(begin, about.find("</name>") - begin) + "\n";
  }
  go(table, (tree / "JPEGImages").string(), folder_ / "others", 20);
}

TEST_F(VisionVerbs, ImportChecksAndConverts) {
  const std::string out = (folder_ / "out.safetensors").string();
  const Ran ran = run_program({"weights", "import", weights_.string(), "--out", out, "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["variant"], "v1.5");
  EXPECT_EQ(load_resnet(out).layout.depth, 18);
  EXPECT_EQ(run_program({"weights", "import", weights_.string(), "--out", out}).exit_code, 1);
  EXPECT_EQ(run_program({"weights", "import", weights_.string(), "--out", "x.bin"}).exit_code, 2);
}

}  // namespace
}  // namespace spml
