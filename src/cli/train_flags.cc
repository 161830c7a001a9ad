#include "cli/train_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "base/text.h"
#include "cli/images.h"
#include "cli/params.h"
#include "experiment/presets.h"

namespace spml::cli {
namespace {

// --param name=v1,v2 of a sweep, as one list of values per name.
std::map<std::string, std::vector<double>> parameter_axes(const TrainFlags& flags, size_t labels) {
  std::map<std::string, std::vector<double>> axes;
  for (const std::string& text : flags.params) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) parse_params({text}, labels);  // says what is wrong
    const std::string name = text.substr(0, equals);
    if (axes.contains(name)) fail_usage("--param {} is given twice", name);
    std::string rest = text.substr(equals + 1);
    for (size_t begin = 0; begin <= rest.size();) {
      const size_t end = std::min(rest.find(',', begin), rest.size());
      const std::string value = rest.substr(begin, end - begin);
      axes[name].push_back(parse_params({name + "=" + value}, labels).at(name));
      begin = end + 1;
    }
  }
  return axes;
}

bool has_parameter(const LossInfo& loss, std::string_view name) {
  return std::any_of(loss.params.begin(), loss.params.end(),
                     [&](const LossParameter& p) { return p.name == name; });
}

void check_parameters_are_known(const TrainFlags& flags,
                                const std::map<std::string, std::vector<double>>& axes) {
  std::vector<std::string> known;
  for (const std::string& name : flags.loss) {
    for (const LossParameter& p : find_loss(name).params) known.emplace_back(p.name);
  }
  for (const auto& [name, values] : axes) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail_usage("--param {}: no loss given here has it{}; `spml losses` lists the parameters",
                 name, did_you_mean(name, known));
    }
  }
}

