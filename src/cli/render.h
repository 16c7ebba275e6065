// Text for people: numbers, tables, colour, the progress line. All widths are counted in characters of UTF-8, never in bytes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cornet/certificate.h"
#include "cornet/problem.h"

namespace cornet::cli {

constexpr std::size_t kColumns = 80;

/// Writes to standard output; the end of the program checks that it arrived.
void print(std::string_view text);

/// One line on standard error. Line breaks and control characters in the text become spaces.
void print_error(const std::string& text);

/// "PATH: text", or the text alone when it starts with the path already.
std::string prefixed(const std::string& path, const std::string& text);

enum class Colour { green, red, yellow, bold, dim };

/// Colours for standard output: only on a terminal, never with NO_COLOR or TERM=dumb.
std::string paint(Colour colour, const std::string& text);

/// ✓ or ✗.
std::string mark(bool good);

/// Number of characters on the screen; colour sequences take none.
std::size_t width(std::string_view text);

/// Breaks at white space (line breaks of the text itself go) so that lines end before kColumns; all lines but the first start with
/// `indent` spaces, the first starts at `column`.
std::string wrap(const std::string& text, std::size_t indent, std::size_t column);

std::string number(double value, int digits = 4);              ///< significant digits; "∞", "unknown" for NaN
std::string scientific(double value);                          ///< 1.23e-09
std::string seconds(double value);                             ///< "1.23 ms", "4.56 s", "2 min 3 s"
std::string counted(long count, const std::string& noun);      ///< "1 contact", "2 contacts"
std::string mu_range(const Problem& problem, int digits = 4);  ///< "0.3", "0…0.8", "0.5…∞", "–" without contacts

/// "global form, 3D, 82 contacts, 450 degrees of freedom".
std::string problem_line(const Problem& problem);

/// The lines "label  value" of a report, aligned, values wrapped.
class Fields {
 public:
  void add(const std::string& label, const std::string& value) { rows_.emplace_back(label, value); }
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

/// A table with a heading. Columns named with a leading '>' are aligned to the right; the last column is wrapped.
class Table {
 public:
  explicit Table(const std::vector<std::string>& headings, std::size_t gap = 2);
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::size_t gap_;  // spaces between columns
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// Adds the measures of a certificate: the short form for every report, the rest of them with `all`.
void add_certificate(Fields& fields, const Certificate& certificate, bool all);

/// One line on standard error that says what is going on, for anything that takes longer than a second. Exists only on a terminal; it is
/// drawn by its own thread, at most ten times a second, so that a slow iteration does not stop the clock on the screen.
class Progress {
 public:
  Progress(bool quiet, const std::atomic<bool>* interrupt = nullptr);
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool enabled() const { return enabled_; }
  void stage(const std::string& text);           ///< "reading tower.hdf5"
  void update(long iteration, double residual);  ///< cheap: called once per iteration
  void stop();                                   ///< clears the line

 private:
  void draw(double elapsed);
  void loop();

  bool enabled_;
  const std::atomic<bool>* interrupt_;
  std::atomic<long> iteration_{-1};
  std::atomic<double> residual_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool drawn_ = false;
  std::string stage_;
  std::thread thread_;
};

}  // namespace cornet::cli
