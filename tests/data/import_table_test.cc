#include "formats/npy.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

TEST_F(ImportTable, TheFormatGoesBeforeTheName) {
  const std::string_view lines = R"({"image": "a.jpg", "label": "cat"})",
                         table = "image,label\na.jpg,cat\n";
  const auto read = [&](const char* name, std::string_view text, TableFormat format) {
    put(folder / name, text);
    return import_table(folder / name, {.format = format}).classes;
  };
  EXPECT_THAT(read("t.txt", lines, TableFormat::kJsonLines), ElementsAre("cat"));
  EXPECT_THAT(read("t.csv", lines, TableFormat::kJsonLines), ElementsAre("cat"));
  EXPECT_THAT(read("t.json", table, TableFormat::kCsv), ElementsAre("cat"));
  EXPECT_SPML_ERROR(read("t.jsonl", lines, TableFormat::kCsv),
                    HasSubstr("t.jsonl: expected a header such as image,label, found '{'; JSON"));
  EXPECT_SPML_ERROR(read("t.csv", table, TableFormat::kJsonLines),
                    HasSubstr("found 'image,label'; CSV is read by spml import csv"));
}

TEST_F(ImportTable, TheReportNamesTheColumnsOfLabels) {
  const auto columns = [&](std::string_view text, bool header = true) {
    return report_import(csv(text, {.header = header})).label_columns;
  };
  EXPECT_THAT(columns("image,Label 1,note,label2,not\na.jpg,x,y,z,\n"),
              ElementsAre("Label 1", "label2"));
  EXPECT_THAT(columns("file,first,split,second,not,complete\na.jpg,x,train,y,,\n"),
              ElementsAre("first", "second"));
  EXPECT_THAT(columns("a.jpg,x\n", false), IsEmpty());
}

TEST_F(ImportTable, TheReportCountsKnownNegatives) {
  const std::string text =
      "image,label,not,complete,split\na.jpg,cat,,yes,train\nb.jpg,dog,eel,,train\n"
      "b.jpg,,eel,,train\nc.jpg,dog,cat,,test\n";
  const ImportReport report = report_import(csv(text));
  EXPECT_EQ(report.train.negatives, 3u);  // dog and eel of a.jpg, eel of b.jpg
  EXPECT_EQ(report.test.negatives, 1u);
  EXPECT_EQ(report_import(csv(text, {.full_test = true})).test.negatives, 0u);
  EXPECT_EQ(report_import(csv(text, {.complete = true})).train.negatives, 0u);
  EXPECT_EQ(report_import(csv("image,label\na.jpg,x\n")).train.negatives, 0u);
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

TEST_F(ImportTable, RowsWithoutALabelRepeatNone) {
  EXPECT_THAT(csv("image,answer,label\na.jpg,given,x\na.jpg,unsure,\n").warnings,
              Not(Contains(HasSubstr("repeat"))));
}

TEST_F(ImportTable, OtherColumnsArePassedOverWithAWarning) {
  const ImportedSet set = csv("image,width,label,source\na.jpg,640,cat,web\n");
  EXPECT_THAT(set.classes, ElementsAre("cat"));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("ignored: width, source")));
}

TEST_F(ImportTable, MissingImagesAreErrorsUnlessAllowed) {
  const std::string text = "image,label\na.jpg,x\nnone.jpg,y\n";
  EXPECT_SPML_ERROR(csv(text), HasSubstr("t.csv:3: 1 of 2 images are not in"));
  const ImportedSet set = csv(text, {.images = {.allow_missing = true}});
  EXPECT_EQ(set.train.size(), 2u);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("1 of 2 images are not in")));
  put(folder / "pictures" / "a.jpg", "");
  EXPECT_EQ(csv("image,label\na.jpg,x\n", {.images = {.root = folder / "pictures"}}).image_root,
            folder / "pictures");
}

