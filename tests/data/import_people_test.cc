// Tables as people have them: from spreadsheets, databases and other programs.
#include <fmt/format.h>

#include "data/all_known.h"
#include "data/dataset.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PeoplesTables : public ::testing::Test {
 protected:
  PeoplesTables() {
    for (const char* image : {"a.jpg", "b.JPG", "c.jpg", "d.jpeg", "deep/e.jpg"}) {
      put(folder / "p" / image, "");
    }
  }
  ImportedSet read(std::string_view text, TableOptions options = {}) {
    put(folder / "t.csv", text);
    if (options.images.root.empty()) options.images.root = folder / "p";
    return import_table(folder / "t.csv", options);
  }
  TemporaryFolder folder;
};

TEST_F(PeoplesTables, SemicolonsTabsAndBarsSeparateColumns) {
  for (const char separator : {';', '\t', '|'}) {
    std::string text = "image,label\r\na.jpg,cat\r\nc.jpg,\"dog, big\"\r\n\r\n";
    for (char& c : text) {
      if (c == ',' && &c < &text[33]) c = separator;
    }
    const ImportedSet set = read(text);
    EXPECT_THAT(set.classes, ElementsAre("cat", "dog, big")) << separator;
    EXPECT_THAT(names(set.train), ElementsAre("a.jpg", "c.jpg"));
  }
  EXPECT_THAT(read("sep=;\r\nimage;label\r\na.jpg;cat\r\n;\r\n").classes, ElementsAre("cat"));
}

TEST_F(PeoplesTables, GermanSpreadsheetsWriteSemicolonsAndDecimalCommas) {
  const ImportedSet set = read(
      "\xEF\xBB\xBF"
      "Dateiname;Schlagwort\r\na.jpg;B\xC3\xA4r\r\nc.jpg;\xF0\x9F\x90\x88\r\n");
  EXPECT_THAT(set.classes, ElementsAre("Bär", "🐈"));
  EXPECT_THAT(set.warnings, ElementsAre(HasSubstr("first column, 'Dateiname'")));
  EXPECT_SPML_ERROR(read("Datei;Tier;Wert\na.jpg;cat;0,95\nc.jpg;dog;0,5\n"),
                    HasSubstr("column 'Wert', found only numbers such as 0,95"));
  const ImportedSet western = read("image;tag\na.jpg;B\xE4r\n");
  EXPECT_THAT(western.classes, ElementsAre("Bär"));
  EXPECT_THAT(western.warnings, ElementsAre(HasSubstr("read as Windows-1252, as in 'Bär'")));
}

TEST_F(PeoplesTables, CellsWithSeveralTagsAreDivided) {
  const Labels expected = {{0, 1}, {1}};
  for (const char* cell : {"cat;person", "cat|person", "\"cat, person\"", "cat ; person;"}) {
    const ImportedSet set = read(fmt::format("image,tags\na.jpg,{}\nc.jpg,person\n", cell));
    EXPECT_EQ(labels(set.train), expected) << cell;
    EXPECT_THAT(set.warnings, ElementsAre(AllOf(HasSubstr("divided at"), HasSubstr("none"))))
        << cell;
  }
  EXPECT_EQ(
      labels(
          read("image,tags\na.jpg,cat / person\nc.jpg,person\n", {.tag_separator = " / "}).train),
      expected);
  EXPECT_THAT(read("image,tags\na.jpg,cat;person\n", {.tag_separator = "none"}).classes,
              ElementsAre("cat;person"));
  EXPECT_EQ(labels(read("image,label,not\na.jpg,cat|dog,eel|fox\n").train), (Labels{{0, 1}}));
}

