#include "formats/csv.h"

#include "testing.h"

namespace spml {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Records = std::vector<std::vector<std::string>>;

Records read_all(std::string_view text) {
  CsvReader reader(text, "t.csv");
  Records records;
  for (std::vector<std::string> fields; reader.next(fields);) records.push_back(fields);
  return records;
}

TEST(Csv, SplitsFieldsAndRecords) {
  EXPECT_EQ(read_all("a,b\nc,,d\n"), (Records{{"a", "b"}, {"c", "", "d"}}));
  EXPECT_EQ(read_all("a,b\n,\nlast"), (Records{{"a", "b"}, {"", ""}, {"last"}}));
}

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineBreaks) {
  EXPECT_EQ(read_all("\"a,b\",\"say \"\"hi\"\"\"\n\"two\r\nlines\",x\n"),
            (Records{{"a,b", "say \"hi\""}, {"two\r\nlines", "x"}}));
  EXPECT_EQ(read_all("\"\",\"\"\"\"\n"), (Records{{"", "\""}}));
}

TEST(Csv, EveryLineEndingEndsARecord) {
  EXPECT_EQ(read_all("a\r\nb\rc\nd"), (Records{{"a"}, {"b"}, {"c"}, {"d"}}));
}

TEST(Csv, SkipsByteOrderMarkAndBlankLines) {
  EXPECT_EQ(read_all("\xEF\xBB\xBFimage,label\n\n\r\na,b\n\n"),
            (Records{{"image", "label"}, {"a", "b"}}));
  EXPECT_TRUE(read_all("").empty());
  EXPECT_TRUE(read_all("\n\n").empty());
}

TEST(Csv, CountsLinesInsideQuotedFields) {
  CsvReader reader("h\n\"1\n2\n3\",x\nlast\n", "t.csv");
  std::vector<std::string> fields;
  ASSERT_TRUE(reader.next(fields));
  ASSERT_TRUE(reader.next(fields));
  EXPECT_EQ(reader.line(), 2u);
  ASSERT_TRUE(reader.next(fields));
  EXPECT_EQ(reader.place(), "t.csv:5");
  EXPECT_THAT(fields, ElementsAre("last"));
}

TEST(Csv, ErrorsNameTheLine) {
  EXPECT_SPML_ERROR(read_all("a,b\nc,\"open\n\n\n"),
                    AllOf(HasSubstr("t.csv:2:"), HasSubstr("never closed")));
  EXPECT_SPML_ERROR(read_all("a\nb\"c\n"), AllOf(HasSubstr("t.csv:2:"), HasSubstr("unquoted")));
  EXPECT_SPML_ERROR(read_all("a\n\"b\"c\n"), AllOf(HasSubstr("t.csv:2:"), HasSubstr("comma")));
  EXPECT_SPML_ERROR(read_all(std::string_view("a\nb\0c\n", 6)), HasSubstr("t.csv:2: found a zero"));
  EXPECT_SPML_ERROR(read_all(std::string_view("\"b\0c\"\n", 6)), HasSubstr("zero byte"));
}

TEST(Csv, RefusesOtherEncodings) {
  EXPECT_SPML_ERROR(read_all("ok\ncaf\xE9,x\n"), AllOf(HasSubstr("t.csv:2:"), HasSubstr("UTF-8")));
  EXPECT_SPML_ERROR(read_all(std::string_view("\xFF\xFE"
                                              "a\0",
                                              4)),
                    HasSubstr("UTF-16"));
}

TEST(Csv, BoundsFieldsAndColumns) {
  const std::string huge(CsvReader::kMaxFieldBytes + 1, 'x');
  EXPECT_SPML_ERROR(read_all("a," + huge + "\n"), HasSubstr("field of at most"));
  EXPECT_SPML_ERROR(read_all("a,\"" + huge + "\"\n"), HasSubstr("field of at most"));
  EXPECT_SPML_ERROR(read_all(std::string(CsvReader::kMaxColumns, ',')), HasSubstr("columns"));
  EXPECT_EQ(read_all(std::string(CsvReader::kMaxColumns - 1, ','))[0].size(),
            CsvReader::kMaxColumns);
}

TEST(Csv, WrittenFieldsAreReadBack) {
  for (const std::string text : {"plain", "a,b", "say \"x\"", "two\nlines", ""}) {
    std::vector<std::string> fields;
    const std::string record = csv_field(text) + ",end";
    ASSERT_TRUE(CsvReader(record, "t.csv").next(fields));
    EXPECT_EQ(fields, (std::vector<std::string>{text, "end"}));
  }
  EXPECT_EQ(csv_field("plain"), "plain");
}

TEST(CsvField, IsNoFormula) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("+1"), "'+1");
  EXPECT_EQ(csv_field("-1"), "'-1");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("\t=1"), "'\t=1");
  EXPECT_EQ(csv_field("=HYPERLINK(\"http://x\",\"y\")"),
            "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  EXPECT_EQ(csv_field("a=1"), "a=1");
  EXPECT_EQ(csv_field(""), "");
}

}  // namespace
}  // namespace spml
