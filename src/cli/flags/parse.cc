#include "cli/flags/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "base/text.h"
#include "cli/flags/given.h"

namespace spml::cli {
namespace {

using Words = std::vector<std::string>;

// "--lr" and "-h" are flags; "-1", "-.5" and "-" are values.
bool looks_like_flag(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] != '.' && !(word[1] >= '0' && word[1] <= '9');
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

// The words of one verb, after its name.
class Reader {
 public:
  Reader(const Verb& verb, Words words, std::string path)
      : verb_(verb), words_(std::move(words)), path_(std::move(path)) {
    flags_end_ = static_cast<size_t>(std::ranges::find(words_, "--") - words_.begin());
  }

  bool wants_help() const {
    return std::any_of(words_.begin(), words_.begin() + flags_end_, asks_for_help);
  }

  // Checked first, since the meaning of the other words depends on the flags.
  void check_spelling() const {
    for (size_t i = 0; i < flags_end_; ++i) {
      if (!looks_like_flag(words_[i]) || flag_of(words_[i]) != nullptr) continue;
      const std::string name = words_[i].substr(0, words_[i].find('='));
      const std::string hint = did_you_mean(name, flag_names(verb_));
      fail_usage("unknown flag '{}'{}", name,
                 hint.empty() ? fmt::format("; `spml {} --help` lists them", path_) : hint);
    }
  }

  void read() {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (i == flags_end_) continue;
      const std::string& word = words_[i];
      if (i > flags_end_ || !looks_like_flag(word)) {
        positionals_.push_back(word);
        continue;
      }
      const Flag& flag = *flag_of(word);
      Texts& texts = given_[&flag];
      texts.where = word.substr(0, word.find('='));
      if (word.find('=') != std::string::npos) {
        texts.values.push_back(word.substr(word.find('=') + 1));
      } else if (is_switch(flag)) {
        texts.values.emplace_back("true");
      } else {
        if (!has_value_after(i)) {
          fail_usage("{}: expected a value, {}, found {}", texts.where, value_hint(flag),
                     i + 1 < words_.size() ? "'" + words_[i + 1] + "'" : "nothing");
        }
        texts.values.push_back(words_[++i]);
        while (flag.several && has_value_after(i) && !kept_for_positionals(i + 1)) {
          texts.values.push_back(words_[++i]);
        }
      }
    }
  }

  void expand_all() {
    // --config before --preset: a file may name a preset, and its own values win over the preset's.
    for (const bool config : {true, false}) {
      for (const Flag& flag : verb_.flags) {
        if (!flag.expands || (flag.name == "config") != config) continue;
        const auto found = given_.find(&flag);
        if (found == given_.end()) continue;
        expand(verb_, flag.expands(found->second.values.back()), given_);
      }
    }
  }

  void store_all() const {
    size_t next = 0;
    for (const Flag& positional : verb_.positionals) {
      const size_t count = is_list(positional) ? positionals_.size() - next
                                               : std::min<size_t>(1, positionals_.size() - next);
      if (count == 0) continue;
      const auto first = positionals_.begin() + static_cast<ptrdiff_t>(next);
      store(positional, {first, first + static_cast<ptrdiff_t>(count)}, positional.name);
      next += count;
    }
    if (next < positionals_.size()) fail_usage("unexpected argument '{}'", positionals_[next]);
    // In the order of the table, so that which of two errors is reported does not depend on
    // addresses.
    for (const Flag& flag : verb_.flags) {
      const auto found = given_.find(&flag);
      if (found != given_.end()) store(flag, found->second.values, found->second.where);
    }
  }

