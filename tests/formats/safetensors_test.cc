#include "formats/safetensors.h"

#include <cstring>

#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string with_header(const std::string& header, const std::string& data,
                        std::optional<uint64_t> length = {}) {
  const uint64_t n = length.value_or(header.size());
  std::string file(sizeof(n), '\0');
  std::memcpy(file.data(), &n, sizeof(n));
  return file + header + data;
}

void parse(const std::string& file) {
  std::map<std::string, TensorInfo> tensors;
  std::map<std::string, std::string> metadata;
  parse_safetensors(std::as_bytes(std::span(file)), "m.st", tensors, metadata);
}

void expect_refused(const std::string& file, const std::string& why) {
  EXPECT_SPML_ERROR(parse(file), AllOf(StartsWith("m.st: "), HasSubstr(why)));
}

TEST(Safetensors, ReadsWhatItWrites) {
  TemporaryFolder folder;
  const std::vector<float> weight = {1, 2, 3, 4, 5, 6};
  const std::vector<int32_t> rows = {7, 8};
  SafetensorsWriter writer;
  writer.add("z.weight", {2, 3}, weight);
  writer.add("a.rows", "I32", {2}, std::as_bytes(std::span(rows)));
  writer.add("empty", "F64", {0, 3}, {});
  writer.add_metadata("format", "pt");
  writer.write(folder / "m");

  const SafetensorsFile file(folder / "m");
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.floats("z.weight"), weight);
  EXPECT_THAT(file.tensor("z.weight").shape, ElementsAre(2, 3));
  EXPECT_EQ(std::memcmp(file.tensor("a.rows").bytes.data(), rows.data(), 8), 0);
  EXPECT_EQ(file.tensor("empty").elements(), 0u);
  EXPECT_SPML_ERROR(file.tensor("z.weights"), HasSubstr("did you mean 'z.weight'?"));
  EXPECT_SPML_ERROR(file.floats("a.rows"), HasSubstr("found I32"));
}

TEST(Safetensors, LayoutIsAlignedAndInTheOrderGiven) {
  TemporaryFolder folder;
  const std::vector<float> one = {1}, two = {2};
  SafetensorsWriter writer;
  writer.add("b", {1}, one);
  writer.add("a", {1}, two);
  writer.write(folder / "m");
  const std::string bytes = read_file(folder / "m");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(bytes.size(), 8 + length + 8);
  EXPECT_THAT(bytes, HasSubstr(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":)"));
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + length, one.data(), 4), 0);
}

TEST(Safetensors, ConvertsFloatTypes) {
  TemporaryFolder folder;
  const std::vector<uint16_t> half = {0x3c00, 0xc000}, brain = {0x3f80, 0xc000};
  const std::vector<double> wide = {1, -2};
  SafetensorsWriter writer;
  writer.add("f16", "F16", {2}, std::as_bytes(std::span(half)));
  writer.add("bf16", "BF16", {2}, std::as_bytes(std::span(brain)));
  writer.add("f64", "F64", {2}, std::as_bytes(std::span(wide)));
  writer.write(folder / "m");
  const SafetensorsFile file(folder / "m");
  for (const char* name : {"f16", "bf16", "f64"}) {
    EXPECT_THAT(file.floats(name), ElementsAre(1.0f, -2.0f)) << name;
  }
}

TEST(Safetensors, WriterRefusesWhatNobodyCouldRead) {
  const std::vector<float> values = {1, 2};
  SafetensorsWriter writer;
  writer.add("a", {2}, values);
  EXPECT_SPML_ERROR(writer.add("a", {2}, values), HasSubstr("'a' again"));
  EXPECT_SPML_ERROR(writer.add("b", {3}, values), HasSubstr("expected 12 bytes"));
  EXPECT_SPML_ERROR(writer.add("b", "F31", {1}, {}), HasSubstr("unknown dtype"));
  EXPECT_SPML_ERROR(writer.add("__metadata__", {2}, values), HasSubstr("again"));
  writer.add("\xff", {2}, values);
  TemporaryFolder folder;
  EXPECT_SPML_ERROR(writer.write(folder / "m"), HasSubstr("UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

TEST(HostileSafetensors, Lengths) {
  expect_refused("", "found 0 bytes");
  expect_refused("1234567", "found 7 bytes");
  expect_refused(with_header("{}", "", uint64_t{1} << 30),
                 "at most 2 bytes, its length says 10737");
  expect_refused(with_header("{}", "", ~uint64_t{0}), "at most 2 bytes");
  expect_refused(with_header("", ""), "no '{'");
  expect_refused(with_header("[1]", ""), "no '{'");
  expect_refused(with_header("{", ""), "expected valid JSON");
}

TEST(HostileSafetensors, Tensors) {
  const std::string data(8, 'x');
  const auto tensor = [&](const std::string& json) {
    return with_header("{\"a\":" + json + "}", data);
  };
  EXPECT_NO_THROW(parse(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})")));
  expect_refused(tensor("1"), "expected dtype, shape and data_offsets");
  expect_refused(tensor(R"({"dtype":"F32","shape":[2]})"), "expected dtype");
  expect_refused(tensor(R"({"dtype":1,"shape":[2],"data_offsets":[0,8]})"), "expected dtype");
  expect_refused(tensor(R"({"dtype":"X9","shape":[2],"data_offsets":[0,8]})"), "unknown dtype");
  expect_refused(tensor(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), "none negative");
  expect_refused(tensor(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"), "whole numbers");
  expect_refused(tensor(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"), "a list");
  expect_refused(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})"), "none negative");
  expect_refused(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "found [8,0]");
  expect_refused(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,16]})"), "within 8 bytes");
  expect_refused(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), "[begin, end]");
  expect_refused(tensor(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"),
                 "expected 12 bytes");
  expect_refused(tensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})"),
                 "larger than memory");
  expect_refused(tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})"), "cover 8 bytes");
  expect_refused(tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"), "a gap");
}

TEST(HostileSafetensors, TensorsThatShareBytesOrNames) {
  const std::string half = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  expect_refused(with_header("{\"a\":" + half + ",\"b\":" + half + "}", "1234"), "overlap");
  expect_refused(with_header("{\"a\":" + half + ",\"a\":" + half + "}", "1234"), "'a' twice");
}

TEST(HostileSafetensors, MetadataIsText) {
  expect_refused(with_header(R"({"__metadata__":{"a":1}})", ""), "map names to text");
  expect_refused(with_header(R"({"__metadata__":[]})", ""), "map names to text");
}

}  // namespace
}  // namespace spml
