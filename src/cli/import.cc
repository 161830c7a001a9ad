// spml import voc|coco|nus|cub|csv|folder
#include "data/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/text.h"
#include "cli/print_json.h"
#include "cli/standard_streams.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

// What every source shares.
struct Output {
  std::string source, out;
  bool overwrite = false, update = false;
  Common common;
};

Json counts_json(const PartCounts& counts) {
  return {{"rows", counts.rows},
          {"positives", counts.positives},
          {"rows_without_positive", counts.rows_without_positive},
          {"known_negatives", counts.negatives}};
}

Json report_json(const ImportReport& report, const std::string& out) {
  Json json{{"name", report.name},
            {"out", out},
            {"labels", report.labels},
            {"label_kind", report.complete ? "truth" : "observed"},
            {"train_file", counts_json(report.train)},
            {"test_file", report.test.rows > 0 ? counts_json(report.test) : Json()},
            {"label_columns", report.label_columns},
            {"published", nullptr},
            {"warnings", report.warnings},
            {"similar_tags", report.similar}};
  if (report.published) {
    json["published"] = {{"train_rows", report.published->train_rows},
                         {"test_rows", report.published->test_rows},
                         {"labels", report.published->labels}};
  }
  return json;
}

// `published` is null for what the paper does not say, and everywhere in data that has no paper.
void print_row(std::string_view what, size_t found, const size_t* published, bool compare) {
  fmt::print("{:<28}{:>10}", what, found);
  if (compare) fmt::print("{:>11}", published ? std::to_string(*published) : "-");
  fmt::print("\n");
}

// A table may have thousands; the first show what was taken for labels.
void print_label_columns(const std::vector<std::string>& columns) {
  constexpr size_t kMost = 8;
  if (columns.empty()) return;
  const std::vector<std::string> shown(columns.begin(),
                                       columns.begin() + std::min(columns.size(), kMost));
  fmt::print("labels are those of {}: {}{}\n", columns.size() == 1 ? "the column" : "the columns",
             printable(fmt::format("{}", fmt::join(shown, ", "))),
             columns.size() > kMost ? fmt::format(" and {} more", columns.size() - kMost) : "");
}

void print_report(const ImportReport& report, const std::string& out) {
  const PublishedCounts* paper = report.published ? &*report.published : nullptr;
  fmt::print("{} -> {} ({} labels)\n", printable(report.name), out,
             report.complete ? "all" : "observed");
  print_label_columns(report.label_columns);
  if (paper) fmt::print("{:<28}{:>10}{:>11}\n", "", "found", "published");
  const auto row = [&](std::string_view what, size_t found, const size_t* published = nullptr) {
    print_row(what, found, published, paper != nullptr);
  };
  row("training rows", report.train.rows, paper ? &paper->train_rows : nullptr);
  row("test rows", report.test.rows, paper ? &paper->test_rows : nullptr);
  row("labels", report.labels, paper ? &paper->labels : nullptr);
  row("training positives", report.train.positives);
  row("training rows without any", report.train.rows_without_positive);
  if (report.train.negatives > 0) row("training known negatives", report.train.negatives);
  if (report.test.rows == 0) return;
  row("test positives", report.test.positives);
  row("test rows without any", report.test.rows_without_positive);
  if (report.test.negatives > 0) row("test known negatives", report.test.negatives);
}

// Tags that are likely the same, with what merges them.
void print_similar(const ImportReport& report) {
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < report.similar.size() && i < kShown; ++i) {
    fmt::print(stderr, "spml: these may be the same tag: {}; merge them with: {}\n",
               printable(report.similar[i]), printable(report.merges[i]));
  }
  if (report.similar.size() > kShown) {
    fmt::print(stderr, "spml: and {} more pairs\n", report.similar.size() - kShown);
  }
}

void finish(const ImportedSet& set, const Output& output) {
  std::string kept;
  if (output.update) {
    kept = update_data_folder(set, output.out);
  } else {
    write_data_folder(set, output.out, output.overwrite);
  }
  ImportReport report = report_import(set, output.out);
  if (!kept.empty()) report.warnings.push_back(kept);
  for (const std::string& warning : report.warnings) {
    if (output.common.quiet) break;
    say(fmt::format("spml: warning: {}\n", printable(warning)));
  }
  if (!output.common.quiet) print_similar(report);
  if (output.common.json) {
    print_json(report_json(report, output.out));
  } else {
    print_report(report, output.out);
  }
}

// One source; `read` is called with its options, which `flags` fill.
Verb source_verb(std::string name, std::string help, std::vector<Flag> flags,
                 std::function<ImportedSet(const Path&)> read) {
  const auto output = std::make_shared<Output>();
  Verb verb{.name = std::move(name),
            .summary = std::move(help),
            .positionals = {{.name = "SRC",
                             .target = &output->source,
                             .help = "What was downloaded",
                             .required = true,
                             .complete = Complete::kFile}},
            .flags = {{.name = "out",
                       .target = &output->out,
                       .help = "Data folder to write",
                       .hint = "DIR",
                       .required = true,
                       .complete = Complete::kFolder},
                      {.name = "overwrite",
                       .target = &output->overwrite,
                       .help = "Replace the data folder in DIR",
                       .excludes = {"update"},
                       .consent = true},
                      {.name = "update",
                       .target = &output->update,
                       .help = "Replace it, but keep the features of images that stay",
                       .consent = true}},
            .common = &output->common,
            .run = [output, read = std::move(read)] { finish(read(output->source), *output); }};
  verb.flags.insert(verb.flags.end(), flags.begin(), flags.end());
  return verb;
}

