// What the subcommands share.
#include "cli/command.h"

#include <fmt/format.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "cli/render.h"
#include "cornet/error.h"

namespace cornet::cli {
namespace {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return extension;
}

void check_length(const std::vector<double>& a, long expected, bool may_be_absent, const std::string& field, const char* why) {
  if (may_be_absent && a.empty()) return;
  if (static_cast<long>(a.size()) != expected)
    throw InvalidProblem(fmt::format("{}: found {} numbers, expected {} ({})", field, a.size(), expected, why));
}

}  // namespace

CLI::App* add_command(CLI::App& app, Command& command, const std::string& name, const std::string& brief, const std::string& description,
                      const std::string& examples) {
  CLI::App* subcommand = app.add_subcommand(name, brief + "\n" + description);
  subcommand->footer(examples);
  subcommand->set_help_flag("--help,-h", "Print this help.");
  subcommand->add_flag("--json", command.json, "Print one JSON value on standard output, nothing else (schema: docs/json.md).");
  subcommand->add_flag("--quiet,-q", command.quiet, "Print nothing but errors; the exit code tells.");
  return subcommand;
}

void add_form(CLI::App& subcommand, Form& form, const std::string& otherwise) {
  subcommand
      .add_option_function<std::string>(
          "--form",
          [&form](const std::string& text) {
            if (text != "local" && text != "global")
              throw CLI::ValidationError("--form", fmt::format("found '{}', expected local or global", text));
            form = text == "local" ? Form::local : Form::global;
          },
          "Which form of the problem to take: local (W, q) or global (M, H, f, w). Default: " + otherwise + ".")
      ->type_name("local|global");
}

OptionTexts parse_settings(const std::vector<std::string>& settings) {
  OptionTexts out;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError(fmt::format("--set: found '{}', expected OPTION=VALUE", setting));
    if (!out.emplace(setting.substr(0, equals), setting.substr(equals + 1)).second)
      throw UsageError(fmt::format("--set: option '{}' is set twice", setting.substr(0, equals)));
  }
  return out;
}

void add_limits(CLI::App& subcommand, const std::string& who, const Limit<double>& tolerance, const Limit<double>& time_limit,
                long& max_iterations) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  subcommand.add_option("--tol", tolerance.value, tolerance.what)->type_name("T")->check(in_range({0, 1, true, false}));
  subcommand.add_option("--time-limit", time_limit.value, time_limit.what)->type_name("S")->check(in_range({0, kInfinity, true, false}));
  subcommand
      .add_option("--max-iterations", max_iterations, fmt::format("Most iterations; 0 stands for the {}'s own limit. Default: 0.", who))
      ->type_name("N")
      ->check(in_range({0, 1e18}, true));
}

double parse_size(const std::string& option, const std::string& text, double plain) {
  constexpr std::pair<const char*, double> kUnits[] = {{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
  const char* end = text.data() + text.size();
  double value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  const std::string unit(parsed.ptr, end);
  double factor = unit.empty() ? plain : 0;
  for (const auto& [name, size] : kUnits)
    if (unit == name) factor = size;
  if (parsed.ec == std::errc() && value > 0 && factor > 0 && value * factor < 1e18) return value * factor;
  throw CLI::ValidationError(option, fmt::format("found '{}', expected a size like 500MB (units kB, MB, GB, TB)", text));
}

void add_memory_limit(CLI::App& subcommand, double& bytes) {
  subcommand
      .add_option_function<std::string>(
          "--memory-limit", [&bytes](const std::string& text) { bytes = parse_size("--memory-limit", text); },
          "Memory of the program, as 500MB or 2GB: what is estimated to need more is refused before it starts (exit code 6). Default: "
          "none.")
      ->type_name("SIZE");
}

void check_file_size(const std::string& path, double limit) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) require_memory(static_cast<double>(size), limit, "the file");
}

