// FCLIB files: what is written is exactly what libfclib would write, and what is read is exactly what was written. Always run, without
// data.
#include <cmath>

#include "support/io_problems.h"
#include "support/io_raw_hdf5.h"

namespace cornet::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void expect_same(const SparseMatrix& a, const SparseMatrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.storage, b.storage);
  EXPECT_EQ(a.p, b.p);
  EXPECT_EQ(a.i, b.i);
  EXPECT_EQ(a.x, b.x);
  ASSERT_EQ(a.info.has_value(), b.info.has_value());
  if (!a.info) return;
  EXPECT_EQ(a.info->comment, b.info->comment);
  EXPECT_EQ(a.info->conditioning, b.info->conditioning);
  EXPECT_EQ(a.info->determinant, b.info->determinant);
  EXPECT_EQ(a.info->rank, b.info->rank);
}

void expect_same(const Iterate& a, const Iterate& b) {
  EXPECT_EQ(a.r, b.r);
  EXPECT_EQ(a.u, b.u);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.lambda, b.lambda);
}

// Writes, reads, writes again: the structs and the two files must agree.
ProblemFile round_trip(const ProblemFile& file) {
  const TemporaryFolder folder;
  write_file(folder / "a.hdf5", file);
  ProblemFile back = read_file(folder / "a.hdf5");
  write_file(folder / "b.hdf5", back);
  EXPECT_EQ(first_difference(folder / "a.hdf5", folder / "b.hdf5"), "");
  EXPECT_EQ(folder.files(), 2) << "temporary files are left";
  EXPECT_TRUE(back.warnings.empty());
  return back;
}

class EachStorage : public testing::TestWithParam<Storage> {};
INSTANTIATE_TEST_SUITE_P(Fclib, EachStorage, testing::Values(Storage::triplet, Storage::csc, Storage::csr));

TEST_P(EachStorage, LocalProblemComesBack) {
  ProblemFile file;
  file.local = local_problem(GetParam());
  const ProblemFile back = round_trip(file);
  ASSERT_TRUE(back.local);
  EXPECT_FALSE(back.global);
  EXPECT_FALSE(back.solution);
  EXPECT_TRUE(back.guesses.empty());
  expect_same(back.local->W, file.local->W);
  EXPECT_EQ(back.local->q, file.local->q);
  EXPECT_EQ(back.local->mu, file.local->mu);
  EXPECT_EQ(back.local->dim, 3);
  EXPECT_FALSE(back.local->V);
  EXPECT_EQ(back.local->name, "a");
}

TEST(Fclib, LocalWithBilateralConstraintsComesBack) {
  ProblemFile file;
  file.local = local_with_bilateral();
  const ProblemFile back = round_trip(file);
  ASSERT_TRUE(back.local->V && back.local->R);
  expect_same(*back.local->V, *file.local->V);
  expect_same(*back.local->R, *file.local->R);
  EXPECT_EQ(back.local->s, file.local->s);
}

TEST(Fclib, GlobalProblemComesBack) {
  ProblemFile file;
  file.global = global_problem();
  const ProblemFile back = round_trip(file);
  ASSERT_TRUE(back.global && back.global->G);
  EXPECT_FALSE(back.local);
  EXPECT_EQ(back.global->dim, 2);
  expect_same(back.global->M, file.global->M);
  expect_same(back.global->H, file.global->H);
  expect_same(*back.global->G, *file.global->G);
  EXPECT_EQ(back.global->f, file.global->f);
  EXPECT_EQ(back.global->w, file.global->w);
  EXPECT_EQ(back.global->b, file.global->b);
  EXPECT_EQ(back.global->mu, file.global->mu);
}

