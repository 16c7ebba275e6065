// The campaign: problems are read one after the other, each gives an analysis and its runs, a run gives a solve and then a certificate, and
// every one of these is a process (but a certificate that takes microseconds). The campaign itself only waits, so it neither disturbs what it
// measures nor falls with it.
//
//   read problem → analyse → ready runs → solve → certify → record
//
// Runs of the next problem start while the last ones of a problem are still going. Records are flushed to the disk by a process of their
// own: waiting for the disk delays nobody.
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "campaign/problem_list.h"
#include "campaign/process.h"
#include "campaign/record_file.h"
#include "campaign/sha256.h"
#include "campaign/worker.h"
#include "cornet/error.h"
#include "cornet/result.h"
#include "cornet/solver.h"

namespace cornet::campaign {
namespace {

namespace fs = std::filesystem;

constexpr double kAnalysisLimit = 60;      // seconds
constexpr double kCertificateLimit = 600;  // seconds: an answer that exists must not be lost

std::string hash_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(fmt::format("{}: cannot be read", path));
  Sha256 hash;
  std::vector<char> buffer(1 << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.add(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  return hash.hex(32);
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> out;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int k = 0; k < CPU_SETSIZE; ++k)
      if (CPU_ISSET(static_cast<std::size_t>(k), &set)) out.push_back(k);
  return out;
}

// A product with W: a process would take longer than the certificate.
bool cheap_to_certify(const Problem& problem) {
  const auto* local = std::get_if<LocalProblem>(&problem);
  return local && !local->V && local->W.entries() <= 100000;
}

/// One solver with what its records repeat.
struct Entrant {
  SolverChoice choice;
  std::string family, binary;
  OptionTexts options;  // all of them, with the values used
};

/// One run that is not in the file.
struct Run {
  std::shared_ptr<const LoadedProblem> problem;
  const Entrant* entrant = nullptr;
  double tolerance = 0, time_limit = 0;
  std::string key;
};

/// What one of the `jobs` is doing.
struct Slot {
  enum class Stage { analyse, solve, certify } stage = Stage::analyse;
  std::unique_ptr<Process> process;
  std::shared_ptr<LoadedProblem> loading;  // analyse
  std::vector<Run> waiting;                // analyse: the runs that it will set free
  Run run;                                 // solve, certify
  Answer answer;                           // certify
  Record record;
  std::string answer_file;
  Clock::time_point start;
  double busy = 0;
};

class Campaign {
 public:
  Campaign(const Spec& spec, const RunSettings& settings)
      : spec_(spec),
        settings_(settings),
        file_(settings.records, settings.resume),
        start_(Clock::now()),
        temporary_(settings.records + ".tmp") {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
    const fs::path records(settings.records);
    const std::string folder =
        settings.problems_folder.empty() ? (records.parent_path() / records.stem()).string() + ".problems" : settings.problems_folder;
    problems_ = list_problems(spec, folder, settings.interrupt);
    if (problems_.empty() && !stopping()) throw IoError("found no problems, expected some (--problems, or a specification)");
    const std::string own = hash_file("/proc/self/exe");
    for (const SolverChoice& choice : spec.solvers) entrants_.push_back(entrant(choice, own));
    summary_.warnings = file_.warnings();
    cpu_ = processor();
    processors_ = allowed_processors();
    slots_.resize(static_cast<std::size_t>(settings.jobs));
    count_runs();
  }
  ~Campaign() {
    slots_.clear();
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
  }

  RunSummary run() {
    while (!stopping()) {
      bool active = false;
      for (std::size_t k = 0; k < slots_.size(); ++k) {
        if (!slots_[k].process) fill(k);
        active = active || slots_[k].process;
      }
      file_.sync();
      if (!active) break;
      wait();
      for (std::size_t k = 0; k < slots_.size(); ++k)
        if (slots_[k].process && slots_[k].process->poll()) finish(k);
      report();
    }
    file_.finish();
    summary_.interrupted = stopping();
    summary_.wall = since(start_);
    if (summary_.done > 0) summary_.overhead = overhead_ / static_cast<double>(summary_.done);
    report();
    return summary_;
  }

