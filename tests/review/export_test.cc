#include "review/export/export.h"
#include "base/folders.h"

#include <fmt/format.h>
#include <fstream>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "data/folder_update.h"
#include "data/import/import.h"
#include "toy_review.h"

namespace spml::review {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

struct ExportTest : testing::Test {
  ToyReview toy;
  std::vector<Entry> entries;  // of which 0 is yes, 1 no, 2 unsure
  Path out = toy / "out";

  void SetUp() override {
    const auto review = toy.open();
    // Answers that the data's truth agrees with.
    const Dataset data = open_dataset(toy.data());
    std::vector<int8_t> truth(ToyReview::kLabels);
    Listing listing;
    listing.limit = 700;
    std::optional<Entry> yes;
    std::vector<Entry> no;
    for (const Listed& listed : review->store().list(listing)) {
      data.train_file.truth.read_row(static_cast<size_t>(listed.entry.row), truth);
      if (truth[static_cast<size_t>(listed.entry.label)] > 0) {
        if (!yes) yes = listed.entry;
      } else {
        no.push_back(listed.entry);
      }
    }
    entries = {*yes, no[0], no[1], no[2]};
    review->store().answer("a", "ann, \"A\"",
                           {{entries[0], State::kYes}, {entries[1], State::kNo}});
    review->store().answer("b", "bob", {{entries[2], State::kUnsure}});
    review->store().answer("c", "bob", {{entries[3], State::kYes}});
    review->store().undo("d", "bob");
  }
  ExportReport run(const std::string& format, bool overwrite = false) {
    ExportOptions options;
    options.overwrite = overwrite;
    options.review = toy.out();
    options.out = out;
    options.format = format;
    return export_review(options);
  }
};

TEST_F(ExportTest, DataFolderHasAnswersAsLabelsAndTrains) {
  const ExportReport report = run("data");
  EXPECT_EQ(report.yes, 1u);
  EXPECT_EQ(report.no, 1u);
  EXPECT_EQ(report.unsure, 1u);
  const Dataset before = open_dataset(toy.data()), after = open_dataset(out);
  size_t changed = 0;
  std::vector<int8_t> a(ToyReview::kLabels), b(ToyReview::kLabels);
  for (size_t i = 0; i < ToyReview::kRows; ++i) {
    before.train_file.observed.read_row(i, a);
    after.train_file.observed.read_row(i, b);
    for (size_t j = 0; j < a.size(); ++j) {
      const Entry entry{static_cast<int32_t>(i), static_cast<int32_t>(j)};
      changed += a[j] != b[j];
      if (entry == entries[0]) {
        EXPECT_EQ(b[j], 1);
      }
      if (entry == entries[1]) {
        EXPECT_EQ(b[j], -1);
      }
    }
  }
  EXPECT_EQ(changed, 2u);
  EXPECT_EQ(after.classes, before.classes);
  TrainConfig config;
  config.loss = "an";
  config.epochs = 1;
  RunOptions options;
  options.out = toy / "trained";
  const RunRecord record = run_training(after, config, options);
  EXPECT_TRUE(record.result.test_map.has_value());
}

TEST_F(ExportTest, OneWriterAtATimeInADataFolder) {
  run("data");
  const auto lock = lock_data_folder(out);
  EXPECT_SPML_ERROR(run("data", true), HasSubstr("another spml process is using it"));
}

TEST_F(ExportTest, ADataFolderIsReplacedAsAWhole) {
  run("data");
  write_file(box_area_file(out, "train"), "of another data set");
  write_file(out / ".spml.unfinished", "");
  write_file(out / "notes.txt", "mine");
  run("data", true);
  EXPECT_EQ(open_dataset(out).train_file.rows(), ToyReview::kRows);
  EXPECT_FALSE(std::filesystem::exists(box_area_file(out, "train")));
  EXPECT_EQ(read_file(out / "notes.txt"), "mine");
}

// The data's own files may be a stranger's.
TEST_F(ExportTest, LinksNoFileFromElsewhereAndLeavesNothingHalf) {
  write_file(toy / "secret", "secret");
  const Path json = toy.data() / "dataset.json";
  DatasetInfo info = parse_dataset_json(read_file(json), json.string());
  info.val_features = "../secret";
  write_file(json, to_json(info));
  EXPECT_SPML_ERROR(run("data"), HasSubstr("'features': expected the name of a file below"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(ExportTest, LeavesOutATruthThatAnswersContradict) {
  toy.open()->store().answer("e", "ann", {{entries[1], State::kYes}});
  EXPECT_EQ(run("data").notices.size(), 1u);
  EXPECT_TRUE(open_dataset(out).train_file.truth.empty());
  toy.open()->store().answer("f", "ann", {{entries[1], State::kNo}, {entries[0], State::kNo}});
  EXPECT_EQ(run("data", true).notices.size(), 0u);  // a "no" that errs does not cost the truth
  EXPECT_FALSE(open_dataset(out).train_file.truth.empty());
}

TEST_F(ExportTest, CsvQuotesWhatItMust) {
  run("csv");
  const std::string text = read_file(out);
  EXPECT_THAT(text, HasSubstr("\"ann, \"\"A\"\"\""));
  // A header, one label of each row that was given, three answers.
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), ToyReview::kRows + 4);
}

TEST_F(ExportTest, JsonLinesAreOneObjectEach) {
  run("jsonl");
  std::istringstream lines(read_file(out));
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(Json::parse(line)["answer"]);
  ASSERT_EQ(answers.size(), ToyReview::kRows + 3);
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), "given")),
            ToyReview::kRows);
  answers.erase(answers.begin(), answers.end() - 3);
  EXPECT_THAT(answers, testing::ElementsAre("yes", "no", "unsure"));
}

