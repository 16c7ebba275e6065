// The C interface does what the C++ interface does: the same problem through every kind of array, files, options, callback, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cornet/cornet_c.h"
#include "cornet/io.h"
#include "cornet/reduce.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "support/fixtures.h"

namespace {

using cornet::GlobalProblem;
using cornet::LocalProblem;
using cornet::Storage;
using cornet::test::dense;
using cornet::test::sparse;

#define OK(call) ASSERT_EQ(call, CORNET_OK) << cornet_last_error()

// A handle that frees itself.
template <class Handle, void (*release)(Handle*)>
struct Owned {
  Handle* handle = nullptr;
  Owned() = default;
  Owned(Owned&& other) noexcept : handle(other.handle) { other.handle = nullptr; }
  ~Owned() { release(handle); }
  operator Handle*() const { return handle; }
  Handle** operator&() { return &handle; }
};
using Problem = Owned<cornet_problem, cornet_problem_free>;
using Options = Owned<cornet_options, cornet_options_free>;
using Session = Owned<cornet_session, cornet_session_free>;
using Result = Owned<cornet_result, cornet_result_free>;

std::vector<double> vector_of(const cornet_result* result, const char* name) {
  const double* values = nullptr;
  std::int64_t length = -1;
  EXPECT_EQ(cornet_result_vector(result, name, &values, &length), CORNET_OK) << cornet_last_error();
  return values ? std::vector<double>(values, values + length) : std::vector<double>();
}

double real_of(const cornet_result* result, const char* name) {
  double value = std::nan("");
  EXPECT_EQ(cornet_result_real(result, name, &value), CORNET_OK) << cornet_last_error();
  return value;
}

std::string text_of(const cornet_result* result, const char* name) {
  const char* text = nullptr;
  EXPECT_EQ(cornet_result_text(result, name, &text), CORNET_OK) << cornet_last_error();
  return text ? text : "";
}

LocalProblem sample() { return cornet::reduce(cornet::samples::box_stack(3, 0.6)).local(); }

void set_rest(cornet_problem* problem, const LocalProblem& p) {
  OK(cornet_problem_set_vector(problem, "q", p.size(), p.q.data()));
  OK(cornet_problem_set_vector(problem, "mu", p.contacts(), p.mu.data()));
}

std::vector<std::int64_t> wide(const std::vector<int>& indices, int base) {
  std::vector<std::int64_t> out(indices.begin(), indices.end());
  for (std::int64_t& k : out) k += base;
  return out;
}

TEST(CInterface, EveryKindOfArrayGivesTheSameMatrix) {
  const LocalProblem p = sample();
  const int m = p.size();
  const Eigen::MatrixXd a = dense(p.W);
  const Eigen::MatrixXd by_rows = a.transpose();  // Eigen stores columns
  const auto csr = sparse(a, Storage::csr), csc = sparse(a, Storage::csc), coo = sparse(a, Storage::triplet);
  const auto csr_p = wide(csr.p, 1), csr_i = wide(csr.i, 1), csc_p = wide(csc.p, 0), csc_i = wide(csc.i, 0);
  const auto coo_p = wide(coo.p, 1), coo_i = wide(coo.i, 1);
  const int entries = csr.entries(), blocks = m / 3 * (m / 3);
  std::vector<int> starts = {0}, columns;  // every 3×3 block, zero or not
  std::vector<double> values;
  for (int i = 0; i < m; i += 3) {
    for (int j = 0; j < m; j += 3) {
      columns.push_back(j / 3);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) values.push_back(a(i + r, j + c));
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  const auto starts64 = wide(starts, 0), columns64 = wide(columns, 0);

  const std::vector<std::function<int(cornet_problem*)>> kinds = {
      [&](cornet_problem* h) { return cornet_problem_set_dense(h, "W", m, m, CORNET_BY_ROWS, by_rows.data()); },
      [&](cornet_problem* h) { return cornet_problem_set_dense(h, "W", m, m, CORNET_BY_COLUMNS, a.data()); },
      [&](cornet_problem* h) { return cornet_problem_set_csr(h, "W", m, m, entries, csr.p.data(), csr.i.data(), csr.x.data()); },
      [&](cornet_problem* h) { return cornet_problem_set_csc(h, "W", m, m, entries, csc.p.data(), csc.i.data(), csc.x.data()); },
      [&](cornet_problem* h) { return cornet_problem_set_coo(h, "W", m, m, entries, coo.i.data(), coo.p.data(), coo.x.data()); },
      [&](cornet_problem* h) { return cornet_problem_set_csc64(h, "W", m, m, entries, csc_p.data(), csc_i.data(), csc.x.data()); },
      [&](cornet_problem* h) { return cornet_problem_set_bsr(h, "W", m, m, 3, blocks, starts.data(), columns.data(), values.data()); },
      [&](cornet_problem* h) {
        return cornet_problem_set_bsr64(h, "W", m, m, 3, blocks, starts64.data(), columns64.data(), values.data());
      },
      [&](cornet_problem* h) {
        return cornet_problem_index_base(h, 1) + cornet_problem_set_csr64(h, "W", m, m, entries, csr_p.data(), csr_i.data(), csr.x.data());
      },
      [&](cornet_problem* h) {
        return cornet_problem_index_base(h, 1) + cornet_problem_set_coo64(h, "W", m, m, entries, coo_i.data(), coo_p.data(), coo.x.data());
      }};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    SCOPED_TRACE(kind);
    Problem problem;
    OK(cornet_local_new(3, p.contacts(), &problem));
    OK(kinds[kind](problem));
    std::int64_t found = 0;
    OK(cornet_problem_get_csr(problem, "W", 0, &found, nullptr, nullptr, nullptr));
    cornet::SparseMatrix back;
    back.rows = back.cols = m;
    back.storage = Storage::csr;
    back.p.resize(m + 1);
    back.i.resize(found);
    back.x.resize(found);
    OK(cornet_problem_get_csr(problem, "W", found, &found, back.p.data(), back.i.data(), back.x.data()));
    EXPECT_EQ(dense(back), a);
  }
}

TEST(CInterface, SolvesLikeTheLibrary) {
  const LocalProblem p = sample();
  const cornet::Result expected = cornet::solve(p);
  Problem problem;
  OK(cornet_local_new(3, p.contacts(), &problem));
  OK(cornet_problem_set_csc(problem, "W", p.size(), p.size(), p.W.entries(), p.W.p.data(), p.W.i.data(), p.W.x.data()));
  set_rest(problem, p);
  Result result;
  OK(cornet_solve(problem, nullptr, nullptr, &result));
  EXPECT_EQ(cornet_result_status(result), CORNET_SOLVED);
  EXPECT_EQ(text_of(result, "status"), "solved");
  EXPECT_EQ(text_of(result, "solver"), "auto");
  EXPECT_EQ(vector_of(result, "r"), expected.x.r);  // the same bits
  EXPECT_EQ(vector_of(result, "u"), expected.x.u);
  EXPECT_EQ(real_of(result, "error"), expected.certificate.error);

  Result proof;
  OK(cornet_certify(problem, expected.x.r.data(), p.size(), &proof));
  EXPECT_EQ(real_of(proof, "error"), expected.certificate.error);
  EXPECT_EQ(cornet_result_status(proof), -1);
  const std::int32_t* status = nullptr;
  std::int64_t count = 0;
  OK(cornet_result_integers(proof, "contact_status", &status, &count));
  ASSERT_EQ(count, p.contacts());
  for (int k = 0; k < count; ++k) EXPECT_EQ(status[k], static_cast<int>(expected.certificate.status[k]));

  // A start at the answer needs next to nothing; every name that is listed has a value.
  Result again;
  OK(cornet_solve(problem, nullptr, expected.x.r.data(), &again));
  EXPECT_LE(real_of(again, "error"), 1e-8);
  int names = 0;
  while (cornet_result_name(result, names)) ++names;
  EXPECT_GT(names, 20);
}

TEST(CInterface, GlobalProblemWithConstraintsFilesAndReduction) {
  const GlobalProblem p = cornet::samples::jointed_cubes(0.4);
  ASSERT_TRUE(p.G);
  Problem problem;
  OK(cornet_global_new(3, p.contacts(), p.dofs(), &problem));
  const auto set = [&](const char* name, const cornet::SparseMatrix& a) {
    return a.storage == cornet::Storage::csr
               ? cornet_problem_set_csr(problem, name, a.rows, a.cols, a.entries(), a.p.data(), a.i.data(), a.x.data())
           : a.storage == cornet::Storage::csc
               ? cornet_problem_set_csc(problem, name, a.rows, a.cols, a.entries(), a.p.data(), a.i.data(), a.x.data())
               : cornet_problem_set_coo(problem, name, a.rows, a.cols, a.entries(), a.i.data(), a.p.data(), a.x.data());
  };
  OK(set("M", p.M));
  OK(set("H", p.H));
  OK(set("G", *p.G));
  OK(cornet_problem_set_vector(problem, "f", p.dofs(), p.f.data()));
  OK(cornet_problem_set_vector(problem, "w", p.size(), p.w.data()));
  OK(cornet_problem_set_vector(problem, "b", static_cast<std::int64_t>(p.b.size()), p.b.data()));
  OK(cornet_problem_set_vector(problem, "mu", p.contacts(), p.mu.data()));
  std::int64_t constraints = 0;
  OK(cornet_problem_integer(problem, "constraints", &constraints));
  EXPECT_EQ(constraints, p.G->cols);

  Result result;
  OK(cornet_solve(problem, nullptr, nullptr, &result));
  EXPECT_EQ(cornet_result_status(result), CORNET_SOLVED);
  const cornet::Result expected = cornet::solve(p);
  EXPECT_EQ(vector_of(result, "v"), expected.x.v);
  EXPECT_EQ(vector_of(result, "lambda"), expected.x.lambda);

  const std::string path = (std::filesystem::temp_directory_path() / "cornet_capi_test.hdf5").string();
  OK(cornet_write(path.c_str(), problem, result));
  Problem back;
  Result solution;
  OK(cornet_read(path.c_str(), "global", &back));
  OK(cornet_read_solution(path.c_str(), &solution));
  EXPECT_EQ(vector_of(solution, "r"), vector_of(result, "r"));
  const double* mu = nullptr;
  std::int64_t length = 0;
  OK(cornet_problem_vector(back, "mu", &mu, &length));
  EXPECT_EQ(std::vector<double>(mu, mu + length), p.mu);
  Problem absent;
  EXPECT_EQ(cornet_read(path.c_str(), "local", &absent), CORNET_INVALID_PROBLEM) << cornet_last_error();
  EXPECT_EQ(std::remove(path.c_str()), 0);

  Problem local;
  OK(cornet_problem_reduce(problem, &local));
  Result reduced;
  OK(cornet_certify(local, vector_of(result, "r").data(), p.size(), &reduced));
  EXPECT_LE(real_of(reduced, "error"), 1e-8);

  Result existence;
  OK(cornet_check_existence(problem, nullptr, &existence));
  EXPECT_EQ(text_of(existence, "verdict"), to_string(cornet::check_existence(p).verdict));
}

TEST(CInterface, LocalConstraints) {
  // One contact in the plane and one constraint: W = I, V = (0, 1)ᵀ, R = 1, s = 0 stiffens the tangent.
  const double W[] = {1, 0, 0, 1}, V[] = {0, 1}, R[] = {1}, q[] = {-1, 0.2}, s[] = {0}, mu[] = {0.5};
  Problem problem;
  OK(cornet_local_new(2, 1, &problem));
  OK(cornet_problem_set_dense(problem, "W", 2, 2, CORNET_BY_ROWS, W));
  OK(cornet_problem_set_dense(problem, "V", 2, 1, CORNET_BY_ROWS, V));
  OK(cornet_problem_set_dense(problem, "R", 1, 1, CORNET_BY_ROWS, R));
  OK(cornet_problem_set_vector(problem, "q", 2, q));
  OK(cornet_problem_set_vector(problem, "s", 1, s));
  OK(cornet_problem_set_vector(problem, "mu", 1, mu));
  Result result;
  OK(cornet_solve(problem, nullptr, nullptr, &result));
  const auto lambda = vector_of(result, "lambda"), r = vector_of(result, "r");
  ASSERT_EQ(lambda.size(), 1u);
  EXPECT_NEAR(r[1] + lambda[0], 0, 1e-12);  // Vᵀ r + R λ + s = 0
}

TEST(CInterface, OptionsByName) {
  const LocalProblem p = sample();
  Problem problem;
  OK(cornet_local_new(3, p.contacts(), &problem));
  OK(cornet_problem_set_csc(problem, "W", p.size(), p.size(), p.W.entries(), p.W.p.data(), p.W.i.data(), p.W.x.data()));
  set_rest(problem, p);
  Options options;
  OK(cornet_options_new(&options));
  OK(cornet_options_set(options, "solver", "psor-ac"));
  OK(cornet_options_set(options, "tol", "1e-6"));
  OK(cornet_options_set_real(options, "time_limit", 60));
  OK(cornet_options_set_real(options, "max_iterations", 100000));
  OK(cornet_options_set(options, "history", "true"));
  OK(cornet_options_set(options, "quality", "true"));
  OK(cornet_options_set(options, "existence", "always"));
  OK(cornet_options_set_real(options, "omega", 1.25));
  Result result;
  OK(cornet_solve(problem, options, nullptr, &result));
  EXPECT_EQ(text_of(result, "solver"), "psor-ac");
  EXPECT_EQ(real_of(result, "tolerance"), 1e-6);
  EXPECT_EQ(std::stod(text_of(result, "options.omega")), 1.25);
  std::int64_t iterations = 0;
  OK(cornet_result_integer(result, "iterations", &iterations));
  EXPECT_EQ(static_cast<std::int64_t>(vector_of(result, "history.residual").size()), iterations);
  EXPECT_EQ(static_cast<int>(vector_of(result, "status_margin").size()), p.contacts());
  EXPECT_FALSE(text_of(result, "existence.verdict").empty());
}

TEST(CInterface, CallbackAndInterruption) {
  const LocalProblem p = sample();
  Problem problem;
  OK(cornet_local_new(3, p.contacts(), &problem));
  OK(cornet_problem_set_csc(problem, "W", p.size(), p.size(), p.W.entries(), p.W.p.data(), p.W.i.data(), p.W.x.data()));
  set_rest(problem, p);
  Options options;
  OK(cornet_options_new(&options));
  OK(cornet_options_set(options, "solver", "nsgs-ac"));
  OK(cornet_options_set_real(options, "tol", 1e-14));
  std::int64_t calls = 0;
  OK(cornet_options_set_callback(
      options,
      [](std::int64_t iteration, double, double, void* user) {
        *static_cast<std::int64_t*>(user) = iteration;
        return iteration >= 3 ? 1 : 0;
      },
      &calls));
  Result result;
  OK(cornet_solve(problem, options, nullptr, &result));
  EXPECT_EQ(cornet_result_status(result), CORNET_INTERRUPTED);
  EXPECT_EQ(calls, 3);

  OK(cornet_options_set_callback(options, nullptr, nullptr));
  Session session;
  OK(cornet_session_new(options, &session));
  OK(cornet_options_interrupt(options, 1));
  Result stopped;
  OK(cornet_session_solve(session, problem, nullptr, &stopped));
  EXPECT_EQ(cornet_result_status(stopped), CORNET_INTERRUPTED);
  OK(cornet_options_interrupt(options, 0));
  Result free_again;
  OK(cornet_session_solve(session, problem, nullptr, &free_again));
  EXPECT_NE(cornet_result_status(free_again), CORNET_INTERRUPTED);
}

TEST(CInterface, ThreadsShareAProblemAndKeepTheirOwnErrors) {
  const LocalProblem p = sample();
  Problem problem;
  OK(cornet_local_new(3, p.contacts(), &problem));
  OK(cornet_problem_set_csc(problem, "W", p.size(), p.size(), p.W.entries(), p.W.p.data(), p.W.i.data(), p.W.x.data()));
  set_rest(problem, p);
  const std::vector<double> expected = cornet::solve(p).x.r;
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string wrong = "no-such-solver-" + std::to_string(t);
      for (int k = 0; k < 5; ++k) {
        Options options;
        Result result;
        if (cornet_options_new(&options) != CORNET_OK || cornet_options_set(options, "solver", wrong.c_str()) != CORNET_INVALID_OPTION)
          return;
        if (cornet_solve(problem, nullptr, nullptr, &result) != CORNET_OK || vector_of(result, "r") != expected) return;
        if (std::string(cornet_last_error()).find(wrong) == std::string::npos) return;
        ++good[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 5));
}

TEST(CInterface, ListsTheSolvers) {
  EXPECT_EQ(cornet_solver_count(), static_cast<int>(cornet::solvers().size()));
  EXPECT_EQ(std::string(cornet_solver_id(0)), cornet::solvers()[0].id);
  EXPECT_EQ(cornet_solver_id(-1), nullptr);
  EXPECT_EQ(cornet_solver_id(cornet_solver_count()), nullptr);
  EXPECT_STREQ(cornet_version(), cornet::version());
  // Run options must not hide an option of a solver.
  for (const cornet::SolverInfo& solver : cornet::solvers())
    for (const cornet::OptionInfo& option : solver.options)
      for (const char* name : {"solver", "tol", "time_limit", "max_iterations", "threads", "existence", "quality", "history"})
        EXPECT_NE(option.name, name) << solver.id;
}

}  // namespace
