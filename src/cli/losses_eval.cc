// spml losses eval: one batch through one loss, for checking against other implementations.
#include <cmath>
#include <memory>
#include <optional>

#include "base/fail.h"
#include "base/memory_budget.h"
#include "cli/params.h"
#include "cli/print_json.h"
#include "cli/verbs.h"
#include "formats/npy.h"
#include "loss/labels.h"
#include "settings/grid.h"

namespace spml::cli {
namespace {

struct EvalFlags {
  Common common;  // the output is JSON with or without --json
  std::string loss, logits, observed, estimates, truth, soft_labels, priors, precision = "float";
  std::optional<double> k;
  std::vector<std::string> params;
  uint64_t seed = 0, step = 0;
  int epoch = 1, epochs = 1;
};

template <class T>
struct Matrix {
  std::vector<T> values;
  size_t rows = 0, cols = 0;

  bool empty() const { return values.empty(); }
  View<const T> view() const { return {empty() ? nullptr : values.data(), rows, cols}; }
};

// Reads only the header; empty if there is no such file.
NpyArray open_matrix(const std::string& path) {
  if (path.empty()) return {};
  NpyArray array(path);
  if (array.header().shape.size() != 2 || array.header().elements() == 0) {
    fail("{}: expected a matrix of B rows and L columns, found {} elements in {} dimensions", path,
         array.header().elements(), array.header().shape.size());
  }
  return array;
}

template <class T>
Matrix<T> read_matrix(const NpyArray& array) {
  if (array.empty()) return {};
  Matrix<T> matrix{std::vector<T>(array.header().elements()), array.rows(), array.cols()};
  for (size_t i = 0; i < matrix.rows; ++i) {
    array.read_row(i, std::span(matrix.values).subspan(i * matrix.cols, matrix.cols));
  }
  return matrix;
}

template <class T>
Matrix<T> read_logits(const NpyArray& array) {
  Matrix<T> matrix = read_matrix<T>(array);
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    if (std::isfinite(matrix.values[i])) continue;
    fail("{}: row {}, column {}: expected a finite number, found {}", array.path().string(),
         i / matrix.cols, i % matrix.cols, matrix.values[i]);
  }
  return matrix;
}

Matrix<int8_t> read_labels(const NpyArray& array, int smallest) {
  Matrix<int8_t> matrix = read_matrix<int8_t>(array);
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    if (matrix.values[i] >= smallest && matrix.values[i] <= 1) continue;
    fail("{}: row {}, column {}: expected a label in {}..1, found {}", array.path().string(),
         i / matrix.cols, i % matrix.cols, smallest, matrix.values[i]);
  }
  return matrix;
}

void check_same_shape(const NpyArray& logits, const NpyArray& other) {
  if (other.empty() || (other.rows() == logits.rows() && other.cols() == logits.cols())) return;
  fail("{}: expected the shape of the logits, ({}, {}), found ({}, {})", other.path().string(),
       logits.rows(), logits.cols(), other.rows(), other.cols());
}

// Memory for a batch of this many elements: matrices, gradients, and the numbers as JSON and text.
void require_memory(const NpyArray& logits, size_t item_size, const LossInfo& info,
                    const Loss& loss) {
  constexpr uint64_t kPrinted = 200;  // bytes of one number
  const uint64_t printed = 1 + (info.uses_estimates ? 1 : 0) + (info.memory.labels ? 1 : 0);
  const uint64_t floats = 5 + loss.scratch_per_entry();  // z, u, soft labels and two gradients
  constexpr uint64_t kLabels = 4;                        // observed, truth, prepared and relabelled
  MemoryBudget().require(
      saturating_product(logits.header().elements(),
                         floats * item_size + kLabels + printed * kPrinted),
      fmt::format("{}: a batch of {} x {}", logits.path().string(), logits.rows(), logits.cols()));
}

template <class T>
Json rows_of(const std::vector<T>& values, size_t cols) {
  Json rows = Json::array();
  for (size_t i = 0; i < values.size(); i += cols) {
    rows.push_back(std::vector<T>(values.begin() + i, values.begin() + i + cols));
  }
  return rows;
}

