// Records of every file that is read again, filled with numbers and texts that nobody expects: what
// is written, its reader takes and gives back; what it would not take is not written.
#include "formats/written_record.h"

#include <cmath>
#include <limits>
#include <random>

#include "reproduce/experiment_result_fields.h"
#include "search/trial_fields.h"
#include "settings/config_words.h"
#include "sweep/sweep_fields.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Visits the fields of a record as a reader does, and fills them.
class Filler {
 public:
  Filler(uint64_t seed, bool finite) : random_(seed), finite_(finite) {}

  template <class T>
  void operator()(const char*, T& value) {
    fill(value);
  }
  template <class T>
  void maybe(const char*, T& value) {
    fill(value);
  }

 private:
  size_t below(size_t n) { return random_() % n; }

  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      constexpr double kFinite[] = {0, -0.0, 0.1, -1e308, 5e-324, 1e-40, 1e15, 4503599627370497.5};
      constexpr double kNone[] = {NAN, INFINITY, -INFINITY};
      value = !finite_ && below(4) == 0 ? kNone[below(3)] : kFinite[below(8)];
    } else if constexpr (std::is_integral_v<T>) {
      const T values[] = {0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
      value = values[below(4)];
    } else if constexpr (std::is_same_v<T, std::string>) {
      const char* texts[] = {"", "a", "\"\\\n\x1b[2J", "\xff\xfe", "\xe2\x80\xae", "null", "1e999"};
      value = texts[below(7)];
    } else if constexpr (requires {
                           value.has_value();
                           value.emplace();
                         }) {
      value.reset();
      if (below(2) == 1) fill(value.emplace());
    } else if constexpr (requires { value.resize(2); }) {
      value.resize(below(3));
      for (auto&& item : value) fill(item);
    } else if constexpr (requires { json_fields(*this, value); }) {
      json_fields(*this, value);
    }
  }

  std::mt19937_64 random_;
  bool finite_;
};

template <class Record>
class WrittenRecord : public testing::Test {};
using Records = testing::Types<RunSetup, RunResult, EpochRecord, SearchTrial, SweepSummary,
                               ExperimentResult, Reproduction>;
TYPED_TEST_SUITE(WrittenRecord, Records);

TYPED_TEST(WrittenRecord, IsWhatItsReaderTakes) {
  int written = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    TypeParam record;
    Filler filler(seed, seed % 3 != 0);
    json_fields(filler, record);
    // Its configuration is made of flags, which have readers of their own.
    if constexpr (std::is_same_v<TypeParam, RunSetup>) record.identity.config.loss = "an";
    std::string text;
    try {
      text = written_record(record, "FILE");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("FILE: cannot be written: "));
      continue;
    }
    ++written;
    EXPECT_THAT(text, testing::Not(HasSubstr("nan")));
    EXPECT_EQ(record_text(parse_record<TypeParam>(text, "it")), text);
  }
  EXPECT_GT(written, 0);
}

TEST(WrittenRecords, NamesTheFileAndTheNumber) {
  RunResult result;
  result.per_class_ap = {1, NAN};
  EXPECT_SPML_ERROR(
      written_record(result, "result.json"),
      AllOf(HasSubstr("result.json: cannot be written"), HasSubstr("'per_class_ap.1'")));
  result.per_class_ap.clear();
  result.test_map = INFINITY;  // it would be read as one that is not there
  EXPECT_SPML_ERROR(written_record(result, "result.json"), HasSubstr("'test_map'"));
}

}  // namespace
}  // namespace spml
