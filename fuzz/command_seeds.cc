#include "command_seeds.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/fail.h"
#include "base/folders.h"
#include "base/process.h"
#ifdef SPML_FUZZ_VISION
#include "vision/small_resnet.h"
#endif

extern char** environ;

namespace spml {
namespace {

void put(const Path& path, const std::string& text) {
  make_folder(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void call(std::vector<std::string> words, const std::string& program) {
  words.insert(words.begin(), program);
  const ProcessResult result = run_process(words, ".");
  if (result.exit_code == 0) return;
  std::fprintf(stderr, "cannot make the seeds: %s\n", result.output.c_str());
  std::exit(1);
}

// Kills the program as soon as it has written a file.
void stop_at(std::vector<std::string> words, const std::string& program, const Path& file) {
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (::posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) std::exit(1);
  while (!std::filesystem::exists(file) && ::waitpid(child, &status, WNOHANG) == 0) ::usleep(1000);
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

constexpr const char* kCoco = R"({"images": [{"id": 9, "width": 100, "height": 50}, {"id": 10}],
"annotations": [{"id": 1, "image_id": 9, "category_id": 3, "bbox": [4, 2, 10, 10]},
{"id": 2, "image_id": 10, "category_id": 1}],
"categories": [{"id": 3, "name": "car"}, {"id": 1, "name": "person"}]})";

constexpr const char* kXml = R"(<annotation><size><width>100</width><height>50</height></size>
<object><name>cow</name><bndbox><xmin>41</xmin><ymin>21</ymin><xmax>60</xmax><ymax>30</ymax>
</bndbox></object></annotation>)";

void make_downloads(const Path& folder) {
  for (const char* phase : {"train", "val"}) {
    const std::string p = phase;
    put(folder / "coco" / "annotations" / ("instances_" + p + "2014.json"), kCoco);
    const Path lists = folder / "voc" / "VOC2012" / "ImageSets" / "Main";
    put(lists / ("cow_" + p + ".txt"), "a  1\nb -1\nc  0\n");
    put(lists / ("dog_" + p + ".txt"), "a -1\nb  1\nc  1\n");
  }
  put(folder / "voc" / "VOC2012" / "Annotations" / "a.xml", kXml);
  for (const char* part : {"Train", "Test"}) {
    const std::string p = part;
    put(folder / "nus" / "ImageList" / (p + "Imagelist.txt"), "actor\\1.jpg\nactor\\2.jpg\n");
    const Path labels = folder / "nus" / "Groundtruth" / "TrainTestLabels";
    put(labels / ("Labels_sky_" + p + ".txt"), "0\n1\n");
    put(labels / ("Labels_sea_" + p + ".txt"), "1\n1\n");
  }
  const Path cub = folder / "cub" / "CUB_200_2011";
  put(cub / "images.txt", "1 a/a.jpg\n2 b/b.jpg\n");
  put(cub / "train_test_split.txt", "1 1\n2 0\n");
  put(cub / "attributes" / "attributes.txt", "1 bill::hooked\n2 wing::blue\n");
  put(cub / "attributes" / "image_attribute_labels.txt",
      "1 1 1 3 2\n1 2 0 3 2\n2 1 0 1\n2 2 1 4\n");
  put(folder / "table" / "t.csv",
      "image,label,split\na.jpg,cat,train\nb.jpg,\"d,og\",train\nc.jpg,cat,val\n");
  put(folder / "table" / "t.jsonl",
      "{\"image\": \"a.jpg\", \"labels\": [\"cat\"]}\n{\"image\": \"b.jpg\", \"label\": "
      "\"dog\"}\n");
  put(folder / "table" / "classes.txt", "cat\nd,og\n");
  put(folder / "table" / "mixed.csv",
      "image,label,not,complete,split\na.jpg,cat,\"d,og\",no,train\nb.jpg,\"d,og\",,yes,train\n");
  put(folder / "table" / "mixed.jsonl",
      "{\"image\": \"a.jpg\", \"labels\": [\"cat\"], \"not\": [\"dog\"]}\n"
      "{\"image\": \"b.jpg\", \"labels\": [\"dog\"], \"complete\": true}\n");
  put(folder / "table" / "complete.txt", "b.jpg\n");
  put(folder / "config" / "train.json",
      R"({"loss": "an-ls", "epochs": 1, "lr": 0.01, "batch": 8, "param": {"eps": 0.2}})");
  put(folder / "config" / "experiment.json",
      R"({"title": "T", "datasets": ["toy"], "lr": [1e-2], "batch": [8],
"settings": {"epochs": 1, "k": 1.5}, "rows": [{"loss": "an"}, {"loss": "an-ls", "param": {"eps": 0.2}}]})");
  put(folder / "config" / "weights.json",
      R"({"class_0": 1, "class_1": 2, "class_2": 0.5, "class_3": 1})");
  put(folder / "config" / "weights.csv", "1\n2\n0.5\n1\n");
}

// A review that is opened with everything in it, and then cannot be served, since the address is no
// machine's (RFC 5737).
std::vector<std::string> reviewing(std::vector<std::string> words) {
  words.insert(words.begin(), "review");
  words.insert(words.end(), {"--host", "203.0.113.1", "--allow-remote", "--no-browser"});
  return words;
}

#ifdef SPML_FUZZ_VISION
// Folders of drawn scenes: as they are, with features and a classifier of them, and with an
// extraction that was stopped. The network is not among what is damaged: copying it would take
// longer than the command.
void make_images(const std::string& program, const Path& folder, const Path& weights) {
  save_resnet(random_resnet(18, ResNetVariant::kV1_5), weights);
  for (const auto& [name, rows] : {std::pair("pictures", "8"), {"tagged", "20"}, {"cut", "40"}}) {
    call({"synth", "--out", folder / name, "--rows", rows, "--labels", "4", "--images",
          "--image-size", "32"},
         program);
  }
  const auto extract = [&](const char* name) -> std::vector<std::string> {
    return {"extract", folder / name, "--weights", weights,  "--size",
            "32",      "--batch",     "2",         "--quiet"};
  };
  call(extract("tagged"), program);
  call({"train", folder / "tagged", "--loss", "an", "--epochs", "1", "--batch", "2", "--quiet",
        "--out", folder / "tagger"},
       program);
  stop_at(extract("cut"), program, folder / "cut" / ".train_features_imagenet_resnet50.journal");
}

std::vector<Command> image_commands() {
  return {
      {"pictures", {"extract", "IN/pictures", "--weights", "WEIGHTS", "--size", "32"}},
      {"pictures",
       {"extract", "IN/pictures", "--weights", "WEIGHTS", "--size", "32,40", "--pool", "avg,gem",
        "--mirror", "--on-error", "skip"}},
      {"cut",
       {"extract", "IN/cut", "--weights", "WEIGHTS", "--size", "32", "--batch", "2", "--quiet"}},
      {"tagged",
       {"train", "IN/tagged", "--loss", "role", "--mode", "finetune", "--train-from", "layer4",
        "--weights", "WEIGHTS", "--size", "32", "--batch", "2", "--epochs", "1", "--quiet", "--out",
        "OUT"}},
      {"tagged", reviewing({"IN/tagged", "--run", "IN/tagger", "--out", "OUT"})},
      {"tagger",
       {"predict", "IN/tagger", "--images", "IN/pictures", "--weights", "WEIGHTS", "--out",
        "OUT.csv"}},
      {"pictures",
       {"predict", "IN/tagger", "--images", "IN/pictures", "--weights", "WEIGHTS", "--out",
        "OUT.jsonl"}},
      {"pictures", {"import", "folder", "IN/pictures", "--out", "OUT"}},
  };
}
#else
void make_images(const std::string&, const Path&, const Path&) {}
std::vector<Command> image_commands() { return {}; }
#endif

std::vector<Command> all_commands() {
  std::vector<Command> commands = {
      {"data", {"stats", "IN/data"}},
      {"data", {"stats", "IN/data", "--json"}},
      {"data", {"observe", "IN/data", "--force"}},
      {"data", {"estimate-k", "IN/data", "--trials", "10"}},
      {"data", {"train", "IN/data", "--loss", "role", "--epochs", "1", "--quiet", "--out", "OUT"}},
      {"data", {"train", "IN/data", "--loss", "em", "--epochs", "1", "--quiet", "--out", "OUT"}},
      {"data", {"train", "IN/data", "--trials", "2", "--quiet", "--out", "OUT"}},
      {"data", {"evaluate", "IN/run", "IN/data"}},
      {"data", {"suggest", "IN/run", "IN/data", "--folds", "2", "--out", "OUT.csv"}},
      {"data",
       {"suggest", "IN/run", "IN/data", "--simulate", "--budget", "20", "--every", "10", "--out",
        "OUT.html"}},
      {"run", {"evaluate", "IN/run", "IN/data"}},
      {"run", {"evaluate", "IN/run", "IN/data", "--json"}},
      {"run", {"predict", "IN/run", "--data", "IN/data", "--out", "OUT.csv", "--force"}},
      {"run", {"predict", "IN/run", "--data", "IN/data", "--out", "OUT.jsonl", "--force"}},
      {"run", {"estimate-k", "IN/data", "--from-observed", "IN/run"}},
      {"run", {"predict", "IN/run", "--features", "IN/data/val_features.npy", "--out", "OUT.npy"}},
      {"run", {"report", "IN/run", "--out", "OUT.html"}},
      {"run", {"suggest", "IN/run", "IN/data", "--folds", "0", "--out", "OUT.jsonl"}},
      {"run", {"suggest", "IN/run", "IN/data", "--folds", "2", "--out", "OUT.csv"}},
      {"auto", {"report", "IN/auto", "--out", "OUT.html"}},
      {"auto", {"predict", "IN/auto", "--data", "IN/data", "--out", "OUT.csv"}},
      {"auto", {"train", "IN/data", "--trials", "3", "--resume", "--quiet", "--out", "IN/auto"}},
      {"sweep", {"report", "IN/sweep", "--out", "OUT.html"}},
      {"sweep",
       {"sweep", "IN/data", "--loss", "an", "--lr", "0.01", "--batch", "8", "--epochs", "1",
        "--quiet", "--out", "IN/sweep"}},
      {"half",
       {"train", "IN/data", "--loss", "role", "--epochs", "30", "--batch", "8",
        "--checkpoint-every", "5", "--resume", "--quiet", "--out", "IN/half"}},
      {"config",
       {"train", "IN/data", "--config", "IN/config/train.json", "--epochs", "1", "--quiet", "--out",
        "OUT"}},
      {"config",
       {"observe", "IN/data", "--force", "--bias", "frequency", "--bias-weights",
        "IN/config/weights.json"}},
      {"config",
       {"observe", "IN/data", "--force", "--bias", "frequency", "--bias-weights",
        "IN/config/weights.csv"}},
      {"coco", {"import", "coco", "IN/coco", "--out", "OUT"}},
      {"voc", {"import", "voc", "IN/voc", "--out", "OUT"}},
      {"nus", {"import", "nus", "IN/nus", "--out", "OUT", "--allow-missing"}},
      {"cub", {"import", "cub", "IN/cub", "--out", "OUT"}},
      {"table", {"import", "csv", "IN/table/t.csv", "--out", "OUT", "--allow-missing"}},
      {"table", {"import", "csv", "IN/table/t.jsonl", "--out", "OUT", "--allow-missing"}},
      {"table",
       {"import", "csv", "IN/table/t.csv", "--classes", "IN/table/classes.txt", "--out", "IN/data",
        "--overwrite", "--allow-missing"}},
      {"config",
       {"reproduce", "IN/config/experiment.json", "--data", "toy=IN/data", "--quiet", "--out",
        "OUT"}},
      {"data", reviewing({"IN/data", "--run", "IN/run", "--out", "OUT"})},
      {"run", reviewing({"IN/data", "--run", "IN/run", "--out", "OUT"})},
      {"review", reviewing({"IN/review"})},
      {"review", reviewing({"IN/review", "--log", "IN/review/log.jsonl"})},
      {"review", {"review", "IN/review", "--export", "OUT"}},
      {"review", {"review", "IN/review", "--export", "OUT.csv", "--format", "csv"}},
      {"review", {"review", "IN/review", "--export", "OUT.jsonl", "--format", "jsonl"}},
      {"review", {"review", "IN/review", "--export", "OUT.json", "--format", "coco"}},
      {"review", {"review", "IN/review", "--export", "OUT", "--format", "voc"}},
      {"review", {"review", "IN/review", "--export", "OUT.json", "--format", "label-studio"}},
      {"table", {"import", "csv", "IN/table/mixed.csv", "--out", "OUT", "--allow-missing"}},
      {"table", {"import", "jsonl", "IN/table/mixed.jsonl", "--out", "OUT", "--allow-missing"}},
      {"table",
       {"import", "csv", "IN/table/t.csv", "--complete", "IN/table/complete.txt", "--out", "OUT",
        "--allow-missing"}},
  };
  for (Command& command : image_commands()) commands.push_back(std::move(command));
  return commands;
}

}  // namespace

