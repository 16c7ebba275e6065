// The universal solver against the best of all Siconos solvers, chosen with hindsight for every single problem, in one run, one thread.
//
//   siconos_universal [FILE…] [--solver ID] [--only REGEX] [--family NAME] [--form any|local|global|both] [--min-contacts N]
//                     [--max-contacts N] [--sample N] [--tol T,T…] [--limit 60] [--siconos-limit 20] [--ours-only] [--all-variants]
//                     [--siconos-factor F] [--csv OUT.csv [--resume]] [--peers-from OLD.csv]
//
// The solver defaults to what `cornet solve` takes, the files to everything under $CORNET_DATA/fclib. A file that holds both forms is two rows
// with --form both (the default). --peers-from takes Siconos's times from the CSV of an earlier run: for work on a solver, not for a result.
//
// --siconos-factor gives Siconos at most F times our time on a problem that we solve (and not less than 0.02 s): a row on which none of its
// variants ends in that time enters the mean as `at least F`, which is a lower bound of the truth and saves hours.
//
// Every run, ours and theirs, is a process of its own, starts from r = 0, and is judged by our certified error. A crash, an endless loop and
// a run over its limit are failed runs. The time is that of the solver alone on a prepared problem: the least of up to five runs for short
// ones. Reading, conversion of storages and certification are not counted; for a global problem our reduction is, and so is Siconos's, which
// its solvers *_WR make themselves.
//
// Siconos divides the natural map by max(‖q‖, ‖r‖, ‖u‖) instead of ‖q‖. When its answer misses our tolerance, its own is tightened by the
// ratio of the two errors, up to four times; only the successful run is timed. In the plane and with bilateral constraints it has no
// solver of the global form: there its local solvers get the reduced problem, and the time of our reduction is added to theirs.
//
// The best variant is found in rounds with limits of 0.02, 0.2, 2 … seconds. Within a round a variant may run 1.5 times as long as the best so
// far, which cannot hide a faster one, and the round in which the first one solves the problem is the last.
//
// The variants and their names: siconos_variants.h.
#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cornet/certificate.h"
#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "siconos_variants.h"

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What a run left.
struct Outcome {
  enum Kind { none, solved, missed } kind = none;  // none: crash or over the limit
  double time = -1;
  double error = -1;
  int iterations = -1;
  char status[24] = "";
  char path[200] = "";
};

void put(char* target, std::size_t size, const std::string& text) {
  std::strncpy(target, text.c_str(), size - 1);
  target[size - 1] = 0;
}

// A clock that ends the process when a single run takes longer; zero disarms it.
void arm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Runs `job` in a process of its own. The job reports as often as it likes; the last report counts. `guard` bounds the process as a whole.
Outcome in_own_process(double guard, const std::function<void(const std::function<void(const Outcome&)>&)>& job) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(channel[0]);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    job([&](const Outcome& outcome) {
      if (write(channel[1], &outcome, sizeof outcome) != static_cast<long>(sizeof outcome)) _exit(1);
    });
    _exit(0);
  }
  close(channel[1]);
  Outcome last, next;
  const auto start = Clock::now();
  while (true) {
    pollfd ready{channel[0], POLLIN, 0};
    const double left = guard - since(start);
    if (left <= 0 || poll(&ready, 1, static_cast<int>(1000 * left) + 1) <= 0) {
      kill(child, SIGKILL);
      break;
    }
    if (read(channel[0], &next, sizeof next) != static_cast<long>(sizeof next)) break;
    last = next;
  }
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return last;
}

// A problem with everything that both sides may need, prepared once.
struct Task {
  std::string name, origin, family, form;
  cornet::Problem problem;
  std::optional<cornet::LocalProblem> local;  // what local solvers take
  double reduction = 0;                       // seconds it took to make it from a global form
  double lipschitz = 1;                       // λmax of (W + Wᵀ)/2, roughly
  int contacts = 0, dim = 3, dofs = 0;
};

bool global_peers(const Task& task) {
  const auto* global = std::get_if<cornet::GlobalProblem>(&task.problem);
  return global && task.dim == 3 && !global->G;
}

void prepare_peers(Task& task) {
  if (global_peers(task)) return;
  if (const auto* global = std::get_if<cornet::GlobalProblem>(&task.problem)) {
    for (int k = 0; k < 3; ++k) {
      const auto start = Clock::now();
      task.local = cornet::reduce(*global).local();
      const double time = since(start);
      task.reduction = k == 0 ? time : std::min(task.reduction, time);
    }
  } else {
    task.local = cornet::condense(std::get<cornet::LocalProblem>(task.problem));
  }
  task.lipschitz = siconos::spectral_norm(*task.local);
}

