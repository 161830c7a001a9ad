#include "formats/torch_checkpoint.h"

#include <fstream>

#include "testing.h"
#include "torch_bytes.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TorchCheckpointTest : public testing::Test {
 protected:
  Path write(const std::string& pickle, ZipFiles storages = {}, bool zip64 = false) {
    storages.emplace_back("archive/data.pkl", pickle);
    return write_bytes(stored_zip(storages, 0, zip64));
  }
  Path write_bytes(const std::string& bytes) {
    // Not write_file(): thousands of damaged files need not survive a power cut.
    std::ofstream(folder_ / "a.pth", std::ios::binary) << bytes;
    return folder_ / "a.pth";
  }
  static std::string six_floats() {
    std::string bytes;
    for (const float x : {0.f, 1.f, 2.f, 3.f, 4.f, 5.f}) bytes += le(x);
    return bytes;
  }
  // The message for a state dict of one float tensor over six stored numbers.
  std::string refusal(const std::string& tensor) { return refusal_of(p_state_dict("w", tensor)); }
  std::string refusal_of(const std::string& pickle) {
    try {
      TorchCheckpoint(write(pickle, {{"archive/data/0", six_floats()}}));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
};

TEST_F(TorchCheckpointTest, ReadsTensorsThroughTheirStrides) {
  const std::string storage = p_storage("FloatStorage", "0", 6);
  const std::string pickle =
      p_program(kEmptyOrderedDict + "(" + p_text("rows") + p_tensor(storage, 0, {2, 3}, {3, 1}) +
                p_text("transposed") + p_tensor(storage, 0, {3, 2}, {1, 3}) + p_text("tail") +
                p_tensor(storage, 4, {2}, {1}) + p_text("scalar") + p_tensor(storage, 3, {}, {}) +
                p_text("empty") + p_tensor(storage, 0, {0, 3}, {3, 1}) + "u");
  for (const bool zip64 : {false, true}) {
    const TorchCheckpoint file(write(pickle, {{"archive/data/0", six_floats()}}, zip64));
    EXPECT_EQ(file.tensors().size(), 5u);
    EXPECT_THAT(file.tensors().at("rows").shape, ElementsAre(2, 3));
    EXPECT_THAT(file.floats("rows"), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(file.floats("transposed"), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_THAT(file.floats("tail"), ElementsAre(4, 5));
    EXPECT_THAT(file.floats("scalar"), ElementsAre(3));
    EXPECT_THAT(file.floats("empty"), ElementsAre());
  }
}

TEST_F(TorchCheckpointTest, ConvertsFloatingPointTypes) {
  const auto dict = [](const std::string& type, const std::string& key) {
    return p_text(key) + p_tensor(p_storage(type, key, 1), 0, {1}, {1});
  };
  const TorchCheckpoint file(
      write(p_program(std::string("}(") + dict("HalfStorage", "h") + dict("DoubleStorage", "d") +
                      dict("BFloat16Storage", "b") + dict("LongStorage", "l") + "u"),
            {{"archive/data/h", le<uint16_t>(0xc000)},
             {"archive/data/d", le(0.25)},
             {"archive/data/b", le<uint16_t>(0x3fc0)},
             {"archive/data/l", le<int64_t>(7)}}));
  EXPECT_THAT(file.floats("h"), ElementsAre(-2));
  EXPECT_THAT(file.floats("d"), ElementsAre(0.25));
  EXPECT_THAT(file.floats("b"), ElementsAre(1.5));
  EXPECT_SPML_ERROR(file.floats("l"), HasSubstr("'l': expected a floating-point type, found I64"));
  EXPECT_SPML_ERROR(file.floats("x"), HasSubstr("no tensor 'x'"));
}

TEST_F(TorchCheckpointTest, SkipsTheMetadataAttribute) {
  const std::string tensor = p_tensor(p_storage("FloatStorage", "0", 6), 0, {6}, {1});
  const std::string metadata = std::string("}") + p_text("_metadata") + kEmptyOrderedDict + "(" +
                               p_text("") + "}" + p_text("version") + "K\1s" + "us";
  const TorchCheckpoint file(
      write(p_program(kEmptyOrderedDict + "q\1(" + p_text("w") + tensor + "u" + metadata + "b"),
            {{"archive/data/0", six_floats()}}));
  EXPECT_EQ(file.tensors().size(), 1u);
}

TEST_F(TorchCheckpointTest, RefusesToCallAnything) {
  EXPECT_THAT(refusal_of(p_program(std::string("cos\nsystem\n(") + p_text("true") + "tR")),
              HasSubstr("it wants to call os.system, and spml runs no code from files"));
  EXPECT_THAT(refusal_of(p_program(p_text("posix") + p_text("system") + "\x93")),
              HasSubstr("posix.system"));
  EXPECT_THAT(refusal_of(p_program("i__builtin__\neval\n")), HasSubstr("instruction 0x69"));
}

TEST_F(TorchCheckpointTest, RefusesTensorsOutsideTheirStorage) {
  const auto over = [&](int32_t offset, std::vector<int32_t> shape, std::vector<int32_t> strides,
                        int32_t elements = 6) {
    return refusal(p_tensor(p_storage("FloatStorage", "0", elements), offset, shape, strides));
  };
  EXPECT_EQ(over(0, {6}, {1}), "accepted");
  for (const std::string& message :
       {over(1, {6}, {1}), over(0, {7}, {1}), over(0, {2}, {6}), over(0, {6}, {1}, 7),
        over(0, {1 << 30}, {0}), over(6, {1}, {1}), over(0, {6}, {}),
        over(0, {0x7fffffff, 0x7fffffff, 0x7fffffff}, {0x7fffffff, 0x7fffffff, 0x7fffffff})}) {
    EXPECT_THAT(message, HasSubstr("reaches outside its storage of 24 bytes"));
  }
  EXPECT_THAT(over(0, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}),
              HasSubstr("at most 8 sizes"));
  EXPECT_THAT(over(-1, {6}, {1}), HasSubstr("a malformed tensor"));
  EXPECT_THAT(over(0, {-6}, {1}), HasSubstr("a size that is not a whole number"));
  EXPECT_THAT(refusal(p_tensor(p_storage("FloatStorage", "9", 6), 0, {6}, {1})),
              HasSubstr("storage '9' is missing"));
}

TEST_F(TorchCheckpointTest, RefusesOtherContents) {
  EXPECT_THAT(refusal_of(p_program(std::string("}") + p_text("epoch") + "K\3s")),
              HasSubstr("found a number under 'epoch'; save the model's state_dict() alone"));
  EXPECT_THAT(refusal_of(p_program("K\1")), HasSubstr("expected a dictionary of tensors"));
  EXPECT_THAT(refusal_of(p_program(std::string("}q\1") + p_text("me") + "h\1s")),
              HasSubstr("found a dict"));
  EXPECT_SPML_ERROR(TorchCheckpoint(write_bytes("\x80\x02l.")),
                    HasSubstr("convert an older one with torch.save"));
  EXPECT_SPML_ERROR(TorchCheckpoint(write_bytes(stored_zip({{"a/data.pkl", ""}}, 8))),
                    HasSubstr("found it compressed"));
  EXPECT_SPML_ERROR(TorchCheckpoint(write_bytes(stored_zip({{"a/constants.pkl", ""}}))),
                    HasSubstr("TorchScript"));
  EXPECT_SPML_ERROR(TorchCheckpoint(write_bytes(stored_zip({{"x", ""}}))),
                    HasSubstr("no data.pkl"));
}

TEST_F(TorchCheckpointTest, DamageNeverCrashes) {
  const std::string tensor = p_tensor(p_storage("FloatStorage", "0", 6), 0, {2, 3}, {3, 1});
  for (const bool zip64 : {false, true}) {
    const std::string whole = stored_zip(
        {{"a/data.pkl", p_state_dict("w", tensor)}, {"a/data/0", six_floats()}}, 0, zip64);
    const auto survives = [&](const std::string& bytes) {
      try {
        const TorchCheckpoint file(write_bytes(bytes));
        for (const auto& [name, info] : file.tensors()) {
          if (info.dtype == "F32") file.floats(name);
        }
      } catch (const Error&) {
      }
    };
    for (size_t i = 0; i < whole.size(); ++i) {
      survives(whole.substr(0, i));
      for (const int flip : {0x81}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        survives(damaged);
      }
    }
  }
}

// One storage, many tensors: each small beside the file, all together gigabytes.
TEST_F(TorchCheckpointTest, TensorsTogetherAreBoundedByTheFile) {
  std::string body = kEmptyOrderedDict + "(";
  const std::string storage = p_storage("FloatStorage", "0", 4096);
  for (int i = 0; i < 400; ++i)
    body += p_text(std::to_string(i)) + p_tensor(storage, 0, {4096}, {1});
  const Path path = write(p_program(body + "u"), {{"archive/data/0", std::string(4 * 4096, '\0')}});
  EXPECT_SPML_ERROR(TorchCheckpoint{path}, HasSubstr("expected tensors of at most 2 times"));
}

TEST_F(TorchCheckpointTest, ValuesThatManyTensorsUseAreSmall) {
  const std::string storage = p_storage("FloatStorage", "0", 6);
  const std::vector<int32_t> long_shape(100'000, 1);
  EXPECT_THAT(refusal(p_tensor(storage, 0, long_shape, long_shape)), HasSubstr("at most 8 sizes"));
  EXPECT_THAT(refusal(p_tensor(p_storage("FloatStorage", std::string(1000, 'x'), 6), 0, {1}, {1})),
              HasSubstr("malformed storage"));
}

TEST_F(TorchCheckpointTest, ValuesAreCounted) {
  const size_t many = 2'000'000;
  EXPECT_THAT(refusal_of(p_program(std::string(many, ')'))), HasSubstr("more than 1000000 values"));
  std::string remembered = ")";
  for (size_t i = 0; i < many; ++i) remembered += '\x94';
  EXPECT_THAT(refusal_of(p_program(remembered)), HasSubstr("values to remember"));
  std::string recalled = std::string(")q\0", 3);
  for (size_t i = 0; i < many; ++i) recalled += std::string("h\0", 2);
  EXPECT_THAT(refusal_of(p_program(recalled)), HasSubstr("values at once"));
}

}  // namespace
}  // namespace spml
