// spml import voc|coco|nus|cub|csv|folder
#include "data/import/import.h"

#include <fmt/core.h>

#include <functional>
#include <memory>

#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace spml::cli {
namespace {

// What every source shares.
struct Output {
  std::string source, out;
  bool overwrite = false;
  Common common;
};

Json counts_json(const PartCounts& counts) {
  return {{"rows", counts.rows},
          {"positives", counts.positives},
          {"rows_without_positive", counts.rows_without_positive}};
}

Json report_json(const ImportReport& report, const std::string& out) {
  Json json{{"name", report.name},
            {"out", out},
            {"labels", report.labels},
            {"label_kind", report.complete ? "truth" : "observed"},
            {"train_file", counts_json(report.train)},
            {"test_file", report.test.rows > 0 ? counts_json(report.test) : Json()},
            {"published", nullptr},
            {"warnings", report.warnings}};
  if (report.published) {
    json["published"] = {{"train_rows", report.published->train_rows},
                         {"test_rows", report.published->test_rows},
                         {"labels", report.published->labels}};
  }
  return json;
}

void print_row(std::string_view what, size_t found, const size_t* published) {
  fmt::print("{:<28}{:>10}{:>11}\n", what, found, published ? std::to_string(*published) : "-");
}

void print_report(const ImportReport& report, const std::string& out) {
  const PublishedCounts* paper = report.published ? &*report.published : nullptr;
  fmt::print("{} -> {} ({} labels)\n", report.name, out, report.complete ? "all" : "observed");
  fmt::print("{:<28}{:>10}{:>11}\n", "", "found", "published");
  print_row("training rows", report.train.rows, paper ? &paper->train_rows : nullptr);
  print_row("test rows", report.test.rows, paper ? &paper->test_rows : nullptr);
  print_row("labels", report.labels, paper ? &paper->labels : nullptr);
  print_row("training positives", report.train.positives, nullptr);
  print_row("training rows without any", report.train.rows_without_positive, nullptr);
  print_row("test positives", report.test.positives, nullptr);
  print_row("test rows without any", report.test.rows_without_positive, nullptr);
}

void finish(const ImportedSet& set, const Output& output) {
  write_data_folder(set, output.out, output.overwrite);
  const ImportReport report = report_import(set);
  for (const std::string& warning : report.warnings) {
    fmt::print(stderr, "spml: warning: {}\n", printable(warning));
  }
  if (output.common.json) {
    print_json(report_json(report, output.out));
  } else {
    print_report(report, output.out);
  }
}

// Adds one source; `read` is called with the parsed flags.
CLI::App& add_source(CLI::App& verb, const std::string& name, const std::string& help,
                     std::function<ImportedSet(const Path&)> read) {
  CLI::App& source = add_verb(verb, name, help);
  const auto output = std::make_shared<Output>();
  source.add_option("SRC", output->source, "What was downloaded")->required();
  source.add_option("--out", output->out, "Data folder to write")->required()->type_name("DIR");
  source.add_flag("--overwrite", output->overwrite, "Replace the data folder in DIR");
  add_json(source, output->common);
  source.callback([output, read = std::move(read)] { finish(read(output->source), *output); });
  return source;
}

void add_images(CLI::App& source, ImageOptions& images) {
  source.add_option("--images", images.root, "Folder of the images, if not the usual one")
      ->type_name("ROOT");
  source.add_flag("--allow-missing", images.allow_missing,
                  "Keep rows whose image is not on disk, with a warning");
}

void add_voc(CLI::App& verb) {
  const auto options = std::make_shared<VocOptions>();
  CLI::App& source = add_source(verb, "voc", "PASCAL VOC: a VOCdevkit or its VOC2012 folder",
                                [=](const Path& path) { return import_voc(path, *options); });
  add_images(source, options->images);
  source.add_option("--year", options->year, "Which VOC of the devkit (default: 2012)")
      ->check(CLI::Range(2005, 2012));
}

void add_coco(CLI::App& verb) {
  const auto options = std::make_shared<CocoOptions>();
  CLI::App& source = add_source(verb, "coco", "MS COCO: the folder with annotations/ in it",
                                [=](const Path& path) { return import_coco(path, *options); });
  add_images(source, options->images);
  source.add_option("--year", options->year, "2014 or 2017 (default: 2014 if it is there)")
      ->check(CLI::IsMember({2014, 2017}));
}

void add_nus(CLI::App& verb) {
  const auto options = std::make_shared<NusOptions>();
  CLI::App& source =
      add_source(verb, "nus", "NUS-WIDE: the original tree, or the authors' formatted files",
                 [=](const Path& path) { return import_nus(path, *options); });
  add_images(source, options->images);
  source.add_option("--train-rows", options->train_rows,
                    "Images drawn for training (default: 150000, or the same share of fewer)");
  source.add_option("--seed", options->seed, "Seed of the random split")->capture_default_str();
}

void add_cub(CLI::App& verb) {
  const auto options = std::make_shared<ImageOptions>();
  CLI::App& source = add_source(verb, "cub", "CUB-200-2011 with its 312 attributes",
                                [=](const Path& path) { return import_cub(path, *options); });
  add_images(source, *options);
}

void add_csv(CLI::App& verb) {
  const auto options = std::make_shared<TableOptions>();
  CLI::App& source =
      add_source(verb, "csv", "A table image,label[,label...][,split], or JSON Lines (.jsonl)",
                 [=](const Path& path) { return import_table(path, *options); });
  add_images(source, options->images);
  source.add_option("--classes", options->classes, "Names of the classes, one per line, in order")
      ->type_name("FILE");
  source.add_flag("--full", options->complete,
                  "The table lists every label of every image: write truth");
  source.add_flag("!--no-header", options->header, "The table has no header line");
  source.add_option("--features", options->features, "Feature matrix, one row per image")
      ->type_name("F.npy");
  source.add_option("--test-features", options->test_features, "The same for the test images")
      ->type_name("F.npy");
}

}  // namespace

void add_import(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("import", "Make a data folder from a raw data set");
  verb.require_subcommand(1);
  add_voc(verb);
  add_coco(verb);
  add_nus(verb);
  add_cub(verb);
  add_csv(verb);
  add_source(verb, "folder", "One sub-folder per class, images in it",
             [](const Path& path) { return import_folder(path); });
}

}  // namespace spml::cli
