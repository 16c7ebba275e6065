// Small problems with numbers to recognise, a folder that cleans up, and a check of one-line messages.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "cornet/error.h"
#include "cornet/io.h"

namespace cornet::test {

/// A fresh folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cornet-io-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot create a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  int files() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline void save_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// What reading says of a bad file, checked to be one line that starts with the file.
template <class Exception>
std::string read_failure(const std::string& path) {
  try {
    read_file(path);
  } catch (const Exception& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
    return message.substr(std::min(message.size(), path.size() + 2));
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

/// 3×3 in each storage, with the same values; the triplet has a duplicate entry.
inline SparseMatrix matrix_3x3(Storage storage) {
  SparseMatrix a;
  a.rows = a.cols = 3;
  a.storage = storage;
  if (storage == Storage::triplet) {
    a.i = {0, 1, 2, 0, 1, 1};
    a.p = {0, 1, 2, 1, 0, 1};
    a.x = {2.0, 2.5, 4.0, 0.25, 0.25, 0.5};
  } else {
    a.p = {0, 2, 4, 5};
    a.i = {0, 1, 0, 1, 2};
    a.x = {2.0, 0.25, 0.25, 3.0, 4.0};
  }
  return a;
}

inline LocalProblem local_problem(Storage storage = Storage::csc) {
  LocalProblem problem;
  problem.dim = 3;
  problem.W = matrix_3x3(storage);
  problem.q = {-1.0, 0.1, 1.0 / 3.0};
  problem.mu = {0.7};
  problem.name = "local";
  return problem;
}

/// n = 2, one contact in the plane, one bilateral constraint.
inline GlobalProblem global_problem() {
  GlobalProblem problem;
  problem.dim = 2;
  problem.M = {2, 2, Storage::triplet, {0, 1}, {0, 1}, {1.5, 2.5}, -1, {}};
  problem.H = {2, 2, Storage::csr, {0, 1, 3}, {0, 0, 1}, {1.0, -0.5, 0.125}, -1, {}};
  problem.f = {0.1, -9.81};
  problem.w = {0.0, 1e-300};
  problem.mu = {0.3};
  problem.G = SparseMatrix{2, 1, Storage::csc, {0, 1}, {1}, {7.0}, -1, {}};
  problem.b = {0.01};
  problem.name = "global";
  return problem;
}

inline LocalProblem local_with_bilateral() {
  LocalProblem problem = local_problem(Storage::csr);
  problem.V = SparseMatrix{3, 1, Storage::csc, {0, 2}, {0, 2}, {1.0, -1.0}, -1, {}};
  problem.R = SparseMatrix{1, 1, Storage::triplet, {0}, {0}, {2.0}, -1, {}};
  problem.s = {0.5};
  return problem;
}

inline LocalProblem empty_local() {
  LocalProblem problem;
  problem.W = {0, 0, Storage::csc, {0}, {}, {}, -1, {}};
  return problem;
}

}  // namespace cornet::test
