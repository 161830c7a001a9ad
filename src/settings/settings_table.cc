// The table of settings. A new one is a line here, a member of TrainConfig and its use.
#include <fmt/core.h>

#include "settings/settings.h"

namespace spml {
namespace {

// at<&TrainConfig::batch>, at<&TrainConfig::image, &ImageConfig::size>
template <auto Member>
auto& member(TrainConfig& config) {
  return config.*Member;
}
template <auto Outer, auto Inner>
auto& member(TrainConfig& config) {
  return config.*Outer.*Inner;
}
template <auto... Members>
constexpr auto at = &member<Members...>;

constexpr auto kEstimator = &TrainConfig::estimator;
constexpr auto kImage = &TrainConfig::image;

template <auto... Members>
void copy(const TrainConfig& from, TrainConfig& to) {
  TrainConfig values = from;
  member<Members...>(to) = member<Members...>(values);
}

std::string observe_text(const TrainConfig& c) {
  if (!c.observe) return "";
  std::string text =
      fmt::format("pos={},neg={},seed={}", c.observe->num_pos, c.observe->num_neg, c.observe->seed);
  if (c.observe->complete > 0) text += fmt::format(",complete={}", c.observe->complete);
  return text;
}

const Words kModeWords = {[](const TrainConfig& c) { return std::string(to_string(c.mode)); },
                          [](TrainConfig& c, std::string_view text) { c.mode = mode_from(text); },
                          copy<&TrainConfig::mode>};
const Words kEstimatorWords = {
    [](const TrainConfig& c) { return std::string(to_string(c.estimator.kind)); },
    [](TrainConfig& c, std::string_view text) { c.estimator.kind = estimator_from(text); },
    copy<kEstimator, &EstimatorChoice::kind>};
const Words kSelectWords = {
    [](const TrainConfig& c) { return std::string(to_string(c.select)); },
    [](TrainConfig& c, std::string_view text) { c.select = select_from(text); },
    copy<&TrainConfig::select>};
const Words kTransformWords = {
    [](const TrainConfig& c) { return std::string(to_string(c.transform)); },
    [](TrainConfig& c, std::string_view text) { c.transform = transform_kind(text); },
    copy<&TrainConfig::transform>};
const Words kObserveWords = {
    observe_text, [](TrainConfig& c, std::string_view text) { c.observe = observe_from(text); },
    copy<&TrainConfig::observe>};
const Words kRecordWords = {
    [](const TrainConfig& c) {
      return std::string(c.record_unobserved_positives ? "unobserved-positives" : "");
    },
    [](TrainConfig& c, std::string_view) { c.record_unobserved_positives = true; },
    copy<&TrainConfig::record_unobserved_positives>};

bool has_estimates(const TrainConfig& c) { return loss_info(c).uses_estimates; }
bool trains_images(const TrainConfig& c) { return c.mode != Mode::kLinear; }

const SettingNeed kLinear = {[](const TrainConfig& c) { return c.mode == Mode::kLinear; },
                             "--mode linear"};
const SettingNeed kSteps = {takes_steps, "a loss that is trained by steps"};
const SettingNeed kLinearSteps = {
    [](const TrainConfig& c) { return c.mode == Mode::kLinear && takes_steps(c); },
    "--mode linear and a loss that is trained by steps"};
const SettingNeed kImages = {trains_images, "--mode finetune or linear-init"};
const SettingNeed kLinearInit = {[](const TrainConfig& c) { return c.mode == Mode::kLinearInit; },
                                 "--mode linear-init"};
const SettingNeed kEstimates = {has_estimates,
                                "a loss with label estimates: --loss role or role+X"};
const SettingNeed kFactored = {[](const TrainConfig& c) {
                                 return has_estimates(c) &&
                                        c.estimator.kind == EstimatorKind::kFactored;
                               },
                               "--estimator factored"};
const SettingNeed kNetwork = {[](const TrainConfig& c) {
                                return has_estimates(c) &&
                                       c.estimator.kind == EstimatorKind::kNetwork;
                              },
                              "--estimator network"};

const SettingNeed kPatience = {[](const TrainConfig& c) { return c.patience > 0; }, "--patience"};

const SettingNeed kShardedRows = {[](const TrainConfig& c) { return c.shard_by == "rows"; },
                                  "--shard-by rows"};

// A checkpoint lists every epoch, some with a histogram, and is read back as JSON of bounded size.
constexpr int kMaxEpochs = 50'000;

const Setting kSettings[] = {
    {.name = "loss",
     .access = at<&TrainConfig::loss>,
     .help = "The loss; `spml losses` lists them",
     .hint = "NAME",
     .axis = 1,
     .written = Written::kAlways,
     .searched = true,
     .validates = false,
     .in_trial = 1},
    {.name = "param",
     .access = at<&TrainConfig::params>,
     .help =
         "A parameter of the loss; the value L is the number of labels. `spml losses` lists them",
     .hint = "NAME=VALUE",
     .axis = 2,
     .written = Written::kAlways,
     .searched = true,
     .validates = false,
     .in_trial = 2},
    {.name = "estimator",
     .access = kEstimatorWords,
     .help = "How label estimates are kept: as an N x L table, factored, or by a network",
     .choices = {"table", "factored", "network"},
     .axis = 3,
     .need = kEstimates,
     .written = Written::kWithNeed,
     .searched = true,
     .validates = false,
     .group = SettingGroup::kEstimates},
    {.name = "rank",
     .access = at<kEstimator, &EstimatorChoice::rank>,
     .help = "Rank of the factored estimates",
     .range = {1, 4096},
     .axis = 4,
     .need = kFactored,
     .written = Written::kWithNeed,
     .searched = true,
     .validates = false,
     .group = SettingGroup::kEstimates},
    {.name = "hidden",
     .access = at<kEstimator, &EstimatorChoice::hidden>,
     .help = "Hidden units of the estimating network",
     .range = {1, 65536},
     .axis = 5,
     .need = kNetwork,
     .written = Written::kWithNeed,
     .searched = true,
     .validates = false,
     .group = SettingGroup::kEstimates},
    {.name = "mode",
     .access = kModeWords,
     .help = "What is trained: a linear layer on features, the whole network, or the network from "
             "a linear start",
     .choices = {"linear", "finetune", "linear-init"},
     .written = Written::kAlways},
    {.name = "lr",
     .access = at<&TrainConfig::lr>,
     .help = "Learning rate",
     .range = kPositive,
     .sweep_default = "the paper's 1e-2,1e-3,1e-4,1e-5",
     .by_mode = kDefaultLearningRate,
     .axis = 60,
     .need = kSteps,
     .written = Written::kAlways,
     .searched = true,
     .validates = false,
     .of_phase = true,
     .in_trial = 4},
    {.name = "batch",
     .access = at<&TrainConfig::batch>,
     .help = "Rows in a batch",
     .range = {1, 1 << 20},
     .sweep_default = "the paper's 8,16",
     .axis = 70,
     .need = kSteps,
     .written = Written::kAlways,
     .searched = true,
     .validates = false,
     .in_trial = 5},
    {.name = "epochs",
     .access = at<&TrainConfig::epochs>,
     .help = "Epochs",
     .range = {1, kMaxEpochs},
     .by_mode = kDefaultEpochs,
     .axis = 50,
     .need = kSteps,
     .written = Written::kAlways,
     .validates = false,
     .of_phase = true,
     .in_trial = 7,
     .in_experiments = true},
    {.name = "seed",
     .access = at<&TrainConfig::seed>,
     .help = "Seed of initial weights, batch order and sampling",
     .axis = 80,
     .written = Written::kAlways,
     .validates = false},
    {.name = "k",
     .access = at<&TrainConfig::k>,
     .help = "Expected positives per example",
     .hint = "K",
     .range = kPositive,
     .default_text = "dataset.json, else from truth, else from the observed labels",
     .axis = 40,
     .validates = false,
     .in_experiments = true},
    {.name = "observe",
     .access = kObserveWords,
     .help = "Draw observed labels from the truth instead of reading them",
     .hint = "pos=1,neg=0,seed=1200",
     .in_experiments = true},
    {.name = "select",
     .access = kSelectWords,
     .help = "Choose the best epoch on full (clean) or on observed validation labels",
     .choices = {"clean", "observed"},
     .written = Written::kAlways,
     .in_experiments = true},
    {.name = "val-fraction",
     .access = at<&TrainConfig::val_fraction>,
     .help = "Fraction of the training file held out for validation",
     .range = {0, 1},
     .written = Written::kAlways,
     .in_experiments = true},
    {.name = "split-seed",
     .access = at<&TrainConfig::split_seed>,
     .help = "Seed of that split",
     .written = Written::kAlways,
     .in_experiments = true},
    {.name = "subsample",
     .access = at<&TrainConfig::subsample>,
     .help = "Train on this fraction of the training rows",
     .range = {0, 1},
     .axis = 10,
     .written = Written::kAlways,
     .in_trial = 8,
     .in_experiments = true},
    {.name = "transform",
     .access = kTransformWords,
     .help = "Transform the features; sqrt is signed",
     .choices = {"none", "sqrt", "l2", "standardize"},
     .axis = 20,
     .need = kLinear,
     .written = Written::kAlways,
     .searched = true,
     .validates = false,
     .in_result = true,
     .in_trial = 3,
     .in_experiments = true},
    {.name = "weight-decay",
     .access = at<&TrainConfig::weight_decay>,
     .help = "Adam's weight decay",
     .range = kAtLeastZero,
     .axis = 30,
     .need = kSteps,
     .written = Written::kAlways,
     .searched = true,
     .validates = false,
     .of_phase = true,
     .said = "weight decay {}",
     .in_result = true,
     .in_trial = 6,
     .in_experiments = true},
    {.name = "average",
     .access = at<&TrainConfig::average>,
     .help = "Train this many classifiers that differ in their seed, and keep the mean of their "
             "weights",
     .hint = "N",
     .range = {1, 100},
     .axis = 35,
     .need = kLinearSteps,
     .searched = true,
     .validates = false,
     .said = "mean of {} seeds",
     .in_result = true,
     .in_experiments = true},
    {.name = "blend-ridge",
     .access = at<&TrainConfig::blend_ridge>,
     .help = "Keep the mean of the classifier and of the one that --loss ridge gives, scaled alike",
     .need = kLinearSteps,
     .searched = true,
     .validates = false,
     .said = "blended with ridge",
     .in_result = true,
     .in_experiments = true},
    {.name = "patience",
     .access = at<&TrainConfig::patience>,
     .help = "Stop after this many epochs without a better one; 0: never",
     .range = {0, kMaxEpochs},
     .need = kSteps,
     .written = Written::kAlways,
     .of_phase = true,
     .in_experiments = true},
    {.name = "min-delta",
     .access = at<&TrainConfig::min_delta>,
     .help = "Points of validation MAP by which an epoch must be better to count for --patience",
     .range = {0, 100},
     .need = kPatience,
     .of_phase = true,
     .in_experiments = true},
    {.name = "record",
     .access = kRecordWords,
     .help = "Per epoch, the histogram of the predicted probability of unobserved positives",
     .choices = {"unobserved-positives"},
     .of_phase = true,
     .in_experiments = true},
    {.name = "shard-by",
     .access = at<&TrainConfig::shard_by>,
     .help = "What each of several ranks has a part of: labels, or rows",
     .need = kLinear,
     .is_flag = false},
    {.name = "sync-every",
     .access = at<&TrainConfig::sync_every>,
     .help = "With rows: steps between two exchanges",
     .need = kShardedRows,
     .is_flag = false},
    {.name = "weights",
     .access = at<kImage, &ImageConfig::weights>,
     .help = "Where the network starts",
     .hint = "FILE.safetensors",
     .default_text = "what `spml weights fetch` made",
     .need = kImages,
     .written = Written::kNever,  // files count by their contents, not by where they are
     .group = SettingGroup::kImages,
     .complete = Complete::kFile},
    {.name = "weights-sha256",
     .access = at<kImage, &ImageConfig::weights_sha256>,
     .help = "Checksum of the file in which the network starts",
     .need = kImages,
     .written = Written::kWithNeed,
     .is_flag = false,
     .group = SettingGroup::kImages},
    {.name = "size",
     .access = at<kImage, &ImageConfig::size>,
     .help = "Images are resized to SIZE x SIZE",
     .hint = "SIZE",
     .range = {32, 4096},
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "train-from",
     .access = at<kImage, &ImageConfig::train_from>,
     .help = "The first layer that learns; what those below it compute is kept on disk",
     .choices = {"conv1", "layer1", "layer2", "layer3", "layer4"},
     .need = kImages,
     .written = Written::kUnlessDefault,
     .group = SettingGroup::kImages},
    {.name = "accumulate",
     .access = at<kImage, &ImageConfig::accumulate>,
     .help = "Parts in which a batch goes through the network, to save memory",
     .range = {1, 1 << 20},
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "schedule",
     .access = at<kImage, &ImageConfig::schedule>,
     .help = "Whether the learning rate stays, or falls to 0 along half a cosine by the end",
     .choices = {"constant", "cosine"},
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "warmup",
     .access = at<kImage, &ImageConfig::warmup>,
     .help = "The share of the run in which the learning rate rises from 0",
     .range = {0, 1},
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "head-lr-factor",
     .access = at<kImage, &ImageConfig::head_lr_factor>,
     .help = "The linear layer's learning rate divided by the network's",
     .range = kPositive,
     .by_mode = kDefaultHeadLrFactor,
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "freeze-bn",
     .access = at<kImage, &ImageConfig::freeze_bn>,
     .help =
         "Leave batch normalisation unchanged: statistics, weights and biases; --freeze-bn=false "
         "trains it",
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "device",
     .access = at<kImage, &ImageConfig::device>,
     .help = "auto, cpu, cuda or cuda:N",
     .hint = "DEVICE",
     .need = kImages,
     .written = Written::kWithNeed,
     .group = SettingGroup::kImages},
    {.name = "init",
     .access = at<kImage, &ImageConfig::init>,
     .help = "The linear run, or sweep, to start from",
     .hint = "RUN|SWEEP",
     .default_text = "trained first",
     .need = kLinearInit,
     .group = SettingGroup::kImages,
     .complete = Complete::kFolder},
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

}  // namespace spml
