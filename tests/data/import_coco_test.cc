#include "data/import/coco_json.h"
#include "import_trees.h"

namespace spml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Annotations before images and categories; a crowd with run lengths; category ids with gaps and
// out of order; image 7 without annotation; image ids whose order as strings is not their order;
// image 9 alone with a name of its own.
constexpr std::string_view kTrain = R"({"info": {"year": 2014, "tags": ["a", "b"]},
"annotations": [
 {"segmentation": [[1.5, 2, 3, 4]], "area": 10, "iscrowd": 0, "image_id": 9,
  "bbox": [45, 20, 10, 10], "category_id": 90, "id": 1},
 {"segmentation": {"counts": [272, 2, 4], "size": [50, 100]}, "iscrowd": 1, "image_id": 10,
  "bbox": [0, 0, 100, 50], "category_id": 3, "id": 2},
 {"image_id": 10, "bbox": [0, 0, 50, 25], "category_id": 3, "id": 3},
 {"image_id": 10, "category_id": 1, "id": 4}],
"licenses": [{"url": "]}{["}],
"images": [{"id": 9, "width": 100, "height": 50, "file_name": "x.jpg"},
 {"id": 10, "width": 100, "height": 50}, {"id": 7, "width": 1, "height": 1}],
"categories": [{"id": 90, "name": "toothbrush"}, {"id": 3, "name": "car"},
 {"id": 1, "name": "person"}]})";

constexpr std::string_view kVal = R"({"images": [{"id": 5, "width": 10, "height": 10}],
"categories": [{"id": 1, "name": "person"}, {"id": 3, "name": "car"},
 {"id": 90, "name": "toothbrush"}],
"annotations": [{"id": 8, "image_id": 5, "category_id": 3, "bbox": [0, 0, 5, 5]}]})";

class CocoTree : public ::testing::Test {
 protected:
  CocoTree() { write(kTrain, kVal); }
  void write(std::string_view train, std::string_view val, const std::string& year = "2014") {
    put(folder / "annotations" / ("instances_train" + year + ".json"), train);
    put(folder / "annotations" / ("instances_val" + year + ".json"), val);
  }
  TemporaryFolder folder;
};

TEST_F(CocoTree, RowsAreSortedByIdAsTextAndLabelsByCategoryId) {
  const ImportedSet set = import_coco(folder.path());
  EXPECT_EQ(set.name, "coco14");
  EXPECT_THAT(set.classes, ElementsAre("person", "car", "toothbrush"));
  EXPECT_THAT(names(set.train),
              ElementsAre("train2014/COCO_train2014_000000000010.jpg", "train2014/x.jpg"));
  EXPECT_EQ(labels(set.train), (Labels{{0, 1}, {2}}));
  EXPECT_THAT(names(set.test), ElementsAre("val2014/COCO_val2014_000000000005.jpg"));
  EXPECT_EQ(labels(set.test), (Labels{{1}}));
  EXPECT_EQ(set.image_root, folder.path());
}

TEST_F(CocoTree, CrowdsCountForLabelsAndBoxes) {
  const ImportedSet set = import_coco(folder.path());
  const ImportedRow& row = set.train[0];
  EXPECT_EQ(row.positives[0].area, 0);  // person: no box
  EXPECT_FLOAT_EQ(row.positives[1].area, 1.25);
  EXPECT_FLOAT_EQ(row.positives[1].closeness, 10);
}

TEST_F(CocoTree, NamesOf2017HaveNoPrefix) {
  write(kTrain, kVal, "2017");
  const ImportedSet set = import_coco(folder.path(), {.year = 2017});
  EXPECT_EQ(set.train[0].image, "train2017/000000000010.jpg");
  EXPECT_FALSE(set.published);
  EXPECT_EQ(import_coco(folder.path()).name, "coco14");
}

TEST_F(CocoTree, ImagesAreLookedForWhenTheirFolderIsThere) {
  EXPECT_THAT(import_coco(folder.path()).warnings, Contains(HasSubstr("labels only")));
  put(folder / "train2014" / "COCO_train2014_000000000010.jpg", "");
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("image id 9: 2 of 3 images"));
}

// One image per name, with ids from 1, each with a label.
std::string instances_of(const std::vector<std::string>& names) {
  std::string images, annotations;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string comma = i > 0 ? "," : "", id = std::to_string(i + 1);
    images += comma + R"({"id": )" + id + R"(, "file_name": ")" + names[i] + "\"}";
    annotations += comma + R"({"id": 1, "category_id": 1, "image_id": )" + id + "}";
  }
  return R"({"images": [)" + images + R"(], "annotations": [)" + annotations +
         R"(], "categories": [{"id": 1, "name": "fish"}]})";
}

TEST_F(CocoTree, NamesOfTheFileAreTakenBelowTheFolderOfTheirPart) {
  write(instances_of({"COCO_train2014_000000000001.jpg", "b.png"}), instances_of({"c.jpg"}));
  put(folder / "train2014" / "COCO_train2014_000000000001.jpg", "");
  put(folder / "train2014" / "b.png", "");
  put(folder / "val2014" / "c.jpg", "");
  const ImportedSet set = import_coco(folder.path());
  EXPECT_THAT(names(set.train),
              ElementsAre("train2014/COCO_train2014_000000000001.jpg", "train2014/b.png"));
  EXPECT_THAT(names(set.test), ElementsAre("val2014/c.jpg"));
}

