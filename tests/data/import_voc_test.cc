#include "data/import/voc_xml.h"
#include "formats/npy.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Two classes, one of them called "train" as in the real set; c.jpg has only a difficult object.
class VocTree : public ::testing::Test {
 protected:
  VocTree() {
    put(lists / "train_train.txt", "b  1\r\na -1\r\nc  0\r\n");
    put(lists / "cow_train.txt", "b  1\na  1\nc -1\n");
    put(lists / "train_val.txt", "d -1\n");
    put(lists / "cow_val.txt", "d  1\n");
    put(lists / "train.txt", "a\nb\nc\n");
    put(lists / "cow_trainval.txt", "a 1\n");
    for (const char* image : {"a", "b", "c", "d"}) put(year / "JPEGImages" / image_file(image), "");
    put(year / "Annotations" / "b.xml", R"(<?xml version="1.0"?><!-- <object> -->
<annotation><size><width>100</width><height>50</height></size>
 <object><name>cow</name><part><name>train</name><bndbox><xmin>1</xmin></bndbox></part>
  <bndbox><xmin>41</xmin><ymin>21</ymin><xmax>60</xmax><ymax>30</ymax></bndbox></object>
 <object><name>train</name>
  <bndbox><xmin>1</xmin><ymin>1</ymin><xmax>50.0</xmax><ymax>25</ymax></bndbox></object>
 <object><name>train</name>
  <bndbox><xmin>91</xmin><ymin>41</ymin><xmax>200</xmax><ymax>50</ymax></bndbox></object>
 <object><name>dog</name></object><empty/>
</annotation>)");
  }
  static std::string image_file(const std::string& stem) { return stem + ".jpg"; }

  TemporaryFolder folder;
  Path year = folder / "VOCdevkit" / "VOC2012";
  Path lists = year / "ImageSets" / "Main";
};

TEST_F(VocTree, OnlyOneIsPositiveAndRowsAreSorted) {
  const ImportedSet set = import_voc(folder.path());
  EXPECT_EQ(set.name, "voc12");
  EXPECT_THAT(set.classes, ElementsAre("cow", "train"));
  EXPECT_THAT(names(set.train), ElementsAre("a.jpg", "b.jpg"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {0, 1}}));
  EXPECT_THAT(names(set.test), ElementsAre("d.jpg"));
  EXPECT_TRUE(set.complete);
  EXPECT_EQ(set.image_root, year / "JPEGImages");
}

TEST_F(VocTree, TheYearFolderAndTheDevkitWorkToo) {
  EXPECT_EQ(names(import_voc(year).train), names(import_voc(folder / "VOCdevkit").train));
  EXPECT_EQ(import_voc(year / "").name, "voc12");
}

TEST_F(VocTree, AskedForAnotherYearSaysWhichThereAre) {
  EXPECT_SPML_ERROR(import_voc(folder.path(), {.year = 2007}), HasSubstr("VOC2012, not VOC2007"));
}

TEST_F(VocTree, BoxesGiveAreaAndCloseness) {
  const ImportedSet set = import_voc(folder.path());
  ASSERT_TRUE(set.has_boxes);
  const ImportedLabel cow = set.train[1].positives[0], train = set.train[1].positives[1];
  EXPECT_FLOAT_EQ(cow.area, 20 * 10 / 5000.0);
  EXPECT_FLOAT_EQ(cow.closeness, 10);                         // its centre is the image's
  EXPECT_FLOAT_EQ(train.area, (50 * 25 + 10 * 10) / 5000.0);  // the second box is clipped
  EXPECT_FLOAT_EQ(train.closeness, 1 / (0.1 + 0.5));          // the nearer of the two
  EXPECT_THAT(set.warnings, Contains(HasSubstr("2 positive labels have no box")));
}

TEST_F(VocTree, WithoutAnnotationsThereIsAWarning) {
  std::filesystem::remove_all(year / "Annotations");
  const ImportedSet set = import_voc(folder.path());
  EXPECT_FALSE(set.has_boxes);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("no boxes")));
}

TEST_F(VocTree, MissingImagesAreErrorsThatNameTheLine) {
  std::filesystem::remove(year / "JPEGImages" / "a.jpg");
  EXPECT_SPML_ERROR(import_voc(folder.path()),
                    HasSubstr("cow_train.txt:2: 1 of 3 images are not in"));
  const ImportedSet set = import_voc(folder.path(), {.images = {.allow_missing = true}});
  EXPECT_EQ(set.train.size(), 2u);
  EXPECT_THAT(set.warnings, Contains(HasSubstr("1 of ")));
}