  void check_nothing_is_missing() const {
    Words missing;
    for (size_t i = positionals_.size(); i < verb_.positionals.size(); ++i) {
      if (verb_.positionals[i].required) missing.push_back(verb_.positionals[i].name);
    }
    for (const Flag& flag : verb_.flags) {
      if (flag.required && !given_.contains(&flag)) {
        missing.push_back(fmt::format("--{} {}", flag.name, value_hint(flag)));
      }
    }
    if (missing.empty()) return;
    fail_usage("missing: {}; `spml {} --help` explains {}", fmt::join(missing, ", "), path_,
               missing.size() == 1 ? "it" : "them");
  }

  void check_together() const {
    for (const Flag& flag : verb_.flags) {
      if (!given_.contains(&flag)) continue;
      for (const std::string& other : flag.excludes) {
        if (given_.contains(find_flag(verb_, other))) {
          fail_usage("--{} and --{} exclude each other", flag.name, other);
        }
      }
      for (const Need& need : flag.needs) {
        if (!is_met(need)) {
          fail_usage("--{} requires --{}{}{}", flag.name, need.flag, need.value.empty() ? "" : " ",
                     need.value);
        }
      }
    }
  }

 private:
  const Flag* flag_of(const std::string& word) const {
    if (!word.starts_with("--")) return nullptr;
    return find_flag(verb_, std::string_view(word).substr(2, word.find('=') - 2));
  }

  bool has_value_after(size_t i) const {
    return i + 1 < flags_end_ && !looks_like_flag(words_[i + 1]);
  }

  // The last words belong to positional arguments still to come.
  bool kept_for_positionals(size_t i) const {
    size_t needed = 0;
    for (const Flag& positional : verb_.positionals) needed += positional.required ? 1 : 0;
    const size_t to_come = needed - std::min(needed, positionals_.size());
    return words_.size() - i <= to_come;
  }

  bool is_met(const Need& need) const {
    const Flag* flag = find_flag(verb_, need.flag);
    const auto found = given_.find(flag);
    if (need.value.empty()) return found != given_.end();
    if (found == given_.end()) return default_text(*flag) == need.value;
    return std::ranges::any_of(found->second.values, [&](const std::string& text) {
      return ("," + text + ",").find("," + need.value + ",") != std::string::npos;
    });
  }

  const Verb& verb_;
  Words words_;
  std::string path_;
  size_t flags_end_ = 0;  // of the words; "--" stands there, if anything
  Words positionals_;
  Given given_;
};

}  // namespace

Parsed parse(const std::vector<Verb>& verbs, const std::vector<std::string>& words) {
  Parsed parsed;
  const std::vector<Verb>* among = &verbs;
  size_t used = 0;
  for (; used < words.size() && !among->empty(); ++used) {
    const std::string& word = words[used];
    if (looks_like_flag(word)) break;
    const Verb* verb = find_verb(*among, word);
    if (verb == nullptr && parsed.verb != nullptr && parsed.verb->run) break;
    if (verb == nullptr) {
      fail_usage("unknown verb '{}'{}", word, did_you_mean(word, verb_names(*among)));
    }
    parsed.verb = verb;
    parsed.path += (parsed.path.empty() ? "" : " ") + word;
    among = &verb->verbs;
  }
  if (parsed.verb == nullptr || !parsed.verb->run) {
    for (; used < words.size(); ++used) {
      parsed.help = parsed.help || asks_for_help(words[used]);
      if (!asks_for_help(words[used])) {
        fail_usage("unknown flag '{}'{}", words[used],
                   did_you_mean(words[used], Words{"--help", "--version"}));
      }
    }
    if (parsed.help || parsed.verb == nullptr) return parsed;
    fail_usage("expected a verb after `spml {}`: {}", parsed.path, either(verb_names(*among)));
  }
  Reader reader(*parsed.verb, {words.begin() + static_cast<ptrdiff_t>(used), words.end()},
                parsed.path);
  parsed.help = reader.wants_help();
  if (parsed.help) return parsed;
  reader.check_spelling();
  reader.read();
  reader.expand_all();
  reader.store_all();
  reader.check_nothing_is_missing();
  reader.check_together();
  return parsed;
}

}  // namespace spml::cli