TEST(Fclib, GuessesSolutionAndInfoComeBack) {
  ProblemFile file;
  file.global = global_problem();
  file.global->info = ProblemInfo{"title", "größer", "unique"};
  file.global->M.info = SparseMatrix::Info{"mass", 1.5, kInfinity, 2};
  file.global->H.info = SparseMatrix::Info{"", std::nextafter(1.0, 2.0), -0.0, -1};
  file.guesses = {{{1, 2}, {3, 4}, {5, 6}, {7}}, {{0, 0}, {}, {}, {}}, {}};
  file.solution = Iterate{{0.5, 0.25}, {0, 1e-17}, {1, 2}, {3}};
  const ProblemFile back = round_trip(file);
  ASSERT_TRUE(back.global->info);
  EXPECT_EQ(back.global->info->title, "title");
  EXPECT_EQ(back.global->info->description, "größer");
  EXPECT_EQ(back.global->info->math_info, "unique");
  expect_same(back.global->M, file.global->M);
  expect_same(back.global->H, file.global->H);
  ASSERT_EQ(back.guesses.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) expect_same(back.guesses[k], file.guesses[k]);
  ASSERT_TRUE(back.solution);
  expect_same(*back.solution, *file.solution);
}

TEST(Fclib, BothFormsInOneFile) {
  ProblemFile file;
  file.global = global_problem();
  file.local = LocalProblem{2, {2, 2, Storage::csc, {0, 1, 2}, {0, 1}, {1, 2}, -1, {}}, {-1, 0}, {0.3}, {}, {}, {}, "", {}};
  const ProblemFile back = round_trip(file);
  ASSERT_TRUE(back.local && back.global);
  EXPECT_STREQ(form_name(take_problem(back)), "global");
  EXPECT_STREQ(form_name(take_problem(back, Form::local)), "local");
  EXPECT_STREQ(form_name(take_problem(back, Form::global)), "global");
}

TEST(Fclib, ExtremeFrictionAndNumbers) {
  ProblemFile file;
  file.local = local_problem();
  file.local->mu = {kInfinity};
  file.local->q = {-0.0, 4.9e-324, 1.7976931348623157e308};
  const ProblemFile back = round_trip(file);
  EXPECT_EQ(back.local->mu[0], kInfinity);
  EXPECT_TRUE(std::signbit(back.local->q[0]));
  EXPECT_EQ(back.local->q, file.local->q);
  file.local->mu = {0.0};
  EXPECT_EQ(round_trip(file).local->mu[0], 0.0);
}

TEST(Fclib, NoContactIsLegal) {
  ProblemFile file;
  file.local = empty_local();
  file.solution = Iterate{};
  const ProblemFile back = round_trip(file);
  EXPECT_EQ(back.local->contacts(), 0);
  EXPECT_TRUE(back.solution);

  GlobalProblem global;
  global.M = {2, 2, Storage::csc, {0, 1, 2}, {0, 1}, {1, 2}, -1, {}};
  global.H = {2, 0, Storage::csc, {0}, {}, {}, -1, {}};
  global.f = {1, 2};
  ProblemFile second;
  second.global = global;
  EXPECT_EQ(round_trip(second).global->dofs(), 2);
}

TEST(Fclib, CapacityIsKept) {
  ProblemFile file;
  file.local = local_problem(Storage::triplet);
  file.local->W.capacity = 1968;
  EXPECT_EQ(round_trip(file).local->W.capacity, 1968);
  file.local->W.capacity = 1;  // smaller than the entries: not believed
  EXPECT_EQ(round_trip(file).local->W.capacity, 6);
}

TEST(Fclib, AttributesKeepTypeAndShape) {
  ProblemFile file;
  file.local = local_problem();
  file.local->info = ProblemInfo{"t", "", ""};
  file.attributes["/"]["finalized"] = std::int64_t{2};
  file.attributes["/fclib_local/info"]["numberOfDegreeOfFreedom"] = 12;
  file.attributes["/fclib_local/info"]["list"] = std::vector<int>{1};
  file.attributes["/fclib_local/W"]["cond"] = 1e17;
  file.attributes["/fclib_local/W/x"]["pair"] = std::vector<double>{0.5, -0.5};
  file.attributes["/fclib_local/W/x"]["wide"] = std::vector<std::int64_t>{std::int64_t{1} << 40};
  file.attributes["/fclib_local/vectors"]["note"] = std::string("a text");
  file.attributes["/fclib_local/vectors"]["none"] = std::vector<int>{};
  const ProblemFile back = round_trip(file);
  EXPECT_EQ(back.attributes, file.attributes);
}

