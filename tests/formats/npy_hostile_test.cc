// Files that lie about themselves: each must end in one Error that names the file.
#include "formats/npy.h"
#include "npy_bytes.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

void expect_refused(const std::string& file, const std::string& why) {
  EXPECT_SPML_ERROR(parse_npy_header(std::as_bytes(std::span(file)), "a.npy"),
                    AllOf(StartsWith("a.npy: "), HasSubstr(why)));
}

TEST(HostileNpy, NotAnArray) {
  expect_refused("", "expected a NumPy .npy file");
  expect_refused("PK\x03\x04 something else", "expected a NumPy .npy file");
  expect_refused("\x93NUMPY", "expected a NumPy .npy file");
  expect_refused(std::string("\x93NUMPY\x04\0\x10\0", 10), "version 1, 2 or 3, found 4");
}

TEST(HostileNpy, EveryTruncationIsRefused) {
  const std::string file = npy("<f4", "(2, 3)", std::string(24, 'x'));
  for (size_t n = 0; n < file.size(); ++n) {
    const std::string part = file.substr(0, n);
    EXPECT_THROW(parse_npy_header(std::as_bytes(std::span(part)), "a.npy"), Error) << n;
  }
  EXPECT_NO_THROW(parse_npy_header(std::as_bytes(std::span(file)), "a.npy"));
}

TEST(HostileNpy, HeaderLengthOfAGigabyte) {
  expect_refused(std::string("\x93NUMPY\x02\0\0\0\0\x40", 12),
                 "at most 1048576 bytes, found 1073741824");
  expect_refused(std::string("\x93NUMPY\x01\0\xff\xff", 10), "should have 65535 bytes, but only 0");
}

TEST(HostileNpy, ShapesThatCannotBe) {
  const std::string data(24, 'x');
  expect_refused(npy("<f4", "(1152921504606846976, 3)", data), "promises 1152921504606846976 x 3");
  expect_refused(npy("<f4", "(1152921504606846976, 0)", data), "truncated");
  expect_refused(npy("<f4", "(4294967296, 4294967296)", data), "truncated");
  expect_refused(npy("<f4", "(99999999999999999999,)", data), "smaller dimension");
  expect_refused(npy("<f4", "(-1, 3)", data), "not negative");
  expect_refused(npy("<f4", "(2, 3.0)", data), "expected ')'");
  expect_refused(npy("<f4", "(2, 3, 1)", data), "1 or 2 dimensions, found 3");
  expect_refused(npy("<f4", "(6)", data), "',' after the only dimension");
  expect_refused(npy("<f4", "(2, 4)", data), "only 24 bytes follow");
}

TEST(HostileNpy, TypesThatAreNotSupported) {
  for (const std::string descr :
       {"", "f", "<", "<f", "<f3", "|f4", "<c8", "|O", "<M8", "|V4", "<U", "<U0", "|S0", "|U4",
        "<U-1", "<U99999999999999999999", "<S4x", "?f4", "<u2"}) {
    expect_refused(npy(descr, "(1,)", std::string(64, 'x')), "expected dtype");
  }
}

TEST(HostileNpy, DictionariesThatAreNot) {
  const auto refused = [](const std::string& dict) {
    expect_refused(npy_with_dict(dict, "xxxx"), "bad .npy header: expected");
  };
  refused("");
  refused("{}");
  refused("{'descr': '<f4', 'fortran_order': False}");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1");
  refused("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}");
  refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}");
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'other': 1}");
  refused("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,)}");
  refused("{'descr: <f4}");
}

TEST(HostileNpy, WhatNumPyItselfMayWriteIsAccepted) {
  const std::string data = raw<float>({7});
  const auto parse = [](const std::string& file) {
    return parse_npy_header(std::as_bytes(std::span(file)), "a.npy");
  };
  EXPECT_TRUE(parse(npy("<f4", "()", data)).shape.empty());
  EXPECT_EQ(parse(npy("<f4", "(1L,)", data)).shape, std::vector<size_t>{1});
  EXPECT_EQ(parse(npy("<f4", "(0, 3)", "")).elements(), 0u);
  const std::string other_order = "{\"shape\":(1,1),\"fortran_order\":True,\"descr\":\"=f4\"}";
  EXPECT_TRUE(parse(npy_with_dict(other_order, data)).fortran_order);
}

TEST(HostileNpy, AScalarIsNotAnArray) {
  TemporaryFolder folder;
  write_file(folder / "a.npy", npy("<f4", "()", raw<float>({7})));
  EXPECT_SPML_ERROR(NpyArray(folder / "a.npy"), HasSubstr("found a scalar"));
}

}  // namespace
}  // namespace spml
