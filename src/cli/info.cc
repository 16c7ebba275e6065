// cornet info FILE: what kind of problem is this, and what else is in the file?
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/render.h"
#include "cornet/analysis.h"
#include "cornet/certificate.h"

namespace cornet::cli {
namespace {

// Rounding of W = Hᵀ M⁻¹ H leaves about this much; more is a property of the problem.
constexpr double kSymmetric = 1e-12;

struct Arguments {
  std::string file;
  Form form = Form::any;
};

struct Sizes {
  int m = 0;
  int dofs = -1;  // −1: not known
  bool dofs_from_info = false;
  int constraints = 0;
};

// The local form does not know n; many files say it in an attribute.
int dofs_attribute(const ProblemFile& file) {
  for (const auto& [path, attributes] : file.attributes) {
    const auto it = attributes.find("numberOfDegreeOfFreedom");
    if (it == attributes.end() || !path.starts_with("/fclib_local")) continue;
    if (const auto* n = std::get_if<int>(&it->second); n && *n > 0) return *n;
  }
  return -1;
}

Sizes sizes(const ProblemFile& file, const Problem& problem) {
  Sizes out;
  out.m = dimension(problem) * contacts(problem);
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) {
    out.dofs = global->dofs();
    out.constraints = global->G ? global->G->cols : 0;
  } else {
    const auto& local = std::get<LocalProblem>(problem);
    out.dofs = file.global ? file.global->dofs() : dofs_attribute(file);
    out.dofs_from_info = !file.global && out.dofs >= 0;
    out.constraints = local.V ? local.V->cols : 0;
  }
  return out;
}

double percent_of_blocks(const Analysis& a, int contacts) {
  return contacts > 0 ? 100.0 * static_cast<double>(a.blocks) / (static_cast<double>(contacts) * contacts) : 0;
}

const char* storage_name(Storage storage) {
  switch (storage) {
    case Storage::triplet: return "triplet";
    case Storage::csc: return "csc";
    case Storage::csr: return "csr";
  }
  return "";
}

std::vector<std::pair<std::string, const SparseMatrix*>> matrices(const Problem& problem) {
  std::vector<std::pair<std::string, const SparseMatrix*>> out;
  if (const auto* global = std::get_if<GlobalProblem>(&problem)) {
    out = {{"M", &global->M}, {"H", &global->H}};
    if (global->G) out.emplace_back("G", &*global->G);
  } else {
    const auto& local = std::get<LocalProblem>(problem);
    out = {{"W", &local.W}};
    if (local.V) out.emplace_back("V", &*local.V);
    if (local.R) out.emplace_back("R", &*local.R);
  }
  return out;
}

// The stored solution with its proof.
struct Stored {
  bool present = false;
  std::string fields;  // "r, u, v"
  Certificate certificate;
};

Stored check_stored(const ProblemFile& file, const Problem& problem) {
  Stored out;
  if (!file.solution) return out;
  out.present = true;
  const Iterate& x = *file.solution;
  for (const auto& [name, values] : {std::pair{"r", &x.r}, std::pair{"u", &x.u}, std::pair{"v", &x.v}, std::pair{"l", &x.lambda}})
    if (!values->empty()) out.fields += (out.fields.empty() ? "" : ", ") + std::string(name);
  out.certificate = certify(problem, fit(x, problem, "/solution"));
  return out;
}

const std::optional<ProblemInfo>& described(const Problem& problem) {
  return std::visit([](const auto& p) -> const std::optional<ProblemInfo>& { return p.info; }, problem);
}

Json as_json(const Arguments& arguments, const ProblemFile& file, const Problem& problem, const Sizes& size, const Analysis& a,
             const Stored& stored) {
  Json out = problem_json(arguments.file, problem);
  out["name"] = name(problem);
  out["forms"] = Json::array();
  if (file.local) out["forms"].push_back("local");
  if (file.global) out["forms"].push_back("global");
  out["size"] = size.m;
  out["degrees_of_freedom"] = size.dofs >= 0 ? Json(size.dofs) : Json(nullptr);
  out["density"] = size.dofs > 0 ? Json(static_cast<double>(size.m) / size.dofs) : Json(nullptr);
  out["mu"] = mu_json(problem);
  out["asymmetry"] = json_number(a.asymmetry);
  out["asymmetry_M"] = json_number(a.asymmetry_M);
  out["symmetric"] = a.asymmetry <= kSymmetric;
  out["rank"] = a.rank >= 0 ? Json(a.rank) : Json(nullptr);
  out["condition"] = json_number(a.condition);
  out["largest_singular_value"] = json_number(a.largest);
  out["smallest_singular_value"] = json_number(a.smallest);
  out["method"] = a.method;
  out["norm_q"] = json_number(a.norm_q);
  out["blocks"] =
      Json{{"count", a.blocks}, {"per_row", json_number(a.blocks_per_row)}, {"percent", percent_of_blocks(a, contacts(problem))}};
  out["matrices"] = Json::object();
  for (const auto& [label, matrix] : matrices(problem))
    out["matrices"][label] =
        Json{{"rows", matrix->rows}, {"columns", matrix->cols}, {"entries", matrix->entries()}, {"storage", storage_name(matrix->storage)}};
  out["bilateral_constraints"] = size.constraints;
  out["guesses"] = file.guesses.size();
  out["solution"] = nullptr;
  if (stored.present)
    out["solution"] = Json{{"fields", stored.fields},
                           {"error", json_number(stored.certificate.error)},
                           {"contacts", contacts_json(stored.certificate)},
                           {"certificate", certificate_json(stored.certificate, false)}};
  const auto& info = described(problem);
  out["title"] = info ? info->title : "";
  out["description"] = info ? info->description : "";
  out["math_info"] = info ? info->math_info : "";
  out["attributes"] = Json::object();
  for (const auto& [path, attributes] : file.attributes)
    for (const auto& [label, value] : attributes) out["attributes"][path][label] = attribute_json(value);
  out["warnings"] = file.warnings;
  return out;
}

std::string attribute_text(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<int>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  const std::size_t count = std::visit(
      [](const auto& v) -> std::size_t {
        if constexpr (requires { v.size(); }) return v.size();
        else return 1;
      },
      value);
  return fmt::format("({} numbers)", count);
}

void add_problem(Fields& fields, const ProblemFile& file, const Problem& problem, const Sizes& size) {
  const bool global = std::holds_alternative<GlobalProblem>(problem);
  const bool both = file.local && file.global;
  fields.add("kind", fmt::format("{} form{}", form_name(problem),
                                 both ? fmt::format(" (the file holds the {} form as well: --form {})", global ? "local" : "global",
                                                    global ? "local" : "global")
                                      : std::string()));
  fields.add("dimension", fmt::format("d = {}", dimension(problem)));
  fields.add("contacts", fmt::format("nc = {}, m = d·nc = {}", contacts(problem), size.m));
  if (size.dofs >= 0)
    fields.add("dofs", fmt::format("n = {}{}", size.dofs,
                                   size.dofs_from_info ? " (as the file says)"
                                   : global            ? ""
                                                       : " (from the global form in the file)"));
  else fields.add("dofs", "unknown: the local form does not hold them");
  if (size.dofs > 0) {
    const double density = static_cast<double>(size.m) / size.dofs;
    fields.add("density", fmt::format("m/n = {}{}", number(density), density > 1 ? ": hyperstatic, reactions may not be unique" : ""));
  }
  fields.add("friction", "µ = " + mu_range(problem));
  fields.add("bilateral", size.constraints ? counted(size.constraints, "constraint") : "none");
  for (const auto& [label, matrix] : matrices(problem))
    fields.add("matrix " + label, fmt::format("{} × {}, {} ({})", matrix->rows, matrix->cols, counted(matrix->entries(), "stored number"),
                                              storage_name(matrix->storage)));
}

void add_analysis(Fields& fields, const Problem& problem, const Sizes& size, const Analysis& a) {
  std::string symmetry = a.asymmetry <= kSymmetric ? "W is symmetric" : "W is not symmetric";
  symmetry += fmt::format(", ‖W − Wᵀ‖/‖W‖ = {}", scientific(a.asymmetry));
  if (!std::isnan(a.asymmetry_M)) symmetry += fmt::format("; M: {}", scientific(a.asymmetry_M));
  fields.add("symmetry", symmetry);
  if (a.rank >= 0)
    fields.add("rank", fmt::format("{} of {}{} (by {})", a.rank, size.m,
                                   size.m > 0 ? fmt::format(", {:.0f} %", 100.0 * a.rank / size.m) : std::string(), a.method));
  else fields.add("rank", a.method);
  if (!std::isnan(a.condition))
    fields.add("conditioning",
               fmt::format("{}, singular values {} … {}", scientific(a.condition), scientific(a.smallest), scientific(a.largest)));
  else if (!std::isnan(a.largest))
    fields.add("conditioning", fmt::format("not computed, largest singular value {}", scientific(a.largest)));
  fields.add("blocks", fmt::format("{} of {}×{}, {:.1f} per contact, {:.3g} % of W", a.blocks, dimension(problem), dimension(problem),
                                   a.blocks_per_row, percent_of_blocks(a, contacts(problem))));
  fields.add("‖q‖", scientific(a.norm_q));
}

std::string as_text(const Arguments& arguments, const ProblemFile& file, const Problem& problem, const Sizes& size, const Analysis& a,
                    const Stored& stored) {
  Fields fields;
  fields.add("file", arguments.file);
  const auto& info = described(problem);
  if (info && !info->title.empty()) fields.add("title", info->title);
  if (info && !info->description.empty()) fields.add("description", info->description);
  if (info && !info->math_info.empty()) fields.add("math info", info->math_info);
  add_problem(fields, file, problem, size);
  add_analysis(fields, problem, size, a);
  fields.add("guesses", file.guesses.empty()       ? "none"
                        : file.guesses.size() == 1 ? "1 stored guess"
                                                   : fmt::format("{} stored guesses", file.guesses.size()));
  if (!stored.present) {
    fields.add("solution", "none stored");
  } else {
    const Certificate& c = stored.certificate;
    fields.add("solution", fmt::format("stored ({}), verified error {}: {} take off, {} stick, {} slide", stored.fields,
                                       scientific(c.error), c.take_off, c.stick, c.slide));
  }
  for (const auto& [path, attributes] : file.attributes)
    for (const auto& [label, value] : attributes) fields.add("attribute", fmt::format("{} {} = {}", path, label, attribute_text(value)));
  for (const std::string& text : file.warnings) fields.add("warning", paint(Colour::yellow, text));
  return fields.text();
}

int run(const Command& command, const Arguments& arguments) {
  Progress progress(command.quiet);
  progress.stage("reading " + arguments.file);
  const ProblemFile file = read_file(arguments.file);
  const Problem problem = take_problem(file, arguments.form);
  if (command.quiet && !command.json) return kDone;
  const Sizes size = sizes(file, problem);
  progress.stage("analysing W");
  const Analysis analysis = analyse(problem);
  progress.stage("verifying the stored solution");
  const Stored stored = check_stored(file, problem);
  progress.stop();
  if (command.json) print_json(as_json(arguments, file, problem, size, analysis, stored));
  else print(as_text(arguments, file, problem, size, analysis, stored));
  return kDone;
}

}  // namespace

void add_info(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* sub = add_command(app, command, "info", "Says what kind of problem a file holds.",
                              "Prints form, sizes, friction, symmetry, rank, conditioning and sparsity of W, and what else is stored: "
                              "guesses, a solution with its verified error, attributes.",
                              "cornet info tower.hdf5\ncornet info tower.hdf5 --form local --json");
  sub->add_option("FILE", arguments->file, "Problem file: FCLIB (HDF5) or Siconos text (.dat), told apart by content.")->required();
  add_form(*sub, arguments->form);
  sub->callback([&command, arguments] {
    command.paths = {arguments->file};
    command.run = [&command, arguments] { return run(command, *arguments); };
  });
}

}  // namespace cornet::cli
