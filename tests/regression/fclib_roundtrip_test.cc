// Every file of the data set is read, written and read again; the written file must equal the original in every object, type, shape, byte
// and attribute. The comparison goes through HDF5 alone.
#include <algorithm>
#include <iostream>

#include "support/io_problems.h"
#include "support/io_raw_hdf5.h"

namespace cornet::test {
namespace {

std::vector<std::string> data_files() {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CORNET_DATA "/fclib", error))
    if (entry.path().extension() == ".hdf5") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(FclibRoundTrip, EveryFileOfTheDataSet) {
  const std::vector<std::string> files = data_files();
  if (files.empty()) GTEST_SKIP() << "no data in " << CORNET_DATA << "/fclib";
  const TemporaryFolder folder;
  const std::string copy = folder / "copy.hdf5";
  const std::string again = folder / "again.hdf5";
  int equal = 0;
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const ProblemFile file = read_file(path);
    EXPECT_TRUE(file.warnings.empty()) << file.warnings.front();
    write_file(copy, file);
    const std::string difference = first_difference(path, copy);
    EXPECT_EQ(difference, "");
    write_file(again, read_file(copy));
    EXPECT_EQ(first_difference(copy, again), "");
    equal += difference.empty() ? 1 : 0;
  }
  EXPECT_EQ(folder.files(), 2) << "temporary files are left";
  std::cout << equal << " of " << files.size() << " files come back equal\n";
  RecordProperty("files", static_cast<int>(files.size()));
}

}  // namespace
}  // namespace cornet::test
