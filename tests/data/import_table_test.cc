#include "formats/npy.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ImportTable : public ::testing::Test {
 protected:
  ImportTable() {
    for (const char* image : {"a.jpg", "b.jpg", "c.jpg", "d.jpg"}) put(folder / image, "");
  }
  ImportedSet csv(std::string_view text, const TableOptions& options = {}) {
    put(folder / "t.csv", text);
    return import_table(folder / "t.csv", options);
  }
  ImportedSet json_lines(std::string_view text, const TableOptions& options = {}) {
    put(folder / "t.jsonl", text);
    return import_table(folder / "t.jsonl", options);
  }
  TemporaryFolder folder;
};

TEST_F(ImportTable, OneLabelPerImageIsTheSinglePositiveCase) {
  const ImportedSet set = csv("image,label\nb.jpg,dog\na.jpg,cat\n");
  EXPECT_FALSE(set.complete);
  EXPECT_EQ(set.name, "t");
  EXPECT_THAT(set.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(names(set.train), ElementsAre("b.jpg", "a.jpg"));  // in the table's order
  EXPECT_EQ(labels(set.train), (Labels{{1}, {0}}));
  EXPECT_THAT(set.test, IsEmpty());
}

TEST_F(ImportTable, WideAndLongFormsGiveTheSame) {
  const Labels expected = {{1, 2}, {0}};
  EXPECT_EQ(labels(csv("image,label\na.jpg,eel\nb.jpg,cat\na.jpg,dog\n").train), expected);
  EXPECT_EQ(labels(csv("image,label1,label2\na.jpg,eel,dog\nb.jpg,cat,\n").train), expected);
  EXPECT_EQ(labels(csv("image,label\na.jpg, eel , dog\nb.jpg,cat\n").train), expected);
  EXPECT_EQ(labels(csv("file,first,second\na.jpg,eel,dog\nb.jpg,cat\n").train), expected);
  EXPECT_EQ(labels(csv("a.jpg,eel,dog\nb.jpg,cat\n", {.header = false}).train), expected);
  EXPECT_EQ(labels(json_lines("{\"image\":\"a.jpg\",\"labels\":[\"eel\",\"dog\"]}\n\n"
                              "{\"label\":\"cat\",\"image\":\"b.jpg\",\"note\":{}}")
                       .train),
            expected);
}

TEST_F(ImportTable, TheSplitColumnDivides) {
  const ImportedSet set =
      csv("split,image,label\ntrain,a.jpg,x\ntest,b.jpg,y\nval,c.jpg,x\ntrain,d.jpg,\n");
  EXPECT_THAT(names(set.train), ElementsAre("a.jpg", "d.jpg"));
  EXPECT_THAT(names(set.test), ElementsAre("b.jpg", "c.jpg"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {}}));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("'val' and 'test' both")));
  const ImportedSet lines = json_lines(R"({"image": "a.jpg", "label": "x", "split": "train"}
{"image": "b.jpg", "label": "y", "split": "test"})");
  EXPECT_THAT(names(lines.test), ElementsAre("b.jpg"));
}

TEST_F(ImportTable, SomeRowsMayBeCompleteAndSomeLabelsKnownToBeAbsent) {
  const ImportedSet set =
      csv("image,label,not,complete\na.jpg,cat,,yes\nb.jpg,dog,cat,no\nc.jpg,dog,,\n");
  EXPECT_THAT(set.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {1}, {1}}));
  EXPECT_TRUE(set.train[0].complete);
  EXPECT_FALSE(set.train[1].complete);
  EXPECT_THAT(set.train[1].negatives, ElementsAre(0));
  EXPECT_FALSE(set.train[2].complete);
  EXPECT_THAT(set.warnings, IsEmpty());

  const ImportedSet lines = json_lines(R"({"image": "a.jpg", "labels": ["cat"], "complete": true}
{"image": "b.jpg", "label": "dog", "not": ["cat", "eel"]})");
  EXPECT_TRUE(lines.train[0].complete);
  EXPECT_THAT(lines.train[1].negatives, ElementsAre(0, 2));

  put(folder / "complete.txt", "b.jpg\n");
  const ImportedSet listed =
      csv("image,label\na.jpg,cat\nb.jpg,dog\n", {.complete_rows = folder / "complete.txt"});
  EXPECT_FALSE(listed.train[0].complete);
  EXPECT_TRUE(listed.train[1].complete);
}

