// The fuzz targets over their seed corpora and simple mutations of them, in every build.
#include <string>

#include "targets.h"
#include "testing.h"

namespace spml {
namespace {

using Target = bool (*)(std::span<const std::byte>);

struct Format {
  const char* name;
  Target target;
  bool complete_or_nothing = true;  // a part of a table is a table
  size_t every = 1;                 // bytes from one that is changed to the next, for slow readers
};

class SeedCorpus : public testing::TestWithParam<Format> {
 protected:
  static bool accepts(const std::string& bytes) {
    return GetParam().target(std::as_bytes(std::span(bytes)));
  }
  static std::vector<std::string> seeds() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "fuzz" /
                                                                 "corpus" / GetParam().name)) {
      files.push_back(read_file(entry.path()));
    }
    return files;
  }
};

TEST_P(SeedCorpus, SeedsAreAccepted) {
  ASSERT_FALSE(seeds().empty());
  for (const std::string& seed : seeds()) EXPECT_TRUE(accepts(seed));
}

TEST_P(SeedCorpus, TruncatedFilesAreRefused) {
  for (const std::string& seed : seeds()) {
    for (size_t n = 0; n < seed.size(); n += GetParam().every) {
      const bool accepted = accepts(seed.substr(0, n));
      EXPECT_FALSE(accepted && GetParam().complete_or_nothing) << n;
    }
  }
}

TEST_P(SeedCorpus, ChangedBytesEndWellOrInAnError) {
  for (const std::string& seed : seeds()) {
    for (size_t i = 0; i < seed.size(); i += GetParam().every) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string changed = seed;
        changed[i] = static_cast<char>(changed[i] ^ change);
        accepts(changed);
      }
      accepts(seed.substr(0, i) + '9' + seed.substr(i));
      accepts(seed.substr(0, i) + seed.substr(i + 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, SeedCorpus,
    testing::Values(
        Format{"npy", fuzz_npy}, Format{"safetensors", fuzz_safetensors}, Format{"pth", fuzz_pth},
        Format{"dataset_json", fuzz_dataset_json}, Format{"csv", fuzz_csv, false},
        Format{"json_lines", fuzz_json_lines, false}, Format{"voc_xml", fuzz_voc_xml, false},
        Format{"coco_json", fuzz_coco_json}, Format{"xmp", fuzz_xmp, false},
        Format{"experiment_json", fuzz_experiment_json}, Format{"voc_lists", fuzz_voc_lists, false},
        Format{"nus_lists", fuzz_nus_lists, false}, Format{"cub_lists", fuzz_cub_lists, false},
        Format{"table", fuzz_table, false}, Format{"class_weights", fuzz_class_weights, false},
        Format{"records", fuzz_records, false}, Format{"checkpoint", fuzz_checkpoint, false},
        Format{"calibration", fuzz_calibration}, Format{"run_folder", fuzz_run_folder, false},
        Format{"sweep_folder", fuzz_sweep_folder, false}, Format{"resume", fuzz_resume, false, 11},
        Format{"config", fuzz_config}),
    [](const auto& test) { return std::string(test.param.name); });

#ifdef SPML_FUZZ_VISION
INSTANTIATE_TEST_SUITE_P(
    VisionFormats, SeedCorpus,
    testing::Values(Format{"tar", fuzz_tar, false}, Format{"tfjs_json", fuzz_tfjs_json},
                    Format{"image", fuzz_image, false}, Format{"resize", fuzz_resize, false},
                    Format{"resnet", fuzz_resnet, false}, Format{"journal", fuzz_journal, false},
                    Format{"finetune_state", fuzz_finetune_state, false},
                    Format{"activations", fuzz_activations, false}),
    [](const auto& test) { return std::string(test.param.name); });
#endif

#ifdef SPML_FUZZ_REVIEW
INSTANTIATE_TEST_SUITE_P(ReviewFormats, SeedCorpus,
                         testing::Values(Format{"review_db", fuzz_review_db, false},
                                         Format{"review_request", fuzz_review_request, false},
                                         Format{"answer_log", fuzz_answer_log, false},
                                         Format{"session_json", fuzz_session_json}),
                         [](const auto& test) { return std::string(test.param.name); });
#endif

}  // namespace
}  // namespace spml
