// Raw data sets and data folders of others: small on disk, large when they are taken at their word.
#include "base/folders.h"
#include "untrusted.h"

namespace spml {
namespace {

class UntrustedData : public Untrusted {
 protected:
  void refuse_import(const char* kind, const Path& source, const std::string& memory,
                     const std::string& why, const Words& more = {}) {
    const std::string out = folder_ / "out";
    expect_failure(Words{"import", kind, source, "--out", out, "--max-memory", memory} + more, 1,
                   why);
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  // A tree of as many names for one file as asked for.
  static void link(const Path& file, const Path& folder, const std::string& before,
                   const std::string& after, int count) {
    make_folder(folder);
    for (int i = 0; i < count; ++i) {
      std::filesystem::create_symlink(file, folder / (before + std::to_string(i) + after));
    }
  }
};

TEST_F(UntrustedData, LabelsOfLinkedListsAreBoundedByMemory) {
  std::string names, ones, list;
  for (int i = 0; i < 1000; ++i) {
    names += "a" + std::to_string(i) + "\n";
    ones += "1\n";
    list += "a" + std::to_string(i) + " 1\n";
  }
  const Path nus = folder_ / "nus", lists = folder_ / "voc/ImageSets/Main";
  write_text(nus / "ImageList/TrainImagelist.txt", names);
  write_text(nus / "ImageList/TestImagelist.txt", "t\n");
  write_text(nus / "ones", ones);
  write_text(nus / "one", "1\n");
  link(nus / "ones", nus / "Groundtruth/TrainTestLabels", "Labels_", "_Train.txt", 2000);
  link(nus / "one", nus / "Groundtruth/TrainTestLabels", "Labels_", "_Test.txt", 2000);
  refuse_import("nus", nus, "60M", "nus: its images and labels need more than");

  write_text(folder_ / "voc/list", list);
  link(folder_ / "voc/list", lists, "c", "_train.txt", 2000);
  link(folder_ / "voc/list", lists, "c", "_val.txt", 2000);
  refuse_import("voc", folder_ / "voc", "60M", "Main: its images and labels need more than");
}

TEST_F(UntrustedData, ConceptsAreLimited) {
  const Path nus = folder_ / "nus";
  write_text(nus / "one", "1\n");
  link(nus / "one", nus / "Groundtruth/TrainTestLabels", "Labels_", "_Train.txt", 65'537);
  refuse_import("nus", nus, "500M", "expected at most 65536 concepts");
}

TEST_F(UntrustedData, RowsOfAHoleAreNotAllocated) {
  for (const std::string part : {"train", "val"}) {
    write_sparse_npy(folder_ / ("nus/formatted_" + part + "_labels.npy"), DType::kI8, 1,
                     {40'000'000, 1});
    write_sparse_npy(folder_ / ("nus/formatted_" + part + "_images.npy"), DType::kBytes, 1,
                     {40'000'000});
  }
  refuse_import("nus", folder_ / "nus", "100M", "formatted_train_images.npy: row 0: expected");
}

TEST_F(UntrustedData, PairsOfAHoleAreBoundedByMemory) {
  const Path cub = folder_ / "cub", marks = cub / "attributes/image_attribute_labels.txt";
  std::string names, split;
  for (int i = 1; i <= 10'000; ++i) {
    names += std::to_string(i) + " a" + std::to_string(i) + "\n";
    split += std::to_string(i) + " 1\n";
  }
  write_text(cub / "images.txt", names);
  write_text(cub / "train_test_split.txt", split);
  write_text(cub / "attributes/attributes.txt", names);
  write_text(marks, "");
  std::filesystem::resize_file(marks, 30'000'000);
  refuse_import("cub", cub, "80M", "10000 images x 10000 attributes needs 100.0 MB");
}

TEST_F(UntrustedData, TablesAreBoundedByMemory) {
  std::string csv = "image,label\n", coco = R"({"categories":[{"id":1,"name":"a"}],"images":[)";
  for (int i = 0; i < 200'000; ++i) {
    csv += std::to_string(i) + ",a\n";
    coco += (i == 0 ? "{\"id\":" : ",{\"id\":") + std::to_string(i) + "}";
  }
  coco += R"(],"annotations":[{"id":1,"image_id":1,"category_id":1}]})";
  write_text(folder_ / "t.csv", csv);
  refuse_import("csv", folder_ / "t.csv", "60M", "t.csv: its images and labels need more than",
                {"--allow-missing"});
  write_text(folder_ / "coco/annotations/instances_train2014.json", coco);
  refuse_import("coco", folder_ / "coco", "60M", "json: its images and annotations need more than");
}

TEST_F(UntrustedData, ARowOfFeaturesIsBoundedByMemory) {
  write_text(folder_ / "t.csv", "image,label\na.jpg,x\n");
  write_sparse_npy(folder_ / "f.npy", DType::kU8, 1, {1, 100'000'000});
  refuse_import("csv", folder_ / "t.csv", "100M", "a row of 100000000 features needs 400.0 MB",
                {"--features", folder_ / "f.npy"});
}

TEST_F(UntrustedData, ANumberForEachRowIsBoundedByMemory) {
  const std::string data = folder_ / "rows";
  write_sparse_npy(folder_ / "rows/formatted_train_labels.npy", DType::kI8, 1, {30'000'000, 1});
  expect_failure({"estimate-k", data, "--threads", "1", "--max-memory", "100M"}, 1,
                 "estimating k from it needs");
  expect_failure(
      {"observe", data, "--complete-rows", "0.001", "--threads", "1", "--max-memory", "120M"}, 1,
      "drawing observed labels from it needs");
}

TEST_F(UntrustedData, ABatchForALossIsBoundedByMemory) {
  const std::string wide = folder_ / "wide.npy", small = folder_ / "small.npy";
  write_sparse_npy(wide, DType::kI8, 1, {1, 3'000'000});
  write_sparse_npy(small, DType::kI8, 1, {1, 4});
  expect_failure(
      {"losses", "eval", "an", "--logits", wide, "--observed", wide, "--max-memory", "200M"}, 1,
      "wide.npy: a batch of 1 x 3000000 needs");
  expect_failure(
      {"losses", "eval", "an", "--logits", small, "--observed", wide, "--max-memory", "20M"}, 1,
      "wide.npy: expected the shape of the logits");
}

TEST_F(UntrustedData, SyntheticDataOfAConfigurationIsBoundedByMemory) {
  write_text(folder_ / "c.json", R"({"rows": 1, "labels": 1000, "features": 1000000})");
  expect_failure({"synth", "--config", folder_ / "c.json", "--out", folder_ / "out"}, 1,
                 "a model of 1000 labels x 1000000 features needs 4.8 GB");
  write_text(folder_ / "c.json", R"({"rows": 25, "labels": 1, "features": 1000000})");
  expect_success({"synth", "--config", folder_ / "c.json", "--out", folder_ / "out", "--test-rows",
                  "1", "--threads", "1", "--max-memory", "100M"});
}

// The weights of the test file end in a number that is none.
TEST_F(UntrustedData, ObserveReplacesBothFilesOrNone) {
  const Path data = make_data(folder_ / "data", {.rows = 40, .labels = 3, .features = 2});
  std::vector<float> area(40 * 3, 0.5f);
  write_npy(data / "formatted_train_box_area.npy", View<const float>{area.data(), 40, 3});
  area[20 * 3 - 1] = -1;
  write_npy(data / "formatted_val_box_area.npy", View<const float>{area.data(), 20, 3});
  const std::string before = read_file(data / "formatted_train_labels_obs.npy");
  expect_failure({"observe", data, "--bias", "area", "--num-pos", "2", "--seed", "3", "--force"}, 1,
                 "at row 19, column 2");
  EXPECT_TRUE(read_file(data / "formatted_train_labels_obs.npy") == before);
  expect_failure({"observe", folder_ / "nowhere"}, 1, "expected a data folder, found nothing");
}

}  // namespace
}  // namespace spml
