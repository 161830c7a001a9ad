#include "formats/npy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/float16.h"
#include "npy_bytes.h"
#include "testing.h"

namespace spml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Npy : public testing::Test {
 protected:
  NpyArray open(const std::string& bytes) {
    write_file(folder_ / "a.npy", bytes);
    return NpyArray(folder_ / "a.npy");
  }
  template <class T>
  std::vector<T> row(const NpyArray& array, size_t i) {
    std::vector<T> out(array.cols());
    array.read_row(i, std::span<T>(out));
    return out;
  }
  TemporaryFolder folder_;
};

template <class T>
void expect_numbers(const NpyArray& array, const std::vector<T>& expected) {
  ASSERT_EQ(array.rows(), 2u);
  ASSERT_EQ(array.cols(), 3u);
  std::vector<float> floats(3);
  std::vector<int8_t> ints(3);
  for (size_t i = 0; i < 2; ++i) {
    array.read_row(i, std::span<float>(floats));
    array.read_row(i, std::span<int8_t>(ints));
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(array.at(i, j), static_cast<double>(expected[i * 3 + j]));
      EXPECT_EQ(floats[j], static_cast<float>(expected[i * 3 + j]));
      EXPECT_EQ(ints[j], static_cast<int8_t>(expected[i * 3 + j]));
    }
  }
}

template <class T>
std::string in_both_orders(const std::vector<T>& values, bool fortran, bool big) {
  if (!fortran) return raw(values, big);
  return raw(std::vector<T>{values[0], values[3], values[1], values[4], values[2], values[5]}, big);
}

TEST_F(Npy, ReadsEveryTypeInEveryOrderAndVersion) {
  for (const int version : {1, 2, 3}) {
    for (const bool fortran : {false, true}) {
      for (const bool big : {false, true}) {
        const std::string order = big ? ">" : "<";
        const auto check = [&](const auto& values, const std::string& code) {
          SCOPED_TRACE(order + code);
          const std::string data = in_both_orders(values, fortran, big);
          expect_numbers(open(npy(order + code, "(2, 3)", data, fortran, version)), values);
        };
        check(std::vector<int8_t>{-128, -1, 0, 1, 2, 127}, "i1");
        check(std::vector<uint8_t>{0, 1, 2, 3, 4, 127}, "u1");
        check(std::vector<uint8_t>{0, 1, 1, 0, 0, 1}, "b1");
        check(std::vector<int16_t>{-128, -1, 0, 1, 2, 127}, "i2");
        check(std::vector<int32_t>{-128, -1, 0, 1, 2, 127}, "i4");
        check(std::vector<int64_t>{-128, -1, 0, 1, 2, 127}, "i8");
        check(std::vector<float>{-128, -1, 0, 1, 2, 127}, "f4");
        check(std::vector<double>{-128, -1, 0, 1, 2, 127}, "f8");
        std::vector<uint16_t> halves;
        for (const float x : {-128.0f, -1.0f, 0.0f, 1.0f, 2.0f, 127.0f}) {
          halves.push_back(float_to_half(x));
        }
        const std::string data = in_both_orders(halves, fortran, big);
        expect_numbers(open(npy(order + "f2", "(2, 3)", data, fortran, version)),
                       std::vector<float>{-128, -1, 0, 1, 2, 127});
      }
    }
  }
}

TEST_F(Npy, LabelsThatAreNotSmallIntegersNameRowAndColumn) {
  const auto read = [&](const NpyArray& array) { row<int8_t>(array, 1); };
  const NpyArray fraction = open(npy("<f8", "(2, 2)", raw<double>({0, 0, 0, 0.5})));
  EXPECT_SPML_ERROR(read(fraction), HasSubstr("a.npy: row 1, column 1: expected a whole number"));
  EXPECT_SPML_ERROR(read(open(npy("<f4", "(2, 1)", raw<float>({0, NAN})))), HasSubstr("nan"));
  EXPECT_SPML_ERROR(read(open(npy("<i4", "(2, 1)", raw<int32_t>({0, 128})))), HasSubstr("128"));
  EXPECT_SPML_ERROR(read(open(npy("<i8", "(2, 1)", raw<int64_t>({0, -129})))), HasSubstr("-129"));
  EXPECT_SPML_ERROR(read(open(npy("|u1", "(2, 1)", raw<uint8_t>({0, 200})))), HasSubstr("200"));
}

