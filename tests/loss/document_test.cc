#include "loss/document.h"

#include "testing.h"

namespace spml {
namespace {

TEST(LossDocument, IsTheOneInTheRepository) {
  EXPECT_EQ(read_file(source_folder() / "docs" / "losses.md"), losses_markdown())
      << "update it: build/spml losses --markdown > docs/losses.md";
}

TEST(LossDocument, NamesEveryLossAndParameter) {
  const std::string text = losses_markdown();
  for (const LossInfo* info : all_losses()) {
    EXPECT_THAT(text, testing::HasSubstr("\n## " + std::string(info->name) + "\n"));
    for (const LossParameter& parameter : info->params) {
      EXPECT_THAT(text, testing::HasSubstr("| `" + std::string(parameter.name) + "` | " +
                                           default_text(parameter) + " |"));
    }
  }
}

}  // namespace
}  // namespace spml
