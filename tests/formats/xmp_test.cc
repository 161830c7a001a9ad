#include "formats/xmp.h"

#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string add(std::string_view xmp, const std::vector<std::string>& keywords) {
  return with_xmp_keywords(xmp, keywords, "a.xmp");
}
std::vector<std::string> keywords(std::string_view xmp) { return xmp_keywords(xmp, "a.xmp"); }

// As Lightroom writes it: other metadata as attributes and elements, its own prefix order.
constexpr std::string_view kLightroom = R"(<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmp:Rating="4">
   <dc:title><rdf:Alt><rdf:li xml:lang="x-default">A &amp; B</rdf:li></rdf:Alt></dc:title>
   <dc:subject>
    <rdf:Bag>
     <rdf:li>Cat</rdf:li>
    </rdf:Bag>
   </dc:subject>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
)";

TEST(Xmp, MakesAPacketThatIsReadBack) {
  const std::string xmp = add("", {"dog", "Bär", "🐈", "a & <b>"});
  EXPECT_THAT(keywords(xmp), ElementsAre("dog", "Bär", "🐈", "a & <b>"));
  EXPECT_THAT(xmp, AllOf(HasSubstr("<?xpacket begin="), HasSubstr("a &amp; &lt;b&gt;")));
  EXPECT_THAT(keywords(add("", {})), IsEmpty());
}

TEST(Xmp, KeepsKeywordsAndEverythingElse) {
  const std::string xmp = add(kLightroom, {"dog", "cat", "dog"});
  EXPECT_THAT(keywords(xmp), ElementsAre("Cat", "dog")) << "in any case";
  EXPECT_THAT(xmp, AllOf(HasSubstr("xmp:Rating=\"4\""), HasSubstr("A &amp; B"),
                         HasSubstr("xml:lang=\"x-default\"")));
  std::string rest = xmp;
  rest.erase(rest.find("<rdf:li>dog</rdf:li>"), 20);
  EXPECT_THAT(rest, HasSubstr("<rdf:li>Cat</rdf:li>\n    </rdf:Bag>"));
}

TEST(Xmp, NothingToAddChangesNoByte) {
  EXPECT_EQ(add(kLightroom, {"CAT"}), kLightroom);
  EXPECT_EQ(add(kLightroom, {}), kLightroom);
}

TEST(Xmp, OtherPrefixesAndMissingPartsAreUnderstood) {
  const std::string_view other =
      R"(<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description )"
      R"(xmlns:d="http://purl.org/dc/elements/1.1/"><d:subject><r:Bag><r:li>x</r:li></r:Bag>)"
      R"(</d:subject></r:Description></r:RDF>)";
  EXPECT_THAT(add(other, {"y"}), HasSubstr("<r:li>x</r:li><r:li>y</r:li>"));
  const std::string_view bare =
      R"(<x xmlns:dc="urn:mine"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x>)";
  const std::string made = add(bare, {"y"});
  EXPECT_THAT(keywords(made), ElementsAre("y"));
  EXPECT_THAT(made, HasSubstr("xmlns:dc_=\"http://purl.org/dc/elements/1.1/\""));
}

TEST(Xmp, HostileSidecarsAreRefused) {
  EXPECT_SPML_ERROR(add("not xml", {"x"}), HasSubstr("a.xmp: expected XMP"));
  EXPECT_SPML_ERROR(add("<a/>", {"x"}), HasSubstr("without rdf:RDF"));
  EXPECT_SPML_ERROR(add("<a><b></a>", {"x"}), HasSubstr("which is XML"));
  EXPECT_SPML_ERROR(add("<a>\xFF</a>", {"x"}), HasSubstr("UTF-8"));
  EXPECT_SPML_ERROR(add(std::string(kMaxXmpBytes + 1, ' '), {"x"}), HasSubstr("at most"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  for (int i = 0; i < 100'000; ++i) deep += "</a>";
  EXPECT_SPML_ERROR(add(deep, {"x"}), HasSubstr("levels"));
  const std::string_view laughs =
      R"(<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><rdf:RDF )"
      R"(xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description )"
      R"(xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:subject><rdf:Bag><rdf:li>&b;</rdf:li>)"
      R"(</rdf:Bag></dc:subject></rdf:Description></rdf:RDF>)";
  EXPECT_THAT(keywords(laughs), ElementsAre("&b;")) << "no entity is expanded";
}

TEST(Xmp, KeywordsCannotLeaveTheirElement) {
  const std::string xmp = add(kLightroom, {"</rdf:li><evil/>", std::string("a\nb\x01"
                                                                           "c")});
  EXPECT_THAT(keywords(xmp), ElementsAre("Cat", "</rdf:li><evil/>", "a b c"));
}

TEST(Xmp, SidecarsHaveTheNamesThatProgramsLookFor) {
  EXPECT_EQ(sidecar_of("p/a.b.jpg", SidecarNames::kAppended), "p/a.b.jpg.xmp");
  EXPECT_EQ(sidecar_of("p/a.b.jpg", SidecarNames::kReplaced), "p/a.b.xmp");
}

}  // namespace
}  // namespace spml