TEST_F(ExportTest, CocoHasImageLevelAnnotations) {
  run("coco");
  const Json json = Json::parse(read_file(out));
  EXPECT_EQ(json["images"].size(), ToyReview::kRows);
  EXPECT_EQ(json["categories"].size(), ToyReview::kLabels);
  EXPECT_EQ(json["annotations"].size(), ToyReview::kRows + 1);  // one each was observed
  size_t reviewed = 0;
  for (const Json& annotation : json["annotations"]) {
    if (annotation["source"] != "review") continue;
    ++reviewed;
    EXPECT_EQ(annotation["image_id"], entries[0].row + 1);
    EXPECT_EQ(annotation["category_id"], entries[0].label + 1);
  }
  EXPECT_EQ(reviewed, 1u);
  EXPECT_EQ(json["images"][static_cast<size_t>(entries[1].row)]["neg_category_ids"],
            Json({entries[1].label + 1}));
  EXPECT_EQ(json["images"][static_cast<size_t>(entries[2].row)]["unsure_category_ids"],
            Json({entries[2].label + 1}));
}

TEST_F(ExportTest, VocListsHaveOneMinusOneAndZero) {
  run("voc");
  const auto line = [&](Entry entry, const char* value) {
    const Path list = out / "ImageSets" / "Main" / fmt::format("class_{}_train.txt", entry.label);
    EXPECT_THAT("\n" + read_file(list), HasSubstr(fmt::format("\n{} {}\n", entry.row, value)));
  };
  line(entries[0], " 1");
  line(entries[1], "-1");
  line(entries[2], " 0");
}

TEST_F(ExportTest, VocListsAreReplacedAsAWholeAndNothingElseIs) {
  run("voc");
  const Path lists = out / "ImageSets" / "Main";
  write_file(lists / "left_over_train.txt", "");
  write_file(out / "ImageSets" / "notes", "mine");
  run("voc", true);
  EXPECT_FALSE(path_exists(lists / "left_over_train.txt"));
  EXPECT_TRUE(path_exists(lists / "class_0_train.txt"));
  EXPECT_EQ(read_file(out / "ImageSets" / "notes"), "mine");
  write_file(lists / "cat_val.txt", "mine");
  EXPECT_SPML_ERROR(run("voc", true), HasSubstr("cat_val.txt: expected lists of an earlier"));
  EXPECT_EQ(read_file(lists / "cat_val.txt"), "mine");
}

TEST_F(ExportTest, ADataFolderSharesNoFileWithItsSource) {
  run("data");
  for (const Path& file : list_folder(out)) {
    std::error_code ignored;
    EXPECT_EQ(std::filesystem::hard_link_count(file, ignored), 1u) << file;
    const Path source = toy.data() / file.filename();
    if (!path_exists(source)) continue;
    const std::string before = read_file(source);
    std::fstream(file, std::ios::in | std::ios::out).write("four", 4);
    EXPECT_EQ(read_file(source), before) << file;
  }
}

TEST_F(ExportTest, VocWritesThroughNoLink) {
  std::filesystem::create_directories(toy / "elsewhere" / "Main");
  std::filesystem::create_directory(out);
  std::filesystem::create_directory_symlink(toy / "elsewhere", out / "ImageSets");
  EXPECT_SPML_ERROR(run("voc", true), HasSubstr("ImageSets: expected a folder"));
  std::filesystem::remove(out / "ImageSets");
  std::filesystem::create_directory(out / "ImageSets");
  std::filesystem::create_directory_symlink(toy / "elsewhere" / "Main", out / "ImageSets/Main");
  EXPECT_SPML_ERROR(run("voc", true), HasSubstr("Main: expected a folder"));
  EXPECT_TRUE(std::filesystem::is_empty(toy / "elsewhere" / "Main"));
}

