// Programs outside: where they are and which names they know.
#include "campaign/peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cornet/campaign.h"
#include "cornet/error.h"
#include "cornet/options.h"

namespace cornet::campaign {
namespace {

namespace fs = std::filesystem;

bool executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return executable(name) ? name : std::string();
  if (const fs::path beside = fs::path(program_folder()) / name; executable(beside)) return beside.string();
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name; executable(candidate)) return candidate.string();
  return {};
}

std::vector<std::string> siconos_ids() {
  static const std::vector<std::string> ids = [] {
    std::vector<std::string> out;
    const std::string program = find_program("cornet-siconos");
    if (program.empty()) return out;
    std::string quoted = "'";  // for the shell of popen
    for (char c : program) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    // NOLINTNEXTLINE(cert-env33-c): the user names the program; its name is quoted
    std::FILE* pipe = ::popen((quoted + "' --list 2>/dev/null").c_str(), "r");
    if (!pipe) return out;
    char line[256];
    while (std::fgets(line, sizeof line, pipe)) {
      std::string name(line);
      while (!name.empty() && name.back() == '\n') name.pop_back();
      if (!name.empty()) out.push_back(std::string(kSiconosPrefix) + name);
    }
    if (::pclose(pipe) != 0) out.clear();
    return out;
  }();
  return ids;
}

std::vector<std::string> siconos_command(const std::string& id) {
  const auto known = siconos_ids();
  if (known.empty())
    throw InvalidOption(
        fmt::format("{}: found no program cornet-siconos beside cornet; it is built where libsiconos-numerics-dev is installed", id));
  if (!std::count(known.begin(), known.end(), id)) {
    const auto near = nearest(id, known);
    throw InvalidOption(fmt::format("unknown solver '{}'; {}cornet-siconos --list has all", id,
                                    near.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(near, ", "))));
  }
  return {find_program("cornet-siconos"), id.substr(kSiconosPrefix.size())};
}

SolverChoice parse_peer(const std::string& text) {
  SolverChoice choice;
  const std::size_t equals = text.find('='), space = text.find(' ');
  const bool named = equals != std::string::npos && equals < space;
  std::stringstream command(named ? text.substr(equals + 1) : text);
  for (std::string word; command >> word;) choice.command.push_back(word);
  if (choice.command.empty()) throw InvalidOption(fmt::format("peer: found '{}', expected COMMAND or NAME=COMMAND", text));
  std::string& program = choice.command.front();
  choice.id = named ? text.substr(0, equals) : fs::path(program).filename().string();
  const std::string found = find_program(program);
  if (found.empty()) throw InvalidOption(fmt::format("peer {}: found no program '{}' that can be run", choice.id, program));
  program = found;
  choice.label = choice.id;
  return choice;
}

}  // namespace cornet::campaign