TEST_F(CocoTree, NamesOfTheFileMayBeginAtTheFolderOfTheImages) {
  const Path root = folder / "pictures";
  put(root / "Zebra fish" / "img1.jpg", "");
  put(root / "flat.jpg", "");
  put(root / "train2014" / "deep" / "x.jpg", "");
  const std::vector<std::string> given = {"Zebra fish/img1.jpg", "flat.jpg", "deep/x.jpg"};
  write(instances_of(given), instances_of({"flat.jpg"}));
  const ImportedSet set = import_coco(folder.path(), {.images = {.root = root}});
  EXPECT_THAT(names(set.train),
              ElementsAre("Zebra fish/img1.jpg", "flat.jpg", "train2014/deep/x.jpg"));
  EXPECT_EQ(set.image_root, root);
  // Without images, a name that has a folder is taken as it is.
  EXPECT_THAT(names(import_coco(folder.path()).train),
              ElementsAre("Zebra fish/img1.jpg", "train2014/flat.jpg", "deep/x.jpg"));
}

TEST_F(CocoTree, NamesOfTheFileStayBelowTheFolderOfTheImages) {
  for (const std::string name : {"", "/etc/passwd", "../x.jpg", "a/../../x.jpg", "a\\u0000.jpg"}) {
    write(instances_of({"a.jpg", name}), kVal);
    EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("image id 2: expected an image below"));
  }
  write(instances_of({std::string(2000, 'n')}), kVal);
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("image id 1: expected the name"));
}

TEST_F(CocoTree, CategoriesOfBothFilesMustAgree) {
  std::string val(kVal);
  val.replace(val.find("person"), 6, "people");
  write(kTrain, val);
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("same categories"));
}

TEST_F(CocoTree, WithoutTestFileThereIsAWarning) {
  std::filesystem::remove(folder / "annotations" / "instances_val2014.json");
  const ImportedSet set = import_coco(folder.path());
  EXPECT_TRUE(set.test.empty());
  EXPECT_THAT(set.warnings, Contains(HasSubstr("no test split")));
}

TEST_F(CocoTree, UnknownIdsNameTheAnnotation) {
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string train(kTrain);
    train.replace(train.find(from), from.size(), to);
    write(train, kVal);
  };
  with(R"("category_id": 3, "id": 3)", R"("category_id": 2, "id": 3)");
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("annotation 3 names category 2"));
  with(R"("image_id": 9)", R"("image_id": 8)");
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("annotation 1 names image 8"));
  with(R"({"id": 7,)", R"({"id": 9,)");
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("image id 9 is listed twice"));
  with(R"({"id": 90, "name")", R"({"id": 3, "name")");
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("category id 3 is listed twice"));
}

TEST(CocoJson, HostileFilesAreRefused) {
  const auto parse = [](std::string_view json) { return parse_coco_instances(json, "f.json"); };
  EXPECT_SPML_ERROR(parse("{}"), HasSubstr("expected \"annotations\""));
  EXPECT_SPML_ERROR(parse(R"({"annotations": [{"id": 1}]})"),
                    HasSubstr("f.json: annotations[0]: expected an integer \"image_id\""));
  EXPECT_SPML_ERROR(parse(R"({"annotations": [5]})"), HasSubstr("annotations[0]"));
  EXPECT_SPML_ERROR(parse(R"({"annotations": [{"id": 1, "image_id": 1e400}]})"),
                    HasSubstr("annotations[0]"));
  EXPECT_SPML_ERROR(
      parse(R"({"annotations": [{"id": 1, "image_id": 2, "category_id": 3, "bbox": [1, 2]}]})"),
      HasSubstr("four numbers"));
  EXPECT_SPML_ERROR(parse(R"({"images": [{"id": 1, "width": "w"}]})"), HasSubstr("\"width\""));
  EXPECT_SPML_ERROR(parse(R"({"images": [{"id": 1, "file_name": 5}]})"),
                    HasSubstr("\"file_name\""));
  EXPECT_SPML_ERROR(parse(R"({"images": [{"id": 1,}]})"), HasSubstr("images[0]: expected JSON"));
  EXPECT_SPML_ERROR(parse("{\"categories\": [{\"id\": 1, \"name\": \"\xFF\"}]}"),
                    HasSubstr("categories[0]"));
  EXPECT_SPML_ERROR(parse(R"({"images": [{"id": 1})"), HasSubstr("the file ends here"));
}

TEST_F(CocoTree, ClassesAreLimited) {
  std::string json =
      R"({"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "category_id": 1}], "categories": [)";
  for (int i = 1; i <= 65537; ++i) {
    json += (i > 1 ? "," : "") + std::string("{\"id\":") + std::to_string(i) + ",\"name\":\"a\"}";
  }
  write(json + "]}", kVal);
  EXPECT_SPML_ERROR(import_coco(folder.path()), HasSubstr("at most 65536 categories"));
}

}  // namespace
}  // namespace spml
