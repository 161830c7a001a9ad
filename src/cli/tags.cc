// spml tags DIR list|rename|merge
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fail.h"
#include "base/quoted_word.h"
#include "base/text.h"
#include "cli/flags/common_flags.h"
#include "cli/print_json.h"
#include "cli/verbs.h"
#include "data/edit_tags.h"
#include "data/tag_names.h"

namespace spml::cli {
namespace {

struct Arguments {
  Common common;
  std::string folder, action;
  std::vector<std::string> tags;
};

void list(const Arguments& arguments) {
  const TagCounts counts = count_tags(arguments.folder);
  std::vector<size_t> all = counts.train;
  for (size_t j = 0; j < all.size(); ++j) all[j] += counts.test[j];
  Json tags = Json::array(), similar = Json::array();
  for (size_t j = 0; j < all.size(); ++j) {
    tags.push_back(
        {{"tag", counts.names[j]}, {"train", counts.train[j]}, {"test", counts.test[j]}});
    if (arguments.common.json) continue;
    fmt::print("{:>8} {:>8}  {}\n", counts.train[j], counts.test[j], printable(counts.names[j]));
  }
  for (const SimilarTags& pair : similar_tags(counts.names, all)) {
    const std::string command = merge_command(pair, counts.names, arguments.folder);
    similar.push_back(
        {{"tags", {counts.names[pair.rare], counts.names[pair.common]}}, {"merge", command}});
    if (arguments.common.json || arguments.common.quiet) continue;
    fmt::print(stderr, "spml: these may be the same tag: {}; merge them with: {}\n",
               printable(describe(pair, counts.names, all)), printable(command));
  }
  if (arguments.common.json) print_json({{"tags", tags}, {"similar", similar}});
}

void report(const Arguments& arguments, const std::string& name) {
  const TagCounts counts = count_tags(arguments.folder);
  const auto found = std::ranges::find(counts.names, name);
  const auto j = static_cast<size_t>(found - counts.names.begin());
  if (arguments.common.json) {
    print_json({{"tag", name},
                {"train", counts.train[j]},
                {"test", counts.test[j]},
                {"labels", counts.names.size()}});
  } else {
    fmt::print("{}: {} training rows, {} test rows; {} tags\n", printable(name), counts.train[j],
               counts.test[j], counts.names.size());
  }
}

bool has_tag(const std::string& folder, const std::string& name) {
  const std::vector<std::string> names = count_tags(folder).names;
  return std::ranges::find(names, name) != names.end();
}

void rename(const Arguments& arguments) {
  if (arguments.tags.size() != 2) fail_usage("expected rename OLD NEW");
  const std::string &old = arguments.tags[0], &name = arguments.tags[1];
  if (has_tag(arguments.folder, name)) {
    fail("{}: there is a tag '{}' already; merge them with: spml tags {} merge {} into {}",
         arguments.folder, name, quoted_word(arguments.folder), quoted_word(old),
         quoted_word(name));
  }
  merge_tags(arguments.folder, {old}, name);
  report(arguments, name);
}

void merge(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.tags;
  const bool said = words.size() >= 3 && (words.end()[-2] == "into" || words.end()[-2] == "INTO");
  if (!said) fail_usage("expected merge A B ... into C");
  merge_tags(arguments.folder, {words.begin(), words.end() - 2}, words.back());
  report(arguments, words.back());
}

void run(const Arguments& arguments) {
  if (arguments.action == "rename") return rename(arguments);
  if (arguments.action == "merge") return merge(arguments);
  if (!arguments.tags.empty()) fail_usage("list takes no tags, found '{}'", arguments.tags[0]);
  list(arguments);
}

}  // namespace

Verb tags_verb() {
  auto arguments = std::make_shared<Arguments>();
  return {.name = "tags",
          .summary = "List, rename or merge the tags of a data folder",
          .description =
              "Renaming and merging change label files and dataset.json; features are kept. A row "
              "has the merged tag when it has one of its parts. Runs trained before keep the tags "
              "they were trained with.",
          .examples = {{"spml tags data list", "How often each tag occurs, and which look alike"},
                       {"spml tags data rename automobile car", "Another name"},
                       {"spml tags data merge icons ikon into icon", "Several tags become one"}},
          .positionals = {data_folder(arguments->folder),
                          {.name = "ACTION",
                           .target = &arguments->action,
                           .help = "What to do",
                           .choices = {"list", "rename", "merge"},
                           .required = true},
                          {.name = "TAG",
                           .target = &arguments->tags,
                           .help = "rename OLD NEW; merge A B ... into C"}},
          .common = &arguments->common,
          .run = [arguments] { run(*arguments); }};
}

}  // namespace spml::cli
