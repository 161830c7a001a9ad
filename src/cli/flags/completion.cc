#include "cli/flags/completion.h"

#include <fmt/format.h>

#include <functional>

#include "cli/flags/help.h"

namespace spml::cli {
namespace {

// Calls body(verb, path) for every verb, groups before their members.
void for_each_verb(const std::vector<Verb>& verbs, const std::string& above,
                   const std::function<void(const Verb&, const std::string&)>& body) {
  for (const Verb& verb : verbs) {
    body(verb, above + verb.name);
    for_each_verb(verb.verbs, above + verb.name + " ", body);
  }
}

std::vector<std::string> words_of(const Flag& flag) {
  return flag.choices.empty() ? flag.offers : flag.choices;
}

std::vector<std::string> names_of(const Flag& flag) {
  if (flag.also.empty()) return {flag.name};
  return {flag.name, flag.also};
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// Quoted with single quotes for any of the shells.
std::string quoted(const std::string& text, const char* quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}

// How bash completes a value: a call of _spml_offer.
std::string bash_offer(const Flag& flag) {
  const std::string words = joined(words_of(flag));
  const char* kind = flag.complete == Complete::kFile     ? "file"
                     : flag.complete == Complete::kFolder ? "folder"
                                                          : "words";
  return fmt::format("_spml_offer {} '{}'", kind, words);
}

// zsh: the part of an _arguments specification after the description.
std::string zsh_action(const Flag& flag) {
  const std::string words = joined(words_of(flag));
  if (flag.commas && !words.empty()) return fmt::format("_values -s , value {}", words);
  if (flag.complete == Complete::kFile) return "_files";
  if (flag.complete == Complete::kFolder) return "_files -/";
  return words.empty() ? " " : "(" + words + ")";
}

std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_function(const std::string& path) {
  std::string name = path.empty() ? "_spml" : "_spml_" + path;
  for (char& c : name) c = c == ' ' || c == '-' ? '_' : c;
  return name;
}

// A zsh function that chooses among verbs and calls theirs.
std::string zsh_choice(const std::vector<Verb>& verbs, const std::string& path) {
  std::string text = "  local -a verbs=(\n";
  for (const Verb& verb : verbs) {
    text += fmt::format("    {}\n", quoted(verb.name + ":" + zsh_escaped(verb.summary), "'\\''"));
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  case $words[2] in\n";
  for (const Verb& verb : verbs) {
    text += fmt::format("    {}) shift words; (( CURRENT-- )); {} ;;\n", verb.name,
                        zsh_function((path.empty() ? "" : path + " ") + verb.name));
  }
  return text + "  esac\n";
}

std::string zsh_arguments(const Verb& verb) {
  std::string text = "  _arguments";
  size_t place = 0;
  for (const Flag& positional : verb.positionals) {
    const std::string which = is_list(positional) ? "*" : std::to_string(++place);
    text +=
        " \\\n    " +
        quoted(fmt::format("{}:{}:{}", which, positional.name, zsh_action(positional)), "'\\''");
  }
  for (const Flag& flag : verb.flags) {
    for (const std::string& name : names_of(flag)) {
      std::string spec =
          fmt::format("{}--{}[{}]", is_list(flag) ? "*" : "", name, zsh_escaped(flag.help));
      if (!is_switch(flag)) {
        spec += fmt::format(":{}:{}", zsh_escaped(value_hint(flag)), zsh_action(flag));
      }
      text += " \\\n    " + quoted(spec, "'\\''");
    }
  }
  return text + "\n";
}

// fish: whether exactly this verb has been typed.
std::string fish_condition(const std::string& path) {
  return fmt::format("__spml_at {}", path.empty() ? "''" : quoted(path, "\\'"));
}

std::string fish_value(const Flag& flag) {
  const std::string words = joined(words_of(flag));
  if (flag.complete == Complete::kFolder) return " -x -a '(__fish_complete_directories)'";
  std::string text = flag.complete == Complete::kFile ? " -r -F" : " -x";
  if (!words.empty()) text += fmt::format(" -a '{}'", words);
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<Verb>& verbs) {
  std::vector<std::string> top = verb_names(verbs);
  top.emplace_back("help");
  std::string flags, values, groups;
  for_each_verb(verbs, "", [&](const Verb& verb, const std::string& path) {
    if (!verb.verbs.empty()) {
      groups += fmt::format("    '{}') below='{}' ;;\n", path, joined(verb_names(verb.verbs)));
    }
    if (verb.run) flags += fmt::format("    '{}') flags='{}' ;;\n", path, joined(flag_names(verb)));
    for (const Flag& flag : verb.flags) {
      if (is_switch(flag)) continue;
      for (const std::string& name : names_of(flag)) {
        values += fmt::format("    '{} --{}') {}; return ;;\n", path, name, bash_offer(flag));
      }
    }
    for (const Flag& positional : verb.positionals) {
      values += fmt::format("    '{} ') {} ;;\n", path, bash_offer(positional));
      break;  // offer the first for all of them
    }
  });
  return fmt::format(R"(# bash completion for spml, generated by `spml completion bash`

# _spml_offer KIND WORDS: words (the last of a list a,b,c), and files or folders.
_spml_offer() {{
  local head=''
  [[ $cur == *,* && -n $2 ]] && head="${{cur%,*}},"
  COMPREPLY+=($(compgen -P "$head" -W "$2" -- "${{cur#"$head"}}"))
  case $1 in
    file) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$cur")) ;;
    folder) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$cur")) ;;
  esac
}}

_spml() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path='' below='{}' flags='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${{COMP_WORDS[i]}}
    [[ " $below " == *" $word "* ]] || break
    path="${{path:+$path }}$word"
    below=''
    case $path in
{}    esac
  done
  case $path in
{}  esac
  [[ $previous == --* ]] || previous=''
  case "$path $previous" in
{}  esac
  [[ -n $below ]] && COMPREPLY+=($(compgen -W "$below" -- "$cur"))
  if [[ $cur == -* || ( -z $cur && ${{#COMPREPLY[@]}} -eq 0 ) ]]; then
    COMPREPLY+=($(compgen -W "$flags" -- "$cur"))
  fi
}}

complete -F _spml spml
)",
                     joined(top), groups, flags, values);
}

std::string zsh_completion(const std::vector<Verb>& verbs) {
  std::string text =
      "#compdef spml\n# zsh completion for spml, generated by `spml completion zsh`\n";
  for_each_verb(verbs, "", [&](const Verb& verb, const std::string& path) {
    text += fmt::format("\n{}() {{\n", zsh_function(path));
    if (!verb.verbs.empty() && verb.run) {
      text += fmt::format("  if [[ $words[2] == -* ]]; then\n  {}    return\n  fi\n",
                          zsh_arguments(verb));
    }
    text += (verb.verbs.empty() ? zsh_arguments(verb) : zsh_choice(verb.verbs, path)) + "}\n";
  });
  return text + "\n_spml() {\n" + zsh_choice(verbs, "") + "}\n\n_spml \"$@\"\n";
}

std::string fish_completion(const std::vector<Verb>& verbs) {
  std::vector<std::string> groups;
  std::string rules;
  const auto offer = [&](const std::vector<Verb>& below, const std::string& path) {
    for (const Verb& verb : below) {
      rules +=
          fmt::format("complete -c spml -f -n {} -a {} -d {}\n",
                      quoted(fish_condition(path), "\\'"), verb.name, quoted(verb.summary, "\\'"));
    }
  };
  offer(verbs, "");
  for_each_verb(verbs, "", [&](const Verb& verb, const std::string& path) {
    offer(verb.verbs, path);
    if (!verb.verbs.empty()) groups.push_back(path);
    const std::string condition = quoted(fish_condition(path), "\\'");
    for (const Flag& positional : verb.positionals) {
      rules += fmt::format("complete -c spml -n {}{}\n", condition, fish_value(positional));
    }
    for (const Flag& flag : verb.flags) {
      for (const std::string& name : names_of(flag)) {
        rules += fmt::format("complete -c spml -n {} -l {}{} -d {}\n", condition, name,
                             is_switch(flag) ? "" : fish_value(flag), quoted(flag.help, "\\'"));
      }
    }
  });
  return fmt::format(R"(# fish completion for spml, generated by `spml completion fish`

# Whether the verb typed so far is exactly the one given; {} have verbs below them.
function __spml_at
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l path $typed[1]
    if contains -- "$path" {}; and set -q typed[2]; and not string match -q -- '-*' $typed[2]
        set path "$path $typed[2]"
    end
    test "$path" = "$argv[1]"
end

{})",
                     joined(groups), joined(groups), rules);
}

}  // namespace spml::cli