constexpr int kRepetitions = 5;
constexpr double kShort = 0.05;  // seconds; shorter runs are repeated

Outcome ours(const Task& task, const std::string& solver, double tolerance, double limit) {
  return in_own_process(3 * limit + 60, [&](const auto& report) {
    cornet::RunOptions options;
    options.solver = solver;
    options.tolerance = tolerance;
    options.time_limit = limit;
    Outcome outcome;
    for (int k = 0; k < kRepetitions; ++k) {
      const auto result = cornet::solve(task.problem, options);
      const auto reduction = result.statistics.find("reduce_time");
      const double time = result.time + (reduction == result.statistics.end() ? 0.0 : reduction->second);
      outcome.kind = result.solved() ? Outcome::solved : Outcome::missed;
      outcome.time = k == 0 ? time : std::min(outcome.time, time);
      outcome.error = result.certificate.error;
      outcome.iterations = static_cast<int>(result.iterations);
      std::string path;
      for (const auto& stage : result.stages) path += fmt::format("{}{}:{}", path.empty() ? "" : ">", stage.method, stage.iterations);
      put(outcome.path, sizeof outcome.path, path.empty() ? fmt::format("{}:{}", solver, result.iterations) : path);
      put(outcome.status, sizeof outcome.status, cornet::to_string(result.status));
      report(outcome);
      if (time > kShort || !result.solved()) break;
    }
  });
}

// One call of a Siconos solver, with the clock armed; the reactions end in x.
double call(const Task& task, const siconos::Variant& variant, double asked, double limit, cornet::Iterate& x, int& iterations) {
  const auto* global = global_peers(task) ? &std::get<cornet::GlobalProblem>(task.problem) : nullptr;
  const double time = siconos::call(
      variant, global, global ? nullptr : &*task.local, task.lipschitz, asked, [&] { arm(limit); }, x, iterations);
  arm(0);
  return time + task.reduction;
}

Outcome theirs(const Task& task, const siconos::Variant& variant, double tolerance, double limit) {
  return in_own_process(20 * limit + 120, [&](const auto& report) {
    double asked = tolerance;
    Outcome outcome;
    for (int attempt = 0; attempt < 5 && outcome.kind != Outcome::solved; ++attempt) {
      for (int k = 0; k < kRepetitions; ++k) {
        cornet::Iterate x;
        int iterations = 0;
        const double time = call(task, variant, asked, limit, x, iterations);
        const bool finite = std::all_of(x.r.begin(), x.r.end(), [](double value) { return std::isfinite(value); });
        if (k == 0) {
          outcome.error = finite ? cornet::certify(task.problem, x).error : INFINITY;
          outcome.kind = outcome.error <= tolerance ? Outcome::solved : Outcome::missed;
          outcome.iterations = iterations;
        }
        outcome.time = k == 0 ? time : std::min(outcome.time, time);
        if (outcome.kind == Outcome::solved) report(outcome);
        if (outcome.kind != Outcome::solved || time > kShort) break;
      }
      if (!std::isfinite(outcome.error)) break;
      asked *= std::clamp(0.8 * tolerance / outcome.error, 1e-3, 0.8);
    }
    if (outcome.kind != Outcome::solved) report(outcome);
  });
}

struct Best {
  std::string variant = "none";
  Outcome outcome;
};

Best hindsight_best(const Task& task, double tolerance, double ceiling, bool all) {
  auto variants = task.dim == 2 ? siconos::plane_variants() : global_peers(task) ? siconos::global_variants() : siconos::local_variants();
  Best best;
  if (all) {
    for (const auto& variant : variants) {
      const Outcome o = theirs(task, variant, tolerance, ceiling);
      const char* word = o.kind == Outcome::solved ? "solved" : o.kind == Outcome::missed ? "missed" : "killed";
      fmt::print("    {:<18} {:<7} {:>8} {:>11.6f} {:>11.3e}\n", variant.name, word, o.iterations, o.time, o.error);
      if (o.kind == Outcome::solved && (best.outcome.kind != Outcome::solved || o.time < best.outcome.time)) best = {variant.name, o};
    }
    return best;
  }
  for (double round = std::min(0.02, ceiling); best.outcome.kind != Outcome::solved && !variants.empty();) {
    std::vector<siconos::Variant> left;
    for (const auto& variant : variants) {
      const bool found = best.outcome.kind == Outcome::solved;
      const double limit = found ? std::clamp(1.5 * best.outcome.time, 0.002, round) : round;
      const auto start = Clock::now();
      const Outcome o = theirs(task, variant, tolerance, limit);
      if (o.kind == Outcome::solved && (!found || o.time < best.outcome.time)) best = {variant.name, o};
      // A crash ends at once, a run over the limit at the limit: only the latter gets another chance.
      if (o.kind == Outcome::none && since(start) >= limit) left.push_back(variant);
    }
    variants = left;
    if (round >= ceiling) break;
    round = std::min(10 * round, ceiling);
  }
  return best;
}

