// What happens inside the process of a run.
#include "campaign/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>

#include "campaign/process.h"
#include "cornet/analysis.h"
#include "cornet/certificate.h"
#include "cornet/error.h"
#include "cornet/result.h"

namespace cornet::campaign {
namespace {

using Json = nlohmann::json;

constexpr double kShort = 0.05;        // seconds; shorter solves are repeated
constexpr std::size_t kHistory = 200;  // points kept
constexpr std::size_t kMessage = 300;  // characters of a message kept

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_or(const Json& object, const char* name, double otherwise) {
  const auto it = object.find(name);
  return it != object.end() && it->is_number() ? it->get<double>() : otherwise;
}

std::string text_or(const Json& object, const char* name, const std::string& otherwise) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>().substr(0, kMessage) : otherwise;
}

int write_all(int file, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(file, bytes, size);
    if (count <= 0) return 1;
    bytes += count, size -= static_cast<std::size_t>(count);
  }
  return 0;
}

int write_line(int file, const Json& value) {
  const std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return write_all(file, line.data(), line.size());
}

// The first line as JSON; an object without fields when there is none.
Json first_line(const std::string& output) {
  const std::size_t end = output.find('\n');
  if (end == std::string::npos) return Json::object();
  Json out = Json::parse(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
  return out.is_object() ? out : Json::object();
}

}  // namespace

int solve_into(int file, const Problem& problem, const Order& order) {
  RunOptions options;
  options.solver = order.solver->id;
  options.options = order.solver->options;
  options.tolerance = order.tolerance;
  options.time_limit = order.time_limit;
  options.max_iterations = order.max_iterations;
  Json out;
  Result result;
  try {
    double best = std::numeric_limits<double>::infinity(), busy = 0;
    int repeats = 0;
    do {
      const auto start = Clock::now();
      result = solve(problem, options);
      busy += since(start);
      const auto reduction = result.statistics.find("reduce_time");
      const double reduce_time = reduction == result.statistics.end() ? 0.0 : reduction->second;
      if (result.time + reduce_time < best) {
        best = result.time + reduce_time;
        out["reduce_time"] = reduce_time;
      }
      ++repeats;
    } while (result.solved() && busy < kShort && repeats < order.repeat);
    if (order.history) {  // once more, so that keeping it costs the measured runs nothing
      options.keep_history = true;
      const auto start = Clock::now();
      if (busy < order.time_limit / 2) result.history = solve(problem, options).history;
      busy += since(start);
    }
    out["time"] = best;
    out["busy"] = busy;
    out["repeats"] = repeats;
  } catch (const std::bad_alloc&) {
    return write_line(file, {{"status", "memory_limit"}, {"message", "out of memory"}});
  } catch (const Error& error) {
    return write_line(file, {{"status", "unsupported"}, {"message", error.what()}});
  }
  out["status"] = to_string(result.status);
  out["termination"] = to_string(result.termination);
  out["claimed"] = result.termination == Termination::converged;
  out["message"] = result.message;
  out["iterations"] = result.iterations;
  out["statistics"] = Json::object();
  for (const auto& [name, value] : result.statistics) out["statistics"][name] = finite(value);
  const auto& history = result.history;
  if (!history.empty()) {
    out["history"] = Json::array();
    const std::size_t count = std::min(history.size(), kHistory);
    for (std::size_t k = 0; k < count; ++k) {
      const HistoryEntry& h = history[count < 2 ? 0 : k * (history.size() - 1) / (count - 1)];
      out["history"].push_back({h.iteration, finite(h.time), finite(h.own_residual)});
    }
  }
  const int failed = write_line(file, out);
  return failed ? failed : write_all(file, result.x.r.data(), result.x.r.size() * sizeof(double));
}

Answer read_answer(const std::string& output) {
  Answer a;
  const Json in = first_line(output);
  a.present = in.contains("status");
  a.status = text_or(in, "status", "");
  a.termination = text_or(in, "termination", "");
  a.message = text_or(in, "message", "");
  a.claimed = in.value("claimed", false);
  a.time = number_or(in, "time", Record::kUnknown);
  a.reduce_time = number_or(in, "reduce_time", 0);
  a.busy = number_or(in, "busy", 0);
  a.repeats = static_cast<int>(number_or(in, "repeats", 1));
  a.iterations = static_cast<long>(number_or(in, "iterations", -1));
  if (const auto it = in.find("statistics"); it != in.end())
    for (const auto& [name, value] : it->items()) a.statistics[name] = value.is_number() ? value.get<double>() : Record::kUnknown;
  if (const auto it = a.statistics.find("products"); it != a.statistics.end()) a.products = it->second;
  if (const auto it = in.find("history"); it != in.end())
    for (const Json& row : *it)
      a.history.push_back({row[0].get<long>(), row[1].is_number() ? row[1].get<double>() : Record::kUnknown,
                           row[2].is_number() ? row[2].get<double>() : Record::kUnknown});
  if (const std::size_t end = output.find('\n'); end != std::string::npos) {
    a.r.resize((output.size() - end - 1) / sizeof(double));
    std::memcpy(a.r.data(), output.data() + end + 1, a.r.size() * sizeof(double));
  }
  return a;
}

