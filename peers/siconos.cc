// cornet-siconos: the solvers of Siconos as a program that takes part in campaigns (src/campaign/peer.h has the protocol).
//
//   cornet-siconos --list
//   cornet-siconos NAME --problem FILE --form local|global --tol T --time-limit S --answer OUT.json
//
// A process of its own, so that a crash, a leak or an endless loop is a failed run and nothing else. Siconos divides the natural map by
// max(‖q‖, ‖r‖, ‖u‖) instead of ‖q‖: when its answer misses our tolerance, its own is tightened by the ratio of the two errors, up to four
// times, and only the last call is timed. Short calls are repeated and the least time counts, as for our solvers. In global form the G-
// solvers take the problem as it is; the others get the reduced problem, and the time of our reduction is added to theirs.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cornet/certificate.h"
#include "cornet/error.h"
#include "cornet/io.h"
#include "siconos_variants.h"

namespace {

using Json = nlohmann::json;

constexpr int kRepetitions = 5;
constexpr double kShort = 0.05;  // seconds; shorter calls are repeated

/// A solver by its name; two names are short for others.
struct Entry {
  siconos::Variant variant;
  enum { local, plane, global } kind;
};

std::vector<Entry> entries() {
  std::vector<Entry> out;
  for (const auto& v : siconos::local_variants()) out.push_back({v, Entry::local});
  for (const auto& v : siconos::plane_variants()) out.push_back({v, Entry::plane});
  for (const auto& v : siconos::global_variants()) out.push_back({v, Entry::global});
  for (const auto& [brief, name] : std::map<std::string, std::string>{{"PPA", "PPA-NSN-AC-GP"}, {"IPM", "G-IPM"}}) {
    Entry copy = *std::find_if(out.begin(), out.end(), [&n = name](const Entry& e) { return e.variant.name == n; });
    copy.variant.name = brief;
    out.push_back(copy);
  }
  return out;
}

// When the time is over inside Siconos nothing but a signal gets out of it; the answer to that is ready beforehand.
int late_file = -1;
const char kLate[] = "{\"status\": \"time_limit\", \"converged\": false, \"message\": \"stopped at the time limit\"}\n";

extern "C" void on_alarm(int) {
  const auto written = ::write(late_file, kLate, sizeof kLate - 1);
  ::_exit(written > 0 ? 0 : 1);
}

void arm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

int answer(const Json& value) {
  const std::string text = value.dump() + "\n";
  return ::write(late_file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
}

Json unsupported(const std::string& why) { return {{"status", "unsupported"}, {"converged", false}, {"message", why}}; }

Json run(const Entry& entry, const cornet::Problem& problem, double tolerance, double limit) {
  const auto* global = std::get_if<cornet::GlobalProblem>(&problem);
  const int dim = cornet::dimension(problem);
  if (entry.kind == Entry::global && (!global || global->G || dim != 3))
    return unsupported("takes three-dimensional problems in global form without bilateral constraints");
  if (entry.kind == Entry::plane && dim != 2) return unsupported("takes plane problems");
  if (entry.kind == Entry::local && dim != 3) return unsupported("takes three-dimensional problems");
  std::optional<cornet::LocalProblem> local;
  double reduction = 0, lipschitz = 1;
  if (entry.kind != Entry::global) {
    for (int k = 0; global && k < 3; ++k) {
      const auto start = std::chrono::steady_clock::now();
      local = cornet::reduce(*global).local();
      const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      reduction = k == 0 ? time : std::min(reduction, time);
    }
    if (!global) local = cornet::condense(std::get<cornet::LocalProblem>(problem));
    lipschitz = siconos::spectral_norm(*local);
    global = nullptr;
  }
  double asked = tolerance, error = INFINITY, time = 0, busy = 0;
  int iterations = 0, repeats = 0;
  cornet::Iterate x;
  for (int attempt = 0; attempt < 5 && !(error <= tolerance); ++attempt) {
    for (repeats = 0; repeats < kRepetitions;) {
      cornet::Iterate y;
      const double once = siconos::call(
          entry.variant, global, local ? &*local : nullptr, lipschitz, asked, [&] { arm(limit); }, y, iterations);
      arm(0);
      busy += once;
      time = repeats == 0 ? once : std::min(time, once);
      if (repeats++ == 0) {
        x = y;
        const bool finite = std::all_of(x.r.begin(), x.r.end(), [](double value) { return std::isfinite(value); });
        error = finite ? cornet::certify(problem, x).error : INFINITY;
      }
      if (!(error <= tolerance) || busy > kShort) break;
    }
    if (!std::isfinite(error)) break;
    asked *= std::clamp(0.8 * tolerance / error, 1e-3, 0.8);
  }
  Json out = {{"time", time + reduction}, {"reduce_time", reduction},        {"busy", busy + 3 * reduction},          {"repeats", repeats},
              {"iterations", iterations}, {"converged", error <= tolerance}, {"version", "Siconos, " SICONOS_LIBRARY}};
  out["status"] = !std::isfinite(error) ? "diverged" : error <= tolerance ? "solved" : "inaccurate";
  if (std::isfinite(error)) out["r"] = x.r;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto known = entries();
  std::map<std::string, std::string> options = {
      {"--problem", ""}, {"--form", "local"}, {"--tol", "1e-8"}, {"--time-limit", "60"}, {"--answer", ""}};
  const auto fail = [](const std::string& text) {
    fmt::print(stderr, "cornet-siconos: {}\n", text);
    return 2;
  };
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Entry& e : known) fmt::print("{}\n", e.variant.name);
    return 0;
  }
  if (argc < 2) return fail("expected --list, or NAME --problem FILE --form local|global --tol T --time-limit S --answer OUT.json");
  const auto entry = std::find_if(known.begin(), known.end(), [&](const Entry& e) { return e.variant.name == argv[1]; });
  if (entry == known.end()) return fail(fmt::format("unknown solver '{}' (--list has all)", argv[1]));
  for (int k = 2; k + 1 < argc; k += 2) {
    if (!options.contains(argv[k])) return fail(fmt::format("unknown option {}", argv[k]));
    options[argv[k]] = argv[k + 1];
  }
  if (options["--problem"].empty() || options["--answer"].empty()) return fail("--problem and --answer are needed");
  try {
    late_file = ::open(options["--answer"].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (late_file < 0) return fail(fmt::format("{}: cannot be written", options["--answer"]));
    ::signal(SIGALRM, on_alarm);
    const cornet::Form form = options["--form"] == "global" ? cornet::Form::global : cornet::Form::local;
    const cornet::Problem problem = cornet::read(options["--problem"], form);
    return answer(run(*entry, problem, std::stod(options["--tol"]), std::stod(options["--time-limit"])));
  } catch (const std::exception& error) {
    return answer(unsupported(error.what()));
  }
}
