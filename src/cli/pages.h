// Manual pages and shell completion, made from the commands and options that --help shows. The hidden command `cornet pages DIR` writes
// them; the build runs it, and the install puts them where man, bash and zsh look.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/command.h"

namespace cornet::cli {

void add_pages(CLI::App& app, Command& command);

/// Commands that --help lists.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

/// A command by all its words: "cornet bench run" with ' ', the name of its manual page with '-'.
std::string command_name(const CLI::App& app, char between);

/// "solve", "bench run"; empty for cornet itself.
std::string words_after_program(const CLI::App& app);

/// The manual page of cornet itself or of one command, as roff.
std::string manual_page(const CLI::App& app);

/// What an option or argument can be completed with.
struct Values {
  enum class Kind { none, words, list, files, folders };  ///< list: words with commas between them
  Kind kind = Kind::none;
  std::vector<std::string> words;
  bool files_too = false;  ///< a word or a file
};
Values values_of(const CLI::App& app, const CLI::Option& option);

std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace cornet::cli
