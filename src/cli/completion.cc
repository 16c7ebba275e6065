// Completion for bash and zsh. Words that the program knows (solvers, scenes, experiments …) are written into the scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/bench.h"
#include "cli/pages.h"
#include "cornet/convex.h"
#include "cornet/reproduce.h"
#include "cornet/sim_library.h"
#include "cornet/sim_sets.h"
#include "cornet/solver.h"

namespace cornet::cli {
namespace {

template <class Table>
std::vector<std::string> ids(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table) {
    if constexpr (requires { row.id; }) out.push_back(row.id);
    else out.push_back(row.name);
  }
  return out;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

bool is_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Lower-case words of "zero|stored|VALUES".
std::vector<std::string> choices(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + "|") {
    if (c != '|') word += c;
    else {
      if (!word.empty() && std::islower(static_cast<unsigned char>(word.front()))) out.push_back(word);
      word.clear();
    }
  }
  return out;
}

std::vector<std::string> labels(const CLI::Option& option) {
  std::vector<std::string> out;
  for (const std::string& name : option.get_lnames()) out.push_back("--" + name);
  for (const std::string& name : option.get_snames()) out.push_back("-" + name);
  return out;
}

// Every command with commands below it, cornet itself first.
std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  std::vector<const CLI::App*> out = {&app};
  for (const CLI::App* command : shown_commands(app)) {
    const auto below = all_commands(*command);
    out.insert(out.end(), below.begin(), below.end());
  }
  return out;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) out.push_back(option);
  return out;
}

}  // namespace

Values values_of(const CLI::App& app, const CLI::Option& option) {
  using Kind = Values::Kind;
  if (!takes_value(option)) return {};
  const std::string command = words_after_program(app);
  const bool positional = option.get_positional();
  const std::string name = positional ? option.get_single_name() : option.get_lnames().front();
  const std::string type = positional ? name : option.get_type_name();
  if (command == "convex" && name == "engine") return {Kind::words, ids(convex_engines())};
  if (command == "convex" && name == "over") return {Kind::words, {"cone", "half_line", "disk", "cylinder"}};
  if (name == "solver" || (command == "solvers" && positional)) return {Kind::words, ids(solvers())};
  if (name == "solvers") return {Kind::list, ids(solvers())};
  if (type == "SCENE") return {Kind::words, ids(sim::scenes()), true};
  if (command == "scenes" && positional) return {Kind::words, ids(sim::scenes())};
  if (command == "generate" && positional) return {Kind::words, ids(sim::test_sets())};
  if (command == "reproduce" && positional) return {Kind::words, ids(experiments())};
  if (type == "SPEC") return {Kind::words, ids(shipped_specs()), true};
  if (type == "FORM") return {Kind::words, {"local", "global", "both"}};
  if (type == "MEASURE") return {Kind::words, {"time", "iterations", "products"}};
  if (type.find('|') != std::string::npos) return {Kind::words, choices(type)};
  if (type == "DIR") return {Kind::folders, {}};
  const bool extension = type.find('.') != std::string::npos && type.find("…") == std::string::npos;
  if (extension || is_any(type, {"FILE", "IN", "OUT", "RECORD", "RECORDS", "GLOB"})) return {Kind::files, {}};
  return {};
}

namespace {

std::string bash_values(const Values& values) {
  switch (values.kind) {
    case Values::Kind::words: return fmt::format("words=\"{}\"{}", fmt::join(values.words, " "), values.files_too ? " files=f" : "");
    case Values::Kind::list: return fmt::format("words=\"{}\" list=1", fmt::join(values.words, " "));
    case Values::Kind::files: return "files=f";
    case Values::Kind::folders: return "files=d";
    case Values::Kind::none: break;
  }
  return ":";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : all_commands(app)) {
    const std::string words = words_after_program(*command);
    if (!words.empty()) {
      const std::size_t cut = words.rfind(' ');
      const std::string before = cut == std::string::npos ? "" : words.substr(0, cut);
      commands += fmt::format("      '{}:{}') command='{}' ;;\n", before, command->get_name(), words);
    }
    std::vector<std::string> options, below;
    std::string values;
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      const auto names = labels(*option);
      options.insert(options.end(), names.begin(), names.end());
      if (takes_value(*option))
        values += fmt::format("        {}) {}; value=1 ;;\n", fmt::join(names, " | "), bash_values(values_of(*command, *option)));
    }
    for (const CLI::App* next : shown_commands(*command)) below.push_back(next->get_name());
    std::string plain = below.empty() ? ":" : fmt::format("words=\"{}\"", fmt::join(below, " "));
    for (const CLI::Option* argument : arguments_of(*command)) plain = bash_values(values_of(*command, *argument));
    cases += fmt::format("    '{}')\n      options=\"{}\"\n", words, fmt::join(options, " "));
    if (!values.empty()) cases += "      case $prev in\n" + values + "      esac\n";
    cases += fmt::format("      [ -n \"$value\" ] || {}\n      ;;\n",
                         plain.find(' ') == std::string::npos || plain == ":" || !below.empty() ? plain : "{ " + plain + "; }");
  }
  return R"(# bash completion for cornet, written by `cornet pages`.
