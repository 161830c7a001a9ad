#include "vision/extract.h"

#include <sys/stat.h>

#include <array>

#include "base/folders.h"
#include "cluster/thread_cluster.h"
#include "data/dataset.h"
#include "data/folder_update.h"
#include "data/import/import.h"
#include "formats/npy.h"
#include "pictures.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The mean of each channel: three features that tell images apart.
class MeanColour : public Backbone {
 public:
  size_t features() const override { return 3; }
  void run(std::span<const float> images, int size, View<float> out) override {
    const size_t pixels = static_cast<size_t>(size) * static_cast<size_t>(size);
    for (size_t i = 0; i < out.size(); ++i) {
      double sum = 0;
      for (const float x : images.subspan(i * pixels, pixels)) sum += x;
      out.data[i] = static_cast<float>(sum / static_cast<double>(pixels));
    }
    images_seen += out.rows;
  }
  size_t images_seen = 0;
};

class ExtractTest : public testing::Test {
 protected:
  ExtractTest() {
    std::filesystem::create_directory(folder_ / "pictures");
    write_file(folder_ / "dataset.json",
               R"({"name": "test", "image_root": "pictures", "note": {"kept": true}})");
    for (const char* name : {"color.jpg", "alpha.png", "gray.jpg", "cmyk.jpg"}) {
      std::filesystem::copy_file(picture(name), folder_ / "pictures" / name);
    }
    name_images("train", {"color.jpg", "alpha.png", "gray.jpg", "cmyk.jpg", "color.jpg"});
    name_images("val", {"gray.jpg"});
    options_ = {.sizes = {32}, .batch = 2, .threads = 2, .decode = {}};
  }

  void name_images(const std::string& part, const std::vector<std::string>& names) {
    write_npy(folder_ / ("formatted_" + part + "_images.npy"), std::span(names));
  }
  std::vector<ExtractedPart> extract() {
    return extract_features(folder_.path(), net_, info_, options_, callbacks_);
  }
  Path file(const std::string& part) {
    return folder_ / (part + "_features_imagenet_resnet50.npy");
  }
  std::vector<float> row(size_t i) {
    std::vector<float> values(3);
    NpyArray(file("train")).read_row(i, std::span(values));
    return values;
  }
  std::vector<std::string> hidden_files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(".")) names.push_back(name);
    }
    return names;
  }

  TemporaryFolder folder_;
  MeanColour net_;
  BackboneInfo info_{"w.safetensors", "abc", "resnet50", "v1"};
  ExtractOptions options_;
  ExtractCallbacks callbacks_;
};

TEST_F(ExtractTest, WritesBothFilesInOrderAndRecordsHow) {
  const auto parts = extract();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].rows, 5u);
  EXPECT_THAT(NpyArray(file("train")).header().shape, ElementsAre(5, 3));
  EXPECT_THAT(NpyArray(file("val")).header().shape, ElementsAre(1, 3));
  EXPECT_EQ(row(0), row(4));
  EXPECT_NE(row(0), row(1));
  EXPECT_THAT(hidden_files(), ElementsAre());
  const auto json = nlohmann::json::parse(read_file(folder_ / "dataset.json"));
  EXPECT_EQ(json["note"]["kept"], true);
  EXPECT_EQ(json["extraction"]["weights_sha256"], "abc");
  EXPECT_EQ(json["extraction"]["variant"], "v1");
  EXPECT_EQ(json["extraction"]["size"], 32);
}

TEST_F(ExtractTest, HalfPrecisionIsSmaller) {
  options_.half = true;
  extract();
  EXPECT_EQ(NpyArray(file("train")).header().dtype, DType::kF16);
}

TEST_F(ExtractTest, RefusesToReplaceFeaturesWithoutForce) {
  extract();
  const std::string before = read_file(file("train"));
  options_.sizes = {40};
  EXPECT_SPML_ERROR(extract(), HasSubstr("exists already; --force replaces it"));
  EXPECT_EQ(read_file(file("train")), before);
  EXPECT_THAT(hidden_files(), ElementsAre());
  options_.force = true;
  extract();
  EXPECT_NE(read_file(file("train")), before);
}

