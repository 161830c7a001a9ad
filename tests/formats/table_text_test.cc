#include "formats/table_text.h"

#include "formats/csv.h"
#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TableText, ReadsWhatSpreadsheetsSave) {
  EXPECT_EQ(TableText("\xEF\xBB\xBFname\n", "t.csv").text(), "name\n");
  const TableText western("Datei;Tag\nb\xE4r.jpg;B\xE4r \x80\n", "t.csv");
  EXPECT_EQ(western.text(), "Datei;Tag\nbär.jpg;Bär €\n");
  EXPECT_THAT(western.notice(), AllOf(HasSubstr("Windows-1252"), HasSubstr("'bär.jpg'")));
  EXPECT_EQ(TableText("bär.jpg;x\n", "t.csv").notice(), "");
  using namespace std::string_view_literals;
  EXPECT_EQ(TableText("\xFF\xFE"
                      "a\0\t\0\xE4\0\n\0"sv,
                      "t.csv")
                .text(),
            "a\tä\n");
  EXPECT_EQ(TableText("\xFE\xFF\0a\xD8\x3D\xDC\x08"sv, "t.csv").text(), "a🐈");
}

TEST(TableText, RefusesWhatIsNoText) {
  using namespace std::string_view_literals;
  const auto read = [](std::string_view bytes) { TableText(bytes, "t.xlsx"); };
  EXPECT_SPML_ERROR(read("PK\x03\x04...."), HasSubstr("t.xlsx: expected a table as text, found a"));
  EXPECT_SPML_ERROR(read("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), HasSubstr("CSV UTF-8"));
  EXPECT_SPML_ERROR(read("\xFF\xFE"
                         "a\0b"sv),
                    HasSubstr("broken UTF-16"));
  EXPECT_SPML_ERROR(read("\xFF\xFE\x00\xD8"sv), HasSubstr("broken UTF-16"));
  EXPECT_SPML_ERROR(read("a\nb\x81\xFF\n"), HasSubstr("t.xlsx:2: expected UTF-8"));
  EXPECT_SPML_ERROR(read("a\0\xFF\n"sv), HasSubstr("t.xlsx:1: found a zero byte"));
}

TEST(Csv, DetectsTheSeparator) {
  EXPECT_EQ(detect_separator(""), ',');
  EXPECT_EQ(detect_separator("image\na.jpg\n"), ',');
  EXPECT_EQ(detect_separator("image;label\na.jpg;cat\n"), ';');
  EXPECT_EQ(detect_separator("image\tlabel\na.jpg\tcat, dog\n"), '\t');
  EXPECT_EQ(detect_separator("image|label\r\na.jpg|cat;dog\r\n"), '|');
  EXPECT_EQ(detect_separator("image,label\na.jpg\nb.jpg,cat;dog\n"), ',');
  EXPECT_EQ(detect_separator("a.jpg;cat, dog\nb.jpg;eel, cat\n"), ';') << "met first";
  EXPECT_EQ(detect_separator("a.jpg,cat;dog\nb.jpg,eel;cat\n"), ',');
  EXPECT_EQ(detect_separator("\"a,b\";label\n\"c,d,e\";x\n"), ';') << "in quotes nothing separates";
}

TEST(Csv, TabsLeaveQuotesInsideAFieldAlone) {
  CsvReader reader("a.jpg\t5\" nail\n\"b\tc\"\tx\n", "t.tsv", '\t');
  std::vector<std::string> fields;
  ASSERT_TRUE(reader.next(fields));
  EXPECT_THAT(fields, ::testing::ElementsAre("a.jpg", "5\" nail"));
  ASSERT_TRUE(reader.next(fields));
  EXPECT_THAT(fields, ::testing::ElementsAre("b\tc", "x"));
}

}  // namespace
}  // namespace spml
