#include "data/import/voc_xml.h"

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>

#include "base/fail.h"
#include "formats/lines.h"

namespace spml {
namespace {

// pugixml reads without recursion and expands no entities but the five of XML, so a file costs
// memory in proportion to its size, whatever is in it.
class Reader {
 public:
  Reader(std::string_view xml, std::string_view where) : xml_(xml), where_(where) {
    const pugi::xml_parse_result parsed = document_.load_buffer(
        xml.data(), xml.size(), pugi::parse_default | pugi::parse_trim_pcdata, pugi::encoding_utf8);
    if (!parsed) fail_at(parsed.offset, fmt::format("expected XML: {}", parsed.description()));
  }

  pugi::xml_node root() const { return document_; }

  // 0 where there is no such element.
  double number(pugi::xml_node parent, const char* name) const {
    const pugi::xml_node node = parent.child(name);
    if (!node) return 0;
    const std::string_view text = node.text().get();
    double value = 0;
    if (!parse_number(text, value) || !std::isfinite(value)) {
      fail_at(node.offset_debug(),
              fmt::format("expected a number in <{}>, found '{}'", name, text.substr(0, 40)));
    }
    return value;
  }

 private:
  [[noreturn]] void fail_at(ptrdiff_t offset, std::string_view what) const {
    const auto end = std::clamp(offset, ptrdiff_t{0}, static_cast<ptrdiff_t>(xml_.size()));
    const auto line = 1 + std::count(xml_.begin(), xml_.begin() + end, '\n');
    fail("{}:{}: {}", where_, line, what);
  }

  std::string_view xml_;
  std::string_view where_;
  pugi::xml_document document_;
};

}  // namespace

VocAnnotation parse_voc_xml(std::string_view xml, std::string_view where) {
  const Reader reader(checked_text(xml, where), where);
  const pugi::xml_node root = reader.root().child("annotation");
  if (!root) fail("{}: expected an element <annotation>, found none", where);
  VocAnnotation annotation;
  annotation.width = reader.number(root.child("size"), "width");
  annotation.height = reader.number(root.child("size"), "height");
  for (const pugi::xml_node node : root.children("object")) {
    const pugi::xml_node box = node.child("bndbox");
    const double xmin = reader.number(box, "xmin"), ymin = reader.number(box, "ymin");
    const double xmax = reader.number(box, "xmax"), ymax = reader.number(box, "ymax");
    // Pixels are counted from 1 and the last one belongs to the box.
    annotation.objects.push_back(
        {node.child("name").text().get(), {xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1}});
  }
  return annotation;
}

}  // namespace spml
