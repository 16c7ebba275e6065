#include "python/src/results.h"

#include <pybind11/stl.h>

namespace cornet::python {
namespace {

py::object vector_or_none(const std::vector<double>& values, const Owner& owner) {
  if (values.empty()) return py::none();
  return view(values, owner);
}

// 0 take_off, 1 stick, 2 slide; Python makes words of them when they are looked at.
template <class Items, class Get>
py::array codes(const Items& items, Get get) {
  py::array_t<std::int8_t> out(static_cast<py::ssize_t>(items.size()));
  auto* p = out.mutable_data();
  for (const auto& item : items) *p++ = static_cast<std::int8_t>(get(item));
  return out;
}

py::object option_value(const OptionValue& value) {
  return std::visit([](const auto& x) { return py::object(py::cast(x)); }, value);
}

py::list stages_out(const std::vector<Stage>& stages) {
  py::list out;
  for (const Stage& stage : stages) {
    py::dict row;
    row["method"] = stage.method;
    row["reason"] = stage.reason;
    row["time"] = stage.time;
    row["iterations"] = stage.iterations;
    row["error"] = stage.error;
    out.append(row);
  }
  return out;
}

}  // namespace

void add_iterate(py::dict& out, const Iterate& x, const Owner& owner) {
  out["r"] = view(x.r, owner);
  out["u"] = x.u.size() == x.r.size() ? py::object(view(x.u, owner)) : py::object(py::none());
  out["v"] = vector_or_none(x.v, owner);
  out["lambda_"] = vector_or_none(x.lambda, owner);
}

py::dict certificate_out(const Certificate& c) {
  py::dict out;
  out["error"] = c.error;
  out["natural_map"] = c.natural_map;
  out["norm_q"] = c.norm_q;
  out["relative"] = c.relative;
  out["cone_violation"] = c.cone_violation;
  out["dual_violation"] = c.dual_violation;
  out["complementarity"] = c.complementarity;
  out["dynamics"] = c.dynamics;
  out["worst_contact"] = c.worst_contact;
  out["worst_value"] = c.worst_value;
  out["take_off"] = c.take_off;
  out["stick"] = c.stick;
  out["slide"] = c.slide;
  out["status_codes"] = codes(c.status, [](ContactStatus status) { return status; });
  return out;
}

py::dict existence_out(const Existence& e, const Owner& owner) {
  py::dict proof;
  proof["kind"] = e.certificate.kind;
  proof["v"] = vector_or_none(e.certificate.v, owner);
  proof["r"] = vector_or_none(e.certificate.r, owner);
  proof["lambda_"] = vector_or_none(e.certificate.lambda, owner);
  proof["verified"] = e.certificate.verified;
  proof["residual"] = e.certificate.residual;
  py::list notes;
  for (const std::string& note : e.notes) notes.append(note);
  py::dict out;
  out["verdict"] = to_string(e.verdict);
  out["margin"] = e.margin;
  out["tolerance"] = e.tolerance;
  out["reason"] = e.reason;
  out["meaning"] = e.sentence;
  out["certificate"] = proof;
  out["notes"] = notes;
  out["iterations"] = e.iterations;
  out["time"] = e.time;
  return out;
}

py::dict quality_out(const Quality& q) {
  const bool ranked = q.rank >= 0;
  const auto known = [&](auto value) { return ranked ? py::object(py::cast(value)) : py::object(py::none()); };
  std::vector<double> margins;
  for (const ContactQuality& c : q.contacts) margins.push_back(c.margin);
  py::dict out;
  out["degenerate"] = q.degenerate;
  out["unknowns"] = q.unknowns;
  out["rank"] = known(q.rank);
  out["reactions_unique"] = known(q.reactions_unique);
  out["velocities_unique"] = known(q.velocities_unique);
  out["attainable_error"] = q.attainable_error;
  out["margins"] = array_out(margins);
  out["status_codes"] = codes(q.contacts, [](const ContactQuality& c) { return c.status; });
  return out;
}

py::object history_out(const std::vector<HistoryEntry>& history, bool kept) {
  if (!kept) return py::none();
  const auto size = static_cast<py::ssize_t>(history.size());
  py::array_t<std::int64_t> iteration(size);
  py::array_t<double> time(size), residual(size);
  for (py::ssize_t k = 0; k < size; ++k) {
    const HistoryEntry& entry = history[static_cast<std::size_t>(k)];
    iteration.mutable_at(k) = entry.iteration;
    time.mutable_at(k) = entry.time;
    residual.mutable_at(k) = entry.own_residual;
  }
  py::dict out;
  out["iteration"] = iteration;
  out["time"] = time;
  out["own_residual"] = residual;
  return out;
}

py::dict statistics_out(const std::map<std::string, double>& statistics) {
  py::dict out;
  for (const auto& [name, value] : statistics) out[py::str(name)] = value;
  return out;
}

py::dict texts_out(const OptionTexts& texts) {
  py::dict out;
  for (const auto& [name, text] : texts) out[py::str(name)] = text;
  return out;
}

py::list options_out(const std::vector<OptionInfo>& options) {
  py::list out;
  for (const OptionInfo& option : options) {
    py::dict row;
    row["name"] = option.name;
    row["type"] = option.type;
    row["default"] = option_value(option.default_value);
    row["range"] = option.range;
    if (!option.choices.empty()) row["choices"] = py::cast(option.choices);
    row["what"] = option.what;
    out.append(row);
  }
  return out;
}

py::dict result_out(const std::shared_ptr<const Result>& result, bool history) {
  const Result& x = *result;
  py::dict provenance;
  provenance["version"] = x.provenance.version;
  provenance["compiler"] = x.provenance.compiler;
  provenance["threads"] = x.provenance.threads;
  provenance["options"] = texts_out(x.provenance.options);
  py::dict out;
  out["status"] = to_string(x.status);
  out["message"] = x.message;
  out["solver"] = x.solver;
  out["tolerance"] = x.tolerance;
  out["termination"] = to_string(x.termination);
  out["iterations"] = x.iterations;
  out["time"] = x.time;
  add_iterate(out, x.x, result);
  out["certificate"] = certificate_out(x.certificate);
  out["existence"] = x.existence ? py::object(existence_out(*x.existence, result)) : py::object(py::none());
  out["quality"] = x.quality ? py::object(quality_out(*x.quality)) : py::object(py::none());
  out["stages"] = stages_out(x.stages);
  out["statistics"] = statistics_out(x.statistics);
  out["history"] = history_out(x.history, history);
  out["provenance"] = provenance;
  return out;
}

py::dict convex_out(const std::shared_ptr<const ConvexResult>& result, bool history) {
  const ConvexResult& x = *result;
  const ConvexCertificate& c = x.certificate;
  py::dict proof;
  proof["dual_objective"] = c.dual_objective;
  proof["primal_objective"] = c.primal_objective;
  proof["gap"] = c.gap;
  proof["cone_violation"] = c.cone_violation;
  proof["dual_violation"] = c.dual_violation;
  proof["natural_map"] = c.natural_map;
  proof["ray"] = vector_or_none(c.ray, result);
  proof["ray_descent"] = c.ray_descent;
  proof["ray_residual"] = c.ray_residual;
  proof["verified"] = c.verified;
  py::dict out;
  out["status"] = to_string(x.status);
  out["message"] = x.message;
  out["engine"] = x.engine;
  out["iterations"] = x.iterations;
  out["time"] = x.time;
  add_iterate(out, x.x, result);
  out["certificate"] = proof;
  out["statistics"] = statistics_out(x.statistics);
  out["history"] = history_out(x.history, history);
  out["options"] = texts_out(x.options);
  return out;
}

py::dict exploration_out(const std::shared_ptr<const Exploration>& exploration) {
  const Exploration& e = *exploration;
  py::list solutions;
  for (const ExploredSolution& s : e.solutions) {
    py::dict row;
    add_iterate(row, s.x, exploration);
    row["certificate"] = certificate_out(s.certificate);
    row["found"] = s.found;
    row["reactions"] = s.reactions;
    row["enumerated"] = s.enumerated;
    row["isolated"] = s.isolated;
    row["unique_reactions"] = s.unique_reactions;
    solutions.append(row);
  }
  py::dict outcomes;
  for (const auto& [status, count] : e.outcomes) outcomes[py::str(status)] = count;
  py::dict out;
  out["status"] = to_string(e.status);
  out["message"] = e.message;
  out["starts"] = e.starts;
  out["solved"] = e.solved;
  out["outcomes"] = outcomes;
  out["enumerated"] = e.enumerated;
  out["complete"] = e.complete;
  out["time"] = e.time;
  out["solutions"] = solutions;
  return out;
}

py::dict enumeration_out(const std::shared_ptr<const Enumeration>& enumeration) {
  const Enumeration& e = *enumeration;
  py::list solutions;
  for (const EnumeratedSolution& s : e.solutions) {
    py::dict row;
    add_iterate(row, s.x, enumeration);
    row["certificate"] = certificate_out(s.certificate);
    row["isolated"] = s.isolated;
    row["unique_reactions"] = s.unique_reactions;
    row["reaction_spread"] = vector_or_none(s.reaction_spread, enumeration);
    solutions.append(row);
  }
  py::dict out;
  out["solutions"] = solutions;
  out["complete"] = e.complete;
  out["impossible"] = e.impossible();
  out["branches"] = e.branches;
  out["margin"] = e.margin;
  out["time"] = e.time;
  out["message"] = e.message;
  return out;
}

}  // namespace cornet::python