double memory_left(double limit) {
  if (!(limit > 0)) return 0;
  double pages[6] = {};  // size, resident, shared, text, 0, data and stack
  std::ifstream in("/proc/self/statm");
  for (double& count : pages) in >> count;
  const double page = static_cast<double>(::sysconf(_SC_PAGESIZE)), used = pages[1] * page;
  require_memory(used, limit, "the program with its input");
  rlimit both = {};
  if (::getrlimit(RLIMIT_DATA, &both) == 0) {
    const auto wanted = static_cast<rlim_t>(pages[5] * page + limit - used);
    if (both.rlim_cur == RLIM_INFINITY || wanted < both.rlim_cur) {
      both.rlim_cur = wanted;
      ::setrlimit(RLIMIT_DATA, &both);
    }
  }
  return std::max(limit - used, 1.0);
}

void add_settings(CLI::App& subcommand, std::vector<std::string>& settings, const std::string& what) {
  subcommand.add_option("--set", settings, what)->type_name("OPTION=VALUE")->allow_extra_args(false);
}

void add_guess(CLI::App& subcommand, std::string& guess, const std::string& what) {
  const auto check = [](std::string& text) {
    return text == "zero" || text == "stored" ? std::string() : fmt::format("found '{}', expected zero or stored", text);
  };
  subcommand.add_option("--guess", guess, what)->type_name("zero|stored")->check(CLI::Validator(check, ""));
}

CLI::Validator in_range(Range range, bool integer) {
  return CLI::Validator(
      [range, integer](std::string& text) -> std::string {
        double value = 0;
        long whole = 0;
        const char* end = text.data() + text.size();
        const auto parsed = integer ? std::from_chars(text.data(), end, whole) : std::from_chars(text.data(), end, value);
        if (integer) value = static_cast<double>(whole);
        if (parsed.ec == std::errc() && parsed.ptr == end && range.contains(value)) return {};
        return fmt::format("found '{}', expected {} in {}", text, integer ? "an integer" : "a number", range.text());
      },
      "");
}

void check_output(const std::string& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".dat") throw UsageError(fmt::format("{}: writing Siconos text is not offered; name a .hdf5 file to write FCLIB", path));
  if (extension != ".hdf5" && extension != ".h5")
    throw UsageError(
        fmt::format("{}: found extension '{}', expected .hdf5 or .h5 (FCLIB is the format that cornet writes)", path, extension));
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw IoError(fmt::format("{}: found no folder {}, expected an existing one", path, folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw IoError(fmt::format("{}: found folder {} not writable, expected a writable one", path, folder.string()));
  if (std::filesystem::is_directory(path, ignored)) throw IoError(fmt::format("{}: found a folder, expected a file to write", path));
}

void warn(const Command& command, const std::string& path, const std::vector<std::string>& warnings) {
  if (command.quiet) return;
  for (const std::string& text : warnings) print_error(prefixed(path, "warning: " + text));
}

Iterate fit(Iterate point, const Problem& problem, const std::string& where) {
  const auto* local = std::get_if<LocalProblem>(&problem);
  const auto* global = std::get_if<GlobalProblem>(&problem);
  const long m = static_cast<long>(dimension(problem)) * contacts(problem);
  check_length(point.r, m, false, where + "/r", "dimension × contacts");
  check_length(point.u, m, true, where + "/u", "dimension × contacts");
  if (global) {
    check_length(point.v, global->dofs(), true, where + "/v", "degrees of freedom");
    if (!global->G) point.lambda.clear();
  } else {
    point.v.clear();
    if (!local->V) point.lambda.clear();
  }
  const int p = global ? (global->G ? global->G->cols : 0) : (local->V ? local->V->cols : 0);
  check_length(point.lambda, p, true, where + "/l", "bilateral constraints");
  return point;
}

int exit_code(Status status) {
  switch (status) {
    case Status::solved: return kDone;
    case Status::no_solution: return kNoSolution;
    case Status::diverged:
    case Status::numerical_error: return kNumerical;
    case Status::interrupted: return kInterrupted;
    case Status::inaccurate:
    case Status::iteration_limit:
    case Status::time_limit:
    case Status::stalled:
    case Status::unsupported: return kNotSolved;
  }
  return kNotSolved;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  // A name cut short or drawn out (--tolerance for --tol) is far away in single letters.
  for (const std::string& name : known)
    if (std::min(name.size(), word.size()) > 3 && (word.starts_with(name) || name.starts_with(word)))
      return fmt::format("did you mean {}?", name);
  const auto near = nearest(word, known);
  return near.empty() ? std::string() : fmt::format("did you mean {}?", near.front());
}

}  // namespace cornet::cli