// A review of data in which every image has the labels of `row`, exported.
Path export_named(const TemporaryFolder& folder, const std::vector<std::string>& images,
                  const std::vector<std::string>& classes, const std::vector<int8_t>& row,
                  const std::string& format) {
  const Path data = folder / "data", review = folder / "review";
  make_folder(data);
  make_folder(review);
  DatasetInfo info;
  info.classes = classes;
  write_file(data / "dataset.json", to_json(info));
  std::vector<int8_t> values;
  for (size_t i = 0; i < images.size(); ++i) values.insert(values.end(), row.begin(), row.end());
  const LabelMatrix all(values, images.size(), classes.size());
  write_labels(observed_file(data, "train"), all);
  write_labels(observed_copy(review), all);
  write_npy(images_file(data, "train"), std::span<const std::string>(images));
  Store::create(database_file(review),
                {"id", data.string(), "f00d", "toy", images.size(), info.classes});
  ExportOptions options;
  options.review = review;
  options.out = folder / "out";
  options.format = format;
  export_review(options);
  return options.out;
}

// Names are what a stranger chose.
TEST(ExportNames, OfVocAreOneWordEachAndNoCommands) {
  const TemporaryFolder folder;
  const Path out = export_named(folder, {"a\n2008_000001  1\n\x1b[31mx\xc2\x85y z.jpg", "b.jpg"},
                                {"cat", "dog\x1b]0;x\x07 \xc2\x9b/"}, {1, 1}, "voc");
  const Path lists = out / "ImageSets" / "Main";
  EXPECT_EQ(read_file(lists / "cat_train.txt"), "a_2008_000001__1__[31mx_y_z  1\nb  1\n");
  EXPECT_EQ(read_file(lists / "train.txt"), "a_2008_000001__1__[31mx_y_z\nb\n");
  EXPECT_TRUE(std::filesystem::exists(lists / "dog_]0;x_ ___train.txt"));
}

