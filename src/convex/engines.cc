// The table of convex engines, and solve_convex(): validate → reduce if needed → engine → certify → status. The only place that writes
// ConvexStatus::optimal and ConvexStatus::infeasible for a user: each follows from its certificate (certificate.cc), not from the engine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <functional>

#include "convex/engine.h"
#include "convex/faceted.h"
#include "convex/gradient_engines.h"
#include "convex/interior_point.h"
#include "cornet/error.h"
#include "cornet/reduce.h"
#include "linalg/sparse.h"

namespace cornet {
namespace {

constexpr double kAim = 0.9;  // share of the tolerance that an engine is given, so that rounding cannot turn optimal into inaccurate
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Engine {
  EngineInfo info;
  long max_iterations;
  std::function<OptionTexts(const OptionTexts&)> used;
  std::function<std::unique_ptr<ConvexEngine<2>>(const OptionTexts&)> make_2d;
  std::function<std::unique_ptr<ConvexEngine<3>>(const OptionTexts&)> make_3d;
};

template <class Options>
Engine engine(EngineInfo info, long max_iterations, std::unique_ptr<ConvexEngine<2>> (*make_2d)(const Options&),
              std::unique_ptr<ConvexEngine<3>> (*make_3d)(const Options&)) {
  info.options = describe([](OptionVisitor& v) { Options().visit(v); });
  const auto read = [owner = "engine " + info.id](const OptionTexts& texts) {
    Options options;
    assign([&](OptionVisitor& v) { options.visit(v); }, texts, owner);
    return options;
  };
  const auto used = [read](const OptionTexts& texts) {
    Options options = read(texts);
    return values([&](OptionVisitor& v) { options.visit(v); });
  };
  return {std::move(info), max_iterations, used, [read, make_2d](const OptionTexts& texts) { return make_2d(read(texts)); },
          [read, make_3d](const OptionTexts& texts) { return make_3d(read(texts)); }};
}

// The one place where engines are named.
const std::vector<Engine>& engines() {
  static const std::vector<Engine> table = {
      engine<InteriorPointOptions>({"interior-point",
                                    "Primal–dual interior-point method for conic quadratic programs",
                                    "Homogeneous embedding, Nesterov–Todd scaling, predictor–corrector; a factorisation per iteration.",
                                    "Andersen, Ye (1999); Nesterov, Todd (1997); Mehrotra (1992); seed 000 §6 (i)",
                                    {"local", "global"},
                                    {}},
                                   200, make_interior_point<2>, make_interior_point<3>),
      engine<ProjectedGradientOptions>({"projected-gradient",
                                        "Projected gradient with spectral steps",
                                        "One product with W per step, Armijo search along the projection arc, Barzilai–Borwein steps.",
                                        "Acary, Brémond, Huber (2018), Algorithm 9; Birgin, Martínez, Raydan (2000); seed 000 §6 (v)",
                                        {"local"},
                                        {}},
                                       1000000, make_projected_gradient<2>, make_projected_gradient<3>),
      engine<AcceleratedGradientOptions>({"accelerated-gradient",
                                          "Accelerated projected gradient with restart",
                                          "Nesterov's momentum, started anew when it points uphill; one product with W per step.",
                                          "Nesterov (1983); Beck, Teboulle (2009); O'Donoghue, Candès (2015)",
                                          {"local"},
                                          {}},
                                         1000000, make_accelerated_gradient<2>, make_accelerated_gradient<3>),
      engine<FacetedOptions>(
          {"faceted",
           "Polyhedral cones, with column generation",
           "Replaces circles by polygons with a chosen number of facets and adds facets until the exact problem is solved.",
           "Acary, Cadoux, Lemaréchal, Malick (2011), §6 (iv); Klarbring (1986)",
           {"local"},
           {}},
          1000, make_faceted<2>, make_faceted<3>),
  };
  return table;
}

const Engine& find_engine(const std::string& id) {
  std::vector<std::string> known;
  for (const Engine& e : engines()) {
    if (e.info.id == id) return e;
    known.push_back(e.info.id);
  }
  throw InvalidOption(fmt::format("engine '{}' is unknown, expected one of {}", id, fmt::join(known, ", ")));
}

void check(const ConvexOptions& options) {
  if (!(options.tolerance > 0 && options.tolerance <= 1))
    throw InvalidOption(fmt::format("option 'tolerance': found {}, expected a value in (0, 1]", options.tolerance));
  if (!(options.time_limit > 0))
    throw InvalidOption(fmt::format("option 'time_limit': found {}, expected seconds > 0", options.time_limit));
  if (options.max_iterations < 0)
    throw InvalidOption(
        fmt::format("option 'max_iterations': found {}, expected a number ≥ 0 (0: the engine's default)", options.max_iterations));
}

// Per contact, with the defaults of ConvexQuestion filled in.
struct Data {
  std::vector<double> shift, radius, normal;
};

Data complete(const ConvexQuestion& question, const std::vector<double>& mu) {
  Data data;
  data.normal = question.normal.empty() ? std::vector<double>(mu.size(), 0.0) : question.normal;
  for (std::size_t a = 0; a < mu.size(); ++a) {
    data.shift.push_back(question.s.empty() || !(mu[a] < kInfinity) ? 0.0 : mu[a] * question.s[a]);
    data.radius.push_back(!question.radius.empty() ? question.radius[a]
                          : mu[a] < kInfinity      ? mu[a] * std::max(0.0, data.normal[a])
                                                   : mu[a]);
  }
  return data;
}

}  // namespace

template <int D>
std::unique_ptr<ConvexEngine<D>> make_engine(const std::string& id, const OptionTexts& options) {
  if constexpr (D == 2) return find_engine(id).make_2d(options);
  else return find_engine(id).make_3d(options);
}
template std::unique_ptr<ConvexEngine<2>> make_engine<2>(const std::string&, const OptionTexts&);
template std::unique_ptr<ConvexEngine<3>> make_engine<3>(const std::string&, const OptionTexts&);

namespace {

ConvexStatus run_local(const Engine& engine, const LocalProblem& problem, const ConvexQuestion& question, const OptionTexts& options,
                       std::vector<double>& r, Monitor& monitor) {
  const Data data = complete(question, problem.mu);
  const ConvexSets sets{question.set, problem.mu.data(), data.shift.data(), data.radius.data(), data.normal.data()};
  return with_dimension(problem.dim, [&]<int D>() {
    const LocalSystem<D> system(problem);
    const auto method = make_engine<D>(engine.info.id, options);
    method->prepare(system);
    return method->solve(system, sets, r, monitor);
  });
}

std::string describe_outcome(const ConvexResult& result, const std::string& engine_message) {
  const ConvexCertificate& c = result.certificate;
  const std::string numbers = fmt::format("gap {:.1e}, violations {:.1e} and {:.1e}", c.gap, c.cone_violation, c.dual_violation);
  std::string text;
  switch (result.status) {
    case ConvexStatus::optimal: text = "optimal: " + numbers; break;
    case ConvexStatus::infeasible:
      text = fmt::format("infeasible: no velocity satisfies the constraints, proved by a ray with residual {:.1e}", c.ray_residual);
      break;
    case ConvexStatus::inaccurate: text = "the engine stopped as converged, but the certificate disagrees: " + numbers; break;
    case ConvexStatus::iteration_limit:
      text = fmt::format("iteration limit reached after {} iterations: {}", result.iterations, numbers);
      break;
    case ConvexStatus::time_limit: text = "time limit reached: " + numbers; break;
    case ConvexStatus::stalled: text = "no more progress: " + numbers; break;
    case ConvexStatus::numerical_error: text = "the linear algebra of the engine broke down: " + numbers; break;
    case ConvexStatus::unsupported: text = "the engine cannot take this problem"; break;
    case ConvexStatus::interrupted: text = "interrupted: best point so far has " + numbers; break;
  }
  return engine_message.empty() ? text : text + " (" + engine_message + ")";
}

void check_guess(const Iterate& guess, std::size_t m) {
  if (guess.r.empty()) return;
  if (guess.r.size() != m)
    throw InvalidProblem(fmt::format("guess r: found {} numbers, expected {} (dimension × contacts)", guess.r.size(), m));
  for (double x : guess.r)
    if (!std::isfinite(x)) throw InvalidProblem("guess r: found a number that is not finite, expected finite reactions");
}

}  // namespace

const char* to_string(ConvexSet set) {
  switch (set) {
    case ConvexSet::cone: return "cone";
    case ConvexSet::half_line: return "half_line";
    case ConvexSet::disk: return "disk";
    case ConvexSet::cylinder: return "cylinder";
  }
  return "unknown";
}

const char* to_string(ConvexStatus status) {
  switch (status) {
    case ConvexStatus::optimal: return "optimal";
    case ConvexStatus::infeasible: return "infeasible";
    case ConvexStatus::inaccurate: return "inaccurate";
    case ConvexStatus::iteration_limit: return "iteration_limit";
    case ConvexStatus::time_limit: return "time_limit";
    case ConvexStatus::stalled: return "stalled";
    case ConvexStatus::numerical_error: return "numerical_error";
    case ConvexStatus::unsupported: return "unsupported";
    case ConvexStatus::interrupted: return "interrupted";
  }
  return "unknown";
}

const std::vector<EngineInfo>& convex_engines() {
  static const std::vector<EngineInfo> table = [] {
    std::vector<EngineInfo> out;
    for (const Engine& e : engines()) out.push_back(e.info);
    return out;
  }();
  return table;
}

ConvexResult solve_convex(const Problem& problem, const ConvexQuestion& question, const ConvexOptions& options, const Iterate& guess) {
  check(options);
  validate(problem);
  validate(problem, question);
  const Engine& chosen = find_engine(options.engine);
  const std::size_t m = static_cast<std::size_t>(contacts(problem)) * dimension(problem);
  check_guess(guess, m);

  ConvexResult result;
  result.engine = chosen.info.id;
  result.options = chosen.used(options.options);
  result.x.r = guess.r.empty() ? std::vector<double>(m, 0.0) : guess.r;

  // The interior-point method takes cones and half-lines in global form as they are; everything else works on the contacts.
  const auto before_reduction = Clock::now();
  const auto* global = std::get_if<GlobalProblem>(&problem);
  const bool takes_global =
      global && chosen.info.forms.size() > 1 && (question.set == ConvexSet::cone || question.set == ConvexSet::half_line);
  std::optional<Reduction> reduction;
  if (global && !takes_global) reduction.emplace(*global);
  const LocalProblem local = takes_global ? LocalProblem{} : reduction ? reduction->local() : condense(std::get<LocalProblem>(problem));
  result.statistics["reduce_time"] = seconds_since(before_reduction);

  // An engine measures with its own scales. When the certificate misses the tolerance by little, or a ray found at a loose tolerance is
  // none, the engine is asked for more digits.
  const std::vector<double> start = result.x.r;
  std::string message;
  ConvexStatus said = ConvexStatus::stalled;
  double certify_time = 0;
  // The best answer of an earlier run.
  double best_worst = std::numeric_limits<double>::infinity();
  Iterate best_x;
  ConvexCertificate best_certificate;
  for (double aim = kAim * options.tolerance; aim > 1e-16;) {
    const long limit = options.max_iterations > 0 ? options.max_iterations : chosen.max_iterations;
    Monitor monitor({aim, options.time_limit - result.time, limit - result.iterations}, options.interrupt, options.callback,
                    options.keep_history);
    result.x = Iterate{};
    result.x.r = start;
    const auto before_engine = Clock::now();
    said = takes_global ? solve_interior_point(*global, question, result.x, monitor)
                        : run_local(chosen, local, question, options.options, result.x.r, monitor);
    result.time += seconds_since(before_engine);
    result.iterations += monitor.iterations();
    for (const HistoryEntry& entry : monitor.history()) result.history.push_back(entry);
    for (const auto& [name, value] : monitor.counters()) result.statistics[name] += value;
    message = monitor.message();

    const auto before_certificate = Clock::now();
    bool wrong_ray = false;
    if (said == ConvexStatus::infeasible) {
      result.certificate = certify_infeasible(problem, question, result.x);
      wrong_ray = !result.certificate.verified;
      if (wrong_ray) {
        said = ConvexStatus::stalled;
        result.x.r.assign(m, 0.0);
      }
    }
    if (said != ConvexStatus::infeasible) {
      if (said != ConvexStatus::optimal && !monitor.best().empty()) result.x.r = monitor.best();
      if (!std::all_of(result.x.r.begin(), result.x.r.end(), [](double x) { return std::isfinite(x); })) result.x.r.assign(m, 0.0);
      result.certificate = certify_convex(problem, question, result.x, options.tolerance);
    }
    certify_time += seconds_since(before_certificate);
    const ConvexCertificate& c = result.certificate;
    const double worst = std::max({c.gap, c.cone_violation, c.dual_violation});
    if (said != ConvexStatus::infeasible && !wrong_ray) {
      if (worst < best_worst) {
        best_worst = worst;
        best_x = result.x;
        best_certificate = c;
      } else {
        result.x = best_x;
        result.certificate = best_certificate;
      }
    }
    const bool just_missed = said == ConvexStatus::optimal && !c.verified && worst <= 1e4 * options.tolerance;
    if (!(just_missed || wrong_ray) || result.iterations >= limit || result.time >= options.time_limit) break;
    aim *= just_missed ? std::min(0.1, 0.3 * options.tolerance / worst) : 1e-3;
  }
  result.statistics["certify_time"] = certify_time;

  if (said == ConvexStatus::infeasible) {
    result.x = Iterate{};
  } else if (reduction) {
    result.x = reduction->expand(result.x);
  } else if (takes_global) {
    if (!result.x.v.empty()) result.x.u = to_std(to_columns(global->H).transpose() * as_vector(result.x.v) + as_vector(global->w));
  } else {
    result.x.u = velocities(std::get<LocalProblem>(problem), result.x.r);
    result.x.lambda = multipliers(std::get<LocalProblem>(problem), result.x.r);
  }
  result.status = said == ConvexStatus::infeasible ? said
                  : result.certificate.verified    ? ConvexStatus::optimal
                  : said == ConvexStatus::optimal  ? ConvexStatus::inaccurate
                                                   : said;
  result.message = describe_outcome(result, message);
  return result;
}

}  // namespace cornet
