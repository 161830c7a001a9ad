// spml review: its flags, the same in builds without it.
#include <memory>

#include "cli/flags/common_flags.h"
#include "cli/review_flags.h"
#include "cli/verbs.h"

namespace spml::cli {

Flag port_flag(ServeFlags& flags, std::vector<Need> needs) {
  return {.name = "port",
          .target = &flags.port,
          .help = "Port to listen on",
          .range = {0, 65535},
          .default_text = "the one used last time, or any free one",
          .needs = std::move(needs)};
}

Flag no_browser_flag(ServeFlags& flags, std::vector<Need> needs) {
  return {.name = "no-browser",
          .target = &flags.no_browser,
          .help = "Only print the review's address",
          .needs = std::move(needs)};
}

Verb review_verb() {
  auto flags = std::make_shared<ReviewFlags>();
  const std::vector<Need> exporting = {{.flag = "export", .value = ""}};
  return {.name = "review",
          .summary = "Confirm the labels that are missing, in the browser",
          .description =
              "Serves a page on this machine that shows the most probable missing labels, and "
              "keeps the answers in REVIEW/review.db. Given a review instead of data, it continues "
              "that one; with --export it writes the labels for other programs.",
          .examples = {{.command = "spml review photos --run role --out review",
                        .what = "begin a review, or continue it"},
                       {.command = "spml review review --export labelled --format data",
                        .what = "a data folder with the answers as labels"}},
          .positionals = {{.name = "DIR",
                           .target = &flags->folder,
                           .help = "The data folder, or a review",
                           .required = true,
                           .complete = Complete::kFolder}},
          .flags = {{.name = "run",
                     .target = &flags->run,
                     .help = "The classifier whose suggestions are reviewed",
                     .hint = "RUN",
                     .complete = Complete::kFolder},
                    {.name = "out",
                     .target = &flags->out,
                     .help = "Folder of the review; one that exists is continued",
                     .hint = "REVIEW",
                     .complete = Complete::kFolder},
                    {.name = "reviewer",
                     .target = &flags->reviewer,
                     .help = "Name that is noted with the answers",
                     .hint = "NAME",
                     .default_text = "the user's"},
                    {.name = "log",
                     .target = &flags->log,
                     .help = "Write every answer as a line of text, too",
                     .hint = "FILE.jsonl",
                     .complete = Complete::kFile},
                    port_flag(flags->serve, {}),
                    {.name = "host",
                     .target = &flags->serve.host,
                     .help = "Address to listen on",
                     .hint = "ADDRESS"},
                    {.name = "allow-remote",
                     .target = &flags->serve.allow_remote,
                     .help = "Allow a --host that other machines can reach",
                     .consent = true},
                    no_browser_flag(flags->serve, {}),
                    {.name = "export",
                     .target = &flags->export_to,
                     .help = "Write the labels to a file or folder instead of serving",
                     .hint = "OUT",
                     .complete = Complete::kFile},
                    {.name = "format",
                     .target = &flags->format,
                     .help = "The format of what --export writes",
                     .choices = {"data", "csv", "jsonl", "coco", "voc", "label-studio"},
                     .needs = exporting},
                    {.name = "overwrite",
                     .target = &flags->overwrite,
                     .help = "Replace what --export wrote before",
                     .needs = exporting,
                     .consent = true},
                    threads_flag(flags->common)},
          .common = &flags->common,
          .run = [flags] { review_labels(*flags); }};
}

}  // namespace spml::cli