TEST_F(VocTree, LabelsAloneAreEnough) {
  std::filesystem::remove_all(year / "JPEGImages");
  EXPECT_THAT(import_voc(folder.path()).warnings, Contains(HasSubstr("labels only")));
}

TEST_F(VocTree, BadListsAreRefusedWithTheirLine) {
  put(lists / "cow_train.txt", "a 1\nb 2\n");
  EXPECT_SPML_ERROR(import_voc(folder.path()), HasSubstr("cow_train.txt:2: expected an image and"));
  put(lists / "cow_train.txt", "a 1\na -1\n");
  EXPECT_SPML_ERROR(import_voc(folder.path()), HasSubstr("cow_train.txt:2: a.jpg is listed twice"));
  put(lists / "cow_train.txt", "a 1\n\xFF 1\n");
  EXPECT_SPML_ERROR(import_voc(folder.path()), HasSubstr("cow_train.txt:2: expected UTF-8"));
  put(lists / "cow_train.txt", "a 1\na 1\n");
  EXPECT_THAT(import_voc(folder.path()).warnings, Contains(HasSubstr("listed twice")));
}

TEST_F(VocTree, AClassMayBeInNoImageOfAPart) {
  put(lists / "train_train.txt", "");
  put(lists / "train_val.txt", "\n");
  const ImportedSet set = import_voc(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("cow", "train"));
  EXPECT_EQ(labels(set.train), (Labels{{0}, {0}}));
  EXPECT_THAT(set.warnings, Contains(HasSubstr("1 lists are empty; the first: " +
                                               (lists / "train_train.txt").string())));
  put(lists / "cow_train.txt", "");
  EXPECT_SPML_ERROR(import_voc(folder.path()),
                    HasSubstr("cow_train.txt: expected one line per image, found an empty file"));
}

TEST_F(VocTree, AClassWithoutItsTestListIsAnError) {
  std::filesystem::remove(lists / "cow_val.txt");
  EXPECT_SPML_ERROR(import_voc(folder.path()), HasSubstr("cow_val.txt"));
}

TEST_F(VocTree, WithoutTestListsThereAreNoTestRows) {
  std::filesystem::remove(lists / "cow_val.txt");
  std::filesystem::remove(lists / "train_val.txt");
  const ImportedSet set = import_voc(folder.path());
  EXPECT_EQ(labels(set.train), (Labels{{0}, {0, 1}}));
  EXPECT_TRUE(set.test.empty());
  EXPECT_THAT(set.warnings, Contains(HasSubstr("no lists such as cow_val.txt")));
}

TEST(VocXml, NamesMayHaveEntitiesAndAttributes) {
  const VocAnnotation annotation = parse_voc_xml(
      "<annotation><object id='a>b'><name> salt &amp; pepper </name></object></annotation>",
      "x.xml");
  ASSERT_EQ(annotation.objects.size(), 1U);
  EXPECT_EQ(annotation.objects[0].name, "salt & pepper");
}

