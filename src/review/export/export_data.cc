// A data folder with +1, -1 and unknown, ready for `spml train`.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/fail.h"
#include "base/folders.h"
#include "data/folder_update.h"
#include "review/export/export_formats.h"

namespace spml::review {
namespace {

namespace fs = std::filesystem;

// A descriptor that is closed when this object ends.
struct Opened {
  explicit Opened(int number) : fd(number) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

// Copies by reading and writing, where the kernel cannot copy between the file systems.
bool copy_by_hand(int from, int to) {
  std::vector<char> block(size_t{1} << 20);
  while (true) {
    const ssize_t n = ::read(from, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = ::write(to, block.data() + done, static_cast<size_t>(n - done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      done += written;
    }
  }
}

// The other files of the folder are copied unchanged. They are never linked: writing into the
// export must not change the data. On file systems that share blocks until one copy is modified,
// this takes neither space nor time.
void copy_over(const Path& from, const Path& to) {
  if (!path_exists(from)) return;
  const MappedFile checked(from);  // a regular file, or Error
  const Opened in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  const Opened out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  const bool copied = in.fd >= 0 && out.fd >= 0 &&
                      (::ioctl(out.fd, FICLONE, in.fd) == 0 || copy_by_hand(in.fd, out.fd)) &&
                      ::fsync(out.fd) == 0;
  if (!copied) {
    fail("{}: cannot copy it to {}: {}", from.string(), to.string(), std::strerror(errno));
  }
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
  // Feature files may lie anywhere below the source; in the new folder they get the usual names.
  for (const auto& [part, named] :
       {std::pair{"train", &info.train_features}, std::pair{"val", &info.val_features}}) {
    copy_over(named->empty() ? features_file(source, part)
                             : path_inside(source, *named, json.string() + ": 'features'"),
              features_file(out, part));
    named->clear();
    copy_over(images_file(source, part), images_file(out, part));
    copy_over(box_area_file(source, part), box_area_file(out, part));
    copy_over(box_closeness_file(source, part), box_closeness_file(out, part));
  }
  copy_over(truth_file(source, "val"), truth_file(out, "val"));
  copy_over(observed_file(source, "val"), observed_file(out, "val"));
  const LabelMatrix& truth = labelled.data.train_file.truth;
  if (!truth.empty() && contradicts(labelled.labels, truth)) {
    report.notices.emplace_back(
        "some answers contradict the data's own truth, so the truth of the training file was left "
        "out");
  } else {
    copy_over(truth_file(source, "train"), truth_file(out, "train"));
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
