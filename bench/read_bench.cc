// Time to read a problem file of about 100 MB against the time that HDF5 alone needs for its arrays. The aim is a ratio below 2.
//
// HDF5 alone: open the file and H5Dread every dataset into fresh memory. Ours: read_file, with all checks. Both on a warm file cache, so
// the disk does not hide the difference; the best of several runs, taken in turns, since other programs only ever add time.
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cornet/io.h"

namespace {

constexpr int kRuns = 15;

// Blocks of 3×3 around the diagonal, compressed columns: 12 bytes per entry.
cornet::LocalProblem make_problem(int contacts, int neighbours) {
  cornet::LocalProblem problem;
  const int size = 3 * contacts;
  problem.W.rows = problem.W.cols = size;
  problem.W.storage = cornet::Storage::csc;
  problem.W.p = {0};
  for (int col = 0; col < size; ++col) {
    const int first = std::max(0, col / 3 - neighbours);
    const int last = std::min(contacts - 1, col / 3 + neighbours);
    for (int row = 3 * first; row < 3 * (last + 1); ++row) {
      problem.W.i.push_back(row);
      problem.W.x.push_back(row == col ? 10.0 : 1.0 / (2.0 + std::abs(row - col)));
    }
    problem.W.p.push_back(static_cast<int>(problem.W.i.size()));
  }
  problem.q.assign(static_cast<std::size_t>(size), -1.0);
  problem.mu.assign(static_cast<std::size_t>(contacts), 0.5);
  return problem;
}

herr_t read_link(hid_t group, const char* name, const H5L_info_t*, void*) {
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  if (H5Iget_type(object) == H5I_DATASET) {
    const hid_t type = H5Dget_type(object);
    const hid_t memory = H5Tget_native_type(type, H5T_DIR_ASCEND);
    const hid_t space = H5Dget_space(object);
    const std::size_t bytes = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(memory);
    const std::unique_ptr<char[]> buffer(new char[bytes]);
    H5Dread(object, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.get());
    H5Sclose(space);
    H5Tclose(memory);
    H5Tclose(type);
  } else {
    hsize_t position = 0;
    H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, &position, read_link, nullptr);
  }
  H5Oclose(object);
  return 0;
}

void read_with_hdf5(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  hsize_t position = 0;
  H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &position, read_link, nullptr);
  H5Fclose(file);
}

template <class Action>
double seconds(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

}  // namespace

int main() {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("cornet-read-bench-" + std::to_string(getpid()));
  fs::create_directory(folder);
  const std::string path = (folder / "large.hdf5").string();
  cornet::write(path, make_problem(30000, 15));

  std::vector<double> hdf5;
  std::vector<double> ours;
  read_with_hdf5(path);
  for (int run = 0; run < kRuns; ++run) {
    hdf5.push_back(seconds([&] { read_with_hdf5(path); }));
    ours.push_back(seconds([&] { cornet::read_file(path); }));
  }
  std::printf("file %.1f MB   H5Dread %.1f ms   cornet::read_file %.1f ms   ratio %.2f (aim: below 2)\n",
              static_cast<double>(fs::file_size(path)) / 1e6, best(hdf5) * 1e3, best(ours) * 1e3, best(ours) / best(hdf5));
  fs::remove_all(folder);
  return best(ours) < 2 * best(hdf5) ? EXIT_SUCCESS : EXIT_FAILURE;
}