TEST(Fclib, AttributesOfDroppedObjectsAreDropped) {
  ProblemFile file;
  file.local = local_problem();
  file.attributes["/solution"]["error"] = 1e-9;
  file.attributes["/fclib_global/info"]["n"] = 3;
  EXPECT_TRUE(round_trip(file).attributes.empty());
}

TEST(Fclib, ForeignTextsAndAttributesSurvive) {
  const TemporaryFolder folder;
  ProblemFile file;
  file.local = local_problem();
  file.local->info = ProblemInfo{};
  write_file(folder / "a.hdf5", file);
  {
    const Editor editor(folder / "a.hdf5");
    const hid_t padded = H5Tcopy(H5T_C_S1);
    H5Tset_size(padded, 8);
    H5Tset_strpad(padded, H5T_STR_SPACEPAD);
    editor.attribute("/", "space", padded, {}, "abc     ");
    H5Tset_strpad(padded, H5T_STR_NULLPAD);
    H5Tset_cset(padded, H5T_CSET_UTF8);
    editor.attribute("/fclib_local/info", "full", padded, {}, "abcdefgh");
    const hid_t variable = H5Tcopy(H5T_C_S1);
    H5Tset_size(variable, H5T_VARIABLE);
    const char* text = "a text of any length";
    editor.attribute("/fclib_local", "variable", variable, {}, &text);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t title = H5Dcreate2(editor.id(), "/fclib_local/info/title", padded, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(title, padded, H5S_ALL, H5S_ALL, H5P_DEFAULT, "eight by");
    H5Dclose(title);
    const hid_t math = H5Dcreate2(editor.id(), "/fclib_local/info/math_info", padded, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(math, padded, H5S_ALL, H5S_ALL, H5P_DEFAULT, "\0\0\0\0\0\0\0\0");
    H5Dclose(math);
    H5Sclose(scalar);
    H5Tclose(variable);
    H5Tclose(padded);
  }
  ProblemFile back = read_file(folder / "a.hdf5");
  EXPECT_EQ(back.local->info->title, "eight by");
  EXPECT_EQ(back.local->info->math_info, "");
  EXPECT_EQ(std::get<std::string>(back.attributes["/"]["space"]), "abc");
  EXPECT_EQ(std::get<std::string>(back.attributes["/fclib_local"]["variable"]), "a text of any length");
  write_file(folder / "b.hdf5", back);
  EXPECT_EQ(first_difference(folder / "a.hdf5", folder / "b.hdf5"), "");

  // A text that no longer fits gets room.
  back.local->info->title = "longer than eight";
  write_file(folder / "c.hdf5", back);
  EXPECT_EQ(read_file(folder / "c.hdf5").local->info->title, "longer than eight");
}

TEST(Fclib, WhatCannotBeKeptIsReported) {
  const TemporaryFolder folder;
  write(folder / "a.hdf5", local_problem());
  {
    const Editor editor(folder / "a.hdf5");
    editor.group("/extra");
    editor.doubles("/fclib_local/vectors/z", {1});
    const int matrix[4] = {1, 2, 3, 4};
    editor.attribute("/", "matrix", H5T_NATIVE_INT, {2, 2}, matrix);
    const unsigned long long big = ~0ULL;
    editor.attribute("/", "big", H5T_NATIVE_ULLONG, {}, &big);
    editor.doubles("/fclib_local/W/x", {2.0, 0.25, 0.25, 3.0, 4.0, 99, 99});
    editor.ints("/fclib_local/W/nzmax", {7});
  }
  const ProblemFile back = read_file(folder / "a.hdf5");
  EXPECT_EQ(back.local->W.x.size(), 5u);
  ASSERT_EQ(back.warnings.size(), 5u);
  EXPECT_NE(back.warnings[0].find("/fclib_local/W/x: 2 numbers beyond the 5 entries are not kept"), std::string::npos) << back.warnings[0];
  EXPECT_NE(back.warnings[1].find("/fclib_local/vectors/z: not part of the FCLIB format"), std::string::npos) << back.warnings[1];
  EXPECT_NE(back.warnings[2].find("/@big is not kept"), std::string::npos) << back.warnings[2];
  EXPECT_NE(back.warnings[3].find("/@matrix is not kept"), std::string::npos) << back.warnings[3];
  EXPECT_NE(back.warnings[4].find("/extra: not part of the FCLIB format"), std::string::npos) << back.warnings[4];
}

// Types and shapes of libfclib, checked on the raw file.
TEST(Fclib, WritesTheTypesOfLibfclib) {
  const TemporaryFolder folder;
  ProblemFile file;
  file.local = local_problem(Storage::triplet);
  file.local->info = ProblemInfo{"T", "", ""};
  write_file(folder / "a.hdf5", file);
  const Description raw = describe(folder / "a.hdf5");
  const std::string one_int = "class 0 size 4 sign 1 order 0 | rank 1 [1] | ";
  EXPECT_EQ(raw.at("/fclib_local/W/nz"), one_int + std::string("\6\0\0\0", 4));
  EXPECT_EQ(raw.at("/fclib_local/spacedim"), one_int + std::string("\3\0\0\0", 4));
  EXPECT_EQ(raw.at("/fclib_local/info/title"), "class 3 size 2 variable false pad 0 set 0 | rank 0 | " + std::string("T\0", 2));
  EXPECT_TRUE(raw.at("/fclib_local/vectors/q").starts_with("class 1 size 8 order 0 | rank 1 [3] | "));
  EXPECT_FALSE(raw.contains("/fclib_local/info/description")) << "libfclib leaves out what is not given";
  EXPECT_FALSE(raw.contains("/guesses"));
}

TEST(Fclib, ReadsCompressedAndWiderNumbers) {
  const TemporaryFolder folder;
  write(folder / "a.hdf5", local_problem());
  {
    const Editor editor(folder / "a.hdf5");
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 2;
    H5Pset_chunk(plist, 1, &chunk);
    H5Pset_deflate(plist, 9);
    const std::vector<double> x = {2.0, 0.25, 0.25, 3.0, 4.0};
    editor.array("/fclib_local/W/x", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, {5}, x.data(), plist);
    const std::vector<float> q = {-1, 0.5, 0.25};
    editor.array("/fclib_local/vectors/q", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, {3}, q.data());
    const std::vector<long long> p = {0, 2, 4, 5};
    editor.array("/fclib_local/W/p", H5T_STD_I64LE, H5T_NATIVE_LLONG, {4}, p.data());
    H5Pclose(plist);
  }
  const ProblemFile back = read_file(folder / "a.hdf5");
  expect_same(back.local->W, local_problem().W);
  EXPECT_EQ(back.local->q, (std::vector<double>{-1, 0.5, 0.25}));
}

TEST(Fclib, WriteShortcutsAndForms) {
  const TemporaryFolder folder;
  write(folder / "g.hdf5", global_problem(), Iterate{{1, 2}, {3, 4}, {5, 6}, {7}});
  EXPECT_STREQ(form_name(read(folder / "g.hdf5")), "global");
  expect_same(*read_file(folder / "g.hdf5").solution, Iterate{{1, 2}, {3, 4}, {5, 6}, {7}});
  try {
    read(folder / "g.hdf5", Form::local);
    FAIL();
  } catch (const InvalidProblem& error) {
    EXPECT_EQ(error.what(), folder / "g.hdf5" + std::string(": found the global form only, expected the local form"));
  }
  EXPECT_THROW(take_problem(ProblemFile{}), InvalidProblem);
}

}  // namespace
}  // namespace cornet::test
