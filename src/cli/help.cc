// The help pages.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/pages.h"
#include "cli/render.h"

namespace cornet::cli {
namespace {

constexpr std::size_t kOptionColumn = 26;

std::string row(const std::string& left, const std::string& right) {
  std::string out = "  " + left;
  // A long name gets a line of its own.
  out += width(out) + 2 > kOptionColumn ? "\n" + std::string(kOptionColumn, ' ') : std::string(kOptionColumn - width(out), ' ');
  return out + wrap(right, kOptionColumn, kOptionColumn) + "\n";
}

std::string section(const std::string& title, const std::string& body) { return "\n" + paint(Colour::bold, title) + "\n" + body; }

}  // namespace

std::string option_label(const CLI::Option& option) {
  if (option.get_positional()) return option.get_single_name();
  std::string label;
  for (const std::string& name : option.get_snames()) label += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) label += "--" + name;
  if (option.get_expected_max() > 0 && !option.get_type_name().empty()) label += " " + option.get_type_name();
  return label;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  const bool top = app->get_parent() == nullptr;
  const bool group = !shown_commands(*app).empty();  // cornet itself, or a command that has commands
  std::string usage = command_name(*app, ' ') + (group ? " COMMAND" : "");
  std::string arguments;
  std::string options;
  std::string common;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) {
      usage += option->get_required() ? " " + option->get_single_name() : " [" + option->get_single_name() + "]";
      arguments += row(option_label(*option), option->get_description());
    } else {
      // What every command has comes last.
      const bool own = top || (!option->check_lname("help") && !option->check_lname("json") && !option->check_lname("quiet"));
      (own ? options : common) += row(option_label(*option), option->get_description());
    }
  }
  std::string out = paint(Colour::bold, "Usage:") + " " + usage + " [OPTIONS]\n\n" + wrap(app->get_description(), 0, 0) + "\n";
  if (!arguments.empty()) out += section("Arguments", arguments);
  if (group) {
    std::string commands;
    for (const CLI::App* subcommand : shown_commands(*app)) {
      const std::string text = subcommand->get_description();
      commands += row(subcommand->get_name(), text.substr(0, text.find('\n')));
    }
    out += section("Commands", commands);
  }
  out += section("Options", options + common);
  std::string examples;
  for (std::string rest = app->get_footer(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    examples += "  " + rest.substr(0, end) + "\n";
    rest.erase(0, std::min(end + 1, rest.size()));
  }
  if (!examples.empty()) out += section(top ? "Examples" : "Example", examples);
  return out;
}

}  // namespace cornet::cli
