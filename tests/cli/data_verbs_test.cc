// The verbs on data folders, run as a user runs them.
#include <nlohmann/json.hpp>

#include "data/folder.h"
#include "formats/npy_bytes.h"
#include "training.h"

namespace spml {
namespace {

using testing::HasSubstr;

nlohmann::json json_of(const std::vector<std::string>& arguments) {
  const Ran ran = run_program(arguments);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return nlohmann::json::parse(ran.out);
}

TEST(DataVerbs, HelpAndUsage) {
  for (const std::string verb : {"synth", "observe", "stats", "estimate-k"}) {
    const Ran ran = run_program({verb, "--help"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.out, HasSubstr("spml " + verb));
  }
  expect_failure({"stat", "x"}, 2, "did you mean 'stats'?");
  expect_failure({"stats", "x", "--jsn"}, 2, "did you mean '--json'?");
  expect_failure({"stats"}, 2, "DIR");
  expect_failure({"train", "--los", "role"}, 2, "unknown flag '--los'; did you mean '--loss'?");
  expect_failure({"observe", "x", "--bias", "moon"}, 2, "uniform");
  expect_failure({"observe", "x", "--bias", "area,moon"}, 2, "largest");
  expect_failure({"observe", "x", "--scores", "s.npy"}, 2, "--bias prominence");
  expect_failure({"observe", "x", "--num-pos", "-1"}, 2, "num-pos");
  expect_failure({"observe", "x", "--seed", "4294967296"}, 2, "seed");
  expect_failure({"estimate-k", "x", "--sizes", "0"}, 2, "sizes");
  expect_failure({"synth", "--out", "x", "--rows", "-5"}, 2, "rows");
}

TEST(DataVerbs, SynthThenEverythingElse) {
  TemporaryFolder folder;
  const std::string dir = folder / "data";
  const auto synth = json_of({"synth", "--out", dir, "--rows", "90", "--labels", "6", "--features",
                              "8", "--expected-positives", "2", "--json"});
  EXPECT_EQ(synth["rows"], 90);
  const auto stats = json_of({"stats", dir, "--json"});
  EXPECT_EQ(stats["train_file"]["rows"], 90);
  EXPECT_EQ(stats["train_file"]["labels"], 6);
  EXPECT_GE(stats["train_file"]["positives_per_row"]["min"], 1);
  EXPECT_EQ(stats["train_file"]["observed_per_row"]["max"], 1);
  EXPECT_EQ(stats["train_file"]["rows_without_positive"], 0);
  EXPECT_EQ(stats["test_file"]["rows"], 45);
  const auto k = json_of({"estimate-k", "--sizes", "3,7", dir, "--trials", "500", "--json"});
  EXPECT_EQ(k["k"], stats["train_file"]["positives_per_row"]["mean"]);
  EXPECT_EQ(k["intervals"].size(), 2u);
  EXPECT_LE(k["intervals"]["7"][0], k["k"]);
  EXPECT_THAT(run_program({"stats", dir}).out, HasSubstr("class_5"));
  EXPECT_THAT(run_program({"estimate-k", dir}).out, HasSubstr("k = "));
  expect_failure({"estimate-k", dir, "--sizes", "91"}, 1, "to its 90 rows, found 91");
}

TEST(DataVerbs, ConfigHoldsTheSameKeys) {
  TemporaryFolder folder;
  const std::string dir = folder / "data", config = folder / "c.json";
  write_file(config, R"({"rows": 40, "labels": 3})");
  json_of({"synth", "--out", dir, "--config", config, "--labels", "4", "--json"});
  const auto stats = json_of({"stats", dir, "--json"})["train_file"];
  EXPECT_EQ(stats["rows"], 40);
  EXPECT_EQ(stats["labels"], 4);
  write_file(config, R"({"sizes": [2, 5], "trials": 10})");
  EXPECT_TRUE(
      json_of({"estimate-k", dir, "--config", config, "--json"})["intervals"].contains("5"));
}

TEST(DataVerbs, SynthIsRepeatableAndKeepsWhatIsThere) {
  TemporaryFolder folder;
  const std::string a = folder / "a", b = folder / "b";
  run_program({"synth", "--out", a, "--rows", "50", "--seed", "3", "--threads", "1"});
  run_program({"synth", "--out", b, "--rows", "50", "--seed", "3", "--threads", "2"});
  const std::string before = read_file(features_file(a, "train"));
  EXPECT_EQ(before, read_file(features_file(b, "train")));
  expect_failure({"synth", "--out", a, "--seed", "4"}, 1, "not empty");
  EXPECT_EQ(read_file(features_file(a, "train")), before);
  EXPECT_EQ(run_program({"synth", "--out", a, "--rows", "50", "--overwrite"}).exit_code, 0);
  EXPECT_NE(read_file(features_file(a, "train")), before);
  expect_failure({"synth", "--out", folder / "c", "--rows", "0"}, 2, "rows");
  expect_failure({"synth", "--out", folder / "c", "--labels", "2", "--expected-positives", "3"}, 2,
                 "at most 2 labels");
  EXPECT_FALSE(std::filesystem::exists(folder / "c"));
}

TEST(DataVerbs, ObserveReproducesTheAuthorsDraw) {
  const Path voc = shared_data() / "voc12";
  SPML_NEED_SHARED(voc);
  TemporaryFolder folder;
  for (const char* part : {"train", "val"}) {
    std::filesystem::copy(truth_file(voc, part), folder.path());
  }
  EXPECT_EQ(run_program({"observe", folder.path()}).exit_code, 0);
  for (const char* part : {"train", "val"}) {
    const NpyArray ours(observed_file(folder.path(), part)), theirs(observed_file(voc, part));
    ASSERT_TRUE(ours.is_native<int8_t>());
    ASSERT_EQ(ours.rows(), theirs.rows());
    std::vector<int8_t> x(20), y(20);
    for (size_t i = 0; i < ours.rows(); ++i) {
      ours.read_row(i, std::span(x));
      theirs.read_row(i, std::span(y));
      ASSERT_EQ(x, y) << part << " row " << i;
    }
  }
}

TEST(DataVerbs, ObserveDoesNotReplaceWithoutForce) {
  SmallFolder folder;
  expect_failure({"observe", folder.path()}, 1, "--force");
  EXPECT_FALSE(std::filesystem::exists(observed_file(folder.path(), "val")));
  EXPECT_EQ(run_program({"observe", folder.path(), "--force"}).exit_code, 0);
  TemporaryFolder nothing;
  expect_failure({"observe", nothing.path()}, 1, "expected full labels");
  expect_failure({"estimate-k", nothing.path()}, 1, "expected full labels");
}

TEST(DataVerbs, BadFilesEndInOneLine) {
  SmallFolder folder;
  const Path truth = truth_file(folder.path(), "train");
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    write_file(truth, bytes);
    for (const std::string verb : {"stats", "estimate-k"}) {
      expect_failure({verb, folder.path()}, 1, truth.string() + ": " + why);
    }
  };
  refused("", "expected a NumPy .npy file");
  refused(npy("|i1", "(3, 2)", "123"), "truncated");
  refused(npy("|i1", "(1152921504606846976, 2)", "123456"), "truncated");
  refused(std::string("\x93NUMPY\x02\0\0\0\0\x40", 12), "expected an .npy header of at most");
  refused(npy("|i1", "(-3, 2)", "123456"), "bad .npy header");
  refused(npy("|i1", "(0, 2)", ""), "expected at least one row");
  refused(npy("|i1", "(3, 2)", raw<int8_t>({1, 0, 1, 2, 0, 1})), "row 1, column 1");
  refused(npy("<f8", "(3, 2)", raw<double>({1, 0, 1, 0.5, 0, 1})), "row 1, column 1");
  refused(npy("|S2", "(3, 2)", std::string(12, 'a')), "expected numbers, found bytes");
}

TEST(DataVerbs, HostileNamesStayOnOneLine) {
  SmallFolder folder;
  write_file(folder / "dataset.json", R"({"a\nb": 1, "a\nb": 2})");
  expect_failure({"stats", folder.path()}, 1, "'a?b' twice");
}

}  // namespace
}  // namespace spml