Flag images_flag(ImageOptions& images) {
  return {.name = "images",
          .target = &images.root,
          .help = "Folder of the images, if not the usual one",
          .hint = "ROOT",
          .complete = Complete::kFolder};
}

Flag allow_missing_flag(ImageOptions& images) {
  return {.name = "allow-missing",
          .target = &images.allow_missing,
          .help = "Keep rows whose image is not on disk, with a warning"};
}

Verb voc_verb() {
  const auto options = std::make_shared<VocOptions>();
  return source_verb("voc", "PASCAL VOC: a VOCdevkit or its VOC2012 folder",
                     {images_flag(options->images),
                      allow_missing_flag(options->images),
                      {.name = "year",
                       .target = &options->year,
                       .help = "Which VOC of the devkit",
                       .range = {2005, 2012},
                       .default_text = "2012"}},
                     [=](const Path& path) { return import_voc(path, *options); });
}

Verb coco_verb() {
  const auto options = std::make_shared<CocoOptions>();
  return source_verb("coco", "MS COCO: the folder with annotations/ in it",
                     {images_flag(options->images),
                      allow_missing_flag(options->images),
                      {.name = "year",
                       .target = &options->year,
                       .help = "Which year's annotations",
                       .choices = {"2014", "2017"},
                       .default_text = "2014 if it is there"}},
                     [=](const Path& path) { return import_coco(path, *options); });
}

Verb nus_verb() {
  const auto options = std::make_shared<NusOptions>();
  return source_verb(
      "nus", "NUS-WIDE: the original tree, or the authors' formatted files",
      {images_flag(options->images),
       allow_missing_flag(options->images),
       {.name = "train-rows",
        .target = &options->train_rows,
        .help = "Images drawn for training",
        .default_text = "150000, or the same share of fewer"},
       {.name = "seed", .target = &options->seed, .help = "Seed of the random split"}},
      [=](const Path& path) { return import_nus(path, *options); });
}

Verb cub_verb() {
  const auto options = std::make_shared<ImageOptions>();
  return source_verb("cub", "CUB-200-2011 with its 312 attributes",
                     {images_flag(*options), allow_missing_flag(*options)},
                     [=](const Path& path) { return import_cub(path, *options); });
}

// A table in CSV or in JSON Lines, whatever its name ends in: the same verb under two names.
Verb table_verb(const char* name, TableFormat format, const char* help) {
  const auto options = std::make_shared<TableOptions>();
  options->format = format;
  return source_verb(name, help,
                     {images_flag(options->images),
                      allow_missing_flag(options->images),
                      {.name = "classes",
                       .target = &options->classes,
                       .help = "Names of the classes, one per line, in order",
                       .hint = "FILE",
                       .complete = Complete::kFile},
                      {.name = "full",
                       .target = &options->complete,
                       .help = "The table lists every label of every image: write truth"},
                      {.name = "full-test",
                       .target = &options->full_test,
                       .help = "The test rows list every label: write truth for them"},
                      {.name = "complete",
                       .target = &options->complete_rows,
                       .help = "Images whose labels are all listed, one per line; a column or key "
                               "'complete' says the same",
                       .hint = "FILE",
                       .complete = Complete::kFile},
                      {.name = "no-header",
                       .target = Switch(&options->header, false),
                       .help = "The table has no header line"},
                      {.name = "image-column",
                       .target = &options->image_column,
                       .help = "Column of the images' names",
                       .hint = "NAME",
                       .default_text = "image, filename, path, photo or the like, else the first"},
                      {.name = "label-column",
                       .target = &options->label_columns,
                       .help = "Column of the labels",
                       .hint = "NAME",
                       .default_text = "label, tag, keyword, class or category, else all others"},
                      {.name = "tag-separator",
                       .target = &options->tag_separator,
                       .help = "Text between the tags of one cell; none: a cell is one tag",
                       .hint = "TEXT",
                       .default_text = "found by looking at the cells"},
                      {.name = "keep-case",
                       .target = &options->keep_case,
                       .help = "Take Cat and cat for two tags"},
                      {.name = "features",
                       .target = &options->features,
                       .help = "Feature matrix, one row per image",
                       .hint = "F.npy",
                       .complete = Complete::kFile},
                      {.name = "test-features",
                       .target = &options->test_features,
                       .help = "The same for the test images",
                       .hint = "F.npy",
                       .complete = Complete::kFile}},
                     [=](const Path& path) { return import_table(path, *options); });
}

}  // namespace

Verb import_verb() {
  return {.name = "import",
          .summary = "Make a data folder from a raw data set",
          .verbs = {voc_verb(), coco_verb(), nus_verb(), cub_verb(),
                    table_verb("csv", TableFormat::kCsv,
                               "A table image,label[,label...][,not][,complete][,split]"),
                    table_verb("jsonl", TableFormat::kJsonLines,
                               "JSON Lines: {\"image\", \"labels\", \"not\", ...}"),
                    source_verb("folder", "One sub-folder per class, images in it", {},
                                [](const Path& path) { return import_folder(path); })}};
}

}  // namespace spml::cli
