// Writing either succeeds or leaves nothing behind: no partial file, no temporary one, the old file untouched.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "support/io_problems.h"

namespace cornet::test {
namespace {

template <class Exception>
std::string write_failure(const std::string& path, const Problem& problem, const std::optional<Iterate>& solution = {}) {
  try {
    write(path, problem, solution);
  } catch (const Exception& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(std::min(message.size(), path.size() + 2));
  }
  ADD_FAILURE() << "no exception";
  return "";
}

LocalProblem large_problem() {
  LocalProblem problem;
  const int size = 300000;
  problem.W = {size, size, Storage::csc, std::vector<int>(size + 1), {}, {}, -1, {}};
  problem.q.assign(size, 1.0);
  problem.mu.assign(size / 3, 0.5);
  return problem;
}

TEST(IoWrite, ReplacesAnOlderFile) {
  const TemporaryFolder folder;
  write(folder / "a.hdf5", global_problem());
  write(folder / "a.hdf5", local_problem());
  EXPECT_TRUE(read_file(folder / "a.hdf5").local);
  EXPECT_FALSE(read_file(folder / "a.hdf5").global);
  EXPECT_EQ(folder.files(), 1);
}

TEST(IoWrite, FolderAbsent) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_failure<IoError>(folder / "no/a.hdf5", local_problem()), "cannot create the file: No such file or directory");
}

TEST(IoWrite, NoPermission) {
  const TemporaryFolder folder;
  chmod(folder.path().c_str(), 0555);
  const uid_t user = geteuid();
  if (user == 0 && seteuid(65534) != 0) GTEST_SKIP() << "root may write anywhere, and cannot become nobody";
  EXPECT_EQ(write_failure<IoError>(folder / "a.hdf5", local_problem()), "cannot create the file: Permission denied");
  EXPECT_EQ(seteuid(user), 0);
}

TEST(IoWrite, NameTooLong) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_failure<IoError>(folder / std::string(300, 'x'), local_problem()), "cannot create the file: File name too long");
}

TEST(IoWrite, NeverReplacesAFolderOrADevice) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_failure<IoError>(folder.path(), local_problem()), "found a folder, expected a regular file or nothing");
  EXPECT_EQ(write_failure<IoError>("/dev/null", local_problem()), "found a special file, expected a regular file or nothing");
  EXPECT_EQ(folder.files(), 0);
}

TEST(IoWrite, FollowsASymbolicLink) {
  const TemporaryFolder folder;
  write(folder / "real.hdf5", global_problem());
  std::filesystem::create_symlink("real.hdf5", folder / "link.hdf5");
  write(folder / "link.hdf5", local_problem());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.hdf5"));
  EXPECT_TRUE(read_file(folder / "real.hdf5").local);
}

TEST(IoWrite, RefusesAnInvalidProblem) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  write(path, global_problem());
  LocalProblem problem = local_problem();
  problem.mu = {-1};
  EXPECT_TRUE(write_failure<InvalidProblem>(path, problem).starts_with("/fclib_local/vectors/mu[0]: found -1, expected a number"));
  problem = local_problem();
  problem.W.x[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(write_failure<InvalidProblem>(path, problem), "/fclib_local/W/x[2]: found nan, expected a finite number");
  EXPECT_EQ(write_failure<InvalidProblem>(path, local_problem(), Iterate{{1}, {}, {}, {}}), "/solution/r: found 1 numbers, expected 3");
  EXPECT_TRUE(read_file(path).global) << "the old file must be untouched";
  EXPECT_EQ(folder.files(), 1);
  try {
    write_file(path, ProblemFile{});
    FAIL();
  } catch (const InvalidProblem& error) {
    EXPECT_EQ(error.what(), path + ": /: found no problem, expected a local or a global problem");
  }
}

// A limit on the size of files stands for a full disk: the write fails in the middle. In a child, since limits are for a whole process.
TEST(IoWrite, DiskFull) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.hdf5";
  write(path, global_problem());
  const LocalProblem problem = large_problem();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int code = 1;
    try {
      write(path, problem);
    } catch (const IoError& error) {
      const std::string message = error.what();
      code = message.starts_with(path + ": ") && message.find("File too large") != std::string::npos ? 0 : 2;
    } catch (...) {
      code = 3;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a child has one thread
    std::exit(code);  // not _exit: HDF5 must be able to end, too
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: no exception, 2: another message, 3: another exception";
  EXPECT_EQ(folder.files(), 1) << "the temporary file must be removed";
  EXPECT_TRUE(read_file(path).global) << "the old file must be untouched";
}

}  // namespace
}  // namespace cornet::test
