#include "experiment/run_folder.h"

#include <filesystem>

#include "base/fail.h"

namespace spml {
namespace {

constexpr const char* kLockName = ".lock";

// Leftovers of writes that were cut short are not contents.
bool is_content(const Path& entry) {
  const std::string name = entry.filename().string();
  return name != kLockName && name.find(".tmp-") == std::string::npos;
}

}  // namespace

std::unique_ptr<FileLock> claim_folder(const Path& path, Existing existing) {
  make_folder(path);
  auto lock = std::make_unique<FileLock>(path / kLockName, path.string());
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (!is_content(entry.path())) {
      if (entry.path().filename() != kLockName) std::filesystem::remove(entry.path());
      continue;
    }
    if (existing == Existing::kRefuse) {
      fail(
          "{}: the folder is not empty; give --resume to go on, --overwrite to start again, or "
          "another --out",
          path.string());
    }
  }
  if (existing == Existing::kOverwrite) {
    const RunFolder run{path};
    for (const Path& file : {run.result(), run.checkpoint(), run.config(), run.metrics(),
                             run.model(), run.thresholds(), run.estimates(), run.train_rows()}) {
      std::filesystem::remove(file);
    }
  }
  return lock;
}

}  // namespace spml
