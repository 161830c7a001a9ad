// Records as JSON: one list of keys writes and reads them, and hostile files end in an Error that
// says where.
#include "formats/json_fields.h"

#include "testing.h"

namespace spml {
namespace {

using testing::AllOf;
using testing::HasSubstr;

enum class Colour { kRed, kBlue };
std::string_view to_string(Colour colour) { return colour == Colour::kRed ? "red" : "blue"; }
void from_word(std::string_view word, Colour& colour) {
  if (word != "red" && word != "blue") fail("expected red or blue, found '{}'", word);
  colour = word == "red" ? Colour::kRed : Colour::kBlue;
}

struct Inner {
  int small = 0;
  std::vector<double> list;
  bool operator==(const Inner&) const = default;
};

template <class Fields>
void json_fields(Fields& field, Inner& inner) {
  field("small", inner.small);
  field("list", inner.list);
}

struct Outer {
  std::string text;
  Colour colour = Colour::kRed;
  std::optional<double> missing, given;
  std::optional<int> unsaid;
  uint64_t large = 0;
  bool yes = false;
  NamedList<Inner> inner;
  std::map<std::string, double> sorted;
  bool operator==(const Outer&) const = default;
};

template <class Fields>
void json_fields(Fields& field, Outer& outer) {
  field("text", outer.text);
  field("colour", outer.colour);
  field("missing", outer.missing);
  field("given", outer.given);
  field.maybe("unsaid", outer.unsaid);
  field("large", outer.large);
  field("yes", outer.yes);
  field("inner", outer.inner);
  field("sorted", outer.sorted);
}

Outer example() {
  Outer outer;
  outer.text = "a \"b\"";
  outer.colour = Colour::kBlue;
  outer.given = 0.1;
  outer.large = UINT64_MAX;
  outer.yes = true;
  outer.inner["second"] = {-3, {1, 2.5}};
  outer.inner["first"] = {};
  outer.sorted = {{"b", 1}, {"a", 2}};
  return outer;
}

const std::string kText =
    R"({"text":"a \"b\"","colour":"blue","missing":null,"given":0.1,"large":18446744073709551615,)"
    R"("yes":true,"inner":{"second":{"small":-3,"list":[1.0,2.5]},"first":{"small":0,"list":[]}},)"
    R"("sorted":{"a":2.0,"b":1.0}})";

TEST(JsonFields, WritesKeysInTheirOrderAndReadsThemBack) {
  EXPECT_EQ(record_text(example()), kText);
  EXPECT_EQ(parse_record<Outer>(kText, "file"), example());
}

// The text with one part replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kText;
  return text.replace(text.find(from), from.size(), to);
}

TEST(JsonFields, ErrorsNameTheFileAndTheKey) {
  const auto parse = [](const std::string& text) { parse_record<Outer>(text, "x.json"); };
  EXPECT_SPML_ERROR(parse("{}"), HasSubstr("x.json: expected 'text', found no such key"));
  EXPECT_SPML_ERROR(parse("[]"), HasSubstr("x.json: expected an object, found []"));
  EXPECT_SPML_ERROR(parse(with("\"blue\"", "\"green\"")),
                    AllOf(HasSubstr("x.json: 'colour'"), HasSubstr("found 'green'")));
  EXPECT_SPML_ERROR(parse(with("true", "1")),
                    HasSubstr("x.json: 'yes': expected true or false, found 1"));
  EXPECT_SPML_ERROR(parse(with("2.5", "\"2.5\"")), HasSubstr("'list'[1]: expected a number"));
  EXPECT_SPML_ERROR(parse(with("-3", "-3000000000")), HasSubstr("'inner'.second: 'small'"));
  EXPECT_SPML_ERROR(parse(with("-3", "0.5")), HasSubstr("expected a whole number, found 0.5"));
  EXPECT_SPML_ERROR(parse(with("18446744073709551615", "-1")), HasSubstr("whole number from 0"));
  EXPECT_SPML_ERROR(parse(with("0.1", "1e999")), HasSubstr("out of range"));
  EXPECT_SPML_ERROR(parse(with("0.1", std::string(100, '['))), HasSubstr("nested"));
  EXPECT_SPML_ERROR(parse(with("\"yes\"", "\"text\"")), HasSubstr("found 'text' twice"));
  EXPECT_SPML_ERROR(parse(kText.substr(0, 30)), HasSubstr("error at byte"));
}

TEST(JsonFields, ObjectsInOrderHaveABoundedNumberOfKeys) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("\"{}\":0,", i);
  text.back() = '}';
  EXPECT_SPML_ERROR(parse_ordered_json(text, "x"), HasSubstr("at most 10000 keys"));
  EXPECT_EQ(parse_json(text, "x").size(), 20'000u);
}

TEST(JsonFields, WhatIsNoJsonIsReplaced) {
  Inner inner;
  inner.list = {std::nan(""), HUGE_VAL};
  EXPECT_EQ(record_text(inner), R"({"small":0,"list":[null,null]})");
  EXPECT_EQ(json_text(Json("\xff")), "\"\xEF\xBF\xBD\"");
}

TEST(JsonFields, LinesAreCounted) {
  const TemporaryFolder folder;
  write_file(folder / "x.jsonl", "{\"small\":1,\"list\":[]}\n\n{\"small\":2,\"list\":[]}\n");
  EXPECT_EQ(read_record_lines<Inner>(folder / "x.jsonl").size(), 2u);
  write_file(folder / "x.jsonl", "{\"small\":1,\"list\":[]}\nnothing\n");
  EXPECT_SPML_ERROR(read_record_lines<Inner>(folder / "x.jsonl"), HasSubstr("x.jsonl:2: "));
}

}  // namespace
}  // namespace spml