template <class T>
void evaluate(const EvalFlags& flags) {
  const LossInfo& info = find_loss(flags.loss);
  const NpyArray logits = open_matrix(flags.logits), estimates = open_matrix(flags.estimates),
                 observed_file = open_matrix(flags.observed), truth_file = open_matrix(flags.truth),
                 soft_file = open_matrix(flags.soft_labels),
                 priors_file = open_matrix(flags.priors);
  const size_t B = logits.rows(), L = logits.cols();
  for (const NpyArray* other : {&estimates, &observed_file, &truth_file, &soft_file}) {
    check_same_shape(logits, *other);
  }
  if (!priors_file.empty() && (priors_file.rows() != 1 || priors_file.cols() != L)) {
    fail("{}: expected one row of {} priors, found ({}, {})", flags.priors, L, priors_file.rows(),
         priors_file.cols());
  }
  if (info.uses_estimates && estimates.empty()) {
    fail_usage("loss {} has label estimates: give their logits with --estimates U.npy", info.name);
  }
  const auto loss =
      make_loss(info.name, {.labels = L, .k = flags.k, .params = parse_params(flags.params, L)});
  require_memory(logits, sizeof(T), info, *loss);

  const auto z = read_logits<T>(logits), u = read_logits<T>(estimates);
  const auto observed = read_labels(observed_file, -1), truth = read_labels(truth_file, 0);
  const auto soft = read_logits<T>(soft_file), priors = read_logits<T>(priors_file);
  std::vector<int8_t> labels(B * L);
  prepare_labels(info, observed.view(), truth.view(), {labels.data(), B, L});
  std::vector<T> dz(B * L), du(B * L), scratch(loss->scratch_per_entry() * B * L);

  BasicLossInput<T> in;
  in.logits = z.view();
  in.observed = {labels.data(), B, L};
  in.soft_labels = soft.view();
  in.class_priors = priors.values;
  in.epoch = flags.epoch;
  in.epochs = flags.epochs;
  in.step = flags.step;
  in.seed = flags.seed;
  BasicLossOutput<T> out;
  out.logits = {dz.data(), B, L};
  out.scratch = scratch;
  std::vector<int8_t> relabelled = labels;
  out.relabelled = {relabelled.data(), B, L};
  if (info.uses_estimates) {
    in.estimates = u.view();
    out.estimates = {du.data(), B, L};
  }
  const double value = loss->evaluate(in, out);
  Json json = {{"value", value},
               {"dlogits", rows_of(dz, L)},
               {"destimates", info.uses_estimates ? rows_of(du, L) : Json()}};
  if (info.memory.labels) json["relabelled"] = rows_of(relabelled, L);
  print_json(json);
}

}  // namespace

Verb losses_eval_verb() {
  const auto flags = std::make_shared<EvalFlags>();
  const auto matrix = [](const char* name, std::string& target, const char* hint,
                         const char* help) {
    return Flag{
        .name = name, .target = &target, .help = help, .hint = hint, .complete = Complete::kFile};
  };
  Verb verb{.name = "eval",
            .summary = "Value and gradients of one batch, as JSON",
            .description = "For checking a loss against another implementation of it.",
            .positionals = {{.name = "NAME",
                             .target = &flags->loss,
                             .help = "Name of the loss",
                             .offers = loss_names(),
                             .required = true}},
            .common = &flags->common,
            .run = [flags] {
              flags->precision == "float" ? evaluate<float>(*flags) : evaluate<double>(*flags);
            }};
  verb.flags = {
      matrix("logits", flags->logits, "Z.npy", "B x L logits"),
      matrix("observed", flags->observed, "O.npy", "B x L observed labels: -1, 0, +1"),
      matrix("estimates", flags->estimates, "U.npy", "B x L logits of the label estimates"),
      matrix("truth", flags->truth, "Y.npy",
             "B x L true labels, 0 or 1, for losses that need them"),
      matrix("soft-labels", flags->soft_labels, "S.npy",
             "B x L soft labels in [0, 1], negative = none, for losses that have them"),
      matrix("priors", flags->priors, "P.npy", "1 x L class priors, for losses that have them"),
      {.name = "k", .target = &flags->k, .help = "Expected positives per example", .hint = "K"},
      param_flag(flags->params),
      {.name = "seed", .target = &flags->seed, .help = "For losses that sample"},
      {.name = "step", .target = &flags->step, .help = "Training step, from 0"},
      {.name = "epoch", .target = &flags->epoch, .help = "Epoch", .range = {1, 1 << 30}},
      {.name = "epochs", .target = &flags->epochs, .help = "Epochs in all", .range = {1, 1 << 30}},
      {.name = "precision",
       .target = &flags->precision,
       .help = "float is the one that trains",
       .choices = {"float", "double"}}};
  verb.flags[0].required = verb.flags[1].required = true;
  return verb;
}

}  // namespace spml::cli
