// What is fuzzed: each function reads the bytes as a file of its format and touches all that a
// reader could. True when the file was accepted, false when it ended in spml::Error; anything else
// is a bug. Run by libFuzzer (fuzz/main.cc) and, over the seed corpus, by tests/fuzz.
#pragma once

#include <cstddef>
#include <span>

namespace spml {

// In reader_targets.cc.
bool fuzz_npy(std::span<const std::byte> bytes);
bool fuzz_safetensors(std::span<const std::byte> bytes);
bool fuzz_pth(std::span<const std::byte> bytes);
bool fuzz_dataset_json(std::span<const std::byte> bytes);
bool fuzz_csv(std::span<const std::byte> bytes);
bool fuzz_json_lines(std::span<const std::byte> bytes);
bool fuzz_voc_xml(std::span<const std::byte> bytes);
bool fuzz_coco_json(std::span<const std::byte> bytes);
bool fuzz_xmp(std::span<const std::byte> bytes);
// In import_targets.cc: several files in one input (sections.h).
bool fuzz_voc_lists(std::span<const std::byte> bytes);
bool fuzz_nus_lists(std::span<const std::byte> bytes);
bool fuzz_cub_lists(std::span<const std::byte> bytes);
bool fuzz_table(std::span<const std::byte> bytes);
bool fuzz_class_weights(std::span<const std::byte> bytes);
// In state_targets.cc.
bool fuzz_checkpoint(std::span<const std::byte> bytes);
// In run_targets.cc.
bool fuzz_experiment_json(std::span<const std::byte> bytes);
bool fuzz_records(std::span<const std::byte> bytes);
bool fuzz_calibration(std::span<const std::byte> bytes);
bool fuzz_run_folder(std::span<const std::byte> bytes);
bool fuzz_sweep_folder(std::span<const std::byte> bytes);
// In resume_target.cc.
bool fuzz_resume(std::span<const std::byte> bytes);
// In review_target.cc and review_request_target.cc.
bool fuzz_review_db(std::span<const std::byte> bytes);
bool fuzz_answer_log(std::span<const std::byte> bytes);
bool fuzz_session_json(std::span<const std::byte> bytes);
bool fuzz_review_request(std::span<const std::byte> bytes);
// In config_target.cc.
bool fuzz_config(std::span<const std::byte> bytes);
// In vision_targets.cc and network_targets.cc.
bool fuzz_tar(std::span<const std::byte> bytes);
bool fuzz_tfjs_json(std::span<const std::byte> bytes);
bool fuzz_image(std::span<const std::byte> bytes);
bool fuzz_resize(std::span<const std::byte> bytes);
bool fuzz_resnet(std::span<const std::byte> bytes);
bool fuzz_journal(std::span<const std::byte> bytes);
bool fuzz_finetune_state(std::span<const std::byte> bytes);
bool fuzz_activations(std::span<const std::byte> bytes);

}  // namespace spml