const std::vector<Command>& command_list() {
  static const std::vector<Command> kCommands = all_commands();
  return kCommands;
}

void make_command_seeds(const std::string& program, const Path& folder, const Path& weights) {
  make_folder(folder);
  const std::string data = folder / "data";
  call({"synth", "--out", data, "--rows", "60", "--labels", "4", "--features", "8"}, program);
  call({"train", data, "--loss", "role", "--epochs", "2", "--batch", "8", "--quiet", "--out",
        folder / "run"},
       program);
  call({"sweep", data, "--loss", "an", "--lr", "0.01", "--batch", "8,16", "--epochs", "1",
        "--quiet", "--out", folder / "sweep"},
       program);
  call({"train", data, "--trials", "2", "--quiet", "--out", folder / "auto"}, program);
  make_images(program, folder, weights);
  // The server of a review, stopped as soon as it can be visited.
  const Path review = folder / "review";
  stop_at({"review", data, "--run", folder / "run", "--out", review, "--no-browser", "--quiet"},
          program, review / "session.json");
  put(review / "log.jsonl", "{\"id\":1,\"review\":\"another\"}\n");
  // A run that was stopped: everything but the results.
  const Path half = folder / "half";
  stop_at({"train", data, "--loss", "role", "--epochs", "30", "--batch", "8", "--checkpoint-every",
           "5", "--quiet", "--out", half},
          program, half / "checkpoint.safetensors");
  make_downloads(folder);
}

}  // namespace spml
