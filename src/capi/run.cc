// Options, solves, certificates, existence and the access to results of the C interface.
#include <cmath>

#include "capi/handles.h"
#include "cornet/certificate.h"

namespace cornet::capi {
namespace {

static_assert(static_cast<int>(Status::solved) == CORNET_SOLVED && static_cast<int>(Status::inaccurate) == CORNET_INACCURATE &&
              static_cast<int>(Status::iteration_limit) == CORNET_ITERATION_LIMIT &&
              static_cast<int>(Status::time_limit) == CORNET_TIME_LIMIT && static_cast<int>(Status::stalled) == CORNET_STALLED &&
              static_cast<int>(Status::diverged) == CORNET_DIVERGED &&
              static_cast<int>(Status::numerical_error) == CORNET_NUMERICAL_ERROR &&
              static_cast<int>(Status::no_solution) == CORNET_NO_SOLUTION && static_cast<int>(Status::unsupported) == CORNET_UNSUPPORTED &&
              static_cast<int>(Status::interrupted) == CORNET_INTERRUPTED);
static_assert(static_cast<int>(ContactStatus::take_off) == CORNET_TAKE_OFF && static_cast<int>(ContactStatus::stick) == CORNET_STICK &&
              static_cast<int>(ContactStatus::slide) == CORNET_SLIDE);

const std::set<std::string> kRunOptions = {"tol", "time_limit", "memory_limit", "max_iterations", "threads", "existence", "quality", "history"};

void visit_run(RunOptions& run, OptionVisitor& visitor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  visitor.real("tol", run.tolerance, {0, 1, true, false}, "certified error");
  visitor.real("time_limit", run.time_limit, {0, kInfinity, true, false}, "seconds");
  visitor.real("memory_limit", run.memory_limit, {0, kInfinity, false, false}, "bytes beyond the problem, 0: none");
  visitor.integer("max_iterations", run.max_iterations, {0, 1e18}, "0: the solver's own");
  long threads = run.threads;
  visitor.integer("threads", threads, {1, 4096}, "recorded");
  run.threads = static_cast<int>(threads);
  visitor.choice("existence", run.existence, {"never", "on_failure", "always"}, "when to look whether a solution must exist");
  visitor.flag("quality", run.quality, "assess the answer");
  visitor.flag("history", run.keep_history, "keep the residuals");
}

void set_option(cornet_options* options, const char* name, const std::string& text) {
  not_null(options, "options");
  const std::string known = not_null(name, "name");
  if (known.empty()) refuse("name", "an empty text", "the name of an option");
  if (known == "solver") options->run.solver = find_solver(text).id;
  else if (kRunOptions.count(known)) assign([&](OptionVisitor& visitor) { visit_run(options->run, visitor); }, {{known, text}}, "solve");
  else options->run.options[known] = text;
}

void add_certificate(cornet_result& out, const Certificate& c) {
  out.reals.insert({{"error", c.error},
                    {"natural_map", c.natural_map},
                    {"norm_q", c.norm_q},
                    {"cone_violation", c.cone_violation},
                    {"dual_violation", c.dual_violation},
                    {"complementarity", c.complementarity},
                    {"dynamics", c.dynamics},
                    {"worst_value", c.worst_value}});
  out.integers.insert({{"relative", c.relative ? 1 : 0},
                       {"worst_contact", c.worst_contact},
                       {"take_off", c.take_off},
                       {"stick", c.stick},
                       {"slide", c.slide}});
  std::vector<std::int32_t>& status = out.integer_vectors["contact_status"];
  for (const ContactStatus s : c.status) status.push_back(static_cast<std::int32_t>(s));
}

void add_existence(cornet_result& out, const Existence& e, const std::string& prefix) {
  out.reals[prefix + "margin"] = e.margin;
  out.texts[prefix + "verdict"] = to_string(e.verdict);
  out.texts[prefix + "reason"] = e.reason;
  out.texts[prefix + "sentence"] = e.sentence;
  out.texts[prefix + "kind"] = e.certificate.kind;
  out.integers[prefix + "verified"] = e.certificate.verified ? 1 : 0;
  for (const auto& [name, vector] : {std::pair{"v", &e.certificate.v}, {"r", &e.certificate.r}, {"lambda", &e.certificate.lambda}})
    if (!vector->empty()) out.vectors[prefix + name] = *vector;
}

void add_quality(cornet_result& out, const Quality& quality) {
  out.integers.insert({{"degenerate", quality.degenerate},
                       {"unknowns", quality.unknowns},
                       {"rank", quality.rank},
                       {"reactions_unique", quality.reactions_unique ? 1 : 0},
                       {"velocities_unique", quality.velocities_unique ? 1 : 0}});
  out.reals["attainable_error"] = quality.attainable_error;
  std::vector<double>& margin = out.vectors["status_margin"];
  for (const ContactQuality& contact : quality.contacts) margin.push_back(contact.margin);
}

cornet_result* finished(std::unique_ptr<cornet_result> out) {
  const auto add = [&](const auto& table) {
    for (const auto& entry : table) out->names.insert(entry.first);
  };
  add(out->reals);
  add(out->integers);
  add(out->texts);
  add(out->vectors);
  add(out->integer_vectors);
  return out.release();
}

cornet_result* from_result(Result result) {
  auto out = std::make_unique<cornet_result>();
  out->status = static_cast<int>(result.status);
  add_certificate(*out, result.certificate);
  out->reals["tolerance"] = result.tolerance;
  out->reals["time"] = result.time;
  out->integers["iterations"] = result.iterations;
  out->integers["solved"] = result.solved() ? 1 : 0;
  out->texts["status"] = to_string(result.status);
  out->texts["message"] = result.message;
  out->texts["solver"] = result.solver;
  out->texts["termination"] = to_string(result.termination);
  for (const auto& [name, value] : result.statistics) out->reals["statistics." + name] = value;
  for (const auto& [name, text] : result.provenance.options) out->texts["options." + name] = text;
  if (result.existence) add_existence(*out, *result.existence, "existence.");
  if (result.quality) add_quality(*out, *result.quality);
  if (!result.history.empty()) {
    for (const HistoryEntry& entry : result.history) {
      out->vectors["history.iteration"].push_back(static_cast<double>(entry.iteration));
      out->vectors["history.time"].push_back(entry.time);
      out->vectors["history.residual"].push_back(entry.own_residual);
    }
  }
  out->vectors["r"] = std::move(result.x.r);
  out->vectors["u"] = std::move(result.x.u);
  if (!result.x.v.empty()) out->vectors["v"] = std::move(result.x.v);
  if (!result.x.lambda.empty()) out->vectors["lambda"] = std::move(result.x.lambda);
  return finished(std::move(out));
}

Iterate start(const Problem& problem, const double* guess) {
  Iterate out;
  if (!guess) return out;
  const std::int64_t m = reactions(problem);
  for (std::int64_t k = 0; k < m; ++k)
    if (!std::isfinite(guess[k])) refuse(fmt::format("guess[{}]", k), fmt::format("{}", guess[k]), "a finite number");
  out.r.assign(guess, guess + m);
  return out;
}

RunOptions run_options(const cornet_options* options) {
  if (!options) return {};
  RunOptions run = options->run;
  run.interrupt = options->stop.get();
  return run;
}

template <class Value>
const Value& named(const cornet_result* result, const char* name, std::map<std::string, Value> cornet_result::*kept, const char* kind) {
  const std::map<std::string, Value>& table = not_null(result, "result")->*kept;
  const std::string text = not_null(name, "name");
  const auto at = table.find(text);
  if (at != table.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& entry : table) known.push_back(entry.first);
  if (result->names.count(text))
    refuse("name", fmt::format("'{}', which this result has as another kind of value", text),
           fmt::format("one of the {}: {}", kind, fmt::join(known, ", ")));
  refuse(
      "name", fmt::format("'{}'", text),
      known.empty() ? fmt::format("nothing: this result has no {}", kind) : fmt::format("one of the {}: {}", kind, fmt::join(known, ", ")));
}

}  // namespace
}  // namespace cornet::capi

