// --config files, as the flags of a verb read them.
#include "cli/flags/parse.h"
#include "memory_file.h"
#include "targets.h"

namespace spml {

bool fuzz_config(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  return accepts([&] {
    auto common = std::make_shared<cli::Common>();
    std::string text;
    int number = 0;
    double real = 0;
    bool consent = false;
    std::vector<std::string> list;
    cli::Verb verb{.name = "train", .summary = ""};
    verb.flags = {{.name = "loss", .target = &text, .help = ""},
                  {.name = "epochs", .target = &number, .help = ""},
                  {.name = "lr", .target = &real, .help = ""},
                  {.name = "param", .target = &list, .help = ""},
                  {.name = "force", .target = &consent, .help = "", .consent = true}};
    verb.common = common.get();
    verb.run = [] {};
    cli::parse({cli::with_common_flags(std::move(verb))}, {"train", "--config", file.path()});
    if (consent) ::abort();
  });
}

}  // namespace spml
