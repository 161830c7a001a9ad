#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/folders.h"
#include "data/dataset.h"
#include "data/folder_update.h"
#include "formats/npy.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

ImportedSet small_set() {
  ImportedSet set;
  set.name = "small";
  set.classes = {"cat", "dog", "\xC3\xA9"};
  set.train = {{"a.jpg", {{0, 0.25f, 5}, {2, 0.5f, 2}}}, {"b.jpg", {{1, 1, 1}}}};
  set.test = {{"c.jpg", {}}};
  return set;
}

std::vector<std::string> files(const Path& folder) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    result.push_back(entry.path().filename().string());
  }
  return result;
}

TEST(WriteDataFolder, WritesTheNativeLayout) {
  const TemporaryFolder folder;
  ImportedSet set = small_set();
  set.has_boxes = true;
  set.image_root = folder / "pictures";
  const Path out = folder / "new" / "deep";
  write_data_folder(set, out);
  EXPECT_THAT(files(out),
              UnorderedElementsAre("dataset.json", "formatted_train_images.npy",
                                   "formatted_train_labels.npy", "formatted_train_box_area.npy",
                                   "formatted_train_box_closeness.npy", "formatted_val_images.npy",
                                   "formatted_val_labels.npy", "formatted_val_box_area.npy",
                                   "formatted_val_box_closeness.npy"));
  const NpyArray labels(out / "formatted_train_labels.npy");
  EXPECT_EQ(labels.header().dtype, DType::kI8);
  std::vector<int8_t> row(3);
  labels.read_row(0, row);
  EXPECT_EQ(row, (std::vector<int8_t>{1, 0, 1}));
  labels.read_row(1, row);
  EXPECT_EQ(row, (std::vector<int8_t>{0, 1, 0}));
  const NpyArray area(out / "formatted_train_box_area.npy");
  EXPECT_EQ(area.at(0, 0), 0.25);
  EXPECT_EQ(area.at(0, 1), 0);
  EXPECT_EQ(NpyArray(out / "formatted_train_box_closeness.npy").at(0, 0), 5);
  EXPECT_EQ(NpyArray(out / "formatted_train_images.npy").text(1), "b.jpg");

  const auto json = nlohmann::json::parse(read_file(out / "dataset.json"));
  EXPECT_EQ(json["name"], "small");
  EXPECT_EQ(json["classes"], (std::vector<std::string>{"cat", "dog", "\xC3\xA9"}));
  EXPECT_EQ(json["expected_positives"], 1.5);
  EXPECT_EQ(json["image_root"], "../../pictures");
}

// As a user types them: in the current folder, and not there yet.
TEST(WriteDataFolder, RelativeNamesFindTheImages) {
  const TemporaryFolder folder;
  const Path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  std::filesystem::create_directory("pictures");
  ImportedSet set = small_set();
  set.image_root = "pictures";
  write_data_folder(set, "new");
  std::filesystem::current_path(before);
  EXPECT_EQ(nlohmann::json::parse(read_file(folder / "new" / "dataset.json"))["image_root"],
            "../pictures");
}

TEST(WriteDataFolder, ObservedLabelsDoNotClaimToBeTruth) {
  const TemporaryFolder folder;
  ImportedSet set = small_set();
  set.complete = false;
  set.test.clear();
  write_data_folder(set, folder / "out");
  EXPECT_THAT(files(folder / "out"),
              UnorderedElementsAre("dataset.json", "formatted_train_images.npy",
                                   "formatted_train_labels_obs.npy"));
  EXPECT_FALSE(nlohmann::json::parse(read_file(folder / "out" / "dataset.json"))
                   .contains("expected_positives"));
}

TEST(WriteDataFolder, RefusesAFolderThatIsNotEmpty) {
  const TemporaryFolder folder;
  put(folder / "out" / "notes.txt", "mine");
  EXPECT_SPML_ERROR(write_data_folder(small_set(), folder / "out"), HasSubstr("not empty"));
  EXPECT_THAT(files(folder / "out"), UnorderedElementsAre("notes.txt"));
  put(folder / "file", "");
  EXPECT_SPML_ERROR(write_data_folder(small_set(), folder / "file"),
                    HasSubstr("expected a folder"));
}