// Every way to choose the loss's parameters from the axes.
std::vector<LossParameters> parameter_sets(const LossInfo& loss,
                                           const std::map<std::string, std::vector<double>>& axes) {
  std::vector<LossParameters> sets = {{}};
  for (const auto& [name, values] : axes) {
    if (!has_parameter(loss, name)) continue;
    std::vector<LossParameters> longer;
    for (const LossParameters& set : sets) {
      for (const double value : values) {
        longer.push_back(set);
        longer.back()[name] = value;
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

// Every way to represent the label estimates. A flag that nothing here can use is an error.
std::vector<EstimatorChoice> estimator_choices(const TrainFlags& flags) {
  const auto given = [&](EstimatorKind kind) {
    return std::ranges::find(flags.estimator, to_string(kind)) != flags.estimator.end();
  };
  if (!flags.estimator.empty() && std::ranges::none_of(flags.loss, [](const std::string& name) {
        return find_loss(name).uses_estimates;
      })) {
    fail_usage("--estimator: no loss given here has label estimates; role and role+X have");
  }
  if ((given(EstimatorKind::kFactored) || given(EstimatorKind::kNetwork)) &&
      flags.mode != to_string(Mode::kLinear)) {
    fail_usage("--mode {}: expected --estimator table; the others are for linear runs", flags.mode);
  }
  if (flags.estimator.empty()) return {EstimatorChoice()};
  std::vector<EstimatorChoice> choices;
  for (const std::string& name : flags.estimator) {
    EstimatorChoice choice;
    choice.kind = estimator_from(name);
    const auto add_sizes = [&](size_t& size, const std::vector<size_t>& values) {
      for (const size_t value : values.empty() ? std::vector{size} : values) {
        size = value;
        choices.push_back(choice);
      }
    };
    if (choice.kind == EstimatorKind::kTable) choices.push_back(choice);
    if (choice.kind == EstimatorKind::kFactored) add_sizes(choice.rank, flags.rank);
    if (choice.kind == EstimatorKind::kNetwork) add_sizes(choice.hidden, flags.hidden);
  }
  return choices;
}

// A list of optional values: none given is one run with the default.
template <class T>
std::vector<std::optional<T>> optional_axis(const std::vector<T>& values) {
  if (values.empty()) return {std::nullopt};
  return {values.begin(), values.end()};
}

void add_image_flags(std::vector<Flag>& all, TrainFlags& flags) {
  const std::vector<Flag> image_flags = {
      {.name = "weights",
       .target = &flags.weights,
       .help = "Where the network starts",
       .hint = "FILE.safetensors",
       .default_text = "what `spml weights fetch` made",
       .complete = Complete::kFile},
      {.name = "size",
       .target = &flags.size,
       .help = "Images are resized to SIZE x SIZE",
       .range = {32, 4096},
       .default_text = "448"},
      {.name = "accumulate",
       .target = &flags.accumulate,
       .help = "Parts in which a batch goes through the network, to save memory",
       .range = {1, 1 << 20},
       .default_text = "1"},
      {.name = "head-lr-factor",
       .target = &flags.head_lr_factor,
       .help = "The linear layer's learning rate divided by the network's",
       .range = kPositive,
       .default_text = "1"},
      {.name = "freeze-bn",
       .target = &flags.freeze_bn,
       .help = "Leave batch normalisation as it is"},
      {.name = "device",
       .target = &flags.device,
       .help = "auto, cpu, cuda or cuda:N",
       .offers = {"auto", "cpu", "cuda"},
       .default_text = "auto"},
      {.name = "init",
       .target = &flags.init,
       .help = "linear-init: the linear run, or sweep, to start from",
       .hint = "RUN|SWEEP",
       .default_text = "trained first",
       .complete = Complete::kFolder}};
  for (Flag flag : image_flags) {
    flag.group = "Flags of --mode finetune and linear-init";
    all.push_back(std::move(flag));
  }
}

ImageConfig image_config(const TrainFlags& flags) {
  ImageConfig image;
  if (flags.is_linear()) return image;
  image.weights = flags.weights;
  image.size = flags.size.value_or(image.size);
  image.accumulate = flags.accumulate.value_or(image.accumulate);
  image.head_lr_factor = flags.head_lr_factor.value_or(image.head_lr_factor);
  image.freeze_bn = flags.freeze_bn;
  if (!flags.device.empty()) image.device = flags.device;
  image.init = flags.init;
  complete(image);
  return image;
}

}  // namespace

void add_train_flags(Verb& verb, TrainFlags& flags, bool lists) {
  const auto axis = [&](Flag flag) {
    flag.commas = flag.several = lists;
    flag.once = !lists;
    verb.flags.push_back(std::move(flag));
  };
  const auto one = [&](Flag flag) { verb.flags.push_back(std::move(flag)); };
  verb.positionals = {data_folder(flags.data)};
  axis({.name = "loss",
        .target = &flags.loss,
        .help = "The loss; `spml losses` lists them",
        .hint = lists ? "NAME,..." : "NAME",
        .offers = loss_names(),
        .required = true});
  std::vector<std::string> presets, summaries;
  for (const Preset& preset : all_presets()) {
    presets.emplace_back(preset.name);
    summaries.push_back(fmt::format("{} ({})", preset.name, preset.summary));
  }
  one({.name = "preset",
       .target = &flags.preset,
       .help = fmt::format("A recipe; flags given beside it win: {}", fmt::join(summaries, "; ")),
       .hint = "NAME",
       .offers = presets,
       .expands = [](const std::string& name) {
         return Expansion{std::string(find_preset(name).flags), name};
       }});
  one({.name = "mode",
       .target = &flags.mode,
       .help = "What is trained",
       .choices = {"linear", "finetune", "linear-init"}});
  axis({.name = "lr",
        .target = &flags.lr,
        .help = "Learning rate",
        .range = kPositive,
        .default_text = lists ? "the paper's 1e-2,1e-3,1e-4,1e-5" : "1e-3 linear, 1e-5 otherwise"});
  axis({.name = "batch",
        .target = &flags.batch,
        .help = "Rows in a batch",
        .range = {1, 1 << 20},
        .default_text = lists ? "the paper's 8,16" : "16"});
  axis({.name = "epochs",
        .target = &flags.epochs,
        .help = "Epochs",
        .range = {1, 1000000},
        .default_text = "25 linear, 10 finetune, 5 linear-init"});
  axis({.name = lists ? "seeds" : "seed",
        .target = &flags.seeds,
        .help = "Seed of initial weights, batch order and sampling",
        .also = lists ? "seed" : ""});
  axis({.name = "k",
        .target = &flags.k,
        .help = "Expected positives per example",
        .range = kPositive,
        .default_text = "dataset.json, else from truth"});
  axis({.name = "estimator",
        .target = &flags.estimator,
        .help = "How label estimates are kept: an N x L table, factored, or by a network",
        .choices = {"table", "factored", "network"},
        .default_text = "table"});
  axis({.name = "rank",
        .target = &flags.rank,
        .help = "Rank of the factored estimates",
        .range = {1, 4096},
        .default_text = "16",
        .needs = {{"estimator", "factored"}}});
  axis({.name = "hidden",
        .target = &flags.hidden,
        .help = "Hidden units of the estimating network",
        .range = {1, 65536},
        .default_text = "64",
        .needs = {{"estimator", "network"}}});
  one(param_flag(flags.params));
  one({.name = "observe",
       .target = &flags.observe,
       .help = "Draw observed labels from the truth instead of reading them",
       .hint = "pos=1,neg=0,seed=1200"});
  one({.name = "select",
       .target = &flags.select,
       .help = "Choose the best epoch on full (clean) or on observed validation labels",
       .choices = {"clean", "observed"}});
  one({.name = "val-fraction",
       .target = &flags.val_fraction,
       .help = "Part of the training file held out",
       .range = {0, 1}});
  one({.name = "split-seed", .target = &flags.split_seed, .help = "Seed of that split"});
  axis({.name = "subsample",
        .target = &flags.subsample,
        .help = "Train on this fraction of the training rows",
        .range = {0, 1}});
  axis({.name = "transform",
        .target = &flags.transform,
        .help = "Of the features; sqrt is signed",
        .choices = {"none", "sqrt", "l2", "standardize"}});
  axis({.name = "weight-decay",
        .target = &flags.weight_decay,
        .help = "Adam's weight decay",
        .range = kAtLeastZero});
  one({.name = "patience",
       .target = &flags.patience,
       .help = "Stop after so many epochs without a better one; 0: never",
       .range = kAtLeastZero});
  one({.name = "record",
       .target = &flags.record,
       .help = "Per epoch, the histogram of the predicted probability of unobserved positives",
       .choices = {"unobserved-positives"}});
  add_image_flags(verb.flags, flags);
}

void check_image_flags(const TrainFlags& flags) {
  const bool given = !flags.weights.empty() || flags.size || flags.accumulate ||
                     flags.head_lr_factor || flags.freeze_bn || !flags.device.empty() ||
                     !flags.init.empty();
  if (flags.is_linear() && given) {
    fail_usage(
        "--weights, --size, --accumulate, --head-lr-factor, --freeze-bn, --device and --init "
        "need --mode finetune or linear-init");
  }
  if (flags.mode == "finetune" && !flags.init.empty()) {
    fail_usage("--init needs --mode linear-init");
  }
}

std::vector<TrainConfig> expand(const TrainFlags& flags, size_t labels,
                                const std::vector<double>& default_lr,
                                const std::vector<size_t>& default_batch) {
  TrainConfig base;
  base.mode = mode_from(flags.mode);
  base.select = select_from(flags.select);
  if (!flags.observe.empty()) base.observe = observe_from(flags.observe);
  base.val_fraction = flags.val_fraction;
  base.split_seed = flags.split_seed;
  base.patience = flags.patience;
  base.record_unobserved_positives = !flags.record.empty();

  const auto axes = parameter_axes(flags, labels);
  check_parameters_are_known(flags, axes);
  const std::vector<EstimatorChoice> estimators = estimator_choices(flags);
  base.image = image_config(flags);
  std::vector<TrainConfig> configs;
  // Each axis multiplies the list; seeds come last so that runs to be averaged are neighbours.
  for (const std::string& loss : flags.loss) {
    for (const LossParameters& params : parameter_sets(find_loss(loss), axes)) {
      TrainConfig config = base;
      config.loss = loss;
      config.params = params;
      if (!find_loss(loss).uses_estimates) {
        configs.push_back(config);
        continue;
      }
      for (const EstimatorChoice& estimator : estimators) {
        config.estimator = estimator;
        configs.push_back(config);
      }
    }
  }
  const auto multiply = [&](const auto& values, const auto& set) {
    std::vector<TrainConfig> longer;
    for (const TrainConfig& config : configs) {
      for (const auto& value : values) {
        longer.push_back(config);
        set(longer.back(), value);
      }
    }
    configs = std::move(longer);
  };
  multiply(flags.subsample, [](TrainConfig& c, double v) { c.subsample = v; });
  multiply(flags.transform,
           [](TrainConfig& c, const std::string& v) { c.transform = transform_kind(v); });
  multiply(flags.weight_decay, [](TrainConfig& c, double v) { c.weight_decay = v; });
  multiply(optional_axis(flags.k), [](TrainConfig& c, std::optional<double> v) { c.k = v; });
  multiply(optional_axis(flags.epochs), [](TrainConfig& c, std::optional<uint64_t> v) {
    if (v) c.epochs = static_cast<int>(*v);
  });
  multiply(optional_axis(flags.lr.empty() ? default_lr : flags.lr),
           [](TrainConfig& c, std::optional<double> v) { c.lr = v; });
  multiply(flags.batch.empty() ? default_batch : flags.batch,
           [](TrainConfig& c, size_t v) { c.batch = v; });
  multiply(flags.seeds, [](TrainConfig& c, uint64_t v) { c.seed = v; });
  for (const TrainConfig& config : configs) {
    if (config.mode != Mode::kLinear && config.transform != TransformKind::kNone) {
      fail_usage("--transform is of features, and --mode {} has none", flags.mode);
    }
    if (config.image.accumulate > config.batch) {
      fail_usage("--accumulate {}: a batch of {} has not so many parts", config.image.accumulate,
                 config.batch);
    }
  }
  return configs;
}

}  // namespace spml::cli
