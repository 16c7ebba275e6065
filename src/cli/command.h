// What the subcommands share: one Command holds the answers that every subcommand has, each add_NAME() declares one subcommand and stores
// the function that runs it. Parsing is over before anything runs, so an error of the input is never mistaken for one of usage.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cornet/io.h"
#include "cornet/result.h"

namespace cornet::cli {

// Exit codes, the same for all commands.
constexpr int kDone = 0;       // solved, or done
constexpr int kNotSolved = 1;  // ran but not solved, or a comparison failed
constexpr int kUsage = 2;
constexpr int kBadInput = 3;
constexpr int kNoSolution = 4;  // proved to have no solution
constexpr int kNumerical = 5;
constexpr int kMemory = 6;  // out of memory, or more needed than --memory-limit allows
constexpr int kInterrupted = 130;

/// A command line that cannot be carried out; the message is one line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user asked to stop before there was anything to report.
class Interrupted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Command {
  bool json = false;
  bool quiet = false;
  std::vector<std::string> paths;  ///< files named by the user; an error message starts with the first one unless it names one itself
  std::function<int()> run;        ///< set by the subcommand that was given
};

void add_info(CLI::App& app, Command& command);
void add_solve(CLI::App& app, Command& command);
void add_verify(CLI::App& app, Command& command);
void add_check(CLI::App& app, Command& command);
void add_convex(CLI::App& app, Command& command);
void add_convert(CLI::App& app, Command& command);
void add_solvers(CLI::App& app, Command& command);
void add_demo(CLI::App& app, Command& command);
void add_reproduce(CLI::App& app, Command& command);
void add_generate(CLI::App& app, Command& command);
void add_scenes(CLI::App& app, Command& command);
void add_simulate(CLI::App& app, Command& command);
void add_view(CLI::App& app, Command& command);
void add_bench(CLI::App& app, Command& command);

/// A subcommand with --help, --json and --quiet. `brief` is a sentence for the list of commands, `description` the paragraph
/// that follows it on the page of the command, `examples` are whole lines.
CLI::App* add_command(CLI::App& app, Command& command, const std::string& name, const std::string& brief, const std::string& description,
                      const std::string& examples);

/// --form local|global. `otherwise` says what happens without it.
void add_form(CLI::App& subcommand, Form& form, const std::string& otherwise = "global when the file holds both");

/// An option's variable and its help text.
template <class Value>
struct Limit {
  Value& value;
  std::string what;
};

/// --tol, --time-limit and --max-iterations; `who` is solver or engine.
void add_limits(CLI::App& subcommand, const std::string& who, const Limit<double>& tolerance, const Limit<double>& time_limit,
                long& max_iterations);

/// A size as text, "500MB", in bytes; `plain` is what a number without unit counts, 0: a unit is required. Throws CLI::ValidationError.
double parse_size(const std::string& option, const std::string& text, double plain = 0);

/// --memory-limit SIZE, in bytes.
void add_memory_limit(CLI::App& subcommand, double& bytes);

/// Throws MemoryLimit when a file is larger than the limit by itself.
void check_file_size(const std::string& path, double limit);

/// What a limit on the memory of this process leaves for a computation, in bytes; 0 stands for no limit. From then on the system enforces it
/// too, so that what no estimate foresees ends as "out of memory". Throws MemoryLimit when nothing is left.
double memory_left(double limit);

/// --set OPTION=VALUE, and what was given as a table.
void add_settings(CLI::App& subcommand, std::vector<std::string>& settings, const std::string& what);
OptionTexts parse_settings(const std::vector<std::string>& settings);

/// --guess zero|stored.
void add_guess(CLI::App& subcommand, std::string& guess, const std::string& what);

/// A check for option values: a number in the range, with name, found and expected in the message.
CLI::Validator in_range(Range range, bool integer = false);

/// Throws UsageError when cornet cannot write a file of this extension, IoError when its folder is not there or not writable. Called before
/// the work starts, so that no answer is lost at its end.
void check_output(const std::string& path);

/// Warnings of a file, one line each, on standard error.
void warn(const Command& command, const std::string& path, const std::vector<std::string>& warnings);

/// Throws InvalidProblem when a stored point does not fit the problem. `where` names it, for example "/solution". What the form of the
/// problem has no use for (v in local form) is dropped.
Iterate fit(Iterate point, const Problem& problem, const std::string& where);

int exit_code(Status status);

/// The argument that decided a verdict on existence, with what it means.
std::string reason_text(const std::string& reason);

/// "did you mean …" for a word that is not among `known`; empty when there is nothing to suggest.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace cornet::cli
