// Text for people.
#include "cli/render.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace cornet::cli {
namespace {

bool plain_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_colour && *no_colour) || !term || std::string_view(term) == "dumb";
}

bool colours() {
  static const bool answer = ::isatty(STDOUT_FILENO) && !plain_wanted();
  return answer;
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::size_t have = width(text);
  const std::string fill = spaces(to > have ? to - have : 0);
  return right ? fill + text : text + fill;
}

// The first `columns` characters of a UTF-8 text.
std::string clipped(const std::string& text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t k = 0; k < text.size(); ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80 && seen++ == columns) return text.substr(0, k);
  return text;
}

}  // namespace

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_error(const std::string& text) {
  std::string line = "cornet: " + text;
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  line += '\n';
  std::fflush(stdout);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string prefixed(const std::string& path, const std::string& text) {
  return path.empty() || text.compare(0, path.size(), path) == 0 ? text : path + ": " + text;
}

std::string paint(Colour colour, const std::string& text) {
  if (!colours()) return text;
  const char* code = "0";
  switch (colour) {
    case Colour::green: code = "32"; break;
    case Colour::red: code = "31"; break;
    case Colour::yellow: code = "33"; break;
    case Colour::bold: code = "1"; break;
    case Colour::dim: code = "2"; break;
  }
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string mark(bool good) { return good ? paint(Colour::green, "✓") : paint(Colour::red, "✗"); }

std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\033') {
      while (k < text.size() && text[k] != 'm') ++k;
    } else if ((static_cast<unsigned char>(text[k]) & 0xC0) != 0x80) {
      ++count;
    }
  }
  return count;
}

std::string wrap(const std::string& text, std::size_t indent, std::size_t column) {
  std::string out;
  std::size_t start = 0;
  bool first = true;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", start), text.size());
    const std::string word = text.substr(start, end - start);
    start = end + 1;
    if (word.empty()) continue;
    if (!first && column + 1 + width(word) > kColumns - 1) {
      out += '\n' + spaces(indent);
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width(word);
    first = false;
  }
  return out;
}

std::string number(double value, int digits) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  return fmt::format("{:.{}g}", value, digits);
}

std::string scientific(double value) {
  if (!std::isfinite(value)) return number(value);
  return value == 0 ? "0" : fmt::format("{:.2e}", value);
}

