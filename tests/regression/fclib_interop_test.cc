// libfclib itself reads our files, and we read its files. Built against Debian's libfclib when it is there (tests/special.cmake).
#include <cstdlib>

#include "support/io_problems.h"
#include "support/io_raw_hdf5.h"

#ifdef CORNET_HAVE_FCLIB
extern "C" {
#include <fclib.h>
}
#endif

namespace cornet::test {
namespace {

#ifndef CORNET_HAVE_FCLIB

TEST(FclibInterop, Library) { GTEST_SKIP() << "libfclib-dev is not installed"; }

#else

int storage_code(const SparseMatrix& a) { return a.storage == Storage::triplet ? a.entries() : a.storage == Storage::csc ? -1 : -2; }

std::vector<double> numbers(const double* a, std::size_t count) { return std::vector<double>(a, a + count); }

void expect_same(const fclib_matrix* theirs, const SparseMatrix& ours) {
  ASSERT_NE(theirs, nullptr);
  EXPECT_EQ(theirs->m, ours.rows);
  EXPECT_EQ(theirs->n, ours.cols);
  EXPECT_EQ(theirs->nz, storage_code(ours));
  EXPECT_EQ(theirs->nzmax, std::max(ours.capacity, ours.entries()));
  EXPECT_EQ(std::vector<int>(theirs->p, theirs->p + ours.p.size()), ours.p);
  EXPECT_EQ(std::vector<int>(theirs->i, theirs->i + ours.i.size()), ours.i);
  EXPECT_EQ(numbers(theirs->x, ours.x.size()), ours.x);
  ASSERT_EQ(theirs->info != nullptr, ours.info.has_value());
  if (!ours.info) return;
  EXPECT_STREQ(theirs->info->comment, ours.info->comment.c_str());
  EXPECT_EQ(theirs->info->conditioning, ours.info->conditioning);
  EXPECT_EQ(theirs->info->determinant, ours.info->determinant);
  EXPECT_EQ(theirs->info->rank, ours.info->rank);
}

// Points into `a`, which must live.
fclib_matrix view(SparseMatrix& a) {
  return {std::max(a.capacity, a.entries()), a.rows, a.cols, a.p.data(), a.i.data(), a.x.data(), storage_code(a), nullptr};
}

struct Problems : testing::TestWithParam<Storage> {
  TemporaryFolder folder;
  std::string ours = folder / "ours.hdf5";
  std::string theirs = folder / "theirs.hdf5";
};
INSTANTIATE_TEST_SUITE_P(FclibInterop, Problems, testing::Values(Storage::triplet, Storage::csc, Storage::csr));

TEST_P(Problems, LibfclibReadsOurLocalFile) {
  ProblemFile file;
  file.local = local_with_bilateral();
  file.local->W = matrix_3x3(GetParam());
  file.local->W.info = SparseMatrix::Info{"a comment", 12.5, 6.0, 3};
  file.local->info = ProblemInfo{"T", "D", "M"};
  file.solution = Iterate{{1, 2, 3}, {4, 5, 6}, {}, {7}};
  file.guesses = {{{1, 0, 0}, {0, 1, 0}, {}, {0}}, {{2, 0, 0}, {0, 2, 0}, {}, {1}}};
  write_file(ours, file);

  fclib_local* local = fclib_read_local(ours.c_str());
  ASSERT_NE(local, nullptr);
  EXPECT_EQ(local->spacedim, 3);
  expect_same(local->W, file.local->W);
  expect_same(local->V, *file.local->V);
  expect_same(local->R, *file.local->R);
  EXPECT_EQ(numbers(local->q, 3), file.local->q);
  EXPECT_EQ(numbers(local->mu, 1), file.local->mu);
  EXPECT_EQ(numbers(local->s, 1), file.local->s);
  ASSERT_NE(local->info, nullptr);
  EXPECT_STREQ(local->info->title, "T");
  EXPECT_STREQ(local->info->math_info, "M");
  fclib_delete_local(local);
  std::free(local);  // its parts are freed by libfclib, itself by the caller

  fclib_solution* solution = fclib_read_solution(ours.c_str());
  ASSERT_NE(solution, nullptr);
  EXPECT_EQ(numbers(solution->r, 3), file.solution->r);
  EXPECT_EQ(numbers(solution->u, 3), file.solution->u);
  EXPECT_EQ(numbers(solution->l, 1), file.solution->lambda);
  fclib_delete_solutions(solution, 1);
  int count = 0;
  fclib_solution* guesses = fclib_read_guesses(ours.c_str(), &count);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(numbers(guesses[1].r, 3), file.guesses[1].r);
  fclib_delete_solutions(guesses, 2);
}

TEST_P(Problems, LibfclibReadsOurGlobalFile) {
  ProblemFile file;
  file.global = global_problem();
  file.global->dim = 3;
  file.global->M = matrix_3x3(GetParam());
  file.global->H = matrix_3x3(GetParam());
  file.global->f = {1, 2, 3};
  file.global->w = {0.1, 0.2, 0.3};
  file.global->G = SparseMatrix{3,
                                1,
                                GetParam(),
                                GetParam() == Storage::csr ? std::vector<int>{0, 0, 1, 1} : std::vector<int>{0, 1},
                                GetParam() == Storage::csr ? std::vector<int>{0} : std::vector<int>{1},
                                {7.0},
                                -1,
                                {}};
  if (GetParam() == Storage::triplet) file.global->G->p = {0};
  file.solution = Iterate{{1, 2, 3}, {4, 5, 6}, {8, 9, 10}, {7}};
  write_file(ours, file);

  fclib_global* global = fclib_read_global(ours.c_str());
  ASSERT_NE(global, nullptr);
  expect_same(global->M, file.global->M);
  expect_same(global->H, file.global->H);
  expect_same(global->G, *file.global->G);
  EXPECT_EQ(numbers(global->f, 3), file.global->f);
  EXPECT_EQ(numbers(global->w, 3), file.global->w);
  EXPECT_EQ(numbers(global->b, 1), file.global->b);
  fclib_delete_global(global);
  std::free(global);
  fclib_solution* solution = fclib_read_solution(ours.c_str());
  ASSERT_NE(solution, nullptr);
  EXPECT_EQ(numbers(solution->v, 3), file.solution->v);
  EXPECT_EQ(numbers(solution->r, 3), file.solution->r);
  fclib_delete_solutions(solution, 1);
}

TEST_P(Problems, WeReadAndWriteTheLocalFileOfLibfclib) {
  LocalProblem problem = local_with_bilateral();
  problem.W = matrix_3x3(GetParam());
  fclib_matrix w = view(problem.W);
  fclib_matrix v = view(*problem.V);
  fclib_matrix r = view(*problem.R);
  char comment[] = "a comment";
  char title[] = "T";
  char description[] = "";
  fclib_matrix_info matrix_info = {comment, 12.5, 6.0, 3};
  w.info = &matrix_info;
  fclib_info info = {title, description, nullptr};
  fclib_local local = {&w, &v, &r, problem.mu.data(), problem.q.data(), problem.s.data(), 3, &info};
  ASSERT_EQ(fclib_write_local(&local, theirs.c_str()), 1);
  std::vector<double> a = {1, 2, 3};
  std::vector<double> multiplier = {4};
  fclib_solution solution = {nullptr, a.data(), a.data(), multiplier.data()};
  ASSERT_EQ(fclib_write_solution(&solution, theirs.c_str()), 1);
  fclib_solution guesses[2] = {solution, solution};
  ASSERT_EQ(fclib_write_guesses(2, guesses, theirs.c_str()), 1);
  ASSERT_EQ(fclib_create_int_attributes_in_info(theirs.c_str(), "numberOfInvolvedDS", 5), 1);

  const ProblemFile back = read_file(theirs);
  EXPECT_TRUE(back.warnings.empty());
  expect_same(&w, back.local->W);
  expect_same(&v, *back.local->V);
  expect_same(&r, *back.local->R);
  EXPECT_EQ(back.local->q, problem.q);
  EXPECT_EQ(back.local->s, problem.s);
  EXPECT_EQ(back.local->info->title, "T");
  EXPECT_EQ(back.solution->lambda, multiplier);
  EXPECT_EQ(back.guesses.size(), 2u);
  EXPECT_EQ(std::get<std::vector<int>>(back.attributes.at("/fclib_local/info").at("numberOfInvolvedDS")), std::vector<int>{5});
  write_file(ours, back);
  EXPECT_EQ(first_difference(theirs, ours), "");
}

// A triplet with room to spare: libfclib writes nz entries and nzmax as it is.
TEST(FclibInterop, TripletWithRoomToSpare) {
  const TemporaryFolder folder;
  LocalProblem problem = local_problem(Storage::triplet);
  problem.W.capacity = 100;
  for (auto* a : {&problem.W.p, &problem.W.i}) a->reserve(100);
  problem.W.x.reserve(100);
  fclib_matrix w = view(problem.W);
  fclib_local local = {&w, nullptr, nullptr, problem.mu.data(), problem.q.data(), nullptr, 3, nullptr};
  ASSERT_EQ(fclib_write_local(&local, (folder / "a.hdf5").c_str()), 1);
  const ProblemFile back = read_file(folder / "a.hdf5");
  EXPECT_EQ(back.local->W.entries(), 6);
  EXPECT_EQ(back.local->W.capacity, 100);
  write_file(folder / "b.hdf5", back);
  EXPECT_EQ(first_difference(folder / "a.hdf5", folder / "b.hdf5"), "");
}

TEST(FclibInterop, WithoutContacts) {
  const TemporaryFolder folder;
  write(folder / "a.hdf5", empty_local(), Iterate{});
  fclib_local* local = fclib_read_local((folder / "a.hdf5").c_str());
  ASSERT_NE(local, nullptr);
  EXPECT_EQ(local->W->m, 0);
  fclib_delete_local(local);
  std::free(local);  // its parts are freed by libfclib, itself by the caller
}

#endif

}  // namespace
}  // namespace cornet::test