TEST(ExportNames, OfVocAreRefusedWhereTwoImagesWouldBeOne) {
  const auto expect_refused = [](const std::vector<std::string>& images, const std::string& why) {
    const TemporaryFolder folder;
    EXPECT_SPML_ERROR(export_named(folder, images, {"cat"}, {1}, "voc"), HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  };
  expect_refused({"cat/img1.jpg", "b.jpg", "dog/img1.jpg"},
                 "images 'cat/img1.jpg' and 'dog/img1.jpg' would both be 'img1'");
  expect_refused({"a b.jpg", "a_b.png"}, "images 'a b.jpg' and 'a_b.png' would both be 'a_b'");
  const TemporaryFolder folder;
  export_named(folder, {"cat/img1.jpg", "dog/img2.jpg"}, {"cat"}, {1}, "voc");
}

// A name that is no file name stopped the export halfway, and what was there had a class less.
TEST(ReadBack, VocHasEveryClassWhateverItsName) {
  const TemporaryFolder folder;
  const std::string name(400, 'x'), umlauts = name.substr(0, 199) + "\xc3\xa4\xc3\xa4";
  const Path out =
      export_named(folder, {"a.jpg"}, {"cat", name + "1", name + "2", umlauts, "a/b", "a\\b", ".."},
                   {1, 1, 1, 1, 1, 1, 1}, "voc");
  const ImportedSet set = import_voc(out);
  EXPECT_EQ(set.classes.size(), 7u);
  EXPECT_THAT(set.classes, testing::IsSupersetOf({"cat", "a_b", "a_b~2", "_.."}));
  EXPECT_EQ(list_folder(out / "ImageSets").size(), 1u);  // nothing but Main
}

TEST(ReadBack, VocMayHaveAClassWithoutAKnownLabel) {
  const TemporaryFolder folder;
  const Path out = export_named(folder, {"a.jpg", "b.jpg"}, {"cat", "dog"}, {1, 0}, "voc");
  const ImportedSet set = import_voc(out);
  EXPECT_THAT(set.classes, testing::ElementsAre("cat", "dog"));
  EXPECT_EQ(set.train.size(), 2u);
}

TEST(ReadBack, CocoNamesImagesBelowTheRootOfTheData) {
  const TemporaryFolder folder;
  const std::vector<std::string> images = {"Zebra fish/img1.jpg", "img2.jpg"};
  for (const std::string& image : images) {
    make_folder((folder / "images" / image).parent_path());
    write_file(folder / "images" / image, "");
  }
  const Path out = export_named(folder, images, {"cat"}, {1}, "coco");
  make_folder(folder / "coco" / "annotations");
  std::filesystem::copy_file(out, folder / "coco/annotations/instances_train2017.json");
  CocoOptions options;
  options.images.root = folder / "images";
  const ImportedSet set = import_coco(folder / "coco", options);
  ASSERT_EQ(set.train.size(), 2u);
  EXPECT_EQ(set.train[0].image, images[0]);
  EXPECT_EQ(set.train[1].image, images[1]);
}

TEST_F(ExportTest, LabelStudioTasksHaveChoices) {
  run("label-studio");
  const Json json = Json::parse(read_file(out));
  ASSERT_EQ(json.size(), ToyReview::kRows);
  const Json& task = json[static_cast<size_t>(entries[0].row)];
  EXPECT_EQ(task["annotations"][0]["result"][0]["value"]["choices"].size(), 2u);
}

// (image, class) of what an import says is there, and of what it says is absent.
struct Imported {
  std::set<std::pair<std::string, std::string>> present, absent;

  explicit Imported(const ImportedSet& set) {
    for (const ImportedRow& row : set.train) {
      for (const ImportedLabel& one : row.positives) {
        present.emplace(row.image, set.classes[static_cast<size_t>(one.label)]);
      }
      for (const int32_t label : row.negatives) {
        absent.emplace(row.image, set.classes[static_cast<size_t>(label)]);
      }
    }
  }
};

struct ReadBackTest : ExportTest {
  Imported expected{ImportedSet{}};

  // What the exported data folder has, with rows named as `name` does.
  void expect(const std::function<std::string(size_t row)>& name) {
    ExportOptions options;
    options.review = toy.out();
    options.out = toy / "data-folder";
    options.format = "data";
    export_review(options);
    const Dataset data = open_dataset(options.out);
    std::vector<int8_t> labels(ToyReview::kLabels);
    for (size_t i = 0; i < ToyReview::kRows; ++i) {
      data.train_file.observed.read_row(i, labels);
      for (size_t j = 0; j < labels.size(); ++j) {
        if (labels[j] > 0) expected.present.emplace(name(i), data.classes[j]);
        if (labels[j] < 0) expected.absent.emplace(name(i), data.classes[j]);
      }
    }
    EXPECT_EQ(expected.present.size(), ToyReview::kRows + 1);
    EXPECT_EQ(expected.absent.size(), 1u);
  }
  static std::string row_name(size_t row) { return std::to_string(row); }
};

TEST_F(ReadBackTest, TablesHaveEveryLabelAndEveryKnownNegative) {
  expect(row_name);
  for (const std::string format : {"csv", "jsonl"}) {
    out = toy / ("labels." + format);
    run(format);
    TableOptions options;
    options.images.allow_missing = true;
    const ImportedSet set = import_table(out, options);
    EXPECT_FALSE(set.complete) << format;
    for (const std::string& warning : set.warnings) {
      EXPECT_THAT(warning, testing::Not(HasSubstr("repeat"))) << format;
    }
    const Imported found(set);
    EXPECT_EQ(found.present, expected.present) << format;
    EXPECT_EQ(found.absent, expected.absent) << format;
  }
}

TEST_F(ReadBackTest, CocoHasEveryLabel) {
  expect([](size_t row) { return fmt::format("train2017/{}", row); });
  std::filesystem::create_directories(toy / "coco/annotations");
  out = toy / "coco/annotations/instances_train2017.json";
  run("coco");
  CocoOptions options;
  options.images.allow_missing = true;
  EXPECT_EQ(Imported(import_coco(toy / "coco", options)).present, expected.present);
}

TEST_F(ReadBackTest, VocHasEveryLabel) {
  expect([](size_t row) { return fmt::format("{}.jpg", row); });
  run("voc");
  VocOptions options;
  options.images.allow_missing = true;
  EXPECT_EQ(Imported(import_voc(out, options)).present, expected.present);
}

TEST_F(ExportTest, RefusesToReplaceFiles) {
  run("csv");
  EXPECT_SPML_ERROR(run("csv"), HasSubstr("exists already"));
}

TEST_F(ExportTest, RefusesWhatIsNoReview) {
  ExportOptions options;
  options.review = toy.data();
  options.out = out;
  options.format = "csv";
  EXPECT_SPML_ERROR(export_review(options), HasSubstr("no review.db"));
  options.format = "cocoo";
  EXPECT_SPML_ERROR(export_review(options), HasSubstr("did you mean 'coco'"));
}

}  // namespace
}  // namespace spml::review
