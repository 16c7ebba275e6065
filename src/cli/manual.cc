// Manual pages as roff. All text is ASCII: other characters become \[uXXXX], so that no reader has to guess an encoding.
#include <fmt/format.h>

#include <cstdint>

#include "cli/help.h"
#include "cli/pages.h"
#include "cornet/result.h"

namespace cornet::cli {
namespace {

// The next character of UTF-8 and how many bytes it takes.
std::pair<std::uint32_t, std::size_t> decode(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (at + length > text.size()) return {first, 1};
  std::uint32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) code = (code << 6) | (byte(at + k) & 0x3F);
  return {code, length};
}

std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, length] = decode(text, at);
    at += length;
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (code == '.' || code == '\'')) out += "\\&";
    if (code == '\\') out += "\\e";
    else if (code == '-') out += "\\-";
    else if (code == '\'') out += "\\(aq";
    else if (code == '`') out += "\\(ga";
    else if (code == '^') out += "\\(ha";
    else if (code == '~') out += "\\(ti";
    else if (code == '"') out += "\\(dq";
    else if (code >= 0x80) out += fmt::format("\\[u{:04X}]", code);
    else out += static_cast<char>(code);
  }
  return out;
}

std::string bold(const std::string& text) { return ".B " + roff(text) + "\n"; }

std::string tagged(const std::string& label, const std::string& text) { return ".TP\n" + bold(label) + roff(text) + "\n"; }

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return text;
}

std::string reference(const CLI::App& app) { return "\\fB" + roff(command_name(app, '-')) + "\\fR(1)"; }

const char* const kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nsolved, or done\n"
    ".TP\n.B 1\nran but not solved, or a comparison failed\n"
    ".TP\n.B 2\nwrong usage\n"
    ".TP\n.B 3\nbad input\n"
    ".TP\n.B 4\nproved to have no solution\n"
    ".TP\n.B 5\nnumerical failure\n"
    ".TP\n.B 6\nnot enough memory\n"
    ".TP\n.B 130\ninterrupted\n";

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::string text = app.get_description();
  const std::size_t cut = std::min(text.find('\n'), text.size());
  std::string brief = text.substr(0, cut);
  if (brief.ends_with('.')) brief.pop_back();
  const auto commands = shown_commands(app);

  std::string out = fmt::format(".TH {} 1 \"\" \"cornet {}\" \"User Commands\"\n", roff(upper(command_name(app, '-'))), roff(version()));
  out += ".SH NAME\n" + roff(command_name(app, '-')) + " \\- " + roff(brief) + "\n";
  std::string arguments, options, usage;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      const std::string name = option->get_single_name();
      usage += option->get_required() ? " " + name : " [" + name + "]";
      arguments += tagged(name, option->get_description());
    } else {
      options += tagged(option_label(*option), option->get_description());
    }
  }
  out += ".SH SYNOPSIS\n" + bold(command_name(app, ' ') + (commands.empty() ? "" : " COMMAND") + usage + " [OPTIONS]");
  out += ".SH DESCRIPTION\n" + roff(brief) + ".\n";
  if (cut < text.size()) out += roff(text.substr(cut + 1)) + "\n";
  if (!arguments.empty()) out += ".SH ARGUMENTS\n" + arguments;
  if (!commands.empty()) {
    out += ".SH COMMANDS\n";
    for (const CLI::App* command : commands) {
      const std::string about = command->get_description();
      out += tagged(command->get_name(), about.substr(0, about.find('\n')));
    }
  }
  out += ".SH OPTIONS\n" + options;
  if (!app.get_parent()) out += kExitStatus;
  if (!app.get_footer().empty()) out += ".SH EXAMPLES\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
  out += ".SH SEE ALSO\n";
  std::string others = app.get_parent() ? reference(*app.get_parent()) : "";
  for (const CLI::App* command : commands) others += (others.empty() ? "" : ", ") + reference(*command);
  return out + others + "\n";
}

}  // namespace cornet::cli