 private:
  bool stopping() const { return settings_.interrupt && *settings_.interrupt; }

  static Entrant entrant(const SolverChoice& choice, const std::string& own) {
    Entrant out{choice, "peer", own, {}};
    if (choice.command.empty()) {
      const SolverInfo& info = find_solver(choice.id);
      out.family = info.family;
      out.options = info.used_options(choice.options);
    } else {
      if (choice.id.starts_with("siconos:")) out.family = "Siconos";
      out.binary = hash_file(choice.command.front());
    }
    return out;
  }

  // Every run has a number, whatever was done before, so that shards agree on who does what.
  bool mine(long number) const { return number % settings_.shards == settings_.shard - 1; }

  void count_runs() {
    long number = 0;
    for (const ProblemEntry& p : problems_)
      for (std::size_t k = 0; k < p.tolerances.size() * entrants_.size(); ++k) summary_.total += mine(number++);
  }

  std::string key_of(const std::string& problem, const Entrant& e, double tolerance, double time_limit) const {
    Sha256 hash;
    hash.add(std::string_view("cornet run 1"));
    hash.add(std::string_view(problem));
    hash.add(std::string_view(e.choice.id));
    for (std::size_t k = 1; k < e.choice.command.size(); ++k) hash.add(std::string_view(e.choice.command[k]));
    for (const auto& [name, value] : e.options) {
      hash.add(std::string_view(name));
      hash.add(std::string_view(value));
    }
    for (double value : {tolerance, time_limit, spec_.memory_limit, static_cast<double>(spec_.max_iterations)}) hash.add(value);
    hash.add(std::string_view(e.binary));
    return hash.hex(32);
  }

  // Reads problems until one has runs to do. False when there are no more.
  bool open_next(Slot& slot) {
    while (next_ < problems_.size()) {
      const ProblemEntry& entry = problems_[next_++];
      const long first = number_;
      number_ += static_cast<long>(entry.tolerances.size() * entrants_.size());
      bool any = false;
      for (long k = first; k < number_; ++k) any = any || mine(k);
      if (!any) continue;
      try {
        slot.loading = std::make_shared<LoadedProblem>(load_problem(entry));
      } catch (const Error& error) {
        const std::string text = error.what();
        summary_.warnings.push_back(text.find(entry.file) == std::string::npos ? entry.file + ": " + text : text);
        summary_.unreadable += 1;
        continue;
      }
      slot.waiting.clear();
      long number = first;
      for (double tolerance : entry.tolerances)
        for (const Entrant& e : entrants_) {
          if (!mine(number++)) continue;
          Run run{slot.loading, &e, tolerance, entry.time_limit, key_of(slot.loading->facts.problem_hash, e, tolerance, entry.time_limit)};
          if (file_.keys().contains(run.key) || !planned_.insert(run.key).second) ++summary_.skipped;
          else slot.waiting.push_back(std::move(run));
        }
      if (!slot.waiting.empty()) return true;
    }
    return false;
  }

  ProcessLimits limits(std::size_t slot, double wall) const {
    ProcessLimits out;
    out.wall = wall;
    out.memory = spec_.memory_limit;
    if (settings_.pin && !processors_.empty()) out.cpu = processors_[slot % processors_.size()];
    return out;
  }

  // Gives an idle slot something to do: a ready run, else the next problem.
  void fill(std::size_t k) {
    Slot& slot = slots_[k];
    if (ready_.empty()) {
      if (!open_next(slot)) return;
      current_ = slot.loading->facts.problem;
      if (spec_.analyse > 0 && slot.loading->facts.number_of_contacts > 0) {
        slot.stage = Slot::Stage::analyse;
        slot.process = std::make_unique<Process>(
            [this, &slot](int file) { return analyse_into(file, slot.loading->problem, spec_.analyse); }, limits(k, kAnalysisLimit));
        return;
      }
      set_free(slot);
    }
    slot.run = std::move(ready_.front());
    ready_.pop_front();
    start_solve(k);
  }