TEST(VocXml, HostileFilesAreRefused) {
  const auto parse = [](std::string_view xml) { return parse_voc_xml(xml, "x.xml"); };
  EXPECT_SPML_ERROR(parse("<annotation>\n<a></b>"), HasSubstr("x.xml:2:"));
  EXPECT_SPML_ERROR(parse("<annotation>"), HasSubstr("x.xml:1: expected XML"));
  EXPECT_SPML_ERROR(parse("<annotation"), HasSubstr("x.xml:1: expected XML"));
  EXPECT_SPML_ERROR(parse("</annotation>"), HasSubstr("x.xml:1:"));
  EXPECT_SPML_ERROR(parse("<!-- never ends"), HasSubstr("expected XML"));
  EXPECT_SPML_ERROR(parse("<annotation><size><width>wide</width></size></annotation>"),
                    HasSubstr("x.xml:1: expected a number in <width>, found 'wide'"));
  EXPECT_SPML_ERROR(parse("<annotation><size><width>inf</width></size></annotation>"),
                    HasSubstr("found 'inf'"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_SPML_ERROR(parse(deep), HasSubstr("expected XML"));
  for (int i = 0; i < 100000; ++i) deep += "</a>";
  EXPECT_SPML_ERROR(parse(deep), HasSubstr("expected an element <annotation>"));
  EXPECT_SPML_ERROR(parse(""), HasSubstr("expected XML"));
  EXPECT_SPML_ERROR(parse("no tags > at all"), HasSubstr("expected XML"));
  EXPECT_SPML_ERROR(parse("<html></html>"), HasSubstr("expected an element <annotation>"));
  EXPECT_THAT(parse("<annotation/>").objects, IsEmpty());
}

TEST(VocXml, EntitiesOfTheFileAreNotExpanded) {
  const VocAnnotation annotation = parse_voc_xml(
      "<!DOCTYPE annotation [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
      "<annotation><object><name>&b;&b;</name></object></annotation>",
      "x.xml");
  ASSERT_EQ(annotation.objects.size(), 1U);
  EXPECT_EQ(annotation.objects[0].name, "&b;&b;");
}

TEST_F(VocTree, AnAnnotationOfManyMegabytesIsRefused) {
  put(year / "Annotations" / "a.xml", std::string(size_t{5} << 20, ' '));
  EXPECT_SPML_ERROR(import_voc(folder.path()), HasSubstr("a.xml"));
}

TEST(VocMini, TheRealTreeGivesItsRowsAndBoxes) {
  const Path tree = shared_data() / "voc12-mini";
  SPML_NEED_SHARED(tree);
  const ImportedSet set = import_voc(tree);
  const ImportReport report = report_import(set);
  EXPECT_EQ(report.train.rows, 160u);
  EXPECT_EQ(report.test.rows, 120u);
  EXPECT_EQ(report.labels, 20u);
  EXPECT_THAT(report.warnings, Contains("found 160 training rows, the paper has 5717"));
  EXPECT_THAT(report.warnings, Not(Contains(HasSubstr("no box"))));
}

std::string read_all_names(const NpyArray& images, size_t row) {
  const std::string name = images.text(row);
  return name.substr(0, name.size() - 4);
}

// Lists written from the reference matrices give those matrices back.
TEST(VocFull, TheWholeSetEqualsTheReferenceMatrices) {
  const Path reference = shared_data() / "voc12";
  SPML_NEED_SHARED(reference);
  const TemporaryFolder folder;
  const Path lists = folder / "VOC2012" / "ImageSets" / "Main";
  const std::vector<std::string> classes = {
      "aeroplane", "bicycle",     "bird",  "boat",        "bottle", "bus",      "car",
      "cat",       "chair",       "cow",   "diningtable", "dog",    "horse",    "motorbike",
      "person",    "pottedplant", "sheep", "sofa",        "train",  "tvmonitor"};
  for (const std::string part : {"train", "val"}) {
    const NpyArray marks(reference / ("formatted_" + part + "_labels.npy"));
    const NpyArray images(reference / ("formatted_" + part + "_images.npy"));
    for (size_t label = 0; label < classes.size(); ++label) {
      std::string text;
      for (size_t row = marks.rows(); row-- > 0;) {  // the order of a list does not matter
        text += read_all_names(images, row) + (marks.at(row, label) == 1 ? "  1\n" : " -1\n");
      }
      put(lists / (classes[label] + "_" + part + ".txt"), text);
    }
  }

  const ImportedSet set = import_voc(folder.path());
  write_data_folder(set, folder / "out");
  for (const std::string part : {"train", "val"}) {
    for (const std::string what : {"labels", "images"}) {
      const std::string file = "formatted_" + part + "_" + what + ".npy";
      const NpyArray expected(reference / file), found(folder / "out" / file);
      ASSERT_EQ(found.rows(), expected.rows());
      ASSERT_EQ(found.cols(), expected.cols());
      for (size_t row = 0; row < found.rows(); ++row) {
        if (what == "images") {
          ASSERT_EQ(found.text(row), expected.text(row));
          continue;
        }
        for (size_t label = 0; label < found.cols(); ++label) {
          ASSERT_EQ(found.at(row, label), expected.at(row, label)) << row << ", " << label;
        }
      }
    }
  }
  EXPECT_EQ(set.classes, classes);
  EXPECT_EQ(report_import(set).train.rows, 5717u);
  EXPECT_EQ(report_import(set).test.rows, 5823u);
  EXPECT_THAT(report_import(set).warnings, Not(Contains(HasSubstr("the paper has"))));
}

TEST_F(VocTree, RepetitionsAreCountedNotListed) {
  std::string list;
  for (int i = 0; i < 1000; ++i) list += "a  1\n";
  put(lists / "cow_train.txt", list);
  const ImportedSet set = import_voc(folder.path());
  EXPECT_LT(set.warnings.size(), 10u);
  EXPECT_THAT(set.warnings,
              ::testing::Contains(::testing::HasSubstr("999 images are listed twice")));
}

}  // namespace
}  // namespace spml
