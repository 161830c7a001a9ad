#include "report/experiment_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/csv.h"

namespace spml {
namespace {

using Lines = std::vector<std::vector<std::string>>;

// Columns as wide as their widest text, the first `left` of them aligned to the left.
std::string aligned(const Lines& lines, size_t left) {
  std::vector<size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
      out += i < left ? fmt::format("{:<{}}  ", line[i], widths[i])
                      : fmt::format("{:>{}}  ", line[i], widths[i]);
    }
    text += out.substr(0, out.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

bool is_number(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_number();
}

std::string number(const Json& object, const char* key, const char* missing = "-") {
  return is_number(object, key) ? fmt::format("{:.2f}", object[key].get<double>()) : missing;
}

std::string with_deviation(const Json& point) {
  std::string text = number(point, "ours");
  if (is_number(point, "std")) text += fmt::format(" +- {}", number(point, "std"));
  return text;
}

std::string mark(const Json& cell) {
  const int rank = is_number(cell, "rank") ? cell["rank"].get<int>() : 0;
  return rank == 1 ? "*" : rank == 2 ? "+" : " ";
}

// What a row has of `kind` (cells, curves, ...), by data set; empty when it has none.
const Json& by_dataset(const Json& row, const char* kind) {
  static const Json kNone = Json::object();
  return row.contains(kind) ? row[kind] : kNone;
}

const Json& of_dataset(const Json& row, const char* kind, const std::string& dataset) {
  static const Json kNone = Json::array();
  const Json& all = by_dataset(row, kind);
  return all.contains(dataset) ? all[dataset] : kNone;
}

std::string table_text(const Json& result) {
  const bool described = std::ranges::any_of(
      result.at("rows"), [](const Json& row) { return row.contains("labels"); });
  Lines lines = {{""}, {result.at("row_title").get<std::string>()}};
  if (described) {
    lines[0].emplace_back();
    lines[1].emplace_back("labels it sees");
  }
  std::vector<std::pair<std::string, bool>> columns;  // data set, and whether it was given
  for (const Json& column : result.at("columns")) {
    const auto name = column.get<std::string>();
    const bool given = std::ranges::any_of(result.at("rows"), [&](const Json& row) {
      return is_number(of_dataset(row, "cells", name), "ours");
    });
    columns.emplace_back(name, given);
    const std::vector<std::string> titles =
        given ? std::vector<std::string>{"ours", "paper", "difference"}
              : std::vector<std::string>{"paper"};
    lines[0].push_back(name);
    lines[0].resize(lines[0].size() + titles.size() - 1);
    lines[1].insert(lines[1].end(), titles.begin(), titles.end());
  }
  for (const Json& row : result.at("rows")) {
    std::vector<std::string> line = {row.at("label").get<std::string>()};
    if (described) line.push_back(row.value("labels", ""));
    for (const auto& [name, given] : columns) {
      const Json& cell = of_dataset(row, "cells", name);
      if (given) line.push_back(with_deviation(cell) + mark(cell));
      line.push_back(is_number(cell, "paper") ? fmt::format("{:.1f}", cell["paper"].get<double>())
                                              : "-");
      if (!given) continue;
      line.push_back(is_number(cell, "difference")
                         ? fmt::format("{:+.2f}", cell["difference"].get<double>())
                         : "-");
    }
    lines.push_back(std::move(line));
  }
  return aligned(lines, described ? 2 : 1);
}

std::string curves_text(const Json& result, const std::string& dataset) {
  const auto x = result.at("x").get<std::string>();
  Lines lines = {{x}};
  for (const Json& row : result.at("rows")) {
    const Json& points = of_dataset(row, "curves", dataset);
    lines[0].push_back(row.at("label").get<std::string>());
    for (size_t i = 0; i < points.size(); ++i) {
      if (lines.size() <= i + 1)
        lines.push_back({fmt::format("{:.4g}", points[i]["x"].get<double>())});
      lines[i + 1].push_back(with_deviation(points[i]));
    }
  }
  if (lines.size() == 1) return "";
  std::string text = result.at("metric_text").get<std::string>() + "\n" + aligned(lines, 1);
  for (const Json& row : result.at("rows")) {
    const Json& reference = of_dataset(row, "references", dataset);
    if (reference.empty()) continue;
    text += fmt::format("{} at the true {} {:.4g}: {}\n", row.at("label").get<std::string>(), x,
                        reference["x"].get<double>(), with_deviation(reference));
  }
  return text;
}

// Percent of the unobserved positives whose predicted probability is above one half.
double above_half(const Json& bins) {
  double above = 0, all = 0;
  for (size_t i = 0; i < bins.size(); ++i) {
    const double count = bins[i].get<double>();
    all += count;
    if (2 * i >= bins.size()) above += count;
  }
  return all > 0 ? 100 * above / all : 0;
}

std::string heat_maps_text(const Json& result, const std::string& dataset) {
  Lines lines = {{"epoch"}};
  for (const Json& row : result.at("rows")) {
    const Json& epochs = of_dataset(row, "histograms", dataset);
    lines[0].push_back(row.at("label").get<std::string>());
    for (size_t i = 0; i < epochs.size(); ++i) {
      if (lines.size() <= i + 1) lines.push_back({fmt::format("{}", i + 1)});
      lines[i + 1].push_back(fmt::format("{:.1f} %", above_half(epochs[i])));
    }
  }
  if (lines.size() == 1) return "";
  return "unobserved positives with a predicted probability of at least 0.5\n" + aligned(lines, 1);
}

std::string field(const Json& object, const char* key) {
  return is_number(object, key) ? object[key].dump() : "";
}

std::string csv_record(const std::string& dataset, const Json& row, const Json& point) {
  std::string text =
      fmt::format("{},{}", csv_field(dataset), csv_field(row.at("label").get<std::string>()));
  for (const char* key : {"x", "labels_seen", "ours", "std", "paper", "difference", "val_map", "lr",
                          "batch", "best_epoch"}) {
    text += fmt::format(",{}", field(point, key));
  }
  return text + "\n";
}

std::string heat_maps_csv(const Json& result) {
  std::string text = "dataset,row,epoch,from,to,count\n";
  for (const Json& row : result.at("rows")) {
    for (const auto& [dataset, epochs] : by_dataset(row, "histograms").items()) {
      for (size_t epoch = 0; epoch < epochs.size(); ++epoch) {
        const Json& bins = epochs[epoch];
        const auto n = static_cast<double>(bins.size());
        for (size_t i = 0; i < bins.size(); ++i) {
          text += fmt::format("{},{},{},{:g},{:g},{}\n", csv_field(dataset),
                              csv_field(row.at("label").get<std::string>()), epoch + 1,
                              static_cast<double>(i) / n, static_cast<double>(i + 1) / n,
                              bins[i].dump());
        }
      }
    }
  }
  return text;
}

}  // namespace

std::string experiment_text(const Json& result) {
  const auto show = result.at("show").get<std::string>();
  std::string text = result.at("title").get<std::string>() + "\n\n";
  if (show == "table") return text + table_text(result);
  for (const Json& column : result.at("columns")) {
    const auto dataset = column.get<std::string>();
    const std::string part =
        show == "curves" ? curves_text(result, dataset) : heat_maps_text(result, dataset);
    if (part.empty()) continue;
    text += fmt::format("{}: {}", dataset, part);
  }
  return text;
}

std::string experiment_csv(const Json& result) {
  if (result.at("show") == "heatmaps") return heat_maps_csv(result);
  std::string text =
      "dataset,row,x,labels_seen,ours,std,paper,difference,val_map,lr,batch,best_epoch\n";
  for (const Json& row : result.at("rows")) {
    for (const auto& [dataset, cell] : by_dataset(row, "cells").items()) {
      text += csv_record(dataset, row, cell);
    }
    for (const auto& [dataset, points] : by_dataset(row, "curves").items()) {
      for (const Json& point : points) text += csv_record(dataset, row, point);
    }
  }
  return text;
}

}  // namespace spml
