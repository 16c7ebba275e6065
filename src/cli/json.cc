// Values of the library as JSON.
#include "cli/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/render.h"
#include "cornet/error.h"

namespace cornet::cli {
namespace {

Json option_value_json(const OptionValue& value) {
  if (const auto* x = std::get_if<double>(&value)) return json_number(*x);
  if (const auto* x = std::get_if<long>(&value)) return *x;
  if (const auto* x = std::get_if<bool>(&value)) return *x;
  return std::get<std::string>(value);
}

// Text back to the type that the option has: scripts compare numbers, not strings.
Json typed(const std::string& text, const std::string& type) {
  const char* end = text.data() + text.size();
  if (type == "flag") return text == "true" || text == "1";
  if (long whole = 0; type == "integer")
    if (const auto parsed = std::from_chars(text.data(), end, whole); parsed.ec == std::errc() && parsed.ptr == end) return whole;
  if (double real = 0; type == "real")
    if (const auto parsed = std::from_chars(text.data(), end, real); parsed.ec == std::errc() && parsed.ptr == end)
      return json_number(real);
  return text;
}

Json options_json(const std::string& solver, const OptionTexts& texts) {
  const auto& known = solvers();
  const auto row = std::find_if(known.begin(), known.end(), [&](const SolverInfo& s) { return s.id == solver; });
  Json out = Json::object();
  for (const auto& [name, text] : texts) {
    std::string type;
    if (row != known.end())
      for (const OptionInfo& option : row->options)
        if (option.name == name) type = option.type;
    out[name] = typed(text, type);
  }
  return out;
}

}  // namespace

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json contacts_json(const Certificate& c) { return Json{{"take_off", c.take_off}, {"stick", c.stick}, {"slide", c.slide}}; }

Json certificate_json(const Certificate& c, bool with_statuses) {
  Json out;
  out["error"] = json_number(c.error);
  out["natural_map"] = json_number(c.natural_map);
  out["norm_q"] = json_number(c.norm_q);
  out["relative"] = c.relative;
  out["cone_violation"] = json_number(c.cone_violation);
  out["dual_violation"] = json_number(c.dual_violation);
  out["complementarity"] = json_number(c.complementarity);
  out["dynamics"] = json_number(c.dynamics);
  out["worst_contact"] = c.worst_contact;
  out["worst_value"] = json_number(c.worst_value);
  out["take_off"] = c.take_off;
  out["stick"] = c.stick;
  out["slide"] = c.slide;
  if (with_statuses) {
    out["statuses"] = Json::array();
    for (const ContactStatus status : c.status) out["statuses"].push_back(to_string(status));
  }
  return out;
}

Json problem_json(const std::string& file, const Problem& problem) {
  Json out;
  out["file"] = file;
  out["form"] = form_name(problem);
  out["dimension"] = dimension(problem);
  out["number_of_contacts"] = contacts(problem);
  return out;
}

void add_result(Json& out, const Result& result, bool with_statuses, bool with_history) {
  out["status"] = to_string(result.status);
  out["message"] = result.message;
  out["solver"] = result.solver;
  out["tolerance"] = json_number(result.tolerance);
  out["error"] = json_number(result.certificate.error);
  out["iterations"] = result.iterations;
  out["time"] = json_number(result.time);
  out["termination"] = to_string(result.termination);
  out["contacts"] = contacts_json(result.certificate);
  out["certificate"] = certificate_json(result.certificate, with_statuses);
  if (result.existence) out["existence"] = existence_json(*result.existence, false);
  if (result.quality) out["quality"] = quality_json(*result.quality);
  out["stages"] = Json::array();
  for (const Stage& stage : result.stages)
    out["stages"].push_back(Json{{"method", stage.method},
                                 {"reason", stage.reason},
                                 {"time", json_number(stage.time)},
                                 {"iterations", stage.iterations},
                                 {"error", json_number(stage.error)}});
  out["statistics"] = Json::object();
  for (const auto& [name, value] : result.statistics) out["statistics"][name] = json_number(value);
  out["provenance"] = Json{{"version", result.provenance.version},
                           {"compiler", result.provenance.compiler},
                           {"threads", result.provenance.threads},
                           {"options", options_json(result.solver, result.provenance.options)}};
  if (!with_history) return;
  out["history"] = Json::array();
  for (const HistoryEntry& entry : result.history)
    out["history"].push_back(
        Json{{"iteration", entry.iteration}, {"time", json_number(entry.time)}, {"own_residual", json_number(entry.own_residual)}});
}

Json quality_json(const Quality& quality) {
  Json out;
  out["degenerate"] = quality.degenerate;
  out["unknowns"] = quality.unknowns;
  out["rank"] = quality.rank >= 0 ? Json(quality.rank) : Json(nullptr);
  out["reactions_unique"] = quality.rank >= 0 ? Json(quality.reactions_unique) : Json(nullptr);
  out["velocities_unique"] = quality.rank >= 0 ? Json(quality.velocities_unique) : Json(nullptr);
  out["attainable_error"] = json_number(quality.attainable_error);
  out["contacts"] = Json::array();
  for (const ContactQuality& c : quality.contacts)
    out["contacts"].push_back(Json{{"status", to_string(c.status)}, {"margin", json_number(c.margin)}});
  return out;
}

Json existence_json(const Existence& existence, bool with_vectors) {
  Json out;
  out["verdict"] = to_string(existence.verdict);
  out["margin"] = json_number(existence.margin);
  out["tolerance"] = existence.tolerance;
  out["reason"] = existence.reason;
  out["meaning"] = existence.sentence;
  Json certificate;
  certificate["kind"] = existence.certificate.kind;
  if (with_vectors) {
    if (!existence.certificate.v.empty()) certificate["v"] = existence.certificate.v;
    if (!existence.certificate.r.empty()) certificate["r"] = existence.certificate.r;
    if (!existence.certificate.lambda.empty()) certificate["lambda"] = existence.certificate.lambda;
  }
  certificate["verified"] = existence.certificate.verified;
  certificate["residual"] = json_number(existence.certificate.residual);
  out["certificate"] = certificate;
  out["notes"] = existence.notes;
  out["iterations"] = existence.iterations;
  out["time"] = existence.time;
  return out;
}

Json mu_json(const Problem& problem) {
  const std::vector<double>& mu = std::visit([](const auto& p) -> const std::vector<double>& { return p.mu; }, problem);
  Json out{{"min", nullptr}, {"max", nullptr}, {"zero", 0}, {"infinite", 0}};
  if (mu.empty()) return out;
  out["min"] = json_number(*std::min_element(mu.begin(), mu.end()));
  out["max"] = json_number(*std::max_element(mu.begin(), mu.end()));
  out["zero"] = std::count(mu.begin(), mu.end(), 0.0);
  out["infinite"] = std::count_if(mu.begin(), mu.end(), [](double x) { return std::isinf(x); });
  return out;
}

Json solver_json(const SolverInfo& solver) {
  Json out;
  out["id"] = solver.id;
  out["title"] = solver.title;
  out["family"] = solver.family;
  out["summary"] = solver.summary;
  out["use_when"] = solver.use_when;
  out["fails_when"] = solver.fails_when;
  out["dimensions"] = solver.dimensions;
  out["forms"] = solver.forms;
  out["needs_symmetry"] = solver.needs_symmetry;
  out["max_iterations"] = solver.max_iterations;
  out["default"] = solver.id == kDefaultSolver;
  out["options"] = Json::array();
  for (const OptionInfo& option : solver.options) {
    Json row;
    row["name"] = option.name;
    row["type"] = option.type;
    row["default"] = option_value_json(option.default_value);
    row["range"] = option.range;
    if (!option.choices.empty()) row["choices"] = option.choices;
    row["what"] = option.what;
    out["options"].push_back(row);
  }
  out["reference"] = solver.reference;
  return out;
}

Json attribute_json(const AttributeValue& value) {
  if (const auto* x = std::get_if<double>(&value)) return json_number(*x);
  if (const auto* many = std::get_if<std::vector<double>>(&value)) {
    Json out = Json::array();
    for (const double x : *many) out.push_back(json_number(x));
    return out;
  }
  if (const auto* x = std::get_if<int>(&value)) return *x;
  if (const auto* many = std::get_if<std::vector<int>>(&value)) return *many;
  return std::get<std::string>(value);
}

void print_json(const Json& value) { print(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"); }

}  // namespace cornet::cli
