// A data folder with +1, -1 and unknown, ready for `spml train`.
#include <filesystem>

#include "base/fail.h"
#include "base/folders.h"
#include "data/folder_update.h"
#include "review/export/export_formats.h"

namespace spml::review {
namespace {

namespace fs = std::filesystem;

// The other files of the folder stay what they are: a link where the disk allows, else a copy.
void link_or_copy(const Path& from, const Path& to) {
  if (!path_exists(from)) return;
  const MappedFile file(from);
  std::error_code error;
  fs::create_hard_link(fs::canonical(from, error), to, error);
  if (!error) return;
  AtomicFile copy(to);
  copy.write(file.bytes().data(), file.bytes().size());
  copy.commit();
}

// Whether an answer "yes" contradicts the truth; a data folder in which one does cannot be opened.
bool contradicts(const LabelMatrix& labels, const LabelMatrix& truth) {
  std::vector<int8_t> o(labels.cols()), y(labels.cols());
  for (size_t i = 0; i < labels.rows(); ++i) {
    labels.read_row(i, o);
    truth.read_row(i, y);
    for (size_t j = 0; j < o.size(); ++j) {
      if (o[j] > 0 && y[j] == 0) return true;
    }
  }
  return false;
}

}  // namespace

void write_data(const Labelled& labelled, const ExportOptions& options, ExportReport& report) {
  const Path source = labelled.data.folder;
  std::error_code ignored;
  if (fs::equivalent(source, options.out, ignored)) {
    fail("{}: expected another folder than the data's own", options.out.string());
  }
  FolderUpdate update(options.out, options.overwrite);
  const Path& out = update.staging();
  DatasetInfo info;
  const Path json = source / "dataset.json";
  if (path_exists(json)) info = parse_dataset_json(read_file(json), json.string());
  // Names may lead anywhere below the source; in the new folder the features have the usual ones.
  for (const auto& [part, named] :
       {std::pair{"train", &info.train_features}, std::pair{"val", &info.val_features}}) {
    link_or_copy(named->empty() ? features_file(source, part)
                                : path_inside(source, *named, json.string() + ": 'features'"),
                 features_file(out, part));
    named->clear();
    link_or_copy(images_file(source, part), images_file(out, part));
    link_or_copy(box_area_file(source, part), box_area_file(out, part));
    link_or_copy(box_closeness_file(source, part), box_closeness_file(out, part));
  }
  link_or_copy(truth_file(source, "val"), truth_file(out, "val"));
  link_or_copy(observed_file(source, "val"), observed_file(out, "val"));
  const LabelMatrix& truth = labelled.data.train_file.truth;
  if (!truth.empty() && contradicts(labelled.labels, truth)) {
    report.notices.emplace_back(
        "some answers contradict the data's own truth, so the truth of the training file was left "
        "out");
  } else {
    link_or_copy(truth_file(source, "train"), truth_file(out, "train"));
  }
  write_labels(observed_file(out, "train"), labelled.labels);
  info.name = labelled.data.name;
  info.classes = labelled.classes;
  if (!labelled.data.train_file.images.empty()) {
    info.image_root = absolute_path(source / labelled.data.image_root).string();
  }
  write_file(out / "dataset.json", to_json(info));
  update.finish();
}

}  // namespace spml::review
