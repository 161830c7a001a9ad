#include "cli/train_flags.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/fail.h"
#include "base/text.h"
#include "cli/images.h"
#include "cli/params.h"
#include "experiment/presets.h"

namespace spml::cli {
namespace {

const CLI::Validator kPositive(
    [](std::string& text) {
      double value = 0;
      const bool ok = CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value);
      return ok ? std::string() : "expected a number above 0, found '" + text + "'";
    },
    "ABOVE 0");

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
  if (!flags.rank.empty() && !given(EstimatorKind::kFactored)) {
    fail_usage("--rank is of --estimator factored, which is not given");
  }
  if (!flags.hidden.empty() && !given(EstimatorKind::kNetwork)) {
    fail_usage("--hidden is of --estimator network, which is not given");
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

void add_image_flags(CLI::App& verb, TrainFlags& flags) {
  const std::string group = "Options of --mode finetune and linear-init";
  verb.add_option("--weights", flags.weights,
                  "Where the network starts (default: what `spml weights fetch` made)")
      ->type_name("FILE.safetensors")
      ->group(group);
  verb.add_option("--size", flags.size, "Images are resized to SIZE x SIZE (default 448)")
      ->check(CLI::Range(32, 4096))
      ->group(group);
  verb.add_option("--accumulate", flags.accumulate,
                  "Parts in which a batch goes through the network, to save memory (default 1)")
      ->check(CLI::Range(1, 1 << 20))
      ->group(group);
  verb.add_option("--head-lr-factor", flags.head_lr_factor,
                  "The linear layer's learning rate over the network's (default 1)")
      ->check(kPositive)
      ->group(group);
  verb.add_flag("--freeze-bn", flags.freeze_bn, "Leave batch normalisation as it is")->group(group);
  verb.add_option("--device", flags.device, "auto, cpu, cuda or cuda:N (default auto)")
      ->group(group);
  verb.add_option("--init", flags.init,
                  "linear-init: the linear run, or sweep, to start from (default: trained first)")
      ->type_name("RUN|SWEEP")
      ->group(group);
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

void add_train_flags(CLI::App& verb, TrainFlags& flags, bool lists) {
  const auto axis = [&](const std::string& name, auto& values, const std::string& help) {
    CLI::Option* option = verb.add_option(name, values, help);
    if (lists) {
      option->delimiter(',');
    } else {
      option->expected(1);
    }
    return option;
  };
  verb.add_option("data", flags.data, "The data folder")->required()->type_name("DIR");
  axis("--loss", flags.loss, "The loss; `spml losses` lists them")->required()->type_name("NAME");
  std::string presets = "A recipe; flags given beside it win:";
  for (const Preset& preset : all_presets()) {
    presets += fmt::format(" {} ({});", preset.name, preset.summary);
  }
  presets.pop_back();
  verb.add_option("--preset", flags.preset, presets)->type_name("NAME");
  verb.add_option("--mode", flags.mode, "linear, finetune or linear-init")
      ->check(CLI::IsMember({"linear", "finetune", "linear-init"}))
      ->capture_default_str();
  axis("--lr", flags.lr, "Learning rate (default 1e-3 linear, 1e-5 else)")->check(kPositive);
  axis("--batch", flags.batch, "Rows in a batch (default 16)")->check(CLI::Range(1, 1 << 20));
  axis("--epochs", flags.epochs, "Epochs (default 25 linear, 10 finetune, 5 linear-init)")
      ->check(CLI::Range(1, 1000000));
  axis(lists ? "--seeds,--seed" : "--seed", flags.seeds,
       "Seed of initial weights, batch order and sampling");
  axis("--k", flags.k, "Expected positives per example (default: dataset.json, else from truth)")
      ->check(kPositive);
  axis("--estimator", flags.estimator,
       "How label estimates are kept: table (N x L), factored or network (default table)")
      ->check(CLI::IsMember({"table", "factored", "network"}));
  axis("--rank", flags.rank, "Of --estimator factored (default 16)")->check(CLI::Range(1, 4096));
  axis("--hidden", flags.hidden, "Hidden units of --estimator network (default 64)")
      ->check(CLI::Range(1, 65536));
  add_params(verb, flags.params);
  verb.add_option("--observe", flags.observe,
                  "Draw observed labels from the truth instead of reading them: "
                  "pos=1,neg=0,seed=1200");
  verb.add_option("--select", flags.select,
                  "Choose the best epoch on full (clean) or on observed validation labels")
      ->check(CLI::IsMember({"clean", "observed"}))
      ->capture_default_str();
  verb.add_option("--val-fraction", flags.val_fraction, "Part of the training file held out")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb.add_option("--split-seed", flags.split_seed, "Seed of that split")->capture_default_str();
  axis("--subsample", flags.subsample, "Train on this fraction of the training rows")
      ->check(CLI::Range(0.0, 1.0));
  axis("--transform", flags.transform, "Of the features: none, sqrt (signed), l2 or standardize")
      ->check(CLI::IsMember({"none", "sqrt", "l2", "standardize"}));
  axis("--weight-decay", flags.weight_decay, "Adam's weight decay")->check(CLI::NonNegativeNumber);
  verb.add_option("--patience", flags.patience,
                  "Stop after so many epochs without a better one (0: never)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--record", flags.record,
                  "unobserved-positives: per epoch, the histogram of their predicted probability")
      ->check(CLI::IsMember({"unobserved-positives"}));
  add_image_flags(verb, flags);
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
  multiply(optional_axis(flags.epochs), [](TrainConfig& c, std::optional<int> v) { c.epochs = v; });
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
