// The help pages: usage, one paragraph, arguments, options and examples, wrapped at 80 columns (CLI11's own formatter does not wrap).
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace cornet::cli {

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// "-o, --output DIR", or the name of an argument.
std::string option_label(const CLI::Option& option);

}  // namespace cornet::cli
