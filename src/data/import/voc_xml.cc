#include "data/import/voc_xml.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/fail.h"
#include "formats/lines.h"

namespace spml {
namespace {

constexpr size_t kMaxDepth = 64;

// Calls on_open(path) at every start tag and on_close(path, text) at every end tag; path is the
// names of the open elements joined by '/', text what stood between the element's last two tags.
class XmlScanner {
 public:
  XmlScanner(std::string_view xml, std::string_view where) : xml_(xml), where_(where) {}

  void run(const std::function<void(const std::string&)>& on_open,
           const std::function<void(const std::string&, std::string_view)>& on_close) {
    size_t text_begin = 0;
    while ((position_ = xml_.find('<', position_)) != std::string_view::npos) {
      const std::string_view text = xml_.substr(text_begin, position_ - text_begin);
      const std::string_view rest = xml_.substr(position_);
      if (rest.starts_with("<!--")) {
        skip_to("-->");
      } else if (rest.starts_with("<?") || rest.starts_with("<!")) {
        skip_to(">");
      } else if (rest.starts_with("</")) {
        const std::string name(trim(skip_to(">").substr(2)));
        if (ends_.empty() || path_.substr(ends_.back()) != name) {
          fail_here(fmt::format("found </{}> where another element is open", name));
        }
        on_close(path_, trim_space(text));
        path_.resize(ends_.back() == 0 ? 0 : ends_.back() - 1);
        ends_.pop_back();
      } else {
        const std::string_view tag = skip_to(">").substr(1);
        if (!tag.ends_with('/')) {
          if (ends_.size() == kMaxDepth) fail_here("elements are nested too deeply");
          if (!path_.empty()) path_ += '/';
          ends_.push_back(path_.size());
          path_ += tag.substr(0, tag.find_first_of(" \t\r\n"));
          on_open(path_);
        }
      }
      text_begin = position_;
    }
    position_ = xml_.size();
    if (!ends_.empty()) fail_here(fmt::format("'{}' is not closed", path_));
  }

  [[noreturn]] void fail_here(std::string_view what) const {
    const auto line = 1 + std::count(xml_.begin(), xml_.begin() + position_, '\n');
    fail("{}:{}: {}", where_, line, what);
  }

 private:
  static std::string_view trim_space(std::string_view text) {
    const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
  }

  // Moves past `end`; gives what stood before it.
  std::string_view skip_to(std::string_view end) {
    const size_t found = xml_.find(end, position_);
    if (found == std::string_view::npos) fail_here(fmt::format("expected '{}'", end));
    const std::string_view before = xml_.substr(position_, found - position_);
    position_ = found + end.size();
    return before;
  }

  std::string_view xml_;
  std::string_view where_;
  size_t position_ = 0;
  std::string path_;          // of the open elements
  std::vector<size_t> ends_;  // where each element's name begins in path_
};

}  // namespace

VocAnnotation parse_voc_xml(std::string_view xml, std::string_view where) {
  VocAnnotation annotation;
  VocObject object;
  double xmin = 0, ymin = 0, xmax = 0, ymax = 0;
  XmlScanner scanner(checked_text(xml, where), where);
  const auto number = [&](std::string_view text) {
    double value = 0;
    if (!parse_number(text, value) || !std::isfinite(value)) {
      scanner.fail_here(fmt::format("expected a number, found '{}'", text.substr(0, 40)));
    }
    return value;
  };
  scanner.run(
      [&](const std::string& path) {
        if (path != "annotation/object") return;
        object = {};
        xmin = ymin = xmax = ymax = 0;
      },
      [&](const std::string& path, std::string_view text) {
        if (path == "annotation/size/width") annotation.width = number(text);
        if (path == "annotation/size/height") annotation.height = number(text);
        if (path == "annotation/object/name") object.name = text;
        if (path == "annotation/object/bndbox/xmin") xmin = number(text);
        if (path == "annotation/object/bndbox/ymin") ymin = number(text);
        if (path == "annotation/object/bndbox/xmax") xmax = number(text);
        if (path == "annotation/object/bndbox/ymax") ymax = number(text);
        if (path != "annotation/object") return;
        // Pixels are counted from 1 and the last one belongs to the box.
        object.box = {xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1};
        annotation.objects.push_back(object);
      });
  return annotation;
}

}  // namespace spml
