// What is derived from the declarations of the verbs: man pages, completion, docs/reference.md.
#include <functional>

#include "cli/flags/completion.h"
#include "cli/flags/help.h"
#include "cli/flags/man.h"
#include "cli/verbs.h"
#include "run_program.h"
#include "testing.h"

namespace spml::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void for_each_verb(const std::vector<Verb>& verbs, const std::string& above,
                   const std::function<void(const Verb&, const std::string&)>& body) {
  for (const Verb& verb : verbs) {
    body(verb, above + verb.name);
    for_each_verb(verb.verbs, above + verb.name + " ", body);
  }
}

TEST(Documents, ReferenceIsUpToDate) {
  EXPECT_EQ(read_file(source_folder() / "docs" / "reference.md"), reference_markdown(all_verbs()))
      << "update it: build/spml man --markdown > docs/reference.md";
}

TEST(Documents, EveryVerbIsDeclaredInFull) {
  for_each_verb(all_verbs(), "", [](const Verb& verb, const std::string& path) {
    EXPECT_FALSE(verb.summary.empty()) << path;
    if (!verb.run) {
      EXPECT_FALSE(verb.verbs.empty()) << path;
      return;
    }
    for (const char* name : {"json", "quiet", "config", "help"}) {
      EXPECT_NE(find_flag(verb, name), nullptr) << path << " --" << name;
    }
    for (const Flag& flag : verb.flags) {
      EXPECT_FALSE(flag.help.empty()) << path << " --" << flag.name;
      EXPECT_NE(flag.help.back(), '.') << path << " --" << flag.name;
      EXPECT_EQ(find_flag(verb, flag.name), &flag) << path << " --" << flag.name << " twice";
      for (const std::string& other : flag.excludes) {
        EXPECT_NE(find_flag(verb, other), nullptr) << path << " --" << flag.name;
      }
      for (const Need& need : flag.needs) {
        EXPECT_NE(find_flag(verb, need.flag), nullptr) << path << " --" << flag.name;
      }
      const bool allows = flag.name == "force" || flag.name == "overwrite" ||
                          flag.name == "update" || flag.name == "trust-code" ||
                          flag.name == "max-memory" || flag.name == "allow-remote";
      EXPECT_EQ(flag.consent, allows) << path << " --" << flag.name;
    }
  });
}

TEST(Documents, EveryVerbHasAManPageThatNamesItsFlags) {
  const std::vector<Verb> verbs = all_verbs();
  std::map<std::string, std::string> pages;
  for (const auto& [name, text] : all_man_pages(verbs)) pages[name] = text;
  EXPECT_TRUE(pages.contains("spml.1"));
  EXPECT_TRUE(pages.contains("spml-import-voc.1"));
  for_each_verb(verbs, "", [&](const Verb& verb, const std::string& path) {
    const std::string page = man_page(verb, path);
    for (const char* part : {".TH SPML", ".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS"}) {
      EXPECT_THAT(page, HasSubstr(part)) << path;
    }
    for (const Flag& flag : verb.flags) {
      std::string name = ".B ";
      for (const char c : "--" + flag.name) name += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_THAT(page, HasSubstr(name)) << path;
    }
  });
  EXPECT_EQ(run_program("man import voc").out, pages["spml-import-voc.1"]);
  EXPECT_EQ(run_program("man").out, pages["spml.1"]);
  EXPECT_THAT(run_program("man trian").err, HasSubstr("did you mean 'train'?"));
  TemporaryFolder folder;
  EXPECT_EQ(run_program({"man", "--out", folder / "man"}).exit_code, 0);
  EXPECT_EQ(read_file(folder / "man/spml-train.1"), pages["spml-train.1"]);
}

// What bash offers for the last of the words.
std::vector<std::string> offers(const TemporaryFolder& folder, const std::string& words) {
  write_file(folder / "spml.bash", bash_completion(all_verbs()));
  write_file(folder / "ask.bash", "source " + (folder / "spml.bash").string() + "\nCOMP_WORDS=(" +
                                      words +
                                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_spml\n"
                                      "printf '%s\\n' \"${COMPREPLY[@]}\" >" +
                                      (folder / "offers").string() + "\n");
  const std::string command = "bash " + (folder / "ask.bash").string() + " 2>/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::vector<std::string> lines;
  const std::string text = read_file(folder / "offers");
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(Documents, BashCompletesVerbsFlagsAndValues) {
  TemporaryFolder folder;
  EXPECT_THAT(offers(folder, "spml swe"), ElementsAre("sweep"));
  EXPECT_THAT(offers(folder, "spml import v"), ElementsAre("voc"));
  EXPECT_THAT(offers(folder, "spml import voc --ye"), ElementsAre("--year"));
  EXPECT_THAT(offers(folder, "spml train data --weight-d"), ElementsAre("--weight-decay"));
  EXPECT_THAT(offers(folder, "spml train data --transform st"), ElementsAre("standardize"));
  EXPECT_THAT(offers(folder, "spml sweep data --loss role,an-"),
              AllOf(testing::Contains("role,an-ls"), testing::Each(HasSubstr("role,an-"))));
  EXPECT_THAT(offers(folder, "spml completion f"), ElementsAre("fish"));
  std::filesystem::create_directory(folder / "runs");
  EXPECT_THAT(offers(folder, "spml evaluate " + (folder / "ru").string()),
              ElementsAre((folder / "runs").string()));
}

TEST(Documents, ScriptsOfAllShellsNameEveryVerbAndFlag) {
  const std::vector<Verb> verbs = all_verbs();
  const std::string bash = run_program("completion bash").out,
                    zsh = run_program("completion zsh").out,
                    fish = run_program("completion fish").out;
  EXPECT_EQ(bash, bash_completion(verbs));
  for_each_verb(verbs, "", [&](const Verb& verb, const std::string& path) {
    EXPECT_THAT(bash, HasSubstr("'" + path + "')"));
    EXPECT_THAT(zsh, HasSubstr("'" + verb.name + ":"));
    EXPECT_THAT(fish, HasSubstr(" -a " + verb.name + " -d "));
    for (const Flag& flag : verb.flags) {
      EXPECT_THAT(bash, HasSubstr("--" + flag.name));
      EXPECT_THAT(zsh, HasSubstr("--" + flag.name + "["));
      EXPECT_THAT(fish, HasSubstr(" -l " + flag.name + " "));
    }
  });
  EXPECT_EQ(run_program("completion tcsh").exit_code, 2);
}

TEST(Version, VerboseNamesProcessorLibrariesAndModules) {
  EXPECT_THAT(run_program("--version").out, testing::MatchesRegex("spml [0-9.]+\n"));
  EXPECT_THAT(run_program("--version --verbose").out,
              AllOf(HasSubstr("SIMD: "), HasSubstr("Highway "), HasSubstr("Module")));
  const Ran wrong = run_program("--version --verbos");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("found '--verbos'"));
}

}  // namespace
}  // namespace spml::cli
