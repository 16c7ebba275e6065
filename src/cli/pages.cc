// cornet pages DIR: manual pages and completion as files.
#include "cli/pages.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "cli/files.h"
#include "cli/render.h"
#include "cornet/error.h"

namespace cornet::cli {
namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw IoError(fmt::format("{}: cannot be written", path));
}

void write_manuals(const CLI::App& app, const std::string& folder) {
  write_text(folder + "/" + command_name(app, '-') + ".1", manual_page(app));
  for (const CLI::App* command : shown_commands(app)) write_manuals(*command, folder);
}

}  // namespace

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  std::vector<const CLI::App*> out;
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) out.push_back(command);
  return out;
}

std::string command_name(const CLI::App& app, char between) {
  const CLI::App* parent = app.get_parent();
  return parent ? command_name(*parent, between) + between + app.get_name() : app.get_name();
}

std::string words_after_program(const CLI::App& app) {
  const std::string all = command_name(app, ' ');
  return app.get_parent() ? all.substr(all.find(' ') + 1) : "";
}

void add_pages(CLI::App& app, Command& command) {
  auto folder = std::make_shared<std::string>();
  CLI::App* sub =
      add_command(app, command, "pages", "Writes the manual pages and the completion of bash and zsh.",
                  "DIR/man has a page for each command, DIR/cornet.bash and DIR/_cornet are the completions.", "cornet pages build/pages");
  sub->group("");  // for the build, not for people
  sub->add_option("DIR", *folder, "Folder to write to.")->required();
  sub->callback([&app, &command, folder] {
    command.run = [&app, folder] {
      make_folder(*folder + "/man");
      write_manuals(app, *folder + "/man");
      write_text(*folder + "/cornet.bash", bash_completion(app));
      write_text(*folder + "/_cornet", zsh_completion(app));
      return kDone;
    };
  });
}

}  // namespace cornet::cli