int exec_peer(const Order& order, const std::string& problem_file, const char* form, const std::string& answer_file) {
  std::vector<std::string> words = order.solver->command;
  for (const std::string& word : {std::string("--problem"), problem_file, std::string("--form"), std::string(form), std::string("--tol"),
                                  fmt::format("{}", order.tolerance), std::string("--time-limit"), fmt::format("{}", order.time_limit),
                                  std::string("--answer"), answer_file})
    words.push_back(word);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // NOLINTBEGIN(concurrency-mt-unsafe): a process with one thread, about to become another program
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // NOLINTEND(concurrency-mt-unsafe)
  ::execv(arguments[0], arguments.data());
  return 127;
}

Answer read_peer_answer(const std::string& path, std::size_t reactions, double wall) {
  Answer a;
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none), most_bytes = 100 * reactions + (1 << 20);
  if (none) return a;
  if (size > most_bytes) {
    a.message = fmt::format("found an answer of {} bytes, expected at most {}", size, most_bytes);
    return a;
  }
  std::ifstream in(path, std::ios::binary);
  const Json json = Json::parse(in, nullptr, false);
  if (!json.is_object()) {
    a.message = "the answer is no JSON object";
    return a;
  }
  const auto whole = [&](const char* name, double least, double most, double otherwise) {
    const double value = number_or(json, name, otherwise);
    if (value >= least && value <= most && value == std::floor(value)) return value;
    a.message = fmt::format("found {} {:g} in the answer, expected a whole number from {:g} to {:g}", name, value, least, most);
    return otherwise;
  };
  a.iterations = static_cast<long>(whole("iterations", -1, 9007199254740992.0, -1));  // the most that a record holds
  a.repeats = static_cast<int>(whole("repeats", 1, 1e9, 1));
  if (!a.message.empty()) return a;
  a.present = true;
  a.claimed = json.contains("converged") && json["converged"].is_boolean() ? json["converged"].get<bool>() : true;
  a.status = text_or(json, "status", a.claimed ? "solved" : "iteration_limit");
  a.termination = a.claimed ? "converged" : a.status;
  a.message = text_or(json, "message", "");
  a.version = text_or(json, "version", "");
  a.time = number_or(json, "time", wall);
  a.reduce_time = number_or(json, "reduce_time", 0);
  a.busy = number_or(json, "busy", wall);
  a.products = number_or(json, "products", Record::kUnknown);
  if (const auto it = json.find("r"); it != json.end() && it->is_array())
    for (const Json& value : *it) a.r.push_back(value.is_number() ? value.get<double>() : Record::kUnknown);
  return a;
}

Verdict certify_here(const Problem& problem, const std::vector<double>& r) {
  Verdict v;
  try {
    Iterate x;
    x.r = r;
    const auto start = Clock::now();
    const Certificate c = certify(problem, x);
    v.busy = since(start);
    v.error = c.error;
    v.present = std::isfinite(c.error);
    v.take_off = c.take_off, v.stick = c.stick, v.slide = c.slide;
  } catch (const std::exception& error) {
    v.message = error.what();
  }
  return v;
}

int certify_into(int file, const Problem& problem, const std::vector<double>& r) {
  const Verdict v = certify_here(problem, r);
  return write_line(file, {{"error", finite(v.error)},
                           {"message", v.message},
                           {"busy", v.busy},
                           {"take_off", v.take_off},
                           {"stick", v.stick},
                           {"slide", v.slide}});
}

Verdict read_verdict(const std::string& output) {
  Verdict v;
  const Json in = first_line(output);
  v.error = number_or(in, "error", Record::kUnknown);
  v.present = std::isfinite(v.error);
  v.message = text_or(in, "message", "");
  v.busy = number_or(in, "busy", 0);
  v.take_off = static_cast<int>(number_or(in, "take_off", 0));
  v.stick = static_cast<int>(number_or(in, "stick", 0));
  v.slide = static_cast<int>(number_or(in, "slide", 0));
  return v;
}

int analyse_into(int file, const Problem& problem, int dense_limit) {
  const Analysis a = analyse(problem, dense_limit);
  return write_line(file, {{"rank", a.rank},
                           {"condition", finite(a.condition)},
                           {"asymmetry", finite(a.asymmetry)},
                           {"blocks_per_row", finite(a.blocks_per_row)}});
}

void read_analysis(const std::string& output, int size, Record& record) {
  const Json in = first_line(output);
  const double rank = number_or(in, "rank", -1);
  if (rank > 0) record.rank_ratio = size / rank;
  record.condition = number_or(in, "condition", Record::kUnknown);
  record.asymmetry = number_or(in, "asymmetry", Record::kUnknown);
  record.blocks_per_row = number_or(in, "blocks_per_row", Record::kUnknown);
}

}  // namespace cornet::campaign