// Nobody uses "Tinca tinca" alone, so the comma belongs to the name.
TEST_F(PeoplesTables, CommasInsideNamesStay) {
  const ImportedSet set =
      read("image,label\na.jpg,\"tench, Tinca tinca\"\nc.jpg,\"goldfish, Carassius auratus\"\n");
  EXPECT_THAT(set.classes, ElementsAre("goldfish, Carassius auratus", "tench, Tinca tinca"));
  EXPECT_THAT(set.warnings, ElementsAre(HasSubstr("--tag-separator , divides them")));
  put(folder / "classes.txt", "a;b\nc\n");
  EXPECT_EQ(
      labels(read("image,label\na.jpg,a;b\nc.jpg,c\n", {.classes = folder / "classes.txt"}).train),
      (Labels{{0}, {1}}));
}

TEST_F(PeoplesTables, SpellingsOfATagAreOne) {
  const std::string text = "image,tag\na.jpg,Cat\nc.jpg,cat\nb.JPG,cat\xC2\xA0\nd.jpeg,cat\n";
  const ImportedSet set = read(text);
  EXPECT_THAT(set.classes, ElementsAre("cat"));
  EXPECT_THAT(set.warnings, ElementsAre(HasSubstr("'Cat' as 'cat'; --keep-case")));
  EXPECT_THAT(read(text, {.keep_case = true}).classes, ElementsAre("Cat", "cat", "cat\xC2\xA0"));
  put(folder / "classes.txt", "CAT\n");
  EXPECT_THAT(read(text, {.classes = folder / "classes.txt"}).classes, ElementsAre("CAT"));
}

TEST_F(PeoplesTables, LikelyTheSameTagsAreNamedWithTheCommand) {
  const ImportReport report = report_import(
      read("image,tag\na.jpg,icon\nc.jpg,icon\nb.JPG,icons\nd.jpeg,mime-types\na.jpg,mimetypes\n"),
      "out");
  EXPECT_THAT(report.similar,
              ElementsAre("'icons' (1) and 'icon' (2)", "'mimetypes' (1) and 'mime-types' (1)"));
  EXPECT_THAT(report.merges, Contains("spml tags out merge icons into icon"));
}

TEST_F(PeoplesTables, ColumnsAreFoundByTheirNamesOrChosen) {
  const auto columns = [&](std::string_view text, const TableOptions& options = {}) {
    return read(text, options).label_columns;
  };
  EXPECT_THAT(columns("id,File Name,tags,user\n1,a.jpg,cat,me\n"), ElementsAre("tags"));
  EXPECT_THAT(columns("SourceFile,Keywords\na.jpg,cat\n"), ElementsAre("Keywords"));
  EXPECT_THAT(columns("category,path,file\ncat,/x/a.jpg,a.jpg\n"), ElementsAre("category"));
  EXPECT_THAT(columns("key,where,what\n1,a.jpg,cat\n",
                      {.image_column = "where", .label_columns = {"what"}}),
              ElementsAre("what"));
  EXPECT_SPML_ERROR(columns("key,where,what\n1,a.jpg,cat\n", {.image_column = "wher"}),
                    HasSubstr("t.csv:1: expected a column 'wher' for --image-column, found key, "
                              "where, what; did you mean 'where'?"));
}

TEST_F(PeoplesTables, AMissingHeaderIsSeen) {
  const ImportedSet set = read("cat,a.jpg\ndog,c.jpg\n");
  EXPECT_EQ(labels(set.train), (Labels{{0}, {1}}));
  EXPECT_THAT(set.warnings,
              ElementsAre(HasSubstr("no header: the images are taken from column 2")));
}

TEST_F(PeoplesTables, ImagesAreFoundByNamesThatAreNotQuiteTheirs) {
  const ImportedSet set = read(
      "image,tag\np/a.jpg,x\nb.jpg,x\nC:\\pictures\\p\\c.jpg,x\n d,x\ndeep\\E.JPG,x\np\\a.jpg ,y\n"
      "B,x\n");
  EXPECT_THAT(names(set.train), ElementsAre("a.jpg", "b.JPG", "c.jpg", "d.jpeg", "deep/e.jpg"));
  EXPECT_EQ(labels(set.train)[0], (std::vector<int>{0, 1})) << "two rows of one photograph";
  EXPECT_THAT(set.warnings,
              Contains(HasSubstr("found under other names, the first: 'p/a.jpg' as")));
  EXPECT_THAT(names(read("image,tag\ne.jpg,x\n").train), ElementsAre("deep/e.jpg"));
}

