#include "formats/xmp.h"

#include <algorithm>
#include <pugixml.hpp>
#include <unordered_set>

#include "base/fail.h"
#include "base/unicode.h"
#include "formats/lines.h"

namespace spml {
namespace {

constexpr std::string_view kRdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
constexpr std::string_view kDc = "http://purl.org/dc/elements/1.1/";

constexpr std::string_view kEmptyPacket =
    "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
    " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
    "  <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"/>\n"
    " </rdf:RDF>\n"
    "</x:xmpmeta>\n"
    "<?xpacket end=\"w\"?>\n";

// Beyond what programs write, so that walking up from a node stays short.
constexpr int kMaxDepth = 64;

std::string_view prefix_of(std::string_view name) {
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? std::string_view() : name.substr(0, colon);
}

std::string_view local_name(std::string_view name) { return name.substr(name.find(':') + 1); }

// What the prefix stands for at this element; "" when nothing declares it.
std::string_view namespace_of(pugi::xml_node node, std::string_view prefix) {
  const std::string declaration = prefix.empty() ? "xmlns" : fmt::format("xmlns:{}", prefix);
  for (; node; node = node.parent()) {
    if (const auto found = node.attribute(declaration.c_str())) return found.value();
  }
  return {};
}

bool is(pugi::xml_node node, std::string_view space, std::string_view name) {
  return node.type() == pugi::node_element && local_name(node.name()) == name &&
         namespace_of(node, prefix_of(node.name())) == space;
}

pugi::xml_node child_of(pugi::xml_node parent, std::string_view space, std::string_view name) {
  for (const pugi::xml_node child : parent.children()) {
    if (is(child, space, name)) return child;
  }
  return {};
}

// XML has no characters below a space but tab and line breaks, which no keyword needs either.
std::string printable_keyword(std::string_view text) {
  std::string keyword(text);
  std::ranges::replace_if(
      keyword, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return keyword;
}

// pugixml reads and writes without recursion and expands no entities but the five of XML.
class Packet {
 public:
  Packet(std::string_view xmp, std::string_view where) : where_(where) {
    if (xmp.size() > kMaxXmpBytes) {
      fail("{}: expected at most {} bytes of XMP, found {}", where, kMaxXmpBytes, xmp.size());
    }
    if (!is_utf8(xmp)) fail("{}: expected XMP in UTF-8, found other bytes", where);
    const pugi::xml_parse_result parsed = document_.load_buffer(
        xmp.data(), xmp.size(), pugi::parse_full | pugi::parse_ws_pcdata, pugi::encoding_utf8);
    if (!parsed) {
      fail("{}: expected XMP, which is XML: {} at byte {}", where, parsed.description(),
           parsed.offset);
    }
    check_depth();
    for (const pugi::xml_node top : document_.children()) {
      if (is(top, kRdf, "RDF")) rdf_ = top;
      if (!rdf_) rdf_ = child_of(top, kRdf, "RDF");
    }
    if (!rdf_) fail("{}: expected XMP, found XML without rdf:RDF", where);
  }

  std::vector<std::string> keywords() const {
    std::vector<std::string> found;
    for_each_bag([&](pugi::xml_node bag) {
      for (const pugi::xml_node item : bag.children()) {
        if (is(item, kRdf, "li")) found.emplace_back(item.text().get());
      }
    });
    return found;
  }

  void add(const std::vector<std::string>& keywords) {
    pugi::xml_node bag;
    for_each_bag([&](pugi::xml_node found) {
      if (!bag) bag = found;
    });
    if (!bag) bag = make_bag();
    const std::string item = fmt::format("{}li", prefix_at(bag, kRdf, "rdf"));
    for (const std::string& keyword : keywords) {
      bag.append_child(item.c_str()).text().set(keyword.c_str());
    }
  }

  std::string text() const {
    struct Writer : pugi::xml_writer {
      std::string text;
      void write(const void* data, size_t size) override {
        text.append(static_cast<const char*>(data), size);
      }
    } writer;
    document_.save(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
    return std::move(writer.text);
  }

 private:
  void check_depth() const {
    int depth = 0;
    for (pugi::xml_node node = document_; node;) {
      if (node.first_child()) {
        node = node.first_child();
        if (++depth > kMaxDepth) {
          fail("{}: expected XMP of at most {} levels of elements", where_, kMaxDepth);
        }
        continue;
      }
      while (node && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      if (node) node = node.next_sibling();
    }
  }

  // The containers of dc:subject: one, but other programs' packets may have several.
  template <class Visit>
  void for_each_bag(const Visit& visit) const {
    for (const pugi::xml_node description : rdf_.children()) {
      if (!is(description, kRdf, "Description")) continue;
      for (const pugi::xml_node subject : description.children()) {
        if (!is(subject, kDc, "subject")) continue;
        for (const pugi::xml_node bag : subject.children()) {
          if (is(bag, kRdf, "Bag") || is(bag, kRdf, "Seq") || is(bag, kRdf, "Alt")) visit(bag);
        }
      }
    }
  }

  // "rdf:", as the namespace is called at this element; declared there where it has no prefix.
  std::string prefix_at(pugi::xml_node node, std::string_view space, std::string prefix) {
    for (pugi::xml_node at = node; at; at = at.parent()) {
      for (const pugi::xml_attribute attribute : at.attributes()) {
        const std::string_view name = attribute.name();
        if (attribute.value() != space || !name.starts_with("xmlns:")) continue;
        const std::string_view known = name.substr(6);
        if (namespace_of(node, known) == space) return fmt::format("{}:", known);
      }
    }
    while (!namespace_of(node, prefix).empty()) prefix += "_";
    node.append_attribute(fmt::format("xmlns:{}", prefix).c_str())
        .set_value(std::string(space).c_str());
    return prefix + ":";
  }

  pugi::xml_node make_bag() {
    pugi::xml_node description = child_of(rdf_, kRdf, "Description");
    const std::string rdf = prefix_at(rdf_, kRdf, "rdf");
    if (!description) {
      description = rdf_.append_child(fmt::format("{}Description", rdf).c_str());
      description.append_attribute(fmt::format("{}about", rdf).c_str()).set_value("");
    }
    const std::string dc = prefix_at(description, kDc, "dc");
    pugi::xml_node subject = child_of(description, kDc, "subject");
    if (!subject) subject = description.append_child(fmt::format("{}subject", dc).c_str());
    return subject.append_child(fmt::format("{}Bag", prefix_at(subject, kRdf, "rdf")).c_str());
  }

  std::string_view where_;
  pugi::xml_document document_;
  pugi::xml_node rdf_;
};

}  // namespace

std::vector<std::string> xmp_keywords(std::string_view xmp, std::string_view where) {
  return Packet(xmp, where).keywords();
}

std::string with_xmp_keywords(std::string_view xmp, std::span<const std::string> keywords,
                              std::string_view where) {
  Packet packet(xmp.empty() ? kEmptyPacket : xmp, where);
  std::unordered_set<std::string> known;
  for (const std::string& keyword : packet.keywords()) known.insert(folded(keyword));
  std::vector<std::string> added;
  for (const std::string& name : keywords) {
    std::string keyword = printable_keyword(name);
    if (known.insert(folded(keyword)).second) added.push_back(std::move(keyword));
  }
  if (added.empty()) return std::string(xmp.empty() ? kEmptyPacket : xmp);
  packet.add(added);
  return packet.text();
}

Path sidecar_of(const Path& photograph, SidecarNames names) {
  Path sidecar = photograph;
  if (names == SidecarNames::kReplaced) return sidecar.replace_extension(".xmp");
  sidecar += ".xmp";
  return sidecar;
}

}  // namespace spml
