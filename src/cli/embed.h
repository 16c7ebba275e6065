// Pages that travel inside the program: files taken in at build time, and the marks in them that are filled at run time.
#pragma once

#include <string>
#include <string_view>

// Declares symbol and symbol_end around the bytes of `file`.
// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared
#define CORNET_EMBED(symbol, file)                                                                                       \
  __asm__(".section .rodata\n.global " #symbol "\n.global " #symbol "_end\n" #symbol ":\n.incbin \"" file "\"\n" #symbol \
          "_end:\n.byte 0\n.text\n");                                                                                    \
  extern "C" const char symbol[];                                                                                        \
  extern "C" const char symbol##_end[]
// NOLINTEND(bugprone-macro-parentheses)

namespace cornet::cli {

/// Replaces the first `mark`.
inline std::string fill_page(std::string page, const std::string& mark, std::string_view text) {
  return page.replace(page.find(mark), mark.size(), text);
}

inline std::string escape_html(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

/// JSON inside a script: "</script>" in a name would end it.
inline std::string escape_script(const std::string& text) {
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for (std::size_t k = 0; k < text.size(); ++k) {
    out += text[k];
    if (text[k] == '<' && k + 1 < text.size() && (text[k + 1] == '/' || text[k + 1] == '!')) out.pop_back(), out += "\\u003c";
  }
  return out;
}

}  // namespace cornet::cli
