// Files with a hole: a few bytes on the disk, gigabytes in length. Their size bounds nothing.
#include <cstring>

#include "formats/safetensors.h"
#include "untrusted.h"

namespace spml {
namespace {

constexpr uint64_t kLong = 2'800'000'000;  // mapped, it leaves less than that below the limit

class UntrustedHoles : public Untrusted {
 protected:
  std::string hole(const std::string& name, const std::string& text, uint64_t size = kLong) {
    write_text(folder_ / name, text);
    std::filesystem::resize_file(folder_ / name, size);
    return folder_ / name;
  }

  // One tensor after the other, without their bytes.
  std::string safetensors_hole(const std::string& name, const std::vector<std::string>& tensors) {
    std::string header = "{";
    uint64_t end = 0;
    for (size_t i = 0; i < tensors.size(); i += 3) {  // name, elements of F16, shape
      const uint64_t begin = end;
      end += 2 * std::stoull(tensors[i + 1]);
      header += (i > 0 ? "," : "") + std::string("\"") + tensors[i] +
                R"(":{"dtype":"F16","shape":)" + tensors[i + 2] + R"(,"data_offsets":[)" +
                std::to_string(begin) + "," + std::to_string(end) + "]}";
    }
    header += "}";
    std::string bytes(8, '\0');
    const uint64_t length = header.size();
    std::memcpy(bytes.data(), &length, sizeof length);
    return hole(name, bytes + header, 8 + length + end);
  }

  std::string table() {
    write_text(folder_ / "t.csv", "image,label\na.jpg,x\n");
    return folder_ / "t.csv";
  }
  void expect_import_failure(Words words, const std::string& why) {
    words.insert(words.begin(), "import");
    words.insert(words.end(), {"--allow-missing", "--out", std::string(folder_ / "out")});
    expect_failure(words, 1, why);
  }
};

TEST_F(UntrustedHoles, ListsAreNoLongerThanTheirText) {
  expect_import_failure({"csv", table(), "--classes", hole("classes.txt", "x\ny")},
                        "classes.txt:2: found a zero byte in a text");
  expect_import_failure({"csv", table(), "--complete", hole("complete.txt", "a.jpg\n\n")},
                        "complete.txt:3: found a zero byte in a text");
  hole("voc/ImageSets/Main/cat_train.txt", "a 1\n");
  expect_import_failure({"voc", folder_ / "voc"}, "cat_train.txt:2: found a zero byte in a text");
  hole("coco/annotations/instances_train2017.json", R"({"images":[{"id":1,"x":")");
  expect_import_failure({"coco", folder_ / "coco"}, "json:1: found a zero byte in a text");
  hole("cub/images.txt", "1 a.jpg\n");
  expect_import_failure({"cub", folder_ / "cub"}, "images.txt:2: found a zero byte in a text");
}

TEST_F(UntrustedHoles, LinesAndNamesAreBounded) {
  write_text(folder_ / "long.txt", "x\n" + std::string(70'000, 'y'));
  expect_import_failure({"csv", table(), "--complete", folder_ / "long.txt"},
                        "long.txt:2: expected a line of at most 65536 bytes, found 70000");
  write_text(folder_ / "name.txt", "x\n" + std::string(600, 'y'));
  expect_import_failure({"csv", table(), "--classes", folder_ / "name.txt"},
                        "name.txt:2: expected the name of a class in at most 512 bytes");
}

TEST_F(UntrustedHoles, ATensorIsComparedBeforeItIsRead) {
  const std::string run = finished_run(), trained_on = folder_ / "data";
  const std::string model = Path(run) / "model.safetensors";
  const size_t labels = read_json(Path(run) / "config.json")["classes"].size();
  std::filesystem::remove(model);
  std::filesystem::create_symlink(
      safetensors_hole("bias", {"classifier.weight", std::to_string(labels),
                                "[" + std::to_string(labels) + ",1]", "classifier.bias",
                                "1400000000", "[1400000000]"}),
      model);
  expect_failure({"evaluate", run, trained_on}, 1, "as many biases");
  std::filesystem::remove(model);
  const size_t columns = 1'400'000'000 / labels;
  std::filesystem::create_symlink(
      safetensors_hole(
          "weight", {"classifier.bias", std::to_string(labels), "[" + std::to_string(labels) + "]",
                     "classifier.weight", std::to_string(labels * columns),
                     "[" + std::to_string(labels) + "," + std::to_string(columns) + "]"}),
      model);
  expect_failure({"evaluate", run, trained_on}, 1,
                 "model.safetensors: tensor 'classifier.weight' needs 5.6 GB of memory");
}

}  // namespace
}  // namespace spml
