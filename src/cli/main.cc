// The command line program: parse, run one subcommand, turn what happened into an exit code. Contract: docs/json.md and cornet --help.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/pages.h"
#include "cli/render.h"
#include "cli/version.h"
#include "cornet/error.h"
#include "cornet/result.h"

namespace cornet::cli {
namespace {

// Errors: one line on standard error; a program that asked for JSON gets the same as JSON.
int fail(const Command& command, const std::string& message, int code) {
  print_error(message);
  if (command.json) print_json(Json{{"error", message}, {"exit", code}});
  return code;
}

// Library messages about a file start with its name, most others do not.
std::string with_file(const Command& command, const std::string& message) {
  for (const std::string& path : command.paths)
    if (message.find(path) != std::string::npos) return message;
  return command.paths.empty() ? message : prefixed(command.paths.front(), message);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : shown_commands(app)) names.push_back(subcommand->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The command that was given, down to the last word: `bench run`, not `bench`.
const CLI::App& innermost(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost(*given.front());
}

// CLI11's words are for programmers; these name the command, what was found and what was expected.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& where = innermost(app);
  const std::string name = words_after_program(where);
  const std::string prefix = name.empty() ? "" : name + ": ";
  const std::string help = fmt::format("see cornet {}--help", name.empty() ? "" : name + " ");
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const auto extra = app.remaining(true);
    const std::string word = extra.empty() ? "" : extra.front();
    const bool option = word.starts_with('-') && word.size() > 1;
    if (option) {
      const std::string given = word.substr(0, word.find('='));
      return fmt::format("{}unknown option {}; {} ({})", prefix, given, suggestion(given, option_names(where)), help);
    }
    if (!command_names(where).empty())
      return fmt::format("{}unknown command '{}'; {} ({})", prefix, word, suggestion(word, command_names(where)), help);
    return fmt::format("{}one argument too many, '{}' ({})", prefix, word, help);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    const auto commands = command_names(where);
    text = commands.empty() ? text.substr(0, text.find(" is required")) + " is missing"
                            : fmt::format("expected one of {}", fmt::join(commands, ", "));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string option = text.substr(0, text.find(':'));
    text = text.find("missing") != std::string::npos ? option + " needs a value" : option + " is given more than once";
  }
  return fmt::format("{}{} ({})", prefix, text, help);
}

int run(int argc, char** argv) {
  Command command;
  // Known before parsing, so that an error of parsing is reported as JSON as well.
  command.json = std::any_of(argv + std::min(argc, 1), argv + argc, [](const char* word) { return std::strcmp(word, "--json") == 0; });

  CLI::App app("Exact solvers for the discrete Coulomb friction problem, with a certified error for every answer.", "cornet");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("--help,-h", "Print this help; cornet COMMAND --help tells about one command.");
  bool want_version = false;
  bool verbose = false;
  bool json = false;
  app.add_flag("--version", want_version, "Print the version; with --verbose what it was built with.");
  app.add_flag("--verbose", verbose, "With --version: compiler, libraries and their licences.");
  app.add_flag("--json", json, "With --version: as JSON.");
  app.footer(
      "cornet demo                      solve the bundled problems\n"
      "cornet info tower.hdf5           what is in this file?\n"
      "cornet solve tower.hdf5 -o out.hdf5");
  add_info(app, command);
  add_solve(app, command);
  add_verify(app, command);
  add_check(app, command);
  add_convex(app, command);
  add_convert(app, command);
  add_solvers(app, command);
  add_demo(app, command);
  add_reproduce(app, command);
  add_generate(app, command);
  add_scenes(app, command);
  add_simulate(app, command);
  add_view(app, command);
  add_bench(app, command);
  add_pages(app, command);
  app.require_subcommand(0, 1);

  try {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    // `cornet help solve` is what many try first.
    if (!words.empty() && words.front() == "help") {
      words.erase(words.begin());
      words.emplace_back("--help");
    }
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    print(innermost(app).help());
    return kDone;
  } catch (const CLI::ParseError& error) {
    return fail(command, usage_message(app, error), kUsage);
  }
  if (command.run) {
    if (want_version || verbose || json) return fail(command, "options of cornet itself cannot be combined with a command", kUsage);
  } else if (want_version) {
    print_version(verbose, json);
    return kDone;
  } else {
    if (command.json) return fail(command, "no command given (see cornet --help)", kUsage);
    print(app.help());
    return kUsage;
  }

  try {
    return command.run();
  } catch (const UsageError& error) {
    return fail(command, error.what(), kUsage);
  } catch (const InvalidOption& error) {
    return fail(command, error.what(), kUsage);
  } catch (const MemoryLimit& error) {
    return fail(command, with_file(command, error.what()), kMemory);
  } catch (const Error& error) {
    return fail(command, with_file(command, error.what()), kBadInput);
  } catch (const Interrupted& error) {
    return fail(command, with_file(command, error.what()), kInterrupted);
  } catch (const std::bad_alloc&) {
    return fail(command, with_file(command, "out of memory"), kMemory);
  } catch (const std::exception& error) {
    return fail(command, with_file(command, std::string("internal error: ") + error.what()), kNumerical);
  }
}

}  // namespace
}  // namespace cornet::cli

int main(int argc, char** argv) {
  int code = cornet::cli::kNumerical;
  try {
    code = cornet::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("cornet: out of memory\n", stderr);
    code = cornet::cli::kMemory;
  } catch (const std::exception& error) {
    cornet::cli::print_error(std::string("internal error: ") + error.what());
  }
  // A full disk shows here at the latest.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    cornet::cli::print_error("standard output: cannot be written");
    if (code == cornet::cli::kDone) code = cornet::cli::kBadInput;
  }
  return code;
}