TEST_F(ExtractTest, AnUnreadableImageStopsAndNamesTheRow) {
  write_file(folder_ / "pictures/gray.jpg", "not an image");
  EXPECT_SPML_ERROR(extract(),
                    testing::AllOf(HasSubstr("gray.jpg: expected a JPEG or PNG"),
                                   HasSubstr("row 2 of train"), HasSubstr("--on-error skip")));
  EXPECT_FALSE(std::filesystem::exists(file("train")));
}

TEST_F(ExtractTest, SkippedRowsAreZeroAndListed) {
  std::filesystem::remove(folder_ / "pictures/alpha.png");
  options_.skip_errors = true;
  const auto parts = extract();
  ASSERT_EQ(parts[0].skipped.size(), 1u);
  EXPECT_EQ(parts[0].skipped[0].row, 1u);
  EXPECT_THAT(parts[0].skipped[0].reason, HasSubstr("No such file"));
  EXPECT_THAT(row(1), ElementsAre(0, 0, 0));
  EXPECT_EQ(row(0), row(4));
  const auto json = nlohmann::json::parse(read_file(folder_ / "dataset.json"));
  EXPECT_EQ(json["extraction"]["skipped"]["train"][0]["image"], "alpha.png");
}

TEST_F(ExtractTest, GoesOnWhereItWasStopped) {
  extract();
  const std::string whole = read_file(file("train"));
  std::filesystem::remove(file("train"));
  std::filesystem::remove(file("val"));

  callbacks_.stop = [] { return true; };
  EXPECT_SPML_ERROR(extract(), HasSubstr("run the command again"));
  EXPECT_FALSE(std::filesystem::exists(file("train")));
  callbacks_.stop = nullptr;
  net_.images_seen = 0;
  const auto parts = extract();
  EXPECT_EQ(parts[0].resumed_rows, 2u);
  EXPECT_EQ(net_.images_seen, 4u);  // 3 of train, 1 of val
  EXPECT_EQ(read_file(file("train")), whole);
}

TEST_F(ExtractTest, FeaturesThatF16CannotHoldAreAnError) {
  const Path out = folder_ / "train_features.npy";
  const std::vector<float> good = {65504, -65504, 1e-9f}, bad = {1, 70000, 2};
  PartialFeatures features(out, {2, 3, true}, {}, false);
  features.append(View<const float>{good.data(), 1, 3});
  EXPECT_SPML_ERROR(features.append(View<const float>{bad.data(), 1, 3}),
                    HasSubstr("up to 65504, found 70000; give --dtype f32"));
}

TEST_F(ExtractTest, AJournalCountsInWholeNumbers) {
  callbacks_.stop = [] { return true; };  // leaves a journal and a partial file
  const auto expect_afresh = [&](const char* pointer, const nlohmann::json& value) {
    EXPECT_SPML_ERROR(extract(), HasSubstr("stopped"));
    const Path path = folder_ / ".train_features_imagenet_resnet50.journal";
    auto journal = nlohmann::json::parse(read_file(path));
    journal["skipped"] = {{{"row", 0}, {"image", "a"}, {"reason", "b"}}};
    journal[nlohmann::json::json_pointer(pointer)] = value;
    write_file(path, journal.dump());
    PartialFeatures again(file("train"), {5, 3, false}, journal["settings"], false);
    EXPECT_EQ(again.done(), 0u) << pointer << " " << value;
    EXPECT_TRUE(again.skipped().empty());
  };
  for (const nlohmann::json& wrong :
       {nlohmann::json(1.5), nlohmann::json(1.1e35), nlohmann::json(-1), nlohmann::json(6)}) {
    expect_afresh("/rows", wrong);
    expect_afresh("/skipped/0/row", wrong);
  }
}