_cornet() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= options= words= files= list= value= k
  # --option=value comes as three words
  if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((k = 1; k < COMP_CWORD; k++)); do
    case "$command:${COMP_WORDS[k]}" in
)" + commands +
         R"(    esac
  done
  case $command in
)" + cases +
         R"(  esac
  COMPREPLY=()
  if [ -z "$value" ] && [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    return
  fi
  if [ -n "$list" ]; then
    local last=${cur##*,}
    mapfile -t COMPREPLY < <(compgen -P "${cur%"$last"}" -W "$words" -- "$last")
    return
  fi
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    local -a found
    mapfile -t found < <(compgen "-$files" -- "$cur")
    COMPREPLY+=("${found[@]}")
  fi
}
complete -F _cornet cornet
)";
}

namespace {

// Inside '…' of an _arguments specification.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\') out += std::string("\\") + c;
    else out += c;
  }
  return out;
}

std::string zsh_values(const Values& values) {
  switch (values.kind) {
    case Values::Kind::words:
      return values.files_too ? fmt::format("{{compadd {}; _files}}", fmt::join(values.words, " "))
                              : fmt::format("({})", fmt::join(values.words, " "));
    case Values::Kind::list: return fmt::format("_sequence compadd - {}", fmt::join(values.words, " "));
    case Values::Kind::files: return "_files";
    case Values::Kind::folders: return "_files -/";
    case Values::Kind::none: break;
  }
  return " ";
}

std::string zsh_function(const CLI::App& app) {
  std::string name = "_" + command_name(app, '_');
  const auto below = shown_commands(app);
  std::string out = fmt::format("{}() {{\n", name);
  out += below.empty() ? "  _arguments" : "  local line state\n  _arguments -C";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    const auto names = labels(*option);
    const std::string value =
        !takes_value(*option) ? "" : ":" + zsh_text(option->get_type_name()) + ":" + zsh_values(values_of(app, *option));
    const bool again = option->get_expected_max() > 1;
    for (const std::string& label : names)
      out += fmt::format(" \\\n    '{}{}[{}]{}'", again ? "*" : fmt::format("({})", fmt::join(names, " ")), label,
                         zsh_text(option->get_description()), value);
  }
  if (below.empty()) {
    int k = 0;
    for (const CLI::Option* argument : arguments_of(app)) {
      const bool many = argument->get_expected_max() > 1;
      out += fmt::format(" \\\n    '{}:{}:{}'", many ? "*" : std::to_string(++k), zsh_text(argument->get_single_name()),
                         zsh_values(values_of(app, *argument)));
    }
    return out + "\n}\n\n";
  }
  out += " \\\n    '1: :->command' \\\n    '*:: :->rest'\n  case $state in\n    command)\n      local -a commands=(\n";
  for (const CLI::App* command : below) out += fmt::format("        '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
  out += "      )\n      _describe command commands\n      ;;\n    rest)\n      case $line[1] in\n";
  for (const CLI::App* command : below) out += fmt::format("        {}) _{} ;;\n", command->get_name(), command_name(*command, '_'));
  return out + "      esac\n      ;;\n  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CLI::App& app) {
  std::string out = "#compdef cornet\n# zsh completion for cornet, written by `cornet pages`.\n\n";
  for (const CLI::App* command : all_commands(app)) out += zsh_function(*command);
  return out + "_cornet \"$@\"\n";
}

}  // namespace cornet::cli
