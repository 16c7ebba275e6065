// Problems of the C interface: built from plain arrays, asked, reduced, read and written.
#include <algorithm>
#include <cmath>

#include "capi/handles.h"
#include "capi/matrix_input.h"
#include "cornet/io.h"
#include "cornet/reduce.h"

namespace cornet::capi {
namespace {

// The fields of a problem by their letters. A problem that is not const gives fields that may be written.
template <class P>
auto* vector_field(P& problem, const std::string& name) {
  return std::visit(
      [&name](auto& p) -> decltype(&p.mu) {
        if (name == "mu") return &p.mu;
        if constexpr (requires { p.q; }) {
          return name == "q" ? &p.q : name == "s" ? &p.s : nullptr;
        } else {
          return name == "f" ? &p.f : name == "w" ? &p.w : name == "b" ? &p.b : nullptr;
        }
      },
      problem);
}

/// The matrix of that letter; nullptr when it is a bilateral one that is not set.
const SparseMatrix* matrix_field(const Problem& problem, const std::string& name) {
  const auto optional = [](const std::optional<SparseMatrix>& a) { return a ? &*a : nullptr; };
  if (const auto* local = std::get_if<LocalProblem>(&problem)) return name == "W" ? &local->W : optional(name == "V" ? local->V : local->R);
  const auto& global = std::get<GlobalProblem>(problem);
  return name == "M" ? &global.M : name == "H" ? &global.H : optional(global.G);
}

bool is_global(const Problem& problem) { return problem.index() == 1; }

std::set<std::string> vector_names(const Problem& problem) {
  return is_global(problem) ? std::set<std::string>{"f", "w", "mu", "b"} : std::set<std::string>{"q", "mu", "s"};
}

std::set<std::string> matrix_names(const Problem& problem) {
  return is_global(problem) ? std::set<std::string>{"M", "H", "G"} : std::set<std::string>{"W", "V", "R"};
}

const char* owner(const Problem& problem, const char* kind) {
  const bool vector = *kind == 'v';
  return is_global(problem) ? (vector ? "vectors of a global problem" : "matrices of a global problem")
                            : (vector ? "vectors of a local problem" : "matrices of a local problem");
}

// p as far as it is known: from the matrix or the vector that is already there; −1 when nothing tells.
std::int64_t constraints(const Problem& problem) {
  const SparseMatrix* a = matrix_field(problem, is_global(problem) ? "G" : "V");
  if (!a && !is_global(problem)) a = matrix_field(problem, "R");
  if (a) return a->cols;
  const std::vector<double>* b = vector_field(problem, is_global(problem) ? "b" : "s");
  return b->empty() ? -1 : static_cast<std::int64_t>(b->size());
}

// The handle before its matrices are there keeps n in M.rows and nc in the length of mu.
std::int64_t dofs(const Problem& problem) { return is_global(problem) ? std::get<GlobalProblem>(problem).dofs() : 0; }

void expect_size(std::int64_t found, std::int64_t expected, const char* argument, const std::string& name, const char* meaning) {
  if (expected >= 0 && found != expected) refuse(argument, std::to_string(found), fmt::format("{} ({}, for {})", expected, meaning, name));
}

void expect_shape(const Problem& problem, const std::string& name, Shape shape) {
  const std::int64_t m = reactions(problem), n = dofs(problem), p = constraints(problem);
  const bool on_contacts = name == "W" || name == "V", on_dofs = name == "M" || name == "H" || name == "G";
  expect_size(shape.rows,
              on_contacts ? m
              : on_dofs   ? n
                          : p,
              "rows", name,
              on_contacts ? "dim · contacts"
              : on_dofs   ? "dofs"
                          : "constraints");
  const bool square = name == "M", across = name == "W" || name == "H";
  expect_size(shape.cols, square ? n : across ? m : p, "cols", name, square ? "dofs" : across ? "dim · contacts" : "constraints");
  if (name == "R") expect_size(shape.cols, shape.rows, "cols", name, "as many as rows");
}

template <class Make>
int set_matrix(const char* function, cornet_problem* handle, const char* name, Shape shape, Make&& make) {
  return guarded(function, [&] {
    Problem& problem = not_null(handle, "problem")->problem;
    const std::string letter = known_name(name, matrix_names(problem), owner(problem, "matrix"));
    checked_size(shape.rows, "rows");
    checked_size(shape.cols, "cols");
    expect_shape(problem, letter, shape);
    SparseMatrix matrix = make(handle->base);
    if (auto* local = std::get_if<LocalProblem>(&problem)) {
      if (letter == "W") local->W = std::move(matrix);
      else (letter == "V" ? local->V : local->R) = std::move(matrix);
    } else {
      auto& global = std::get<GlobalProblem>(problem);
      if (letter == "M") global.M = std::move(matrix);
      else if (letter == "H") global.H = std::move(matrix);
      else global.G = std::move(matrix);
    }
    handle->unset.erase(letter);
  });
}

void check_dimension(int dim, std::int64_t contacts) {
  if (dim != 2 && dim != 3) refuse("dim", std::to_string(dim), "2 or 3");
  checked_size(contacts, "contacts");
  checked_size(contacts * dim, "dim · contacts");
}

}  // namespace
}  // namespace cornet::capi