TEST_F(ExtractTest, RowsBeyondTheJournalAreMadeAgain) {
  extract();
  const std::string whole = read_file(file("train"));
  std::filesystem::remove(file("train"));
  std::filesystem::remove(file("val"));
  callbacks_.stop = [] { return true; };
  EXPECT_SPML_ERROR(extract(), HasSubstr("again"));
  callbacks_.stop = nullptr;
  // As after a kill in the middle of a write.
  const Path partial = folder_ / ".train_features_imagenet_resnet50.partial";
  write_file(partial, read_file(partial) + "half a row");
  extract();
  EXPECT_EQ(read_file(file("train")), whole);
}

TEST_F(ExtractTest, OtherSettingsStartAfresh) {
  callbacks_.stop = [] { return true; };
  EXPECT_SPML_ERROR(extract(), HasSubstr("again"));
  callbacks_.stop = nullptr;
  info_.sha256 = "def";
  EXPECT_EQ(extract()[0].resumed_rows, 0u);
}

TEST_F(ExtractTest, AKillBetweenTheTwoRenamesIsHealed) {
  extract();
  const std::string train = read_file(file("train")), val = read_file(file("val"));
  std::filesystem::remove(file("train"));
  std::filesystem::remove(file("val"));
  callbacks_.stop = [] { return true; };
  EXPECT_SPML_ERROR(extract(), HasSubstr("again"));
  callbacks_.stop = nullptr;
  // What such a kill leaves: train in place with its journal complete, val still partial.
  const Path journal = folder_ / ".train_features_imagenet_resnet50.journal";
  auto json = nlohmann::json::parse(read_file(journal));
  json["rows"] = 5;
  write_file(journal, json.dump());
  std::filesystem::remove(folder_ / ".train_features_imagenet_resnet50.partial");
  write_file(file("train"), train);
  extract();
  EXPECT_EQ(read_file(file("train")), train);
  EXPECT_EQ(read_file(file("val")), val);
  EXPECT_THAT(hidden_files(), ElementsAre());
}

// What `spml import --update` does to a folder of which images go, come and are renamed.
class UpdatedFolder : public ExtractTest {
 protected:
  ImportedSet set(const std::vector<std::string>& images) {
    ImportedSet set;
    set.name = "test";
    set.classes = {"x"};
    set.image_root = folder_ / "pictures";
    for (const std::string& image : images) set.train.push_back({image, {{0}}});
    return set;
  }
};

TEST_F(UpdatedFolder, OnlyNewImagesAreExtracted) {
  update_data_folder(set({"color.jpg", "alpha.png", "gray.jpg"}), folder_ / "data");
  const auto run = [&] {
    const size_t before = net_.images_seen;
    const auto parts = extract_features(folder_ / "data", net_, info_, options_, callbacks_);
    return std::pair(net_.images_seen - before, parts[0].reused_rows);
  };
  EXPECT_EQ(run(), std::pair(size_t{3}, size_t{0}));
  const auto features = [&](size_t row) {
    std::vector<float> values(3);
    NpyArray(features_file(folder_ / "data", "train")).read_row(row, std::span(values));
    return values;
  };
  const auto gray = features(2), color = features(0);

  // One more, one less, one under another name, and the order changed.
  std::filesystem::rename(folder_ / "pictures" / "color.jpg", folder_ / "pictures" / "renamed.jpg");
  update_data_folder(set({"cmyk.jpg", "gray.jpg", "renamed.jpg"}), folder_ / "data");
  EXPECT_FALSE(path_exists(features_file(folder_ / "data", "train")));
  EXPECT_EQ(run(), std::pair(size_t{1}, size_t{2}));
  EXPECT_EQ(features(1), gray);
  EXPECT_EQ(features(2), color);
  EXPECT_NE(features(0), color);

  // Other labels of the same images: nothing is left to extract.
  ImportedSet relabelled = set({"cmyk.jpg", "gray.jpg", "renamed.jpg"});
  relabelled.classes = {"x", "y"};
  relabelled.train[0].positives = {{1}};
  update_data_folder(relabelled, folder_ / "data");
  EXPECT_EQ(features(1), gray);
  EXPECT_TRUE(open_dataset(folder_ / "data").extraction.has_value());

  // A file that has changed under its name is another image, also after two updates.
  std::filesystem::copy_file(folder_ / "pictures" / "alpha.png", folder_ / "pictures" / "gray.jpg",
                             std::filesystem::copy_options::overwrite_existing);
  update_data_folder(relabelled, folder_ / "data");
  update_data_folder(relabelled, folder_ / "data");
  EXPECT_EQ(run(), std::pair(size_t{1}, size_t{2}));
  EXPECT_NE(features(1), gray);

  // Other settings make everything again.
  update_data_folder(set({"cmyk.jpg", "gray.jpg"}), folder_ / "data");
  options_.sizes = {16};
  EXPECT_EQ(run(), std::pair(size_t{2}, size_t{0}));
}

