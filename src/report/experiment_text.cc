#include "report/experiment_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/csv.h"

namespace spml {
namespace {

using Lines = std::vector<std::vector<std::string>>;

constexpr size_t kMostWidth = 100;  // longer texts stick out instead of padding every line

// Columns as wide as their widest text, the first `left` of them left-aligned.
std::string aligned(const Lines& lines, size_t left) {
  std::vector<size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(line[i].size(), kMostWidth));
    }
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

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string with_deviation(const ResultPoint& point) {
  std::string text = number(point.ours);
  if (point.std) text += fmt::format(" +- {}", number(point.std));
  return text;
}

std::string mark(const ResultPoint& cell) {
  const int rank = cell.rank.value_or(0);
  return rank == 1 ? "*" : rank == 2 ? "+" : " ";
}

// A row's points for a data set; empty if it has none.
template <class T>
const T& of_dataset(const ByDataset<T>& values, const std::string& dataset) {
  static const T kNone{};
  const T* value = values.find(dataset);
  return value != nullptr ? *value : kNone;
}

bool is_given(const ExperimentResult& result, const std::string& dataset) {
  return std::ranges::any_of(result.rows, [&](const ResultRow& row) {
    return of_dataset(row.cells, dataset).ours.has_value();
  });
}

std::string table_text(const ExperimentResult& result) {
  const bool described =
      std::ranges::any_of(result.rows, [](const ResultRow& row) { return !row.labels.empty(); });
  Lines lines = {{""}, {result.row_title}};
  if (described) {
    lines[0].emplace_back();
    lines[1].emplace_back("labels it sees");
  }
  std::vector<bool> given;  // by column
  for (const std::string& name : result.columns) {
    given.push_back(is_given(result, name));
    const std::vector<std::string> titles =
        given.back() ? std::vector<std::string>{"ours", "paper", "difference"}
                     : std::vector<std::string>{"paper"};
    lines[0].push_back(name);
    lines[0].resize(lines[0].size() + titles.size() - 1);
    lines[1].insert(lines[1].end(), titles.begin(), titles.end());
  }
  for (const ResultRow& row : result.rows) {
    std::vector<std::string> line = {row.label};
    if (described) line.push_back(row.labels);
    for (size_t i = 0; i < given.size(); ++i) {
      const ResultPoint& cell = of_dataset(row.cells, result.columns[i]);
      if (given[i]) line.push_back(with_deviation(cell) + mark(cell));
      line.push_back(cell.paper ? fmt::format("{:.1f}", *cell.paper) : "-");
      if (!given[i]) continue;
      line.push_back(cell.difference ? fmt::format("{:+.2f}", *cell.difference) : "-");
    }
    lines.push_back(std::move(line));
  }
  return aligned(lines, described ? 2 : 1);
}

std::string curves_text(const ExperimentResult& result, const std::string& dataset) {
  Lines lines = {{result.x}};
  for (const ResultRow& row : result.rows) {
    const auto& points = of_dataset(row.curves, dataset);
    lines[0].push_back(row.label);
    for (size_t i = 0; i < points.size(); ++i) {
      if (lines.size() <= i + 1) lines.push_back({fmt::format("{:.4g}", points[i].x.value_or(0))});
      lines[i + 1].push_back(with_deviation(points[i]));
    }
  }
  if (lines.size() == 1) return "";
  std::string text = result.metric_text + "\n" + aligned(lines, 1);
  for (const ResultRow& row : result.rows) {
    const ResultPoint* reference = row.references.find(dataset);
    if (reference == nullptr || !reference->x) continue;
    text += fmt::format("{} at the true {} {:.4g}: {}\n", row.label, result.x, *reference->x,
                        with_deviation(*reference));
  }
  return text;
}

// Percent of the unobserved positives whose predicted probability is above one half.
double above_half(const std::vector<uint32_t>& bins) {
  double above = 0, all = 0;
  for (size_t i = 0; i < bins.size(); ++i) {
    all += bins[i];
    if (2 * i >= bins.size()) above += bins[i];
  }
  return all > 0 ? 100 * above / all : 0;
}

std::string heat_maps_text(const ExperimentResult& result, const std::string& dataset) {
  Lines lines = {{"epoch"}};
  for (const ResultRow& row : result.rows) {
    const Histograms& epochs = of_dataset(row.histograms, dataset);
    lines[0].push_back(row.label);
    for (size_t i = 0; i < epochs.size(); ++i) {
      if (lines.size() <= i + 1) lines.push_back({fmt::format("{}", i + 1)});
      lines[i + 1].push_back(fmt::format("{:.1f} %", above_half(epochs[i])));
    }
  }
  if (lines.size() == 1) return "";
  return "unobserved positives with a predicted probability of at least 0.5\n" + aligned(lines, 1);
}

// The fewest digits that distinguish the number from its neighbours, with a decimal point: 80.0.
std::string field(const std::optional<double>& value) {
  if (!value) return "";
  std::string text = fmt::format("{}", *value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

template <class Whole>
std::string whole_field(const std::optional<Whole>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string csv_record(const std::string& dataset, const ResultRow& row, const ResultPoint& point) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(dataset),
                     csv_field(row.label), field(point.x), field(point.labels_seen),
                     field(point.ours), field(point.std), field(point.paper),
                     field(point.difference), field(point.val_map), field(point.lr),
                     whole_field(point.batch), whole_field(point.best_epoch));
}

std::string heat_maps_csv(const ExperimentResult& result) {
  std::string text = "dataset,row,epoch,from,to,count\n";
  for (const ResultRow& row : result.rows) {
    for (const auto& [dataset, epochs] : row.histograms) {
      for (size_t epoch = 0; epoch < epochs.size(); ++epoch) {
        const std::vector<uint32_t>& bins = epochs[epoch];
        const auto n = static_cast<double>(bins.size());
        for (size_t i = 0; i < bins.size(); ++i) {
          text += fmt::format("{},{},{},{:g},{:g},{}\n", csv_field(dataset), csv_field(row.label),
                              epoch + 1, static_cast<double>(i) / n, static_cast<double>(i + 1) / n,
                              bins[i]);
        }
      }
    }
  }
  return text;
}

}  // namespace

std::string experiment_text(const ExperimentResult& result) {
  std::string text = result.title + "\n\n";
  if (result.show == Show::kTable) return text + table_text(result);
  for (const std::string& dataset : result.columns) {
    const std::string part = result.show == Show::kCurves ? curves_text(result, dataset)
                                                          : heat_maps_text(result, dataset);
    if (!part.empty()) text += fmt::format("{}: {}", dataset, part);
  }
  return text;
}

std::string experiment_csv(const ExperimentResult& result) {
  if (result.show == Show::kHeatMaps) return heat_maps_csv(result);
  std::string text =
      "dataset,row,x,labels_seen,ours,std,paper,difference,val_map,lr,batch,best_epoch\n";
  for (const ResultRow& row : result.rows) {
    for (const auto& [dataset, cell] : row.cells) text += csv_record(dataset, row, cell);
    for (const auto& [dataset, points] : row.curves) {
      for (const ResultPoint& point : points) text += csv_record(dataset, row, point);
    }
  }
  return text;
}

}  // namespace spml
