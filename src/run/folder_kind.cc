#include "run/folder_kind.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "base/fail.h"
#include "base/folders.h"
#include "base/text.h"
#include "formats/json.h"
#include "formats/safetensors.h"
#include "run/folder_files.h"

namespace spml {
namespace {

std::string_view name_of(FolderKind kind) {
  switch (kind) {
    case FolderKind::kSweep:
      return "a sweep";
    case FolderKind::kReproduction:
      return "a reproduction";
    case FolderKind::kRun:
      break;
  }
  return "a run";
}

// How the names of all locks begin.
constexpr std::string_view kLock = ".lock";

// Also of one that has only begun.
bool is_sweep(const Path& path) {
  if (path_exists(SweepFolder{path}.results())) return true;
  if (!is_folder(path)) return false;
  for (const Path& entry : list_folder(path)) {
    if (entry.filename().string().starts_with(kShardLock)) return true;
  }
  return false;
}

// A reproduction that has only begun has a sweep for each data set, and no results.json.
bool may_stay(const Path& entry, FolderKind kind) {
  if (entry.filename().string().starts_with(kLock)) return true;
  if (!is_folder(entry)) return false;
  return is_empty_folder(entry) || (kind == FolderKind::kReproduction && is_sweep(entry));
}

constexpr size_t kMaxRecord = size_t{1} << 28;

// Whether a file is a JSON object with these keys, by which spml's are recognised.
bool has_keys(const Path& file, std::initializer_list<const char*> keys) {
  try {
    const auto json = parse_json(read_file(file, kMaxRecord), file.string());
    return json.is_object() &&
           std::ranges::all_of(keys, [&](const char* key) { return json.contains(key); });
  } catch (const Error&) {
    return false;
  }
}

// Tensors that another program wrote, by what their file says; nothing is said by none of ours.
bool are_of_others(const Path& file) {
  try {
    const SafetensorsFile tensors(file);
    const auto format = tensors.metadata().find("format");
    return format != tensors.metadata().end() && format->second != "spml";
  } catch (const Error&) {
    return false;  // damaged: whoever wrote it, --overwrite may replace it
  }
}

bool is_foreign(const RunFolder& run, const Path& file) {
  if (!std::filesystem::is_regular_file(file)) return false;  // missing, or refused when cleared
  if (file == run.config()) return !has_keys(file, {"version", "config"});
  if (file == run.result()) return !has_keys(file, {"loss", "val_map"});
  return are_of_others(file);
}

}  // namespace

void expect_no_foreign_files(const Path& path) {
  const RunFolder run{path};
  // A run's folder is one also where its other files are damaged.
  if (path_exists(run.config()) && !is_foreign(run, run.config())) return;
  for (const Path& file : {run.config(), run.result(), run.model()}) {
    if (!is_foreign(run, file)) continue;
    fail(
        "{}: expected a file of a run to go on with or to replace, found one of something else; "
        "choose another --out, or move it elsewhere",
        file.string());
  }
}

std::optional<FolderKind> kind_of_folder(const Path& path) {
  const RunFolder run{path};
  if (is_sweep(path)) return FolderKind::kSweep;
  if (path_exists(path / "results.json")) return FolderKind::kReproduction;
  for (const Path& file : {run.result(), run.config(), run.checkpoint(), run.checkpoint_parts(),
                           run.search_journal()}) {
    if (path_exists(file) && !is_foreign(run, file)) return FolderKind::kRun;
  }
  return std::nullopt;
}

void expect_kind(const Path& path, FolderKind kind) {
  const auto found = kind_of_folder(path);
  if (!found || *found == kind) return;
  fail("{}: expected a new folder or that of {}, found {}; choose another --out", path.string(),
       name_of(kind), name_of(*found));
}

void expect_own_folder(const Path& path, FolderKind kind) {
  expect_kind(path, kind);
  if (!is_folder(path)) return;
  for (const Path& entry : list_folder(path)) {
    // The kind last: another shard may have begun since, and locks the folder before it fills it.
    if (may_stay(entry, kind) || kind_of_folder(path) == kind) continue;
    fail(
        "{}: expected a new folder or that of {}, found other files ('{}'); choose another --out, "
        "or give --resume or --overwrite, which leave them alone",
        path.string(), name_of(kind), printable(entry.filename().string()));
  }
}

}  // namespace spml