TEST_F(ImportTable, ContradictionsAndUnknownCompleteRowsAreRefused) {
  EXPECT_SPML_ERROR(csv("image,label,not\na.jpg,cat,cat\n"), HasSubstr("and not to have it"));
  EXPECT_SPML_ERROR(csv("image,label,complete\na.jpg,cat,perhaps\n"), HasSubstr("perhaps"));
  EXPECT_SPML_ERROR(json_lines(R"({"image": "a.jpg", "label": "cat", "complete": 1})"),
                    HasSubstr("complete"));
  put(folder / "complete.txt", "z.jpg\n");
  EXPECT_SPML_ERROR(csv("image,label\na.jpg,cat\n", {.complete_rows = folder / "complete.txt"}),
                    HasSubstr("z.jpg"));
}

TEST_F(ImportTable, CompleteRowsAndKnownNegativesAreMinusOne) {
  const ImportedSet set =
      csv("image,label,not,complete,split\na.jpg,cat,,yes,train\nb.jpg,dog,eel,,train\n"
          "c.jpg,dog,,,test\n",
          {.full_test = true});
  write_data_folder(set, folder / "out");
  const NpyArray observed(folder / "out" / "formatted_train_labels_obs.npy"),
      truth(folder / "out" / "formatted_val_labels.npy");
  std::vector<int8_t> row(3);
  observed.read_row(0, std::span(row));
  EXPECT_THAT(row, ElementsAre(1, -1, -1));
  observed.read_row(1, std::span(row));
  EXPECT_THAT(row, ElementsAre(0, 1, -1));
  truth.read_row(0, std::span(row));
  EXPECT_THAT(row, ElementsAre(0, 1, 0)) << "the test rows list every label";
}

TEST_F(ImportTable, QuotedFieldsAndOtherScripts) {
  put(folder / "a, b.jpg", "");
  put(folder / "\xE7\x8A\xAC.jpg", "");
  const ImportedSet set =
      csv("\xEF\xBB\xBFimage,label\r\n\"a, b.jpg\",\"say "
          "\"\"x\"\"\"\r\n\xE7\x8A\xAC.jpg,\"two\nlines\"\r\n");
  EXPECT_THAT(names(set.train), ElementsAre("a, b.jpg", "\xE7\x8A\xAC.jpg"));
  EXPECT_THAT(set.classes, ElementsAre("say \"x\"", "two\nlines"));
}

TEST_F(ImportTable, GivenClassesFixTheOrderAndTheNames) {
  put(folder / "classes.txt", "eel\r\n\ndog\r\ncat\r\n");
  const TableOptions options{.classes = folder / "classes.txt"};
  const ImportedSet set = csv("image,label\na.jpg,cat\nb.jpg,eel\n", options);
  EXPECT_THAT(set.classes, ElementsAre("eel", "dog", "cat"));
  EXPECT_EQ(labels(set.train), (Labels{{2}, {0}}));
  EXPECT_SPML_ERROR(csv("image,label\na.jpg,cat\nb.jpg,dgo\n", options),
                    HasSubstr("t.csv:3: 'dgo' is not one of the classes; did you mean 'dog'?"));
  put(folder / "classes.txt", "eel\neel\n");
  EXPECT_SPML_ERROR(csv("image,label\n", options), HasSubstr("classes.txt:2: class 'eel'"));
  put(folder / "classes.txt", "\n");
  EXPECT_SPML_ERROR(csv("image,label\n", options), HasSubstr("expected one class per line"));
}

TEST_F(ImportTable, RepeatedRowsAreWarnings) {
  const ImportedSet set = csv("image,label\na.jpg,x\na.jpg,y\na.jpg,x\n");
  EXPECT_EQ(labels(set.train), (Labels{{0, 1}}));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("t.csv:4")));
}

TEST_F(ImportTable, OtherColumnsArePassedOverWithAWarning) {
  const ImportedSet set = csv("image,width,label,source\na.jpg,640,cat,web\n");
  EXPECT_THAT(set.classes, ElementsAre("cat"));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("ignored: width, source")));
}

