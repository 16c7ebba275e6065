// What must hold for the content of an FCLIB file, whether it was just read or is about to be written.
#include "io/fclib.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "cornet/error.h"

namespace cornet::io {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& path, const std::string& found, const std::string& expected) {
  throw InvalidProblem(place_message(file, path, found, expected));
}

// validate() speaks of W.x[3] and mu[1]; in the file these are W/x[3] and vectors/mu[1].
std::string path_of_field(const std::string& group, std::string message) {
  const std::size_t end = message.find_first_of(".[:");
  const std::string field = message.substr(0, end);
  if (field.size() == 1 && std::string_view("WVRMHG").find(field) != std::string_view::npos) {
    if (end != std::string::npos && message[end] == '.') message[end] = '/';
    return group + "/" + message;
  }
  if (field == "spacedim") return group + "/" + message;
  return group + "/vectors/" + message;
}

template <class SomeProblem>
void check_problem(const std::string& file, const std::string& group, const SomeProblem& problem) {
  try {
    validate(problem);
  } catch (const InvalidProblem& error) {
    throw InvalidProblem(fmt::format("{}: {}", file, path_of_field(group, error.what())));
  }
}

struct Sizes {
  int reactions = 0;
  std::optional<int> dofs;
  std::vector<int> multipliers;  // legal lengths: the two forms may count bilateral constraints differently
};

Sizes sizes_of(const FclibContent& content) {
  Sizes sizes;
  if (content.local) {
    sizes.reactions = content.local->size();
    sizes.multipliers.push_back(content.local->V ? content.local->V->cols : 0);
  }
  if (content.global) {
    sizes.reactions = content.global->size();
    sizes.dofs = content.global->dofs();
    sizes.multipliers.push_back(content.global->G ? content.global->G->cols : 0);
  }
  return sizes;
}

void check_vector(const std::string& file, const std::string& path, const std::vector<double>& a, long expected) {
  if (a.empty()) return;  // not known
  if (static_cast<long>(a.size()) != expected) fail(file, path, fmt::format("{} numbers", a.size()), fmt::format("{}", expected));
  double sum = 0;
  for (const double x : a) sum += x * 0.0;  // NaN as soon as one number is not finite
  if (sum == 0) return;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!std::isfinite(a[k])) fail(file, fmt::format("{}[{}]", path, k), fmt::format("{}", a[k]), "a finite number");
}

void check_iterate(const std::string& file, const std::string& group, const Iterate& x, const Sizes& sizes) {
  check_vector(file, group + "/r", x.r, sizes.reactions);
  check_vector(file, group + "/u", x.u, sizes.reactions);
  check_vector(file, group + "/v", x.v, sizes.dofs.value_or(static_cast<int>(x.v.size())));
  long multipliers = sizes.multipliers.back();
  for (const int legal : sizes.multipliers)
    if (legal == static_cast<long>(x.lambda.size())) multipliers = legal;
  check_vector(file, group + "/l", x.lambda, multipliers);
}

void check_same_contacts(const std::string& file, const LocalProblem& local, const GlobalProblem& global) {
  if (local.dim != global.dim)
    fail(file, "/fclib_local/spacedim", fmt::format("{}", local.dim), fmt::format("{} as in /fclib_global", global.dim));
  if (local.contacts() != global.contacts())
    fail(file, "/fclib_local/vectors/mu", fmt::format("{} contacts", local.contacts()),
         fmt::format("{} as in /fclib_global", global.contacts()));
}

}  // namespace

FclibContent content_of(const ProblemFile& file) {
  FclibContent content;
  if (file.local) content.local = &*file.local;
  if (file.global) content.global = &*file.global;
  content.guesses = &file.guesses;
  if (file.solution) content.solution = &*file.solution;
  content.attributes = &file.attributes;
  content.text_layouts = &file.text_layouts;
  return content;
}

void check_content(const std::string& file, const FclibContent& content) {
  if (!content.local && !content.global) fail(file, "/", "no problem", "a local or a global problem");
  if (content.local) check_problem(file, "/fclib_local", *content.local);
  if (content.global) check_problem(file, "/fclib_global", *content.global);
  if (content.local && content.global) check_same_contacts(file, *content.local, *content.global);
  const Sizes sizes = sizes_of(content);
  if (content.guesses)
    for (std::size_t k = 0; k < content.guesses->size(); ++k)
      check_iterate(file, fmt::format("/guesses/{}", k + 1), (*content.guesses)[k], sizes);
  if (content.solution) check_iterate(file, "/solution", *content.solution, sizes);
}

}  // namespace cornet::io