std::string seconds(double value) {
  if (!std::isfinite(value)) return number(value);
  if (value < 1e-3) return fmt::format("{:.3g} µs", value * 1e6);
  if (value < 1) return fmt::format("{:.3g} ms", value * 1e3);
  if (value < 60) return fmt::format("{:.3g} s", value);
  const long whole = std::lround(value);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string counted(long count, const std::string& noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string mu_range(const Problem& problem, int digits) {
  const std::vector<double>& mu = std::visit([](const auto& p) -> const std::vector<double>& { return p.mu; }, problem);
  if (mu.empty()) return "–";
  const auto [low, high] = std::minmax_element(mu.begin(), mu.end());
  return *low == *high ? number(*low, digits) : number(*low, digits) + "…" + number(*high, digits);
}

std::string problem_line(const Problem& problem) {
  std::string line = fmt::format("{} form, {}D, {}", form_name(problem), dimension(problem), counted(contacts(problem), "contact"));
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) {
    line += fmt::format(", {} degrees of freedom", global->dofs());
    if (global->G) line += ", " + counted(global->G->cols, "bilateral constraint");
  } else if (const auto& local = std::get<LocalProblem>(problem); local.V) {
    line += ", " + counted(local.V->cols, "bilateral constraint");
  }
  return line;
}

std::string Fields::text() const {
  std::size_t column = 0;
  for (const auto& row : rows_) column = std::max(column, width(row.first));
  column += 2;
  std::string out;
  for (const auto& [label, value] : rows_) out += paint(Colour::dim, padded(label, column, false)) + wrap(value, column, column) + '\n';
  return out;
}

Table::Table(const std::vector<std::string>& headings, std::size_t gap) : gap_(gap) {
  for (const std::string& heading : headings) {
    right_.push_back(heading.starts_with('>'));
    headings_.push_back(right_.back() ? heading.substr(1) : heading);
  }
}

std::string Table::text() const {
  const std::size_t count = headings_.size();
  std::vector<std::size_t> widths(count);
  for (std::size_t k = 0; k < count; ++k) {
    widths[k] = width(headings_[k]);
    for (const auto& row : rows_) widths[k] = std::max(widths[k], width(row[k]));
  }
  std::size_t last_column = 0;
  for (std::size_t k = 0; k + 1 < count; ++k) last_column += widths[k] + gap_;

  const auto line = [&](const std::vector<std::string>& row) {
    std::string out;
    for (std::size_t k = 0; k + 1 < count; ++k) out += padded(row[k], widths[k], right_[k]) + spaces(gap_);
    const std::string& last = row[count - 1];
    out += right_[count - 1] ? padded(last, widths[count - 1], true) : wrap(last, last_column, last_column);
    while (out.ends_with(' ')) out.pop_back();
    return out;
  };
  std::string out = paint(Colour::bold, line(headings_)) + '\n';
  for (const auto& row : rows_) out += line(row) + '\n';
  return out;
}

void add_certificate(Fields& fields, const Certificate& c, bool all) {
  fields.add("contacts", fmt::format("{} take off, {} stick, {} slide", c.take_off, c.stick, c.slide));
  if (c.worst_contact >= 0) fields.add("worst", fmt::format("contact {}, ‖F‖ = {}", c.worst_contact, scientific(c.worst_value)));
  if (!all) return;
  fields.add("natural map", fmt::format("‖F‖ = {}, ‖q‖ = {}{}", scientific(c.natural_map), scientific(c.norm_q),
                                        c.relative ? "" : " (too small to divide by: the error is absolute)"));
  fields.add("cone", fmt::format("r leaves K by {}", scientific(c.cone_violation)));
  fields.add("dual cone", fmt::format("u + g(u) leaves K* by {}", scientific(c.dual_violation)));
  fields.add("product", fmt::format("|r·(u + g(u))| ≤ {}", scientific(c.complementarity)));
  fields.add("dynamics", fmt::format("given u and v differ from those of r by {}, relative", scientific(c.dynamics)));
}

Progress::Progress(bool quiet, const std::atomic<bool>* interrupt) : enabled_(!quiet && ::isatty(STDERR_FILENO)), interrupt_(interrupt) {
  if (enabled_) thread_ = std::thread([this] { loop(); });
}

void Progress::stage(const std::string& text) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  stage_ = text;
  iteration_ = -1;
}

void Progress::update(long iteration, double residual) {
  residual_.store(residual, std::memory_order_relaxed);
  iteration_.store(iteration, std::memory_order_relaxed);
}

void Progress::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::draw(double elapsed) {
  std::string line = stage_;
  if (const long iteration = iteration_.load(std::memory_order_relaxed); iteration >= 0)
    line += fmt::format("  iteration {}  residual {}", iteration, scientific(residual_.load(std::memory_order_relaxed)));
  line += fmt::format("  {:.1f} s", elapsed);
  if (interrupt_ && *interrupt_) line = "stopping (Ctrl-C again to kill)  " + line;
  winsize size{};
  const std::size_t columns = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : kColumns;
  line = fmt::format("\r{}\033[K", clipped(line, columns - 1));
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::loop() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  auto next = start + std::chrono::seconds(1);
  while (!wake_.wait_until(lock, next, [this] { return stopping_; })) {
    draw(std::chrono::duration<double>(Clock::now() - start).count());
    next = Clock::now() + std::chrono::milliseconds(100);
  }
  if (drawn_) std::fputs("\r\033[K", stderr);
}

}  // namespace cornet::cli
