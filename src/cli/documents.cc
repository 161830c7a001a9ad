// spml man, spml completion: generated from the declarations of the verbs.
#include <fmt/core.h>

#include <memory>

#include "base/fail.h"
#include "base/files.h"
#include "base/folders.h"
#include "base/text.h"
#include "cli/flags/completion.h"
#include "cli/flags/man.h"
#include "cli/print_json.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

struct ManOptions {
  Common common;
  std::vector<std::string> path;
  std::string out;
  bool markdown = false;
};

std::string chosen_page(const std::vector<Verb>& verbs, const std::vector<std::string>& words) {
  if (words.empty()) return man_page(verbs);
  const std::vector<Verb>* among = &verbs;
  const Verb* verb = nullptr;
  std::string path;
  for (const std::string& word : words) {
    verb = find_verb(*among, word);
    if (verb == nullptr) {
      fail_usage("unknown verb '{}'{}", word, did_you_mean(word, verb_names(*among)));
    }
    path += (path.empty() ? "" : " ") + word;
    among = &verb->verbs;
  }
  return man_page(*verb, path);
}

void print(const Common& common, const char* key, const std::string& text) {
  if (common.json) {
    print_json({{key, text}});
  } else {
    fmt::print("{}", text);
  }
}

void write_pages(const ManOptions& options, const std::vector<Verb>& verbs) {
  make_folder(options.out);
  Json files = Json::array();
  for (const auto& [name, text] : all_man_pages(verbs)) {
    write_file(Path(options.out) / name, text);
    files.push_back((Path(options.out) / name).string());
  }
  if (options.common.json) {
    print_json({{"files", files}});
  } else if (!options.common.quiet) {
    fmt::print("{} man pages in {}\n", files.size(), options.out);
  }
}

void man(const ManOptions& options) {
  const std::vector<Verb> verbs = all_verbs();
  if (!options.out.empty()) {
    write_pages(options, verbs);
  } else if (options.markdown) {
    print(options.common, "markdown", reference_markdown(verbs));
  } else {
    print(options.common, "page", chosen_page(verbs, options.path));
  }
}

struct CompletionOptions {
  Common common;
  std::string shell;
};

void completion(const CompletionOptions& options) {
  const std::vector<Verb> verbs = all_verbs();
  print(options.common, "script",
        options.shell == "bash"  ? bash_completion(verbs)
        : options.shell == "zsh" ? zsh_completion(verbs)
                                 : fish_completion(verbs));
}

}  // namespace

Verb man_verb() {
  auto options = std::make_shared<ManOptions>();
  return {.name = "man",
          .summary = "Print the man page of a verb",
          .examples = {{"spml man train | man -l -", "Read a page without installing it"}},
          .positionals = {{.name = "VERB",
                           .target = &options->path,
                           .help = "The verb, such as train or import voc; none: the program"}},
          .flags = {{.name = "out",
                     .target = &options->out,
                     .help = "Write the pages of all verbs into this folder instead",
                     .hint = "DIR",
                     .complete = Complete::kFolder},
                    {.name = "markdown",
                     .target = &options->markdown,
                     .help = "Print docs/reference.md instead",
                     .excludes = {"out"}}},
          .common = &options->common,
          .run = [options] { man(*options); }};
}

Verb completion_verb() {
  auto options = std::make_shared<CompletionOptions>();
  return {.name = "completion",
          .summary = "Print the completion script of a shell",
          .description = "`cmake --install` puts the scripts where the shells look for them.",
          .examples = {{"source <(spml completion bash)", "Complete in this shell"}},
          .positionals = {{.name = "SHELL",
                           .target = &options->shell,
                           .help = "bash, zsh or fish",
                           .choices = {"bash", "zsh", "fish"},
                           .required = true}},
          .common = &options->common,
          .run = [options] { completion(*options); }};
}

}  // namespace spml::cli