TEST_F(PeoplesTables, DifferentNamesLeadToDifferentImages) {
  const TableOptions allow{.images = {.root = folder / "p", .allow_missing = true}};
  put(folder / "p" / "one" / "f.jpg", "");
  put(folder / "p" / "two" / "f.jpg", "");
  EXPECT_THAT(names(read("image,tag\nf.jpg,x\n", allow).train), ElementsAre("f.jpg"));
  EXPECT_SPML_ERROR(read("image,tag\nday1/a.jpg,x\nday2/a.jpg,y\n"),
                    HasSubstr("t.csv:3: 'day1/a.jpg' and 'day2/a.jpg' both lead to the image"));
  EXPECT_THAT(names(read("image,tag\na.png,x\n", allow).train), ElementsAre("a.png"));
}

TEST_F(PeoplesTables, MissingImagesAreCounted) {
  std::string text = "image,tag\na.jpg,x\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("none{}.jpg,x\n", i);
  EXPECT_SPML_ERROR(read(text), AllOf(HasSubstr("t.csv:3: 12 of 13 images are not in"),
                                      HasSubstr("'none9.jpg' and 2 more; put them there"),
                                      Not(HasSubstr("none10"))));
  const ImportedSet set = read(text, {.images = {.root = folder / "p", .allow_missing = true}});
  EXPECT_EQ(set.train.size(), 13u);
  EXPECT_THAT(set.warnings, ElementsAre(HasSubstr("12 of 13 images are not in")));
}

#ifdef SPML_HAVE_UTF8PROC
TEST_F(PeoplesTables, AccentsMayBeOneCharacterOrTwo) {
  const std::string one = "B\xC3\xA4r", two = "Ba\xCC\x88r";
  put(folder / "p" / (two + ".jpg"), "");
  const ImportedSet set = read("image,tag\n" + one + ".jpg," + one + "\na.jpg," + two +
                               "\nc.jpg,B\xC3\x84R\nc.jpg," + one + "\n");
  EXPECT_THAT(names(set.train), ElementsAre(two + ".jpg", "a.jpg", "c.jpg"));
  EXPECT_THAT(set.classes, ElementsAre(one));
}
#endif

TEST_F(PeoplesTables, FullTablesAreTrainedOnInFull) {
  write_data_folder(read("image,tags,split\na.jpg,cat;dog,train\nc.jpg,dog,train\nd.jpeg,,test\n",
                         {.complete = true}),
                    folder / "out");
  const Dataset data = open_dataset(folder / "out");
  std::vector<int8_t> row(2);
  data.train_file.observed.read_row(1, row);
  EXPECT_THAT(row, ElementsAre(-1, 1));
  EXPECT_TRUE(all_known(data.train_file.observed));
  data.train_file.truth.read_row(1, row);
  EXPECT_THAT(row, ElementsAre(0, 1));
  EXPECT_TRUE(data.test.observed.empty());
}

TEST_F(PeoplesTables, HugeCellsAndSpreadsheetFilesAreRefused) {
  EXPECT_SPML_ERROR(read("image,tag\na.jpg,\"" + std::string(2'000'000, 'x') + "\"\n"),
                    HasSubstr("t.csv:2: expected a field of at most"));
  EXPECT_SPML_ERROR(read("PK\x03\x04"), HasSubstr("save it as \"CSV UTF-8\""));
  EXPECT_THAT(read("image,tag\na.jpg,x\na.jpg,x\n").warnings, Contains(HasSubstr("repeat")));
}

}  // namespace
}  // namespace spml