TEST(WriteDataFolder, OverwriteReplacesDataFilesAndNothingElse) {
  const TemporaryFolder folder;
  const Path out = folder / "out";
  put(out / "notes.txt", "mine");
  put(out / "train_features_imagenet_resnet50.npy", "of other rows");
  put(out / "formatted_train_labels_obs.npy", "of other rows");
  put(out / ".import-0123456789abcdef" / ".spml.staging", "");
  put(out / ".import-0123456789abcdef" / "left-over", "");
  write_data_folder(small_set(), out / "", true);
  EXPECT_THAT(files(out),
              UnorderedElementsAre("notes.txt", "dataset.json", "formatted_train_images.npy",
                                   "formatted_train_labels.npy", "formatted_val_images.npy",
                                   "formatted_val_labels.npy"));
}

// A name is not enough to have a folder deleted; nor is one that somebody fills.
TEST(WriteDataFolder, LeftoversAreRecognisedByWhatIsInThem) {
  const TemporaryFolder folder;
  const Path out = folder / "out";
  put(out / "dataset.json", "{}");
  put(out / ".import-0123456789abcdef" / "notes.txt", "mine");
  put(out / ".import-x" / ".spml.staging", "");
  put(out / ".import-aaaaaaaaaaaaaaaa" / ".spml.staging", "");
  const FileLock held(out / ".import-aaaaaaaaaaaaaaaa" / ".spml.staging", "it");
  put(folder / ".import-bbbbbbbbbbbbbbbb" / ".spml.staging", "");
  write_data_folder(small_set(), out, true);
  EXPECT_TRUE(path_exists(out / ".import-0123456789abcdef" / "notes.txt"));
  EXPECT_TRUE(path_exists(out / ".import-x"));
  EXPECT_TRUE(path_exists(out / ".import-aaaaaaaaaaaaaaaa"));
  write_data_folder(small_set(), folder / "new");  // which is made beside itself
  EXPECT_FALSE(path_exists(folder / ".import-bbbbbbbbbbbbbbbb"));
  EXPECT_FALSE(path_exists(folder / "new" / ".spml.staging"));
}

TEST(WriteDataFolder, ItsNameMayBeAsLongAsNamesCanBe) {
  const TemporaryFolder folder;
  const Path out = folder / std::string(250, 'x');
  write_data_folder(small_set(), out);
  open_dataset(out);
}

// Whatever cannot be replaced is found while the earlier data set is still whole.
TEST(WriteDataFolder, OverwriteStopsBeforeItRemovesAnything) {
  const TemporaryFolder folder;
  const Path out = folder / "out";
  write_data_folder(small_set(), out);
  const auto before = files(out);

  put(out / "val_features_old.npy" / "keep", "");
  EXPECT_SPML_ERROR(write_data_folder(small_set(), out, true), HasSubstr("move it elsewhere"));
  open_dataset(out);
  std::filesystem::remove_all(out / "val_features_old.npy");

  const auto refuse_images = [&](const std::string& why) {
    FolderUpdate update(out, true);
    put(update.staging() / "images" / "a.jpg", "new");
    EXPECT_SPML_ERROR(update.finish(), HasSubstr(why));
    open_dataset(out);
  };
  std::filesystem::create_symlink(folder.path(), out / "images");
  refuse_images("found a symbolic link");
  std::filesystem::remove(out / "images");
  std::filesystem::create_symlink(folder / "nowhere", out / "images");
  refuse_images("found a symbolic link");
  std::filesystem::remove(out / "images");
  put(out / "images", "");
  refuse_images("found a file");
  std::filesystem::remove(out / "images");
  put(out / "images" / "a.jpg" / "keep", "");
  refuse_images("a.jpg: expected a file to replace");
  std::filesystem::remove_all(out / "images");
  EXPECT_THAT(files(out), ::testing::UnorderedElementsAreArray(before));
}

