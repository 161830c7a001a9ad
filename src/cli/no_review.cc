// The review, in a build without SPML_REVIEW: it says what is missing.
#include "base/fail.h"
#include "cli/review_flags.h"

namespace spml::cli {
namespace {

[[noreturn]] void fail_no_review() {
  fail(
      "this spml was built without the review; install libboost-dev and libsqlite3-dev and build "
      "it "
      "again");
}

}  // namespace

void review_labels(const ReviewFlags&) { fail_no_review(); }

void demo_review(const Path&, const ServeFlags&, const Common&) { fail_no_review(); }

}  // namespace spml::cli
