// Evaluations of campaigns as JSON.
#include "cli/bench_json.h"

namespace cornet::cli {
namespace {

Json score_json(const campaign::Score& s) {
  return Json{{"name", s.name},
              {"family", s.family},
              {"instances", s.instances},
              {"solved", s.solved},
              {"failure_rate", s.failure_rate()},
              {"wins", s.wins},
              {"false_claims", s.false_claims},
              {"mean", json_number(s.mean)}};
}

Json scores_json(const std::vector<campaign::Score>& scores) {
  Json out = Json::array();
  for (const campaign::Score& s : scores) out.push_back(score_json(s));
  return out;
}

Json curves_json(const std::vector<campaign::Curve>& curves) {
  Json out = Json::array();
  for (const campaign::Curve& c : curves) out.push_back(Json{{"solver", c.solver}, {"tau", c.tau}, {"rho", c.rho}});
  return out;
}

}  // namespace

Json evaluation_json(const campaign::Evaluation& e) {
  Json out;
  out["by"] = to_string(e.by);
  out["shift"] = e.shift;
  out["records"] = e.records;
  out["superseded"] = e.superseded;
  out["instances"] = e.instances;
  out["incomplete"] = e.incomplete;
  out["unsolved"] = e.unsolved;
  out["solvers"] = scores_json(e.solvers);
  out["families"] = scores_json(e.families);
  out["sets"] = Json::array();
  for (const campaign::SetScores& set : e.sets)
    out["sets"].push_back(Json{{"set", set.set}, {"tolerance", set.tolerance}, {"solvers", scores_json(set.solvers)}});
  out["curves"] = curves_json(e.curves);
  out["family_curves"] = curves_json(e.family_curves);
  out["notes"] = e.notes;
  return out;
}

Json insight_json(const campaign::Insight& insight) {
  Json out;
  out["families"] = insight.families;
  out["explanations"] = Json::array();
  for (const campaign::Explanation& e : insight.explanations) {
    Json classes = Json::array();
    for (const auto& c : e.classes)
      classes.push_back(Json{{"lower", json_number(c.lower)}, {"upper", json_number(c.upper)}, {"wins", c.wins}});
    out["explanations"].push_back(Json{{"variable", e.variable}, {"explained", json_number(e.explained)}, {"classes", classes}});
  }
  out["advice"] = Json::array();
  for (const auto& a : insight.advice)
    out["advice"].push_back(Json{{"situation", a.situation},
                                 {"instances", a.instances},
                                 {"solver", a.solver},
                                 {"solved", a.solved},
                                 {"mean", json_number(a.mean)},
                                 {"alternative", a.alternative},
                                 {"alternative_solved", a.alternative_solved},
                                 {"alternative_mean", json_number(a.alternative_mean)}});
  return out;
}

Json growth_json(const std::vector<campaign::Growth>& growth) {
  Json out = Json::array();
  for (const campaign::Growth& g : growth)
    out.push_back(Json{{"solver", g.solver}, {"exponent", json_number(g.exponent)}, {"factor", json_number(g.factor)}, {"runs", g.runs}});
  return out;
}

}  // namespace cornet::cli