TEST(WriteDataFolder, AnEmptyFolderIsFilled) {
  const TemporaryFolder folder;
  make_folder(folder / "out");
  write_data_folder(small_set(), folder / "out");
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "dataset.json"));
}

TEST(WriteDataFolder, FailureLeavesNothing) {
  const TemporaryFolder folder;
  ImportedSet set = small_set();
  set.train_features = {folder / "none.npy", {0, 1}};
  EXPECT_SPML_ERROR(write_data_folder(set, folder / "out"), HasSubstr("none.npy"));
  EXPECT_THAT(files(folder.path()), ::testing::IsEmpty());
}

TEST(WriteDataFolder, TwoDoNotWorkInOneFolder) {
  const TemporaryFolder folder;
  make_folder(folder / "out");
  const auto lock = lock_data_folder(folder / "out");
  EXPECT_SPML_ERROR(write_data_folder(small_set(), folder / "out"),
                    HasSubstr("another spml process"));
}

// What a kill leaves while files are put in place.
TEST(WriteDataFolder, AnUnfinishedImportCannotBeOpened) {
  const TemporaryFolder folder;
  const Path out = folder / "out";
  write_data_folder(small_set(), out);
  put(out / ".spml.unfinished", "");
  EXPECT_SPML_ERROR(open_dataset(out), HasSubstr("stopped halfway"));
  write_data_folder(small_set(), out, true);
  open_dataset(out);
}

TEST(WriteDataFolder, StagingOfAnotherIsLeftAlone) {
  const TemporaryFolder folder;
  FolderUpdate first(folder / "out", false), second(folder / "out", false);
  EXPECT_NE(first.staging(), second.staging());
  put(first.staging() / "a", "1");
  put(second.staging() / "a", "2");
  first.finish();
  EXPECT_SPML_ERROR(second.finish(), HasSubstr("cannot put it in place"));
  EXPECT_EQ(read_file(folder / "out" / "a"), "1");
}

TEST(WriteDataFolder, NamesOfImagesAndClassesAreChecked) {
  const TemporaryFolder folder;
  for (const std::string name : {"../x.jpg", "/etc/passwd", "a/../../x.jpg"}) {
    ImportedSet set = small_set();
    set.train[0].image = name;
    EXPECT_SPML_ERROR(write_data_folder(set, folder / "out"), HasSubstr("below the folder"));
  }
  ImportedSet set = small_set();
  set.classes[0] = std::string(10'000, 'x');
  EXPECT_SPML_ERROR(write_data_folder(set, folder / "out"), HasSubstr("at most 512 bytes"));
  EXPECT_THAT(files(folder.path()), ::testing::IsEmpty());
}

TEST(WriteDataFolder, LabelsAreThoseOfTheClasses) {
  const TemporaryFolder folder;
  for (const int32_t label : {-1, 3}) {
    ImportedSet positive = small_set(), negative = small_set();
    positive.test[0].positives = {{label}};
    negative.train[1].negatives = {label};
    EXPECT_SPML_ERROR(write_data_folder(positive, folder / "out"),
                      HasSubstr(fmt::format("'c.jpg': expected a label below 3, found {}", label)));
    EXPECT_SPML_ERROR(write_data_folder(negative, folder / "out"), HasSubstr("'b.jpg'"));
  }
  EXPECT_THAT(files(folder.path()), ::testing::IsEmpty());
}

TEST(WriteDataFolder, EveryClassHasANameOfItsOwn) {
  const TemporaryFolder folder;
  ImportedSet set = small_set();
  set.classes[1] = "";
  EXPECT_SPML_ERROR(write_data_folder(set, folder / "out"), HasSubstr("class 1 to have a name"));
  set.classes[1] = "cat";
  EXPECT_SPML_ERROR(write_data_folder(set, folder / "out"),
                    HasSubstr("found 'cat' as classes 0 and 1"));
}

TEST(WriteDataFolder, NonUtf8NamesAreAnErrorOfOurs) {
  const TemporaryFolder folder;
  ImportedSet set = small_set();
  set.name = "\xff\xfe";
  EXPECT_SPML_ERROR(write_data_folder(set, folder / "out"), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace spml
