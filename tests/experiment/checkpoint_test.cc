// Checkpoints: a session goes on where another one stopped, and files of other runs are refused.
#include "run/checkpoint.h"

#include "data.h"
#include "fit/measure.h"
#include "formats/safetensors.h"
#include "linear/linear_model.h"
#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

RunIdentity identity_of(const TrainConfig& config) { return {config, "fingerprint", ""}; }

Trainee trainee_of(Session& session) {
  return {session.loop.state(), *session.model, session.estimator.get(), session.memory.get(),
          session.part};
}

struct Stop {};

// Trains until after `steps` steps, and leaves a checkpoint there.
void train_until(Session& session, uint64_t steps, const RunFolder& folder,
                 const RunIdentity& identity) {
  LoopEvents events;
  events.checkpoint_due = [=](const LoopState& state) { return state.step == steps; };
  events.checkpoint = [&](const LoopState&) {
    save_checkpoint(folder, identity, trainee_of(session));
  };
  events.after_step = [=](const LoopState& state) {
    if (state.step == steps) throw Stop();
  };
  EXPECT_THROW(session.loop.run(events), Stop);
}

class Checkpoint : public testing::Test {
 protected:
  TemporaryFolder folder_;
  RunFolder run_{folder_.path()};
  Path path_ = run_.checkpoint();
  Dataset data_ = small_data();
};

TEST_F(Checkpoint, ASessionGoesOnWhereAnotherStopped) {
  for (const std::string loss : {"an", "role", "self-training"}) {
    const TrainConfig config = config_of(loss);
    Session whole(data_, config, 1);
    whole.loop.run({});
    Session stopped(data_, config, 1);
    train_until(stopped, 8, run_, identity_of(config));  // in the second epoch
    Session resumed(data_, config, 1);
    load_checkpoint(run_, identity_of(config), trainee_of(resumed));
    EXPECT_EQ(resumed.loop.state().step, 8u);
    EXPECT_EQ(resumed.loop.state().epochs.size(), 1u);
    resumed.loop.run({});
    EXPECT_EQ(measure(resumed).val_map, measure(whole).val_map) << loss;
    EXPECT_EQ(resumed.take_linear_model()->weight(), whole.take_linear_model()->weight()) << loss;
  }
}

TEST_F(Checkpoint, AnotherConfigurationIsRefusedByName) {
  TrainConfig config = config_of("an");
  Session session(data_, config, 1);
  save_checkpoint(run_, identity_of(config), trainee_of(session));
  config.batch = 16;
  EXPECT_SPML_ERROR(load_checkpoint(run_, identity_of(config), trainee_of(session)),
                    HasSubstr("made with batch 8, but 16 was asked for"));
  RunIdentity other_data = identity_of(config_of("an"));
  other_data.data_fingerprint = "other";
  EXPECT_SPML_ERROR(load_checkpoint(run_, other_data, trainee_of(session)),
                    HasSubstr("data_fingerprint"));
}

TEST_F(Checkpoint, FilesOfOthersAreRefused) {
  const TrainConfig config = config_of("an");
  Session session(data_, config, 1);
  const auto load = [&] { load_checkpoint(run_, identity_of(config), trainee_of(session)); };
  for (const std::string text : {"", "{}", "[]", "{\"config\": {\"loss\": \"none\"}}",
                                 "{\"config\": {\"loss\": \"an\"}, \"step\": -1}"}) {
    SafetensorsWriter writer;
    writer.add_metadata("loop", text);
    writer.write(path_);
    EXPECT_SPML_ERROR(load(), AllOf(HasSubstr(path_.string()), HasSubstr("--overwrite")));
  }
  SafetensorsWriter().write(path_);
  EXPECT_SPML_ERROR(load(), HasSubstr("expected 'loop'"));
}

TEST_F(Checkpoint, EpochsAreInOrder) {
  const TrainConfig config = config_of("an");
  Session stopped(data_, config, 1);
  train_until(stopped, 14, run_, identity_of(config));
  for (const int number : {0, 2, 2'000'000'000}) {
    Session resumed(data_, config, 1);
    load_checkpoint(run_, identity_of(config), trainee_of(resumed));
    resumed.loop.state().epochs.at(0).epoch = number;
    EXPECT_SPML_ERROR(resumed.loop.run({}), HasSubstr("do not go together"));
  }
}

}  // namespace
}  // namespace spml
