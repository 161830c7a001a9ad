// spml review, in a build that has it.
#include <fmt/core.h>

#include <cstdlib>

#include "base/fail.h"
#include "base/folders.h"
#include "cli/print_json.h"
#include "cli/progress.h"
#include "cli/review_flags.h"
#include "cli/serve_review.h"
#include "review/export/export.h"

namespace spml::cli {
namespace {

bool is_review(const Path& folder) { return path_exists(review::database_file(folder)); }

std::string user_name() {
  const char* name = std::getenv("USER");
  return name != nullptr && *name != '\0' ? name : "reviewer";
}

void run_export(const ReviewFlags& flags) {
  review::ExportOptions to;
  to.review = flags.folder;
  to.out = flags.export_to;
  to.format = flags.format;
  to.overwrite = flags.overwrite;
  const review::ExportReport report = review::export_review(to);
  if (!flags.common.quiet) {
    notice(fmt::format("the data is read from {}", report.data));
    for (const std::string& text : report.notices) notice(text);
  }
  if (flags.common.json) {
    print_json({{"out", flags.export_to},
                {"format", flags.format},
                {"yes", report.yes},
                {"no", report.no},
                {"unsure", report.unsure}});
  } else {
    fmt::print("{}: {} labels found, {} known to be absent, {} unsure\n", flags.export_to,
               report.yes, report.no, report.unsure);
  }
}

void run_review(const ReviewFlags& flags) {
  review::ReviewOptions review;
  review.log = flags.log;
  review.reviewer = flags.reviewer.empty() ? user_name() : flags.reviewer;
  if (flags.out.empty()) {
    if (!is_review(flags.folder)) {
      fail_usage("expected --run RUN and --out REVIEW for a new review, or the folder of a review");
    }
    review.out = flags.folder;  // continue it
  } else {
    review.data = flags.folder;
    review.out = flags.out;
  }
  review.run = flags.run;
  serve_review(review, flags.serve, flags.common);
}

}  // namespace

void review_labels(const ReviewFlags& flags) {
  if (flags.export_to.empty()) {
    run_review(flags);
  } else {
    run_export(flags);
  }
}

}  // namespace spml::cli