struct Row {
  std::string name, origin, family, form, tolerance, status, path, variant, verdict;
  int dim = 3, contacts = 0, dofs = 0;
  double time = -1, error = -1, siconos_time = -1, siconos_error = -1;
  bool solved() const { return status == "solved"; }
  // Seconds of Siconos's best variant; below −1, nothing within that many seconds; −1, not asked or no variant at all.
  bool compared() const { return solved() && siconos_time > 0; }
  bool bounded() const { return solved() && siconos_time < -1; }
  double ratio() const { return (bounded() ? -siconos_time - 1 : siconos_time) / time; }  // above 1: ours is faster; bounded: at least
};

const char* const kHeader =
    "name,origin,family,form,dim,contacts,dofs,tolerance,status,time,error,path,siconos_variant,siconos_time,siconos_error,verdict";

std::string line(const Row& r) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{:.6e},{:.3e},{},{},{:.6e},{:.3e},{}", r.name, r.origin, r.family, r.form, r.dim,
                     r.contacts, r.dofs, r.tolerance, r.status, r.time, r.error, r.path, r.variant, r.siconos_time, r.siconos_error,
                     r.verdict);
}

std::vector<Row> read_rows(const std::string& file) {
  std::vector<Row> rows;
  std::ifstream in(file);
  std::string text;
  std::getline(in, text);
  while (std::getline(in, text)) {
    std::vector<std::string> f;
    std::stringstream fields(text);
    for (std::string field; std::getline(fields, field, ',');) f.push_back(field);
    if (f.size() == 15) f.emplace_back();
    if (f.size() != 16) continue;
    Row r{f[0], f[1], f[2], f[3], f[7], f[8], f[11], f[12], f[15]};
    r.dim = std::stoi(f[4]), r.contacts = std::stoi(f[5]), r.dofs = std::stoi(f[6]);
    r.time = std::stod(f[9]), r.error = std::stod(f[10]), r.siconos_time = std::stod(f[13]), r.siconos_error = std::stod(f[14]);
    rows.push_back(r);
  }
  return rows;
}

std::string verdict(const cornet::Problem& problem) {
  try {
    cornet::ExistenceOptions options;
    options.time_limit = 60;
    const auto existence = cornet::check_existence(problem, options);
    return fmt::format("{} (margin {:.1e})", cornet::to_string(existence.verdict), existence.margin);
  } catch (const cornet::Error&) {
    return "undecided";
  }
}

void summarise(const std::vector<Row>& rows, const std::set<std::string>& tolerances) {
  fmt::print("\n{:<60} {}\n", "measure", "reached");
  for (const auto& tolerance : tolerances)
    for (const std::string origin : {"real", "sim", "other"}) {
      int all = 0, solved = 0;
      for (const auto& r : rows)
        if (r.tolerance == tolerance && r.origin == origin) ++all, solved += r.solved();
      if (all)
        fmt::print("{:<60} {} of {} ({:.1f} %)\n", fmt::format("solved at {}, {}", tolerance, origin), solved, all, 100.0 * solved / all);
    }
  for (const auto& tolerance : tolerances) {
    double sum = 0;
    int compared = 0, bounded = 0, slower = 0, only_ours = 0, only_theirs = 0, small_slower = 0;
    const Row *slowest = nullptr, *slowest_large = nullptr;
    for (const auto& r : rows) {
      if (r.tolerance != tolerance) continue;
      only_ours += r.solved() && r.siconos_time <= 0;
      only_theirs += !r.solved() && r.siconos_time > 0;
      if (r.bounded() && r.contacts >= 20) sum += std::log(r.ratio()), ++bounded;
      if (!r.compared()) continue;
      if (!slowest || r.ratio() < slowest->ratio()) slowest = &r;
      slower += r.ratio() < 1;
      small_slower += r.ratio() < 1 && r.contacts < 20;
      if (r.contacts < 20) continue;
      sum += std::log(r.ratio()), ++compared;
      if (!slowest_large || r.ratio() < slowest_large->ratio()) slowest_large = &r;
    }
    if (!slowest) continue;
    fmt::print("{:<60} {}{:.2f} times as fast ({} problems, on {} of them Siconos did not end)\n",
               fmt::format("geometric mean against the best of Siconos, nc >= 20, {}", tolerance), bounded ? "at least " : "",
               compared + bounded ? std::exp(sum / (compared + bounded)) : std::nan(""), compared + bounded, bounded);
    for (const Row* r : {slowest, slowest_large})
      if (r)
        fmt::print("{:<60} {:.2f} times as fast ({}, {}, {} takes {:.1e} s)\n",
                   fmt::format("worst single problem{}, {}", r == slowest ? "" : ", nc >= 20", tolerance), r->ratio(), r->name, r->form,
                   r->variant, r->siconos_time);
    fmt::print("{:<60} {} slower ({} of them nc < 20); only ours solves {}, only Siconos {}\n", fmt::format("counts, {}", tolerance),
               slower, small_slower, only_ours, only_theirs);
  }
  for (const auto& r : rows)
    if (!r.solved() && !r.verdict.empty())
      fmt::print("not solved: {} {} at {}: {}, error {:.1e}, existence {}\n", r.name, r.form, r.tolerance, r.status, r.error, r.verdict);
}

