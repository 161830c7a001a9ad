// A classifier and its run folder: the one that `spml train` writes and the verbs read.
#include "api/classifier_state.h"
#include "base/fail.h"
#include "formats/npy.h"
#include "formats/safetensors.h"
#include "run/run_folder.h"
#include "run/run_writer.h"
#include "run/trained_model.h"
#include "spml/version.h"

namespace spml {
namespace {

TrainingResult public_result(const RunRecord& record) {
  const RunResult& run = record.result;
  TrainingResult result;
  result.loss = run.loss;
  result.mode = to_string(run.mode);
  result.lr = run.lr;
  result.batch = run.batch;
  result.epochs = run.epochs;
  result.seed = run.seed;
  result.k = run.k;
  result.params = run.params;
  if (run.settings) {
    result.transform = to_string(run.settings->transform);
    static_cast<ClassifierSettings&>(result) = *run.settings;
  }
  result.best_epoch = run.best_epoch;
  result.val_map = run.val_map;
  result.test_map = run.test_map;
  result.train_map = run.train_map;
  result.test_map_nonempty = run.test_map_nonempty;
  result.per_class_ap = run.per_class_ap;
  result.steps = run.steps;
  result.resumed_from_step = run.resumed_from_step;
  result.train_seconds = run.train_seconds;
  result.seconds = run.seconds;
  result.history = record.epochs;
  return result;
}

// A model of the same weights without what only training needs: threads, optimiser, batches.
std::unique_ptr<const LinearModel> copy_for_use(const LinearModel& trained) {
  LinearConfig config;
  config.features = trained.features();
  config.labels = trained.labels();
  config.batch = 1;
  auto model = std::make_unique<LinearModel>(config, trained.transform(), nullptr, nullptr);
  model->set_weights(trained.weight(), trained.bias());
  return model;
}

// Of a classifier that was made from parts: no run stands behind it.
RunRecord record_of_parts(const LinearClassifier& model) {
  RunRecord record;
  record.setup.version = kVersion;
  record.setup.identity.config.own_loss = recorded_loss("", false);
  record.setup.features = model.features();
  record.setup.classes = model.classes();
  return record;
}

}  // namespace

std::shared_ptr<ClassifierState> state_of(Session& session, const LinearModel& model, Fit made,
                                          std::optional<SearchRequest> search) {
  auto state = std::make_shared<ClassifierState>();
  RunIdentity identity;
  identity.config = session.config;
  identity.config.k = session.prepared.k;
  identity.data_fingerprint = fingerprint(session.data);
  state->record = {setup_of(session, identity), session.loop.state().epochs,
                   std::move(made.result)};
  state->record.setup.search = search;
  state->result = public_result(state->record);
  state->classes = session.data.classes;
  state->calibration = std::move(made.decisions.calibration);
  state->thresholds = std::move(made.decisions.thresholds);
  state->model = copy_for_use(model);
  return state;
}

LinearClassifier LinearClassifier::load(const Path& folder) {
  TrainedModel trained = load_trained_model(folder, 1);
  if (trained.is_fine_tuned()) {
    fail("{}: expected a linear run, found a fine-tuned one, which takes images", folder.string());
  }
  auto state = std::make_shared<ClassifierState>();
  state->model = copy_for_use(*trained.model);
  state->classes = std::move(trained.classes);
  state->calibration = std::move(trained.calibration);
  state->thresholds = std::move(trained.thresholds);
  state->record = read_run(folder);
  state->result = public_result(state->record);
  return LinearClassifier(std::move(state));
}

void LinearClassifier::save(const Path& folder, Existing existing) const {
  if (existing == Existing::kResume) fail_usage("a saved classifier has nothing to resume");
  const auto lock = claim_folder(folder, existing);
  const RunFolder run{folder};
  if (existing == Existing::kOverwrite) clear_run(run);
  const RunRecord record =
      state_->record.setup.classes.empty() ? record_of_parts(*this) : state_->record;
  const LinearParts parts = this->parts();
  SafetensorsWriter writer;
  writer.add("classifier.weight", {labels(), features()}, parts.weight.flat());
  writer.add("classifier.bias", {labels()}, parts.bias);
  save_transform(state_->model->transform(), writer);
  writer.expect_finite(run.model());
  writer.add_metadata("format", "spml");
  writer.add_metadata("loss", record.result.loss);
  std::string metrics;
  for (const EpochRecord& epoch : record.epochs) metrics += json_text(epoch) + "\n";

  write_file(run.config(), json_text(record.setup));
  write_file(run.metrics(), metrics);
  writer.write(run.model());
  write_calibration(run.calibration(), state_->calibration);
  write_npy(run.thresholds(), View<const float>{thresholds().data(), 1, labels()});
  write_file(run.result(), json_text(record.result));
}

}  // namespace spml
