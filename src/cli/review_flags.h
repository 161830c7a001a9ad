// The flags of `spml review` and `spml demo --review`. In a build without SPML_REVIEW every
// function throws an Error that says how to build with it.
#pragma once

#include "base/files.h"
#include "cli/flags/flags.h"

namespace spml::cli {

// Where a review is served.
struct ServeFlags {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: the previous one if it is free, else any free one
  bool no_browser = false, allow_remote = false;
};

Flag port_flag(ServeFlags& flags, std::vector<Need> needs);
Flag no_browser_flag(ServeFlags& flags, std::vector<Need> needs);

struct ReviewFlags {
  Common common;
  std::string folder, run, out, log, reviewer;
  std::string export_to, format = "data";
  bool overwrite = false;
  ServeFlags serve;
};

void review_labels(const ReviewFlags& flags);

// Creates drawn scenes and a classifier in `folder` unless they exist, and serves a review of them.
void demo_review(const Path& folder, const ServeFlags& flags, const Common& common);

}  // namespace spml::cli