using namespace cornet;
using namespace cornet::capi;

extern "C" {

int cornet_local_new(int dim, int64_t contacts, cornet_problem** problem) {
  return guarded(__func__, [&] {
    *not_null(problem, "problem") = nullptr;
    check_dimension(dim, contacts);
    LocalProblem p;
    p.dim = dim;
    p.mu.resize(static_cast<std::size_t>(contacts));
    *problem = new cornet_problem{std::move(p), {"W", "q", "mu"}};
  });
}

int cornet_global_new(int dim, int64_t contacts, int64_t dofs, cornet_problem** problem) {
  return guarded(__func__, [&] {
    *not_null(problem, "problem") = nullptr;
    check_dimension(dim, contacts);
    GlobalProblem p;
    p.dim = dim;
    p.M.rows = p.M.cols = checked_size(dofs, "dofs");
    p.mu.resize(static_cast<std::size_t>(contacts));
    *problem = new cornet_problem{std::move(p), {"M", "H", "f", "w", "mu"}};
  });
}

void cornet_problem_free(cornet_problem* problem) { delete problem; }

int cornet_problem_index_base(cornet_problem* problem, int base) {
  return guarded(__func__, [&] {
    not_null(problem, "problem");
    if (base != 0 && base != 1) refuse("base", std::to_string(base), "0 or 1");
    problem->base = base;
  });
}

int cornet_problem_set_vector(cornet_problem* problem, const char* name, int64_t length, const double* values) {
  return guarded(__func__, [&] {
    Problem& p = not_null(problem, "problem")->problem;
    const std::string letter = known_name(name, vector_names(p), owner(p, "vector"));
    checked_size(length, "length");
    if (letter == "mu") expect_size(length, contacts(p), "length", letter, "contacts");
    else if (letter == "f") expect_size(length, dofs(p), "length", letter, "dofs");
    else if (letter == "q" || letter == "w") expect_size(length, reactions(p), "length", letter, "dim · contacts");
    else if (matrix_field(p, letter == "b" ? "G" : "V")) expect_size(length, constraints(p), "length", letter, "constraints");
    if (length > 0) not_null(values, "values");
    for (int64_t k = 0; k < length; ++k)
      if (letter == "mu" ? !(values[k] >= 0) : !std::isfinite(values[k]))
        refuse(fmt::format("values[{}]", k), fmt::format("{}", values[k]),
               letter == "mu" ? "a number ≥ 0 (0 and infinity are legal)" : "a finite number");
    vector_field(p, letter)->assign(values, values + length);
    problem->unset.erase(letter);
  });
}

int cornet_problem_set_dense(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int order, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int) { return from_dense({rows, cols}, order, values); });
}

int cornet_problem_set_csr(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries, const int32_t* starts,
                           const int32_t* columns, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_compressed(Storage::csr, {rows, cols}, entries, base, starts, columns, values);
  });
}

int cornet_problem_set_csr64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries, const int64_t* starts,
                             const int64_t* columns, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_compressed(Storage::csr, {rows, cols}, entries, base, starts, columns, values);
  });
}

int cornet_problem_set_csc(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries, const int32_t* starts,
                           const int32_t* row_indices, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_compressed(Storage::csc, {rows, cols}, entries, base, starts, row_indices, values);
  });
}

int cornet_problem_set_csc64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries, const int64_t* starts,
                             const int64_t* row_indices, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_compressed(Storage::csc, {rows, cols}, entries, base, starts, row_indices, values);
  });
}

int cornet_problem_set_coo(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                           const int32_t* row_indices, const int32_t* columns, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_triplets({rows, cols}, entries, base, row_indices, columns, values);
  });
}

int cornet_problem_set_coo64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                             const int64_t* row_indices, const int64_t* columns, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_triplets({rows, cols}, entries, base, row_indices, columns, values);
  });
}

int cornet_problem_set_bsr(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t block, int64_t blocks,
                           const int32_t* starts, const int32_t* columns, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_blocks({rows, cols}, block, blocks, base, starts, columns, values);
  });
}

int cornet_problem_set_bsr64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t block, int64_t blocks,
                             const int64_t* starts, const int64_t* columns, const double* values) {
  return set_matrix(__func__, problem, name, {rows, cols}, [&](int base) {
    return from_blocks({rows, cols}, block, blocks, base, starts, columns, values);
  });
}

int cornet_problem_validate(const cornet_problem* problem) {
  return guarded(__func__, [&] { usable(problem); });
}