using namespace cornet;
using namespace cornet::capi;

extern "C" {

int cornet_solver_count(void) {
  int count = 0;
  guarded(__func__, [&] { count = static_cast<int>(solvers().size()); });
  return count;
}

const char* cornet_solver_id(int k) {
  const char* id = nullptr;
  guarded(__func__, [&] {
    const auto& all = solvers();
    if (k >= 0 && static_cast<std::size_t>(k) < all.size()) id = all[static_cast<std::size_t>(k)].id.c_str();
  });
  return id;
}

int cornet_options_new(cornet_options** options) {
  return guarded(__func__, [&] {
    *not_null(options, "options") = nullptr;
    *options = new cornet_options;
  });
}

void cornet_options_free(cornet_options* options) { delete options; }

int cornet_options_set(cornet_options* options, const char* name, const char* text) {
  return guarded(__func__, [&] { set_option(options, name, not_null(text, "text")); });
}

int cornet_options_set_real(cornet_options* options, const char* name, double value) {
  return guarded(__func__, [&] { set_option(options, name, fmt::format("{}", value)); });
}

int cornet_options_set_callback(cornet_options* options, cornet_callback callback, void* user) {
  return guarded(__func__, [&] {
    not_null(options, "options");
    options->run.callback = {};
    if (callback)
      options->run.callback = [callback, user](const HistoryEntry& entry) {
        return callback(entry.iteration, entry.time, entry.own_residual, user) == 0;
      };
  });
}

int cornet_options_interrupt(cornet_options* options, int stop) {
  if (!options) return guarded(__func__, [] { refuse("options", "NULL", "a pointer"); });
  options->stop->store(stop != 0);  // nothing else: this may be a signal handler
  return CORNET_OK;
}

int cornet_solve(const cornet_problem* problem, const cornet_options* options, const double* guess, cornet_result** result) {
  return guarded(__func__, [&] {
    *not_null(result, "result") = nullptr;
    const Problem& p = usable(problem);
    *result = from_result(solve(p, run_options(options), start(p, guess)));
  });
}

int cornet_session_new(const cornet_options* options, cornet_session** session) {
  return guarded(__func__, [&] {
    *not_null(session, "session") = nullptr;
    *session = new cornet_session{Session(run_options(options)), options ? options->stop : nullptr};
  });
}

int cornet_session_solve(cornet_session* session, const cornet_problem* problem, const double* guess, cornet_result** result) {
  return guarded(__func__, [&] {
    *not_null(result, "result") = nullptr;
    not_null(session, "session");
    const Problem& p = usable(problem);
    *result = from_result(session->session.solve(p, start(p, guess)));
  });
}

void cornet_session_free(cornet_session* session) { delete session; }

int cornet_certify(const cornet_problem* problem, const double* r, int64_t length, cornet_result** certificate) {
  return guarded(__func__, [&] {
    *not_null(certificate, "certificate") = nullptr;
    const Problem& p = usable(problem);
    if (length != reactions(p)) refuse("length", std::to_string(length), fmt::format("{} (dim · contacts)", reactions(p)));
    if (length > 0) not_null(r, "r");
    for (int64_t k = 0; k < length; ++k)
      if (!std::isfinite(r[k])) refuse(fmt::format("r[{}]", k), fmt::format("{}", r[k]), "a finite number");
    auto out = std::make_unique<cornet_result>();
    Iterate x;
    x.r.assign(r, r + length);
    add_certificate(*out, certify(p, x));
    out->vectors["r"] = std::move(x.r);
    *certificate = finished(std::move(out));
  });
}

int cornet_check_existence(const cornet_problem* problem, const cornet_options* options, cornet_result** existence) {
  return guarded(__func__, [&] {
    *not_null(existence, "existence") = nullptr;
    ExistenceOptions how;
    if (options) {
      how.time_limit = options->run.time_limit;
      how.interrupt = options->stop.get();
    }
    auto out = std::make_unique<cornet_result>();
    add_existence(*out, check_existence(usable(problem), how), "");
    *existence = finished(std::move(out));
  });
}

int cornet_result_status(const cornet_result* result) { return result ? result->status : -1; }

const char* cornet_status_name(int status) {
  return status >= CORNET_SOLVED && status <= CORNET_INTERRUPTED ? to_string(static_cast<Status>(status)) : "unknown";
}

int cornet_result_real(const cornet_result* result, const char* name, double* value) {
  return guarded(__func__, [&] { *not_null(value, "value") = named(result, name, &cornet_result::reals, "reals"); });
}

int cornet_result_integer(const cornet_result* result, const char* name, int64_t* value) {
  return guarded(__func__, [&] { *not_null(value, "value") = named(result, name, &cornet_result::integers, "integers"); });
}

int cornet_result_text(const cornet_result* result, const char* name, const char** text) {
  return guarded(__func__, [&] { *not_null(text, "text") = named(result, name, &cornet_result::texts, "texts").c_str(); });
}

int cornet_result_vector(const cornet_result* result, const char* name, const double** values, int64_t* length) {
  return guarded(__func__, [&] {
    *not_null(values, "values") = nullptr;
    *not_null(length, "length") = 0;
    const std::vector<double>& vector = named(result, name, &cornet_result::vectors, "vectors");
    *values = vector.data();
    *length = static_cast<int64_t>(vector.size());
  });
}

int cornet_result_integers(const cornet_result* result, const char* name, const int32_t** values, int64_t* length) {
  return guarded(__func__, [&] {
    *not_null(values, "values") = nullptr;
    *not_null(length, "length") = 0;
    const std::vector<int32_t>& vector = named(result, name, &cornet_result::integer_vectors, "integer arrays");
    *values = vector.data();
    *length = static_cast<int64_t>(vector.size());
  });
}

const char* cornet_result_name(const cornet_result* result, int k) {
  if (!result || k < 0 || static_cast<std::size_t>(k) >= result->names.size()) return nullptr;
  return std::next(result->names.begin(), k)->c_str();
}

void cornet_result_free(cornet_result* result) { delete result; }

}  // extern "C"
