// The data of the report page: columns, since a campaign may have a hundred thousand runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cornet/profile.h"

namespace cornet::campaign {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHistories = 600;  // runs whose history goes into the page

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json friction(double mu) { return std::isinf(mu) ? Json("∞") : finite(mu); }

/// Numbers things in the order in which they first appear.
template <class Key>
class Index {
 public:
  std::size_t operator()(const Key& key) {
    const auto [it, fresh] = number_.try_emplace(key, number_.size());
    fresh_ = fresh;
    return it->second;
  }
  bool fresh() const { return fresh_; }  // the last one was new

 private:
  std::map<Key, std::size_t> number_;
  bool fresh_ = false;
};

// Of several records of the same run the last one counts.
std::vector<const Record*> latest(const std::vector<Record>& records) {
  std::unordered_map<std::string, std::size_t> place;
  std::vector<const Record*> out;
  for (const Record& r : records) {
    const auto [it, fresh] = place.try_emplace(fmt::format("{}/{}/{}", r.problem_hash, r.tolerance, r.label), out.size());
    if (fresh) out.push_back(&r);
    else out[it->second] = &r;
  }
  return out;
}

Json problem_row(const Record& r) {
  return Json{{"name", r.problem},
              {"set", r.set},
              {"form", r.form},
              {"dimension", r.dimension},
              {"contacts", r.number_of_contacts},
              {"dofs", r.dofs >= 0 ? Json(r.dofs) : Json(nullptr)},
              {"mu_min", friction(r.mu_min)},
              {"mu_max", friction(r.mu_max)},
              {"rank_ratio", finite(r.rank_ratio)},
              {"density", finite(r.density)},
              {"condition", finite(r.condition)},
              {"asymmetry", finite(r.asymmetry)},
              {"take_off", nullptr},
              {"stick", nullptr},
              {"slide", nullptr}};
}

Json insight_of(const std::vector<Record>& records) {
  Json out{{"families", Json::array()}, {"explanations", Json::array()}, {"advice", Json::array()}, {"growth", Json::array()}};
  Insight insight;
  try {
    insight = learn(records);
    for (const Growth& g : growth(records))
      out["growth"].push_back(Json{{"solver", g.solver}, {"exponent", finite(g.exponent)}, {"factor", finite(g.factor)}, {"runs", g.runs}});
  } catch (const std::exception& error) {
    out["missing"] = error.what();  // no problem on which all solvers ran: the page says so
    return out;
  }
  out["families"] = insight.families;
  for (const Explanation& e : insight.explanations) {
    Json classes = Json::array();
    for (const auto& c : e.classes) classes.push_back(Json{{"lower", friction(c.lower)}, {"upper", friction(c.upper)}, {"wins", c.wins}});
    out["explanations"].push_back(Json{{"variable", e.variable}, {"explained", finite(e.explained)}, {"classes", classes}});
  }
  for (const auto& a : insight.advice)
    out["advice"].push_back(Json{{"situation", a.situation},
                                 {"instances", a.instances},
                                 {"solver", a.solver},
                                 {"solved", a.solved},
                                 {"mean", finite(a.mean)},
                                 {"alternative", a.alternative},
                                 {"alternative_solved", a.alternative_solved},
                                 {"alternative_mean", finite(a.alternative_mean)}});
  return out;
}

}  // namespace

std::string report_data(const std::vector<Record>& records, const std::string& title) {
  Json out{{"title", title},
           {"solvers", Json::array()},
           {"problems", Json::array()},
           {"tolerances", Json::array()},
           {"statuses", Json::array()}};
  Index<std::string> solvers, problems, statuses;
  Index<double> tolerances;
  const char* columns[] = {"solver", "problem", "tolerance", "status", "time", "iterations", "products", "error", "claimed", "limit"};
  std::map<std::string, Json> runs;
  for (const char* name : columns) runs[name] = Json::array();
  std::vector<double> best_error;  // of each problem: whose statuses are shown
  std::map<std::string, std::pair<Json, long>> sources;
  Json histories = Json::array();
  const auto kept = latest(records);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Record& r = *kept[k];
    const std::size_t s = solvers(r.label);
    if (solvers.fresh()) out["solvers"].push_back(Json{{"label", r.label}, {"family", r.family}});
    const std::size_t p = problems(r.problem_hash);
    if (problems.fresh()) {
      out["problems"].push_back(problem_row(r));
      best_error.push_back(std::numeric_limits<double>::infinity());
    }
    if (r.solved() && r.error < best_error[p]) {
      best_error[p] = r.error;
      Json& row = out["problems"][p];
      row["take_off"] = r.take_off;
      row["stick"] = r.stick;
      row["slide"] = r.slide;
    }
    const std::size_t t = tolerances(r.tolerance);
    if (tolerances.fresh()) out["tolerances"].push_back(r.tolerance);
    const std::size_t status = statuses(r.status);
    if (statuses.fresh()) out["statuses"].push_back(r.status);
    runs["solver"].push_back(s);
    runs["problem"].push_back(p);
    runs["tolerance"].push_back(t);
    runs["status"].push_back(status);
    runs["time"].push_back(finite(r.time));
    runs["iterations"].push_back(r.iterations >= 0 ? Json(r.iterations) : Json(nullptr));
    runs["products"].push_back(finite(r.products));
    runs["error"].push_back(finite(r.error));
    runs["claimed"].push_back(r.claimed ? 1 : 0);
    runs["limit"].push_back(finite(r.provenance.time_limit));
    if (!r.history.empty() && histories.size() < kHistories) {
      Json points = Json::array();
      for (const HistoryPoint& h : r.history) points.push_back(Json::array({h.iteration, finite(h.time), finite(h.residual)}));
      histories.push_back(Json{{"run", k}, {"points", points}});
    }
    const RecordProvenance& from = r.provenance;
    auto& source = sources[from.binary + from.cpu];
    if (source.second++ == 0)
      source.first = Json{{"program", from.peer.empty() ? "cornet " + from.version : from.peer},
                          {"compiler", from.compiler},
                          {"cpu", from.cpu},
                          {"binary", from.binary}};
  }
  out["runs"] = Json::object();
  for (const char* name : columns) out["runs"][name] = std::move(runs[name]);
  out["histories"] = std::move(histories);
  out["sources"] = Json::array();
  for (auto& [key, source] : sources) {
    source.first["runs"] = source.second;
    out["sources"].push_back(source.first);
  }
  out["insight"] = insight_of(records);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cornet::campaign