TEST_F(Npy, ViewsOnlyWhatIsNative) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const NpyArray array = open(npy("<f4", "(2, 3)", raw(values)));
  ASSERT_TRUE(array.is_native<float>());
  EXPECT_FALSE(array.is_native<double>());
  EXPECT_EQ(array.view<float>()(1, 2), 6.0f);
  EXPECT_FALSE(open(npy(">f4", "(2, 3)", raw(values))).is_native<float>());
  EXPECT_FALSE(open(npy("<f4", "(2, 3)", raw(values), true)).is_native<float>());
  EXPECT_TRUE(open(npy("<f4", "(1, 6)", raw(values), true)).is_native<float>());
  EXPECT_TRUE(open(npy(">i1", "(2,)", raw<int8_t>({1, 2}))).is_native<int8_t>());
  EXPECT_SPML_ERROR(array.view<double>(), HasSubstr("expected little-endian float64"));
  EXPECT_FALSE(NpyArray().is_native<float>());
}

TEST_F(Npy, DataNeedNotBeAligned) {
  std::string file = npy("<f4", "(2,)", raw<float>({1.5f, -2}));
  file[8] = static_cast<char>(file[8] + 1);  // one more space in the header
  file.insert(20, 1, ' ');
  const NpyArray array = open(file);
  EXPECT_FALSE(array.is_native<float>());
  EXPECT_EQ(array.at(0, 0), 1.5);
  EXPECT_EQ(array.at(1, 0), -2);
}

TEST_F(Npy, ReadsText) {
  const std::vector<uint32_t> code_points = {'a', 0, 0, 0xe9, 0x1f600, 0};
  for (const bool big : {false, true}) {
    const NpyArray array = open(npy(big ? ">U3" : "<U3", "(2,)", raw(code_points, big)));
    EXPECT_EQ(array.text(0), "a");
    EXPECT_EQ(array.text(1), "\xc3\xa9\xf0\x9f\x98\x80");
    EXPECT_SPML_ERROR(array.text(2), HasSubstr("row below 2"));
    EXPECT_SPML_ERROR(array.at(0, 0), HasSubstr("expected numbers, found unicode text"));
  }
  const NpyArray bytes = open(npy("|S3", "(2,)", std::string("ab\0xyz", 6)));
  EXPECT_EQ(bytes.text(0), "ab");
  EXPECT_EQ(bytes.text(1), "xyz");
}

TEST_F(Npy, TextThatIsNotUnicodeNamesTheRow) {
  for (const uint32_t bad : {0xd800u, 0x110000u, 0xffffffffu}) {
    const NpyArray array = open(npy("<U1", "(2,)", raw<uint32_t>({'a', bad})));
    EXPECT_SPML_ERROR(array.text(1), HasSubstr("row 1: expected valid Unicode"));
  }
  EXPECT_SPML_ERROR(open(npy("|S2", "(1,)", "\xff\xfe")).text(0), HasSubstr("valid Unicode"));
  EXPECT_SPML_ERROR(open(npy("|S3", "(1,)", std::string("a\0b", 3))).text(0), HasSubstr("row 0"));
}

