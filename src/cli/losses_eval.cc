// spml losses eval: one batch through one loss, for checking against other implementations.
#include <cmath>
#include <memory>
#include <optional>

#include "base/fail.h"
#include "cli/params.h"
#include "cli/print_json.h"
#include "cli/verbs.h"
#include "experiment/grid.h"
#include "formats/npy.h"
#include "loss/labels.h"

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

template <class T>
Matrix<T> read_matrix(const std::string& path) {
  if (path.empty()) return {};
  const NpyArray array(path);
  if (array.header().shape.size() != 2 || array.header().elements() == 0) {
    fail("{}: expected a matrix of B rows and L columns, found {} elements in {} dimensions", path,
         array.header().elements(), array.header().shape.size());
  }
  Matrix<T> matrix{std::vector<T>(array.header().elements()), array.rows(), array.cols()};
  for (size_t i = 0; i < matrix.rows; ++i) {
    array.read_row(i, std::span(matrix.values).subspan(i * matrix.cols, matrix.cols));
  }
  return matrix;
}

template <class T>
Matrix<T> read_logits(const std::string& path) {
  Matrix<T> matrix = read_matrix<T>(path);
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    if (std::isfinite(matrix.values[i])) continue;
    fail("{}: row {}, column {}: expected a finite number, found {}", path, i / matrix.cols,
         i % matrix.cols, matrix.values[i]);
  }
  return matrix;
}

Matrix<int8_t> read_labels(const std::string& path, int smallest) {
  Matrix<int8_t> matrix = read_matrix<int8_t>(path);
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    if (matrix.values[i] >= smallest && matrix.values[i] <= 1) continue;
    fail("{}: row {}, column {}: expected a label in {}..1, found {}", path, i / matrix.cols,
         i % matrix.cols, smallest, matrix.values[i]);
  }
  return matrix;
}

template <class A, class B>
void check_same_shape(const Matrix<A>& logits, const Matrix<B>& other, const std::string& path) {
  if (other.empty() || (other.rows == logits.rows && other.cols == logits.cols)) return;
  fail("{}: expected the shape of the logits, ({}, {}), found ({}, {})", path, logits.rows,
       logits.cols, other.rows, other.cols);
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
  const auto z = read_logits<T>(flags.logits);
  const auto u = read_logits<T>(flags.estimates);
  const auto observed = read_labels(flags.observed, -1), truth = read_labels(flags.truth, 0);
  check_same_shape(z, u, flags.estimates);
  check_same_shape(z, observed, flags.observed);
  check_same_shape(z, truth, flags.truth);
  const auto soft = read_logits<T>(flags.soft_labels), priors = read_logits<T>(flags.priors);
  check_same_shape(z, soft, flags.soft_labels);
  if (!priors.empty() && (priors.rows != 1 || priors.cols != z.cols)) {
    fail("{}: expected one row of {} priors, found ({}, {})", flags.priors, z.cols, priors.rows,
         priors.cols);
  }
  if (info.uses_estimates && u.empty()) {
    fail_usage("loss {} has label estimates: give their logits with --estimates U.npy", info.name);
  }

  const size_t B = z.rows, L = z.cols;
  const auto loss =
      make_loss(info.name, {.labels = L, .k = flags.k, .params = parse_params(flags.params, L)});
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
