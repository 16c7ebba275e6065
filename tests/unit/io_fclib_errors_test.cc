// One thing wrong per test: the kind of error and the words of its one line, "FILE: /path/in/file: found …, expected …".
#include <functional>

#include "support/io_problems.h"
#include "support/io_raw_hdf5.h"

namespace cornet::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Breakage {
  const char* name;
  const char* expected;  // the start of the message after "FILE: "
  std::function<void(const Editor&)> change;
};

void PrintTo(const Breakage& breakage, std::ostream* stream) { *stream << breakage.name; }
std::string test_name(const testing::TestParamInfo<Breakage>& info) { return info.param.name; }

// local_problem() with a solution and two guesses in "a.hdf5".
class BrokenFile : public testing::TestWithParam<Breakage> {
 protected:
  BrokenFile() {
    ProblemFile file;
    file.local = local_problem();
    file.guesses = {{{1, 2, 3}, {4, 5, 6}, {}, {}}, {{0, 0, 0}, {}, {}, {}}};
    file.solution = Iterate{{1, 2, 3}, {4, 5, 6}, {}, {}};
    write_file(path_, file);
  }
  template <class Exception>
  void check() {
    { GetParam().change(Editor(path_)); }
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const std::string message = read_failure<Exception>(path_);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "HDF5 must be silent";
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_TRUE(message.starts_with(GetParam().expected)) << message;
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "a.hdf5";
};

class BrokenStructure : public BrokenFile {};
TEST_P(BrokenStructure, IsAnIoError) { check<IoError>(); }

INSTANTIATE_TEST_SUITE_P(
    Fclib, BrokenStructure,
    testing::Values(
        Breakage{"no_problem", "/: found neither fclib_local nor fclib_global, expected an FCLIB problem",
                 [](const Editor& e) { e.remove("/fclib_local"); }},
        Breakage{"no_w", "/fclib_local/W: found nothing, expected a group", [](const Editor& e) { e.remove("/fclib_local/W"); }},
        Breakage{"no_vectors", "/fclib_local/vectors: found nothing, expected a group",
                 [](const Editor& e) { e.remove("/fclib_local/vectors"); }},
        Breakage{"no_q", "/fclib_local/vectors/q: found nothing, expected a dataset",
                 [](const Editor& e) { e.remove("/fclib_local/vectors/q"); }},
        Breakage{"no_spacedim", "/fclib_local/spacedim: found nothing, expected a dataset",
                 [](const Editor& e) { e.remove("/fclib_local/spacedim"); }},
        Breakage{"no_nz", "/fclib_local/W/nz: found nothing, expected a dataset", [](const Editor& e) { e.remove("/fclib_local/W/nz"); }},
        Breakage{"group_is_dataset", "/fclib_local: found an object that is not a group, expected a group",
                 [](const Editor& e) { e.ints("/fclib_local", {1}); }},
        Breakage{"dataset_is_group", "/fclib_local/vectors/q: found an object that is not a dataset, expected a dataset",
                 [](const Editor& e) {
                   e.remove("/fclib_local/vectors/q");
                   e.group("/fclib_local/vectors/q");
                 }},
        Breakage{"two_dimensions", "/fclib_local/spacedim: found 2 elements, expected 1",
                 [](const Editor& e) {
                   e.ints("/fclib_local/spacedim", {3, 3});
                 }},
        Breakage{"spacedim_is_real", "/fclib_local/spacedim: found floating-point numbers, expected 32-bit integers",
                 [](const Editor& e) { e.doubles("/fclib_local/spacedim", {3}); }},
        Breakage{"q_is_integer", "/fclib_local/vectors/q: found integers, expected floating-point numbers",
                 [](const Editor& e) {
                   e.ints("/fclib_local/vectors/q", {1, 2, 3});
                 }},
        Breakage{"q_is_a_matrix", "/fclib_local/vectors/q: found an array of rank 2, expected an array of rank 1",
                 [](const Editor& e) {
                   const double q[3] = {1, 2, 3};
                   e.array("/fclib_local/vectors/q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3, 1}, q);
                 }},
        Breakage{"unknown_storage", "/fclib_local/W/nz: found -3, expected ≥ 0 (triplet), -1",
                 [](const Editor& e) { e.ints("/fclib_local/W/nz", {-3}); }},
        Breakage{"negative_rows", "/fclib_local/W/m: found -3, expected ≥ 0", [](const Editor& e) { e.ints("/fclib_local/W/m", {-3}); }},
        Breakage{"short_pointers", "/fclib_local/W/p: found 3 pointers, expected 4",
                 [](const Editor& e) {
                   e.ints("/fclib_local/W/p", {0, 2, 5});
                 }},
        Breakage{"long_pointers", "/fclib_local/W/p: found 5 pointers, expected 4",
                 [](const Editor& e) {
                   e.ints("/fclib_local/W/p", {0, 2, 4, 5, 5});
                 }},
        Breakage{"negative_last_pointer", "/fclib_local/W/p[3]: found -5, expected ≥ 0",
                 [](const Editor& e) {
                   e.ints("/fclib_local/W/p", {0, 2, 4, -5});
                 }},
        Breakage{"short_values", "/fclib_local/W/x: found 4 numbers, expected 5, one per entry",
                 [](const Editor& e) {
                   e.doubles("/fclib_local/W/x", {1, 2, 3, 4});
                 }},
        Breakage{"long_values", "/fclib_local/W/x: found 6 numbers, expected 5, one per entry",
                 [](const Editor& e) {
                   e.doubles("/fclib_local/W/x", {1, 2, 3, 4, 5, 6});
                 }},
        Breakage{"short_indices", "/fclib_local/W/i: found 4 numbers, expected 5, one per entry",
                 [](const Editor& e) {
                   e.ints("/fclib_local/W/i", {0, 1, 0, 1});
                 }},
        Breakage{"small_nzmax", "/fclib_local/W/nzmax: found 4, expected at least the 5 entries",
                 [](const Editor& e) { e.ints("/fclib_local/W/nzmax", {4}); }},
        Breakage{"triplet_too_long", "/fclib_local/W/p: found 4 numbers, expected 9, one per entry",
                 [](const Editor& e) { e.ints("/fclib_local/W/nz", {9}); }},
        Breakage{"index_of_64_bits", "/fclib_local/W/i[1]: found 4294967296, expected a number that fits 32 bits",
                 [](const Editor& e) {
                   const long long i[5] = {0, 4294967296LL, 0, 1, 2};
                   e.array("/fclib_local/W/i", H5T_STD_I64LE, H5T_NATIVE_LLONG, {5}, i);
                 }},
        Breakage{"extents_without_data", "/fclib_local/vectors/q: found 2000000000 elements but 0 stored bytes",
                 [](const Editor& e) {
                   const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
                   const hsize_t chunk = 1000;
                   H5Pset_chunk(plist, 1, &chunk);
                   e.array("/fclib_local/vectors/q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {2000000000}, nullptr, plist);
                   H5Pclose(plist);
                 }},
        Breakage{"more_than_32_bits", "/fclib_local/vectors/q: found 3000000000 elements, expected at most 2147483647",
                 [](const Editor& e) {
                   const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
                   const hsize_t chunk = 1000;
                   H5Pset_chunk(plist, 1, &chunk);
                   e.array("/fclib_local/vectors/q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3000000000}, nullptr, plist);
                   H5Pclose(plist);
                 }},
        Breakage{"external_data", "/fclib_local/vectors/q: found data kept in other files, expected data in this file",
                 [](const Editor& e) {
                   const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_external(plist, "/etc/hostname", 0, 24);
                   e.array("/fclib_local/vectors/q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}, nullptr, plist);
                   H5Pclose(plist);
                 }},
        Breakage{"external_link", "/fclib_local/W: found a soft or external link, expected an object in this file",
                 [](const Editor& e) {
                   e.remove("/fclib_local/W");
                   H5Lcreate_external("other.hdf5", "/W", e.id(), "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
                 }},
        Breakage{"soft_link", "/fclib_local/vectors/mu: found a soft or external link, expected an object in this file",
                 [](const Editor& e) {
                   e.remove("/fclib_local/vectors/mu");
                   H5Lcreate_soft("/fclib_local/vectors/q", e.id(), "/fclib_local/vectors/mu", H5P_DEFAULT, H5P_DEFAULT);
                 }},
        Breakage{"missing_guess", "/guesses/3: found nothing, expected a group (/guesses/number_of_guesses is 2000000000)",
                 [](const Editor& e) { e.ints("/guesses/number_of_guesses", {2000000000}); }},
        Breakage{"one_guess_more", "/guesses/number_of_guesses: found 1, expected at least 2",
                 [](const Editor& e) { e.ints("/guesses/number_of_guesses", {1}); }},
        Breakage{"negative_guesses", "/guesses/number_of_guesses: found -1, expected ≥ 0",
                 [](const Editor& e) { e.ints("/guesses/number_of_guesses", {-1}); }},
        Breakage{"title_is_a_number", "/fclib_local/info/title: found numbers, expected a text",
                 [](const Editor& e) {
                   e.group("/fclib_local/info");
                   e.ints("/fclib_local/info/title", {1});
                 }}),
    test_name);

class BrokenContent : public BrokenFile {};
TEST_P(BrokenContent, IsAnInvalidProblem) { check<InvalidProblem>(); }

INSTANTIATE_TEST_SUITE_P(Fclib, BrokenContent,
                         testing::Values(Breakage{"four_dimensions", "/fclib_local/spacedim: found 4, expected 2 or 3",
                                                  [](const Editor& e) { e.ints("/fclib_local/spacedim", {4}); }},
                                         Breakage{"not_a_multiple", "/fclib_local/W: found 3 rows, expected a multiple of the dimension 2",
                                                  [](const Editor& e) { e.ints("/fclib_local/spacedim", {2}); }},
                                         Breakage{"not_square", "/fclib_local/W: found 6×3, expected a square matrix",
                                                  [](const Editor& e) { e.ints("/fclib_local/W/m", {6}); }},
                                         Breakage{"nan_in_w", "/fclib_local/W/x[1]: found nan, expected a finite number",
                                                  [](const Editor& e) {
                                                    e.doubles("/fclib_local/W/x", {1, kNan, 3, 4, 5});
                                                  }},
                                         Breakage{"infinity_in_q", "/fclib_local/vectors/q[2]: found -inf, expected a finite number",
                                                  [](const Editor& e) {
                                                    e.doubles("/fclib_local/vectors/q", {0, 0, -kInfinity});
                                                  }},
                                         Breakage{"negative_mu", "/fclib_local/vectors/mu[0]: found -0.5, expected a number ≥ 0",
                                                  [](const Editor& e) { e.doubles("/fclib_local/vectors/mu", {-0.5}); }},
                                         Breakage{"nan_mu", "/fclib_local/vectors/mu[0]: found nan",
                                                  [](const Editor& e) { e.doubles("/fclib_local/vectors/mu", {kNan}); }},
                                         Breakage{"row_out_of_range", "/fclib_local/W/i[4]: found row index 3, expected 0 ≤ index < 3",
                                                  [](const Editor& e) {
                                                    e.ints("/fclib_local/W/i", {0, 1, 0, 1, 3});
                                                  }},
                                         Breakage{"negative_row", "/fclib_local/W/i[0]: found row index -1",
                                                  [](const Editor& e) {
                                                    e.ints("/fclib_local/W/i", {-1, 1, 0, 1, 2});
                                                  }},
                                         Breakage{"decreasing_pointers", "/fclib_local/W/p[2]: found 1, expected at least 4",
                                                  [](const Editor& e) {
                                                    e.ints("/fclib_local/W/p", {0, 4, 1, 5});
                                                  }},
                                         Breakage{"first_pointer", "/fclib_local/W/p[0]: found 1, expected 0",
                                                  [](const Editor& e) {
                                                    e.ints("/fclib_local/W/p", {1, 2, 4, 5});
                                                  }},
                                         Breakage{"short_q", "/fclib_local/vectors/q: found 2 numbers, expected 3",
                                                  [](const Editor& e) {
                                                    e.doubles("/fclib_local/vectors/q", {1, 2});
                                                  }},
                                         Breakage{"long_mu", "/fclib_local/vectors/mu: found 2 numbers, expected 1, one per contact",
                                                  [](const Editor& e) {
                                                    e.doubles("/fclib_local/vectors/mu", {1, 2});
                                                  }},
                                         Breakage{"s_without_v", "/fclib_local/vectors/s: found 1 numbers, expected 0",
                                                  [](const Editor& e) { e.doubles("/fclib_local/vectors/s", {1}); }},
                                         Breakage{"short_solution", "/solution/r: found 2 numbers, expected 3",
                                                  [](const Editor& e) {
                                                    e.doubles("/solution/r", {1, 2});
                                                  }},
                                         Breakage{"nan_in_solution", "/solution/u[1]: found nan, expected a finite number",
                                                  [](const Editor& e) {
                                                    e.doubles("/solution/u", {1, kNan, 2});
                                                  }},
                                         Breakage{"long_guess", "/guesses/2/r: found 4 numbers, expected 3",
                                                  [](const Editor& e) {
                                                    e.doubles("/guesses/2/r", {1, 2, 3, 4});
                                                  }},
                                         Breakage{"unexpected_multipliers", "/solution/l: found 1 numbers, expected 0",
                                                  [](const Editor& e) { e.doubles("/solution/l", {1}); }}),
                         test_name);

TEST(FclibErrors, RollingFrictionIsRecognised) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  { Editor(path).group("/fclib_global_rolling"); }
  const std::string message = read_failure<MissingFeature>(path);
  EXPECT_TRUE(message.starts_with("/fclib_global_rolling: found a problem with rolling friction")) << message;
}

TEST(FclibErrors, TruncatedFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  write(path, local_problem());
  const auto size = std::filesystem::file_size(path);
  // At every length there is an error, never a crash, never output.
  testing::internal::CaptureStderr();
  for (std::uintmax_t length = size - 1; length > 8; length -= std::min<std::uintmax_t>(length - 8, 97)) {
    std::filesystem::resize_file(path, length);
    const std::string message = read_failure<IoError>(path);
    EXPECT_TRUE(message.starts_with("found a damaged HDF5 file (")) << length << ": " << message;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(FclibErrors, OverwrittenBytes) {
  const TemporaryFolder folder;
  write(folder / "a.hdf5", local_problem());
  std::string good;
  {
    std::ifstream stream(folder / "a.hdf5", std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(stream), {});
  }
  // Any damage is an exception of ours or is not noticed; nothing else.
  int noticed = 0;
  for (std::size_t at = 8; at < good.size(); at += 31) {
    std::string bad = good;
    bad[at] = static_cast<char>(~bad[at]);
    save_text(folder / "b.hdf5", bad);
    try {
      read_file(folder / "b.hdf5");
    } catch (const Error& error) {
      ++noticed;
      EXPECT_TRUE(std::string(error.what()).starts_with(folder / "b.hdf5: ")) << error.what();
    }
  }
  EXPECT_GT(noticed, 10);
}

TEST(FclibErrors, ForeignHdf5) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  { Editor(path).doubles("/data", {1, 2, 3}); }
  EXPECT_EQ(read_failure<IoError>(path), "/: found neither fclib_local nor fclib_global, expected an FCLIB problem");
}

TEST(FclibErrors, NoFileFolderOrEmpty) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_failure<IoError>(folder / "absent.hdf5"), "cannot open the file: No such file or directory");
  EXPECT_EQ(read_failure<IoError>(folder.path()), "found a folder, expected a regular file");
  save_text(folder / "empty.hdf5", "");
  EXPECT_EQ(read_failure<IoError>(folder / "empty.hdf5"), "found an empty file, expected FCLIB or Siconos text");
  EXPECT_EQ(read_failure<IoError>("/dev/null"), "found a special file, expected a regular file");
}

TEST(FclibErrors, FormsThatDoNotBelongTogether) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  ProblemFile file;
  file.global = global_problem();
  write_file(path, file);
  file.local = local_problem();
  try {
    write_file(path, file);
    FAIL();
  } catch (const InvalidProblem& error) {
    EXPECT_EQ(error.what(), path + ": /fclib_local/spacedim: found 3, expected 2 as in /fclib_global");
  }
  file.local->dim = 2;
  file.local->W = {4, 4, Storage::csc, {0, 0, 0, 0, 0}, {}, {}, -1, {}};
  file.local->q = {0, 0, 0, 0};
  file.local->mu = {0, 0};
  try {
    write_file(path, file);
    FAIL();
  } catch (const InvalidProblem& error) {
    EXPECT_EQ(error.what(), path + ": /fclib_local/vectors/mu: found 2 contacts, expected 1 as in /fclib_global");
  }
}

TEST(FclibErrors, GlobalFields) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  const auto broken = [&](const std::function<void(const Editor&)>& change) {
    write(path, global_problem(), Iterate{{1, 2}, {3, 4}, {5, 6}, {7}});
    { change(Editor(path)); }
    return read_failure<InvalidProblem>(path);
  };
  EXPECT_EQ(broken([](const Editor& e) {
              e.doubles("/fclib_global/vectors/b", {1, 2});
            }).substr(0, 49),
            "/fclib_global/vectors/b: found 2 numbers, expecte");
  EXPECT_EQ(broken([](const Editor& e) {
              e.ints("/fclib_global/H/i", {0, 0, 9});
            }).substr(0, 42),
            "/fclib_global/H/i[2]: found column index 9");
  EXPECT_EQ(broken([](const Editor& e) { e.doubles("/solution/v", {1}); }), "/solution/v: found 1 numbers, expected 2");
  EXPECT_EQ(broken([](const Editor& e) { e.doubles("/solution/l", {1, 2}); }), "/solution/l: found 2 numbers, expected 1");
}

}  // namespace
}  // namespace cornet::test