int cornet_problem_integer(const cornet_problem* problem, const char* name, int64_t* value) {
  return guarded(__func__, [&] {
    const Problem& p = not_null(problem, "problem")->problem;
    not_null(value, "value");
    std::map<std::string, int64_t> values = {{"dim", dimension(p)},
                                             {"contacts", contacts(p)},
                                             {"size", reactions(p)},
                                             {"dofs", dofs(p)},
                                             {"constraints", std::max<int64_t>(0, constraints(p))},
                                             {"global", is_global(p) ? 1 : 0}};
    for (const std::string& letter : matrix_names(p))
      if (const SparseMatrix* a = matrix_field(p, letter); a && !problem->unset.count(letter)) values["entries_" + letter] = a->entries();
    std::set<std::string> known;
    for (const auto& entry : values) known.insert(entry.first);
    *value = values.at(known_name(name, known, "integers of this problem"));
  });
}

int cornet_problem_vector(const cornet_problem* problem, const char* name, const double** values, int64_t* length) {
  return guarded(__func__, [&] {
    const Problem& p = not_null(problem, "problem")->problem;
    *not_null(values, "values") = nullptr;
    *not_null(length, "length") = 0;
    const std::string letter = known_name(name, vector_names(p), owner(p, "vector"));
    if (problem->unset.count(letter)) refuse("name", fmt::format("'{}', which is not set", letter), "a vector that is set");
    const std::vector<double>& vector = *vector_field(p, letter);
    *values = vector.data();
    *length = static_cast<int64_t>(vector.size());
  });
}

int cornet_problem_get_csr(const cornet_problem* problem, const char* name, int64_t room, int64_t* entries, int32_t* starts,
                           int32_t* columns, double* values) {
  return guarded(__func__, [&] {
    const Problem& p = not_null(problem, "problem")->problem;
    *not_null(entries, "entries") = 0;
    checked_size(room, "room");
    const std::string letter = known_name(name, matrix_names(p), owner(p, "matrix"));
    const SparseMatrix* stored = matrix_field(p, letter);
    if (!stored || problem->unset.count(letter)) refuse("name", fmt::format("'{}', which is not set", letter), "a matrix that is set");
    validate(*stored, letter);
    const SparseMatrix a = sorted_rows(*stored);
    *entries = a.entries();
    if (room == 0 && !starts) return;
    not_null(starts, "starts");
    if (room < a.entries()) refuse("room", std::to_string(room), fmt::format("at least {}", a.entries()));
    if (a.entries() > 0) {
      not_null(columns, "columns");
      not_null(values, "values");
    }
    std::copy(a.p.begin(), a.p.end(), starts);
    std::copy(a.i.begin(), a.i.end(), columns);
    std::copy(a.x.begin(), a.x.end(), values);
  });
}

int cornet_problem_reduce(const cornet_problem* problem, cornet_problem** local) {
  return guarded(__func__, [&] {
    *not_null(local, "local") = nullptr;
    const Problem& p = usable(problem);
    const auto* global = std::get_if<GlobalProblem>(&p);
    *local = new cornet_problem{global ? Reduction(*global).local() : condense(std::get<LocalProblem>(p)), {}};
  });
}

int cornet_read(const char* path, const char* form, cornet_problem** problem) {
  return guarded(__func__, [&] {
    *not_null(problem, "problem") = nullptr;
    not_null(path, "path");
    const std::string asked = form ? form : "any";
    if (asked != "any" && asked != "local" && asked != "global") refuse("form", fmt::format("'{}'", asked), "any, local or global");
    *problem = new cornet_problem{read(path, asked == "any" ? Form::any : asked == "local" ? Form::local : Form::global), {}};
  });
}

int cornet_read_solution(const char* path, cornet_result** solution) {
  return guarded(__func__, [&] {
    *not_null(solution, "solution") = nullptr;
    not_null(path, "path");
    ProblemFile file = read_file(path);
    if (!file.solution) throw IoError(fmt::format("{}: found no solution, expected /solution", path));
    auto out = std::make_unique<cornet_result>();
    for (auto& [name, vector] :
         {std::pair{"r", &file.solution->r}, {"u", &file.solution->u}, {"v", &file.solution->v}, {"lambda", &file.solution->lambda}})
      if (!vector->empty()) {
        out->vectors.emplace(name, std::move(*vector));
        out->names.insert(name);
      }
    *solution = out.release();
  });
}

int cornet_write(const char* path, const cornet_problem* problem, const cornet_result* answer) {
  return guarded(__func__, [&] {
    not_null(path, "path");
    const Problem& p = usable(problem);
    std::optional<Iterate> solution;
    if (answer) {
      const auto vector = [&](const char* name) {
        const auto at = answer->vectors.find(name);
        return at == answer->vectors.end() ? std::vector<double>() : at->second;
      };
      solution = Iterate{vector("r"), vector("u"), vector("v"), vector("lambda")};
      if (static_cast<int64_t>(solution->r.size()) != reactions(p))
        refuse("answer", fmt::format("{} reactions", solution->r.size()), fmt::format("{} (dim · contacts of this problem)", reactions(p)));
    }
    write(path, p, solution);
  });
}

}  // extern "C"