  void set_free(Slot& slot) {
    for (Run& run : slot.waiting) ready_.push_back(std::move(run));
    slot.waiting.clear();
    slot.loading.reset();
  }

  void start_solve(std::size_t k) {
    Slot& slot = slots_[k];
    slot.stage = Slot::Stage::solve;
    slot.start = Clock::now();
    const Run& run = slot.run;
    const Order order{&run.entrant->choice, run.tolerance, run.time_limit, spec_.max_iterations, spec_.repeat, spec_.history};
    ProcessLimits bounds = limits(k, 1.2 * run.time_limit + 2);
    if (run.entrant->choice.command.empty()) {
      slot.process = std::make_unique<Process>([&](int file) { return solve_into(file, run.problem->problem, order); }, bounds);
      return;
    }
    std::error_code ignored;
    fs::create_directories(temporary_, ignored);
    slot.answer_file = fmt::format("{}/{}.json", temporary_, run.key);
    bounds.own_memory = true;
    slot.process = std::make_unique<Process>(
        [&](int) { return exec_peer(order, run.problem->facts.file, run.problem->facts.form.c_str(), slot.answer_file); }, bounds);
  }

  void finish(std::size_t k) {
    Slot& slot = slots_[k];
    const Ending ending = slot.process->take();
    slot.process.reset();
    switch (slot.stage) {
      case Slot::Stage::analyse:
        read_analysis(ending.output, slot.loading->facts.dimension * slot.loading->facts.number_of_contacts, slot.loading->facts);
        set_free(slot);
        break;
      case Slot::Stage::solve: finish_solve(k, ending); break;
      case Slot::Stage::certify: finish_certificate(slot, read_verdict(ending.output)); break;
    }
  }

  void finish_solve(std::size_t k, const Ending& ending) {
    Slot& slot = slots_[k];
    const bool peer = !slot.run.entrant->choice.command.empty();
    const LoadedProblem& p = *slot.run.problem;
    const std::size_t reactions = static_cast<std::size_t>(p.facts.dimension) * static_cast<std::size_t>(p.facts.number_of_contacts);
    slot.answer = peer ? read_peer_answer(slot.answer_file, reactions, ending.wall) : read_answer(ending.output);
    if (peer) ::unlink(slot.answer_file.c_str());
    start_record(slot, ending);
    const bool right_length = slot.answer.r.size() == reactions;
    if (!slot.answer.present || !right_length) {
      if (slot.answer.present && slot.answer.status == "solved") {
        slot.record.status = "inaccurate";
        slot.record.message = fmt::format("found {} reactions, expected {}", slot.answer.r.size(), reactions);
      }
      write_record(slot, 0);
      return;
    }
    if (cheap_to_certify(p.problem)) {
      finish_certificate(slot, certify_here(p.problem, slot.answer.r));
      return;
    }
    slot.stage = Slot::Stage::certify;
    ProcessLimits bounds = limits(k, kCertificateLimit);
    bounds.memory = 0;
    slot.process = std::make_unique<Process>([&](int file) { return certify_into(file, p.problem, slot.answer.r); }, bounds);
  }

