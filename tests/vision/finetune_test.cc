// Fine-tuning through the interface that every network has.
#include "vision/finetune.h"

#include <numeric>

#include "data/dataset.h"
#include "linear/linear_model.h"
#include "train/evaluator.h"
#include "vision/extract.h"

namespace spml {
namespace {

INSTANTIATE_TEST_SUITE_P(Onednn, Network, testing::Values(NetworkKind{"onednn", make_cpu_network}),
                         name_of);

TEST_P(Network, FrozenBatchNormStaysAndTheRestMoves) {
  FinetuneOptions options = small_options();
  options.freeze_bn = true;
  const auto model = make(options);
  const SavedModel before(*model);
  train_step(*model, 0);
  const SavedModel after(*model);
  for (const char* name : {"backbone.bn1.weight", "backbone.bn1.bias", "backbone.bn1.running_mean",
                           "backbone.layer4.1.bn2.running_var"}) {
    EXPECT_EQ(before[name], after[name]) << name;
  }
  EXPECT_NE(before["backbone.conv1.weight"], after["backbone.conv1.weight"]);
}

// Without batch statistics the parts of a batch know nothing of each other.
TEST_P(Network, PartsOfABatchGiveTheGradientOfTheWhole) {
  FinetuneOptions options = small_options();
  options.freeze_bn = true;
  for (const auto& rows : {kRows, std::vector<int32_t>{2, 0, 3}}) {  // in two parts: 2 + 2, 2 + 1
    SCOPED_TRACE(rows.size());
    options.accumulate = 1;
    const auto whole = make(options);
    options.accumulate = 2;
    const auto in_parts = make(options);
    const SavedModel before(*whole);
    for (uint64_t step = 0; step < 2; ++step) {
      train_step(*whole, step, rows);
      train_step(*in_parts, step, rows);
    }
    const SavedModel a(*whole), b(*in_parts);
    for (const char* name : {"backbone.conv1.weight", "backbone.layer4.1.conv2.weight"}) {
      const double moved = largest_difference(before[name], a[name]);
      EXPECT_GT(moved, 0) << name;
      EXPECT_LT(largest_difference(a[name], b[name]), 2e-3 * moved) << name;
    }
  }
}

// The first of the two passes must leave no trace.
TEST_P(Network, PartsOfABatchUpdateTheStatisticsOnce) {
  FinetuneOptions options = small_options();
  options.accumulate = 2;
  const auto model = make(options);
  const SavedModel before(*model);
  model->forward(kRows);
  EXPECT_EQ(SavedModel(*model)["backbone.bn1.running_mean"], before["backbone.bn1.running_mean"]);
  const auto gradient = some_gradient(0);
  model->backward({gradient.data(), kBatch, kLabels});
  EXPECT_NE(SavedModel(*model)["backbone.bn1.running_mean"], before["backbone.bn1.running_mean"]);
}

TEST_P(Network, TheHeadHasItsOwnLearningRate) {
  FinetuneOptions options = small_options();
  options.adam.lr = 1e-2;
  options.adam.eps = 1e-8;  // the first step is then as long as the learning rate
  options.head_lr_factor = 7;
  const auto model = make(options);
  const SavedModel before(*model);
  train_step(*model, 0);
  const SavedModel after(*model);
  const auto moved = [&](const char* name) {
    return largest_difference(before[name], after[name]);
  };
  EXPECT_NEAR(moved("classifier.weight"), 7e-2, 1e-3);
  EXPECT_NEAR(moved("backbone.layer4.1.conv2.weight"), 1e-2, 1e-3);
}

TEST_P(Network, TheScheduleSetsTheLengthOfAStep) {
  FinetuneOptions options = small_options();
  options.adam.lr = 1e-2;
  options.adam.eps = 1e-8;  // the first step is then as long as the learning rate
  options.schedule = {.cosine = true, .warmup = 0};
  for (const auto& [progress, factor] : {std::pair{0.0, 1.0}, {0.5, 0.5}, {1.0, 0.0}}) {
    const auto model = make(options);
    const SavedModel before(*model);
    model->set_progress(progress);
    train_step(*model, 0);
    const SavedModel after(*model);
    for (const char* name : {"classifier.weight", "backbone.layer4.1.conv2.weight"}) {
      EXPECT_NEAR(largest_difference(before[name], after[name]), factor * 1e-2, 1e-4) << name;
    }
  }
}

TEST_P(Network, ResumedTrainingGivesTheSameBytes) {
  const auto whole = make(small_options());
  for (uint64_t step = 0; step < 4; ++step) {
    train_step(*whole, step);
    if (step == 1) whole->keep_best();
  }
  const auto first = make(small_options());
  for (uint64_t step = 0; step < 3; ++step) {
    train_step(*first, step);
    if (step == 1) first->keep_best();
  }
  TemporaryFolder folder;
  SafetensorsWriter writer;
  first->save_state(writer);
  writer.write(folder / "state");
  const auto second = make(small_options());
  second->load_state(SafetensorsFile(folder / "state"));
  train_step(*second, 3);
  EXPECT_TRUE(SavedModel(*whole).bytes() == SavedModel(*second).bytes());
  const std::string last = SavedModel(*whole).bytes();
  whole->restore_best();
  second->restore_best();
  EXPECT_TRUE(SavedModel(*whole).bytes() == SavedModel(*second).bytes());
  EXPECT_FALSE(SavedModel(*whole).bytes() == last);
}

// The best weights are paired with the tensors by their place: some of them would be written into
// others, past their end.
TEST_P(Network, ACheckpointHasAllOfItsBestWeightsOrNone) {
  const auto model = make(small_options());
  model->keep_best();
  TemporaryFolder folder;
  SafetensorsWriter whole;
  model->save_state(whole);
  whole.write(folder / "whole");
  const SafetensorsFile file(folder / "whole");
  const auto copy_without = [&](const std::string& left_out, const Path& path) {
    SafetensorsWriter writer;
    for (const auto& [name, info] : file.tensors()) {
      if (name.starts_with(left_out)) continue;
      writer.add(name, info.dtype, info.shape, info.bytes);
    }
    for (const auto& [key, value] : file.metadata()) writer.add_metadata(key, value);
    writer.write(path);
  };
  copy_without("model.best.backbone.conv1.weight", folder / "partial");
  EXPECT_SPML_ERROR(model->load_state(SafetensorsFile(folder / "partial")),
                    testing::HasSubstr("model.best.backbone.conv1.weight"));
  copy_without("model.best.", folder / "none");
  model->load_state(SafetensorsFile(folder / "none"));
}

TEST_P(Network, RefusesValuesOfAnotherSize) {
  NetworkOptions options;
  options.size = kSize;
  options.head_weight.resize(kLabels * 512);
  options.head_bias.resize(kLabels);
  const auto network = GetParam().make(random_resnet(18, ResNetVariant::kV1_5), options);
  const std::vector<float> values(network->get(0, TrainableNetwork::State::kValue).size() + 1);
  EXPECT_SPML_ERROR(network->set(0, TrainableNetwork::State::kValue, values),
                    testing::HasSubstr("for 'backbone.conv1.weight', found"));
  EXPECT_SPML_ERROR(
      network->set(0, TrainableNetwork::State::kFirstMoment, std::span(values).first(1)),
      testing::HasSubstr("found 1"));
}

// LinearInit, before its first step, is the linear run.
TEST(Finetune, StartsWhereTheLinearClassifierEnded) {
  TemporaryFolder folder;
  std::vector<std::string> names;
  for (const Path& file : image_list()) {
    names.push_back(file.filename().string());
    std::filesystem::copy_file(file, folder / names.back());
  }
  write_npy(folder / "formatted_train_images.npy", std::span<const std::string>(names));
  const std::vector<int8_t> labels{1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1};
  write_npy(folder / "formatted_train_labels.npy", View<const int8_t>{labels.data(), 4, 3});
  const auto backbone = make_inference_resnet(random_resnet(18, ResNetVariant::kV1_5), 2);
  extract_features(folder.path(), *backbone, {"w", "0", "resnet18", "v1.5"},
                   {.sizes = {kSize}, .threads = 2, .decode = {}}, {});
  const Dataset data = open_dataset(folder.path());

  LinearConfig config;
  config.features = 512;
  config.labels = kLabels;
  config.seed = 77;
  LinearModel linear(config, {}, &data.train_file.features, nullptr);
  FinetuneOptions options = small_options();
  options.head_weight = linear.weight();
  options.head_bias.assign(linear.bias().begin(), linear.bias().end());
  const auto tuned = make(options);
  std::vector<int32_t> rows(4);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> expected(12), found(12);
  linear.predict(Part::kTrainFile, rows, 0, {expected.data(), 4, 3});
  tuned->predict(Part::kTrainFile, rows, 0, {found.data(), 4, 3});
  EXPECT_EQ(found, expected);
  const Evaluator evaluator(Part::kTrainFile, rows, data.train_file.truth, 1);
  EXPECT_EQ(evaluator.evaluate(*tuned).map.map, evaluator.evaluate(linear).map.map);
  train_step(*tuned, 0);
  tuned->predict(Part::kTrainFile, rows, 0, {found.data(), 4, 3});
  EXPECT_NE(found, expected);
}

TEST(Finetune, UnreadableImagesAreErrors) {
  const auto model = make_finetune_model(random_resnet(18, ResNetVariant::kV1_5), {"/nowhere.jpg"},
                                         {}, small_options());
  EXPECT_SPML_ERROR(model->forward(std::vector<int32_t>{0}), testing::HasSubstr("row 0"));
}

}  // namespace
}  // namespace spml