TEST_F(ImportTable, BadTablesAreRefusedWithTheirLine) {
  EXPECT_SPML_ERROR(csv(""), HasSubstr("expected a header"));
  EXPECT_SPML_ERROR(csv("image,label\n"), HasSubstr("found no row"));
  EXPECT_SPML_ERROR(csv("image,label\na.jpg,\n"), HasSubstr("expected labels, found none"));
  EXPECT_SPML_ERROR(csv("image\na.jpg\n"), HasSubstr("expected a column of labels"));
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

TEST_F(ImportTable, OtherKeysThanLabelsAreIgnoredUnlessTheyAreSlipsOfThePen) {
  const std::string good = "{\"image\": \"a.jpg\", \"label\": \"cat\"}\n";
  const auto with = [&](const std::string& row) { return json_lines(good + row); };
  EXPECT_THAT(with(R"({"image": "c.jpg", "not": ["cat"], "level": 3})").train[1].negatives,
              ElementsAre(0));
  EXPECT_EQ(with(R"({"image": "c.jpg", "level": 3})").train.size(), 2u);
  EXPECT_EQ(with(R"({"image": "c.jpg", "lab": 3})").train.size(), 2u);
  EXPECT_EQ(with(R"({"image": "c.jpg", "not": ["cat"], "Labels": 3})").train.size(), 2u);
  EXPECT_TRUE(with(R"({"image": "c.jpg", "complete": true, "labl": 3})").train[1].complete);
  for (const std::string slip : {"Label", "LABELS", "lable", "labl", "laebl", "labela", "xlabel"}) {
    EXPECT_SPML_ERROR(with(R"({"image": "c.jpg", ")" + slip + R"(": "cat"})"),
                      HasSubstr("t.jsonl:2: unknown key '" + slip + "'; did you mean 'label"));
  }
}

// The first column is that of the images where none is called so; not if it is one of labels.
TEST_F(ImportTable, TheColumnOfTheImagesIsNoneOfLabels) {
  for (const char* header : {"labels,what", "not,what", "label"}) {
    EXPECT_SPML_ERROR(csv(std::string(header) + "\ncat,a.jpg\n"),
                      HasSubstr("expected a column 'image' beside"));
  }
}

TEST_F(ImportTable, ColumnsOfNumbersAreNotTakenForLabels) {
  EXPECT_SPML_ERROR(
      csv("image,cat,dog\na.jpg,1,0\nb.jpg,0,1\n"),
      HasSubstr("t.csv: expected names of labels in column 'cat', found only 0 and 1"));
  EXPECT_SPML_ERROR(csv("image,cat,dog\na.jpg,1,\nb.jpg,,1\n"), HasSubstr("'cat'"));
  EXPECT_SPML_ERROR(csv("image,cat,dog\na.jpg,True,False\n"), HasSubstr("'cat'"));
  EXPECT_SPML_ERROR(csv("image,label_cat,label_dog\na.jpg,1,0\n"), HasSubstr("'label_cat'"));
  // Images that are not there do not hide the cause.
  EXPECT_SPML_ERROR(csv("image,what,score\n0,cat,0.5146\n1,dog,1\n"),
                    HasSubstr("column 'score', found only numbers such as 0.5146; name"));
  EXPECT_SPML_ERROR(csv("image,label,label_score\na.jpg,cat,9.5e-3\n"), HasSubstr("'label_score'"));
  EXPECT_SPML_ERROR(csv("image,score\na.jpg,0.5\nb.jpg,2\n"), HasSubstr("'score'"));
}

TEST_F(ImportTable, NumbersMayBeNamesOfClasses) {
  const auto classes = [&](std::string_view text, const TableOptions& options = {}) {
    return csv(text, options).classes;
  };
  EXPECT_THAT(classes("image,label\na.jpg,0\nb.jpg,1\n"), ElementsAre("0", "1"));
  EXPECT_THAT(classes("image,Labels\na.jpg,1.5\n"), ElementsAre("1.5"));
  EXPECT_THAT(classes("image,label_1,label2\na.jpg,0,1\n"), ElementsAre("0", "1"));
  EXPECT_THAT(classes("image,label,width\na.jpg,1,640\n"), ElementsAre("1"));
  EXPECT_THAT(classes("image,class\na.jpg,0\nb.jpg,1\n"), ElementsAre("0", "1"));
  EXPECT_THAT(classes("file,first,second\na.jpg,3,17\n"), ElementsAre("17", "3"));
  EXPECT_THAT(classes("file,first,second\na.jpg,cat,\nb.jpg,0,dog\n"),
              ElementsAre("0", "cat", "dog"));
  EXPECT_THAT(classes("file,first,second\na.jpg,nan,cat\n"), ElementsAre("cat", "nan"));
  EXPECT_THAT(classes("a.jpg,0,1\n", {.header = false}), ElementsAre("0", "1"));
  put(folder / "classes.txt", "0\n1\n");
  EXPECT_THAT(classes("image,x,y\na.jpg,0,1\n", {.classes = folder / "classes.txt"}),
              ElementsAre("0", "1"));
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

TEST_F(ImportTableFeatures, TestRowsWithoutFeaturesAreAWarning) {
  const std::string_view all_train = "image,label\nx,cat\ny,dog\n";
  EXPECT_THAT(csv(kTable, {.features = features("f.npy", 2, 0)}).warnings,
              Contains(HasSubstr("1 test rows have no features; give them with --test-features")));
  for (const ImportedSet& set : {csv(kTable, {.features = features("f.npy", 3, 0)}),
                                 csv(all_train, {.features = features("f.npy", 2, 0)})}) {
    EXPECT_THAT(set.warnings, Not(Contains(HasSubstr("have no features"))));
  }
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