struct Settings {
  std::string solver = cornet::kDefaultSolver, only, family, form = "both", csv, peers_from;
  std::vector<std::string> files, tolerances = {"1e-4", "1e-8", "1e-12"};
  int least = 1, most = 1 << 30, sample = 0;
  double limit = 60, siconos_limit = 20, siconos_factor = 0;
  bool ours_only = false, all_variants = false, resume = false;
};

Settings parse(int argc, char** argv) {
  Settings s;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value = [&]() -> std::string {
      if (k + 1 >= argc) throw std::runtime_error(word + " needs a value");
      return argv[++k];
    };
    if (word == "--solver") s.solver = value();
    else if (word == "--only") s.only = value();
    else if (word == "--family") s.family = value();
    else if (word == "--form") s.form = value();
    else if (word == "--csv") s.csv = value();
    else if (word == "--peers-from") s.peers_from = value();
    else if (word == "--min-contacts") s.least = std::stoi(value());
    else if (word == "--max-contacts") s.most = std::stoi(value());
    else if (word == "--sample") s.sample = std::stoi(value());
    else if (word == "--limit") s.limit = std::stod(value());
    else if (word == "--siconos-limit") s.siconos_limit = std::stod(value());
    else if (word == "--siconos-factor") s.siconos_factor = std::stod(value());
    else if (word == "--ours-only") s.ours_only = true;
    else if (word == "--all-variants") s.all_variants = true;
    else if (word == "--resume") s.resume = true;
    else if (word == "--tol") {
      s.tolerances.clear();
      std::stringstream list(value());
      for (std::string item; std::getline(list, item, ',');) s.tolerances.push_back(item);
    } else if (word.starts_with("--")) throw std::runtime_error("unknown option " + word);
    else s.files.push_back(word);
  }
  if (s.files.empty()) {
    const char* data = std::getenv("CORNET_DATA");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(data ? data : CORNET_DATA) / "fclib"))
      if (entry.path().extension() == ".hdf5") s.files.push_back(entry.path().string());
    std::sort(s.files.begin(), s.files.end());
  }
  return s;
}

bool wanted(const std::string& path, const Settings& s) {
  const std::filesystem::path file(path);
  if (!s.only.empty() && !std::regex_search(file.stem().string(), std::regex(s.only))) return false;
  return s.family.empty() || file.parent_path().filename() == s.family;
}

std::vector<Task> tasks_of(const std::string& path, const Settings& s) {
  const std::filesystem::path file(path);
  Task task;
  task.name = file.stem().string();
  task.family = file.parent_path().filename().string();
  task.origin = file.parent_path().parent_path().filename().string();
  if (task.origin != "real" && task.origin != "sim") task.origin = "other";
  const auto content = cornet::read_file(path);
  std::vector<Task> tasks;
  const auto add = [&](const cornet::Problem& problem) {
    task.problem = problem;
    task.form = cornet::form_name(problem);
    task.contacts = cornet::contacts(problem);
    task.dim = cornet::dimension(problem);
    const auto* global = std::get_if<cornet::GlobalProblem>(&problem);
    task.dofs = global ? global->dofs() : 0;
    if (task.contacts >= s.least && task.contacts <= s.most) tasks.push_back(task);
  };
  if (content.global && s.form != "local") add(*content.global);
  if (content.local && (s.form == "both" || s.form == "local" || (s.form == "any" && !content.global))) add(*content.local);
  return tasks;
}