  // All that is known before the certificate.
  void start_record(Slot& slot, const Ending& ending) {
    const Run& run = slot.run;
    const Answer& a = slot.answer;
    Record r = run.problem->facts;
    r.key = run.key;
    r.solver = run.entrant->choice.id;
    r.label = run.entrant->choice.label;
    r.family = run.entrant->family;
    r.tolerance = run.tolerance;
    r.status = a.status;
    r.claimed = a.claimed;
    r.termination = a.termination;
    r.time = a.time;
    r.reduce_time = a.reduce_time;
    r.wall = ending.wall;
    r.iterations = a.iterations;
    r.products = a.products;
    r.statistics = a.statistics;
    r.history = a.history;
    r.provenance = {version(),      compiler(),         run.entrant->binary,  cpu_,      now(),         a.version,           1,
                    run.time_limit, spec_.memory_limit, spec_.max_iterations, a.repeats, settings_.pin, run.entrant->options};
    if (a.status != "solved") r.message = a.message;
    if (!a.present) {
      r.status = ending.timed_out ? "time_limit" : "crashed";
      if (ending.timed_out) r.message = fmt::format("killed after {:.3g} s", ending.wall);
      // NOLINTNEXTLINE(concurrency-mt-unsafe): its text belongs to the thread since glibc 2.32
      else if (ending.signal) r.message = fmt::format("ended by signal {} ({})", ending.signal, ::strsignal(ending.signal));
      else if (ending.code == 127 && !run.entrant->choice.command.empty()) r.message = "the program cannot be run";
      else
        r.message = fmt::format("ended with exit code {} and without an answer", ending.code) + (a.message.empty() ? "" : ": " + a.message);
      r.time = ending.wall;
      slot.busy = ending.wall;
    } else {
      slot.busy = a.busy;
    }
    slot.record = std::move(r);
  }

  void finish_certificate(Slot& slot, const Verdict& verdict) {
    Record& r = slot.record;
    r.error = verdict.error;
    r.take_off = verdict.take_off;
    r.stick = verdict.stick;
    r.slide = verdict.slide;
    // The word `solved` comes from here only.
    if (verdict.present && verdict.error <= r.tolerance) {
      r.status = "solved";
      r.message.clear();
    } else if (r.status == "solved") {
      r.status = "inaccurate";
      r.message = verdict.present ? fmt::format("claimed to be solved, certified error {:.3e}", verdict.error)
                                  : "no certificate: " + (verdict.message.empty() ? "its process ended early" : verdict.message);
    }
    write_record(slot, verdict.busy);
  }

  void write_record(Slot& slot, double certify_time) {
    slot.record.overhead = std::max(0.0, since(slot.start) - slot.busy - certify_time);
    overhead_ += slot.record.overhead;
    file_.append(slot.record);
    ++summary_.done;
    ++summary_.statuses[slot.record.status];
    slot.run = {};
    slot.answer = {};
    slot.record = {};
  }

  void wait() {
    std::vector<pollfd> watched;
    double patience = 0.1;
    for (const Slot& slot : slots_) {
      if (!slot.process) continue;
      if (slot.process->descriptor() >= 0) watched.push_back({slot.process->descriptor(), POLLIN, 0});
      else patience = 0.001;  // a kernel without process descriptors
      patience = std::min(patience, std::max(0.0, slot.process->time_left()));
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(std::ceil(1000 * patience)));
  }

  void report() {
    if (!settings_.progress) return;
    const auto solved = summary_.statuses.find("solved");
    settings_.progress(
        {summary_.total, summary_.skipped, summary_.done, solved == summary_.statuses.end() ? 0 : solved->second, since(start_), current_});
  }

  const Spec& spec_;
  const RunSettings& settings_;
  RecordFile file_;
  Clock::time_point start_;
  std::string temporary_, cpu_, current_;
  std::vector<ProblemEntry> problems_;
  std::vector<Entrant> entrants_;
  std::vector<int> processors_;
  std::vector<Slot> slots_;
  std::deque<Run> ready_;
  std::unordered_set<std::string> planned_;
  std::size_t next_ = 0;
  long number_ = 0;
  double overhead_ = 0;
  RunSummary summary_;
};

}  // namespace

RunSummary run(const Spec& spec, const RunSettings& settings) {
  if (spec.solvers.empty()) throw InvalidOption("found no solvers, expected some (--solvers, or a specification)");
  if (settings.jobs < 1) throw InvalidOption(fmt::format("jobs: found {}, expected at least 1", settings.jobs));
  if (settings.shards < 1 || settings.shard < 1 || settings.shard > settings.shards)
    throw InvalidOption(fmt::format("shard: found {}/{}, expected i/n with 1 ≤ i ≤ n", settings.shard, settings.shards));
  return Campaign(spec, settings).run();
}

}  // namespace cornet::campaign