TEST_F(ExtractTest, AFolderWithoutImagesSaysWhatToDo) {
  std::filesystem::remove(folder_ / "formatted_train_images.npy");
  std::filesystem::remove(folder_ / "formatted_val_images.npy");
  EXPECT_SPML_ERROR(extract(), HasSubstr("make a data folder with `spml import`"));
}

// A data folder from elsewhere must not decide which file of ours is overwritten.
TEST_F(ExtractTest, WritesThroughNoLink) {
  const TemporaryFolder elsewhere;
  const Path victim = elsewhere / "victim",
             partial = folder_ / ".train_features_imagenet_resnet50.partial";
  const std::string precious(10'000, 'x');
  callbacks_.stop = [] { return true; };  // leaves a journal and a partial file
  EXPECT_SPML_ERROR(extract(), HasSubstr("stopped"));
  callbacks_.stop = {};
  const auto plant = [&](const auto& link) {
    write_file(victim, precious);
    std::filesystem::remove(partial);
    link();
    extract();
    EXPECT_EQ(read_file(victim), precious);
    std::filesystem::remove(file("train"));
    std::filesystem::remove(file("val"));
  };
  const std::string journal = read_file(folder_ / ".train_features_imagenet_resnet50.journal");
  plant([&] { std::filesystem::create_symlink(victim, partial); });
  write_file(folder_ / ".train_features_imagenet_resnet50.journal", journal);
  plant([&] { std::filesystem::create_hard_link(victim, partial); });
  plant([&] { std::filesystem::create_symlink(victim, partial); });  // and no journal
}

TEST_F(ExtractTest, ImageNamesStayBelowTheirFolder) {
  for (const std::string name : {"../dataset.json", "/etc/passwd", "a/../../b.jpg"}) {
    name_images("train", {"color.jpg", name});
    EXPECT_SPML_ERROR(extract(), HasSubstr("expected the name of a file below"));
  }
}

TEST_F(ExtractTest, TwoDoNotWorkInOneFolder) {
  const auto lock = lock_data_folder(folder_.path());
  EXPECT_SPML_ERROR(extract(), HasSubstr("another spml process"));
}

// As many ranks, each with a network of its own.
std::vector<ExtractedPart> extract_shared(int ranks, const Path& folder, const BackboneInfo& info,
                                          const ExtractOptions& options) {
  std::vector<ExtractedPart> parts;
  run_cluster(ranks, [&](Cluster& cluster) {
    MeanColour net;
    ExtractOptions mine = options;
    mine.cluster = &cluster;
    auto found = extract_features(folder, net, info, mine, {});
    if (cluster.is_first()) parts = std::move(found);
  });
  return parts;
}

TEST_F(ExtractTest, SeveralRanksGiveTheBytesOfOne) {
  for (const bool half : {false, true}) {
    options_.half = half;
    options_.skip_errors = true;
    name_images("train", {"color.jpg", "alpha.png", "missing.jpg", "cmyk.jpg", "color.jpg"});
    extract();
    const std::string train = read_file(file("train")), val = read_file(file("val"));
    const std::string record = read_file(folder_ / "dataset.json");
    options_.force = true;
    for (const int ranks : {1, 2, 3, 4}) {
      const auto parts = extract_shared(ranks, folder_.path(), info_, options_);
      EXPECT_TRUE(read_file(file("train")) == train) << ranks;
      EXPECT_TRUE(read_file(file("val")) == val) << ranks;
      EXPECT_EQ(read_file(folder_ / "dataset.json"), record);
      ASSERT_EQ(parts.size(), 2u);
      ASSERT_EQ(parts[0].skipped.size(), 1u);
      EXPECT_EQ(parts[0].skipped[0].row, 2u);
      EXPECT_THAT(hidden_files(), testing::Not(testing::Contains(HasSubstr("block"))));
    }
  }
}

TEST_F(ExtractTest, BlocksThatSeveralRanksLeftAreUsedByOne) {
  options_.threads = 1;
  // The fourth image, in the second block, cannot be read: the first and the last block are done.
  std::filesystem::rename(folder_ / "pictures/cmyk.jpg", folder_ / "pictures/away.jpg");
  EXPECT_THROW(extract_shared(1, folder_.path(), info_, options_), Error);
  EXPECT_THAT(hidden_files(), testing::Contains(HasSubstr("block-0")));
  std::filesystem::rename(folder_ / "pictures/away.jpg", folder_ / "pictures/cmyk.jpg");
  extract();
  EXPECT_EQ(net_.images_seen, 4u);  // three of train, one of val
  const std::string train = read_file(file("train"));
  EXPECT_THAT(hidden_files(), testing::Not(testing::Contains(HasSubstr("block"))));
  options_.force = true;
  extract();
  EXPECT_TRUE(read_file(file("train")) == train);
}

TEST_F(ExtractTest, ABlockOfAnotherSizeIsNamed) {
  options_.threads = 1;
  std::filesystem::rename(folder_ / "pictures/cmyk.jpg", folder_ / "pictures/away.jpg");
  EXPECT_THROW(extract_shared(1, folder_.path(), info_, options_), Error);
  std::filesystem::rename(folder_ / "pictures/away.jpg", folder_ / "pictures/cmyk.jpg");
  // Of 1.2 million rows, all but the header a hole.
  const Path block = folder_ / ".train_features_imagenet_resnet50.block-0.npy";
  const std::string header = make_npy_header(DType::kF32, 4, std::array<size_t, 2>{1'200'000, 3});
  write_file(block, header);
  std::filesystem::resize_file(block, header.size() + 1'200'000 * 12);
  EXPECT_SPML_ERROR(extract(), HasSubstr("expected 2 rows of 3 features, found 1200000 x 3"));
}

TEST_F(ExtractTest, ReplacesNoPipeAndNoFolder) {
  options_.force = true;
  ASSERT_EQ(::mkfifo(file("train").c_str(), 0600), 0);
  EXPECT_SPML_ERROR(extract(), HasSubstr("found a pipe"));
  EXPECT_TRUE(std::filesystem::is_fifo(file("train")));
  std::filesystem::remove(file("train"));
  std::filesystem::create_directory(file("train"));
  EXPECT_SPML_ERROR(extract(), HasSubstr("found a folder"));
  EXPECT_EQ(net_.images_seen, 0u);
}

TEST_F(ExtractTest, AnotherListOfImagesAtOneRankIsNamed) {
  TemporaryFolder other;
  std::filesystem::copy(folder_.path(), other.path(), std::filesystem::copy_options::recursive);
  const std::vector<std::string> names = {"color.jpg"};
  write_npy(other / "formatted_train_images.npy", std::span(names));
  EXPECT_SPML_ERROR(run_cluster(2,
                                [&](Cluster& cluster) {
                                  MeanColour net;
                                  ExtractOptions mine = options_;
                                  mine.cluster = &cluster;
                                  extract_features(
                                      cluster.is_first() ? folder_.path() : other.path(), net, {},
                                      mine, {});
                                }),
                    HasSubstr("rank 1 has the list of train images"));
}

}  // namespace
}  // namespace spml