void compare(const Task& task, const Settings& s, const std::map<std::string, Row>& known_peers, const std::set<std::string>& done,
             std::vector<Row>& rows, std::ofstream& csv) {
  Task prepared = task;
  bool ready = false;
  for (const auto& tolerance : s.tolerances) {
    if (done.contains(task.name + task.form + tolerance)) continue;
    const double tol = std::stod(tolerance);
    const auto known = known_peers.find(task.name + task.form + tolerance);
    const bool peers = !s.ours_only && known == known_peers.end() && tol >= 1e-10;  // Siconos is not asked for 1e-12
    if (peers && !ready) prepare_peers(prepared), ready = true;
    const Outcome a = ours(task, s.solver, tol, s.limit);
    const bool bounded = s.siconos_factor > 0 && a.kind == Outcome::solved;
    const double ceiling = bounded ? std::min(s.siconos_limit, std::max(0.02, s.siconos_factor * a.time)) : s.siconos_limit;
    const Best b = peers ? hindsight_best(prepared, tol, ceiling, s.all_variants) : Best{};
    Row r{task.name, task.origin, task.family, task.form, tolerance, a.kind == Outcome::none ? "crash" : a.status, a.path, b.variant, ""};
    r.dim = task.dim, r.contacts = task.contacts, r.dofs = task.dofs;
    r.time = a.time, r.error = a.error;
    if (b.outcome.kind == Outcome::solved) r.siconos_time = b.outcome.time, r.siconos_error = b.outcome.error;
    else if (peers) r.siconos_time = -1 - ceiling;
    if (known != known_peers.end())
      r.variant = known->second.variant, r.siconos_time = known->second.siconos_time, r.siconos_error = known->second.siconos_error;
    if (!r.solved() && tol <= 1e-8) r.verdict = verdict(task.problem);
    std::replace(r.path.begin(), r.path.end(), ',', ';');
    rows.push_back(r);
    if (csv.is_open()) csv << line(r) << std::endl;
    fmt::print("{:<34} {:>6} {:>6}{}D {:>6} {:>11} {:>10.6f} {:>8.1e} {:>16} {:>10.6f} {:>8.1e} {:>7} {}\n", r.name.substr(0, 34),
               r.contacts, r.form, r.dim, tolerance, r.status, r.time, r.error, r.variant, r.siconos_time, r.siconos_error,
               r.compared()  ? fmt::format("{:.2f}", r.ratio())
               : r.bounded() ? fmt::format("≥{:.1f}", r.ratio())
                             : "-",
               r.path);
    std::fflush(stdout);
  }
}

// One thread for the BLAS that Siconos links: it reads its setting when it is loaded, so the program starts itself again.
void one_thread(char** argv) {
  if (std::getenv("OPENBLAS_NUM_THREADS")) return;
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) setenv(name, "1", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) try {
  one_thread(argv);
  Settings s = parse(argc, argv);
  cornet::find_solver(s.solver);
  std::vector<Row> rows;
  std::set<std::string> done;
  if (s.resume && !s.csv.empty()) rows = read_rows(s.csv);
  for (const auto& r : rows) done.insert(r.name + r.form + r.tolerance);
  std::map<std::string, Row> known_peers;
  for (const auto& r : read_rows(s.peers_from)) known_peers[r.name + r.form + r.tolerance] = r;
  std::ofstream csv;
  if (!s.csv.empty()) {
    csv.open(s.csv, rows.empty() ? std::ios::trunc : std::ios::app);
    if (rows.empty()) csv << kHeader << std::endl;
  }
  std::erase_if(s.files, [&](const auto& file) { return !wanted(file, s); });
  if (s.sample > 0 && s.sample < static_cast<int>(s.files.size())) {
    std::vector<std::string> chosen;
    for (int k = 0; k < s.sample; ++k) chosen.push_back(s.files[static_cast<std::size_t>(k) * s.files.size() / s.sample]);
    s.files = chosen;
  }
  fmt::print("{:<34} {:>6} {:>8} {:>6} {:>11} {:>10} {:>8} {:>16} {:>10} {:>8} {:>7} {}\n", "problem", "nc", "form", "tol", "status",
             "time", "error", "best Siconos", "time", "error", "ratio", "path");
  for (const auto& file : s.files)
    for (const auto& task : tasks_of(file, s))
      if (task.contacts > 0) compare(task, s, known_peers, done, rows, csv);
  summarise(rows, {s.tolerances.begin(), s.tolerances.end()});
} catch (const std::exception& e) {
  std::cerr << "siconos_universal: " << e.what() << '\n';
  return 2;
}