TEST_F(ImportTable, MissingImagesAreErrorsUnlessAllowed) {
  const std::string text = "image,label\na.jpg,x\nnone.jpg,y\n";
  EXPECT_SPML_ERROR(csv(text), HasSubstr("t.csv:3: image 'none.jpg' is not in"));
  const ImportedSet set = csv(text, {.images = {.allow_missing = true}});
  EXPECT_EQ(set.train.size(), 2u);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("1 images are missing")));
  put(folder / "pictures" / "a.jpg", "");
  EXPECT_EQ(csv("image,label\na.jpg,x\n", {.images = {.root = folder / "pictures"}}).image_root,
            folder / "pictures");
}

TEST_F(ImportTable, BadTablesAreRefusedWithTheirLine) {
  EXPECT_SPML_ERROR(csv(""), HasSubstr("expected a header"));
  EXPECT_SPML_ERROR(csv("image,label\n"), HasSubstr("found no row"));
  EXPECT_SPML_ERROR(csv("image,label\na.jpg,\n"), HasSubstr("expected labels, found none"));
  EXPECT_SPML_ERROR(csv("a.jpg,x\nb.jpg,y\n"), HasSubstr("t.csv:1: expected a header"));
  EXPECT_SPML_ERROR(csv("image\na.jpg\n"), HasSubstr("expected a column of labels"));
  EXPECT_SPML_ERROR(csv("image;label\na.jpg;x\n"),
                    HasSubstr("t.csv:1: expected commas between the columns, found ';'"));
  EXPECT_SPML_ERROR(csv("image\tlabel\na.jpg\tx\n"), HasSubstr("found tabs"));
  EXPECT_SPML_ERROR(csv("image,image,label\na,b,c\n"), HasSubstr("found two"));
  EXPECT_SPML_ERROR(csv("image,label\n,x\n"), HasSubstr("t.csv:2: expected an image"));
  EXPECT_SPML_ERROR(csv("image,label,split\na.jpg,x,y,train\n"),
                    HasSubstr("t.csv:2: expected 3 fields"));
  EXPECT_SPML_ERROR(csv("image,label,split\na.jpg,x\n"), HasSubstr("t.csv:2: expected a split"));
  EXPECT_SPML_ERROR(csv("image,label,split\na.jpg,x,dev\n"), HasSubstr("found 'dev'"));
  EXPECT_SPML_ERROR(csv("image,label,split\na.jpg,x,test\n"), HasSubstr("of split 'train'"));
  EXPECT_SPML_ERROR(csv("image,label,split\na.jpg,x,train\nb.jpg,x,train\na.jpg,y,test\n"),
                    HasSubstr("t.csv:4: 'a.jpg' is in another split than at"));
  EXPECT_SPML_ERROR(csv("image,label\na.jpg,\"x\n"), HasSubstr("t.csv:2: the quote opened here"));
  EXPECT_SPML_ERROR(csv("image,label\n" + std::string(2000, 'n') + ",x\n"),
                    HasSubstr("t.csv:2: expected the name of an image"));
}

TEST_F(ImportTable, BadJsonLinesAreRefusedWithTheirLine) {
  const std::string good = "{\"image\": \"a.jpg\", \"label\": \"x\"}\n";
  EXPECT_SPML_ERROR(json_lines(good + "{\"image\": "), HasSubstr("t.jsonl:2: expected JSON"));
  EXPECT_SPML_ERROR(json_lines(good + "[1]\n"), HasSubstr("t.jsonl:2: expected an object"));
  EXPECT_SPML_ERROR(json_lines("{\"label\": \"x\"}"), HasSubstr("expected \"image\""));
  EXPECT_SPML_ERROR(json_lines("{\"image\": 5}"), HasSubstr("to be a string"));
  EXPECT_SPML_ERROR(json_lines("{\"image\": \"a.jpg\", \"labels\": [1]}"), HasSubstr("be strings"));
  EXPECT_SPML_ERROR(json_lines("{\"image\": \"a.jpg\", \"labels\": 1}"), HasSubstr("a string or"));
  EXPECT_SPML_ERROR(json_lines("{\"image\": \"a\\u0000.jpg\"}"), HasSubstr("zero byte"));
  EXPECT_SPML_ERROR(json_lines(good + "{\"image\": \"\xFF\"}"), HasSubstr("t.jsonl:2:"));
  EXPECT_SPML_ERROR(json_lines(good + "{\"image\": \"b.jpg\", \"lables\": [\"x\"]}"),
                    HasSubstr("t.jsonl:2: unknown key 'lables'; did you mean 'labels'?"));
  EXPECT_SPML_ERROR(json_lines("{\"imgae\": \"b.jpg\", \"label\": \"x\"}"),
                    HasSubstr("did you mean 'image'?"));
  EXPECT_EQ(json_lines(good + "{\"image\": \"b.jpg\", \"id\": 7, \"note\": \"\"}").train.size(),
            2u);
}