TEST_F(Npy, WritesWhatItReads) {
  const std::vector<float> floats = {0.1f, -2, 3e30f, 4, 5, 6};
  write_npy(folder_ / "f", View<const float>{floats.data(), 2, 3});
  const NpyArray f(folder_ / "f");
  EXPECT_EQ(f.header().data_offset % 64, 0u);
  ASSERT_TRUE(f.is_native<float>());
  EXPECT_TRUE(std::ranges::equal(f.view<float>().flat(), floats));

  write_npy_f16(folder_ / "h", View<const float>{floats.data(), 2, 3});
  const NpyArray h(folder_ / "h");
  EXPECT_THAT(row<float>(h, 0), ElementsAre(0x1.998p-4f, -2.0f, INFINITY));

  const std::vector<int8_t> labels = {-1, 0, 1, 1};
  write_npy(folder_ / "i", View<const int8_t>{labels.data(), 2, 2});
  EXPECT_THAT(row<int8_t>(NpyArray(folder_ / "i"), 0), ElementsAre(-1, 0));

  const std::vector<int32_t> rows = {7, -8};
  write_npy(folder_ / "r", std::span<const int32_t>(rows));
  EXPECT_EQ(NpyArray(folder_ / "r").header().shape, std::vector<size_t>{2});
  EXPECT_EQ(NpyArray(folder_ / "r").at(1, 0), -8);

  const std::vector<std::string> texts = {"", "caf\xc3\xa9", "\xf0\x9f\x98\x80"};
  write_npy(folder_ / "t", std::span<const std::string>(texts));
  const NpyArray t(folder_ / "t");
  EXPECT_EQ(t.header().item_size, 16u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(t.text(i), texts[i]);
  const std::vector<std::string> bad = {"ok", "\xff"};
  EXPECT_SPML_ERROR(write_npy(folder_ / "b", std::span<const std::string>(bad)),
                    HasSubstr("row 1"));
}

TEST_F(Npy, RowWriterWantsExactlyItsRows) {
  const std::vector<float> two = {1, 2};
  {
    NpyRowWriter writer(folder_ / "w", DType::kF32, 2, 2);
    writer.append(std::span<const float>(two));
    EXPECT_SPML_ERROR(writer.finish(), HasSubstr("expected 2 rows, 1 were appended"));
    EXPECT_SPML_ERROR(writer.append(std::span<const float>(two).first(1)), HasSubstr("row of 2"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "w"));
  NpyRowWriter writer(folder_ / "w", DType::kF16, 1, 2);
  writer.append(std::span<const float>(two));
  writer.finish();
  EXPECT_EQ(NpyArray(folder_ / "w").at(0, 1), 2);
  EXPECT_SPML_ERROR(NpyRowWriter(folder_ / "x", DType::kF64, 1, 1), HasSubstr("float64"));
}

// Short rows are collected and long ones are not, in pieces of a megabyte: on both sides of that.
TEST_F(Npy, RowWriterWritesRowsOfAnyLength) {
  const auto value = [](size_t r, size_t c) { return static_cast<int8_t>((7 * r + c) % 100); };
  for (const auto& [rows, cols] : {std::pair<size_t, size_t>{1'500'000, 1},
                                   {400, 5000},
                                   {5, 262'144},
                                   {5, 262'145},
                                   {3, 1'100'000}}) {
    NpyRowWriter bytes(folder_ / "i", DType::kI8, rows, cols);
    NpyRowWriter floats(folder_ / "f", DType::kF32, rows, cols);
    NpyRowWriter halves(folder_ / "h", DType::kF16, rows, cols);
    std::vector<int8_t> expected(cols), found(cols);
    std::vector<float> numbers(cols);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < cols; ++c) numbers[c] = expected[c] = value(r, c);
      bytes.append(std::span<const int8_t>(expected));
      floats.append(std::span<const float>(numbers));
      halves.append(std::span<const float>(numbers));
    }
    bytes.finish(), floats.finish(), halves.finish();
    for (const char* name : {"i", "f", "h"}) {
      const NpyArray array(folder_ / name);
      for (size_t r = 0; r < rows; ++r) {
        for (size_t c = 0; c < cols; ++c) expected[c] = value(r, c);
        array.read_row(r, std::span(found));
        ASSERT_TRUE(found == expected) << name << ", row " << r << " of " << cols << " columns";
      }
    }
  }
}

TEST_F(Npy, ReadsTheAuthorsFiles) {
  const Path voc = shared_data() / "voc12";
  SPML_NEED_SHARED(voc);
  const NpyArray labels(voc / "formatted_train_labels.npy");
  EXPECT_EQ(labels.rows(), 5717u);
  EXPECT_EQ(labels.cols(), 20u);
  double positives = 0;
  for (size_t i = 0; i < labels.rows(); ++i) {
    for (const double y : row<double>(labels, i)) positives += y;
  }
  EXPECT_NEAR(positives / 5717, 1.46, 0.01);
  EXPECT_TRUE(NpyArray(voc / "train_features_imagenet_resnet50.npy").is_native<uint16_t>());
  EXPECT_EQ(NpyArray(voc / "formatted_train_images.npy").text(0), "2008_000008.jpg");
}

TEST_F(Npy, OneLongTextAmongManyIsRefused) {
  TemporaryFolder folder;
  std::vector<std::string> texts(100'000, "a.jpg");
  write_npy(folder / "short.npy", std::span<const std::string>(texts));
  texts[77] = std::string(1000, 'x');
  EXPECT_SPML_ERROR(write_npy(folder / "long.npy", std::span<const std::string>(texts)),
                    testing::HasSubstr("row 77: its text of 1000 characters"));
}

TEST_F(Npy, AFileLargerThanTheDiskIsNotBegun) {
  TemporaryFolder folder;
  EXPECT_SPML_ERROR(NpyRowWriter(folder / "a.npy", DType::kF32, size_t{1} << 40, size_t{1} << 20),
                    testing::HasSubstr("the disk has room for"));
}

}  // namespace
}  // namespace spml