TEST_F(ImportTable, TooManyClassesMeanAWrongColumn) {
  std::string text = "image,label\n";
  for (int i = 0; i < 70000; ++i) text += "a.jpg," + std::to_string(i) + "\n";
  EXPECT_SPML_ERROR(csv(text), HasSubstr("expected at most 65536 classes"));
}

class ImportTableFeatures : public ImportTable {
 protected:
  // Row i of the matrix is (first + i, 0.5).
  Path features(const std::string& name, size_t rows, float first) {
    std::vector<float> values;
    for (size_t i = 0; i < rows; ++i) {
      values.push_back(first + static_cast<float>(i));
      values.push_back(0.5f);
    }
    write_npy(folder / name, View<const float>{values.data(), rows, 2});
    return folder / name;
  }
  static constexpr std::string_view kTable =
      "image,label,split\nx,cat,train\ny,dog,test\nz,cat,train\n";
};

TEST_F(ImportTableFeatures, OneMatrixForTheWholeTableIsDivided) {
  write_data_folder(csv(kTable, {.features = features("f.npy", 3, 10)}), folder / "out");
  const NpyArray train(folder / "out" / "train_features.npy");
  const NpyArray test(folder / "out" / "val_features.npy");
  ASSERT_EQ(train.rows(), 2u);
  EXPECT_EQ(train.at(0, 0), 10);
  EXPECT_EQ(train.at(1, 0), 12);
  ASSERT_EQ(test.rows(), 1u);
  EXPECT_EQ(test.at(0, 0), 11);
  EXPECT_THAT(read_file(folder / "out" / "dataset.json"), HasSubstr("train_features.npy"));
}

TEST_F(ImportTableFeatures, OneMatrixPerPart) {
  write_data_folder(csv(kTable, {.features = features("f.npy", 2, 10),
                                 .test_features = features("g.npy", 1, 20)}),
                    folder / "out");
  EXPECT_EQ(NpyArray(folder / "out" / "train_features.npy").at(1, 0), 11);
  EXPECT_EQ(NpyArray(folder / "out" / "val_features.npy").at(0, 0), 20);
}

TEST_F(ImportTableFeatures, RowsMustFit) {
  EXPECT_SPML_ERROR(csv(kTable, {.features = features("f.npy", 5, 0)}),
                    HasSubstr("expected 2 rows, one per training image"));
  EXPECT_SPML_ERROR(
      csv(kTable, {.features = features("f.npy", 2, 0), .test_features = features("g.npy", 2, 0)}),
      HasSubstr("expected 1 rows, one per test image"));
  EXPECT_SPML_ERROR(csv(kTable, {.images = {.allow_missing = true}, .test_features = "g.npy"}),
                    HasSubstr("needs --features"));
}

TEST_F(ImportTableFeatures, BadNumbersAreFound) {
  const std::vector<float> bad = {0, 1, 2, 3, NAN, 5};
  write_npy(folder / "f.npy", View<const float>{bad.data(), 3, 2});
  EXPECT_SPML_ERROR(write_data_folder(csv(kTable, {.features = folder / "f.npy"}), folder / "out"),
                    HasSubstr("found nan at row 2, column 0"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Table, AbsoluteNamesAreThoseBelowTheImageFolder) {
  const TemporaryFolder folder;
  put(folder / "images" / "a.jpg", "");
  const std::string root = folder / "images";
  put(folder / "t.csv", "image,label\n" + root + "/a.jpg,cat\n");
  TableOptions options;
  options.images.root = root;
  EXPECT_THAT(names(import_table(folder / "t.csv", options).train),
              ::testing::ElementsAre("a.jpg"));
  options.images.root = folder.path();
  put(folder / "t.csv", "image,label\n/etc/passwd,cat\n");
  EXPECT_SPML_ERROR(import_table(folder / "t.csv", options), ::testing::HasSubstr("--images"));
}

}  // namespace
}  // namespace spml
