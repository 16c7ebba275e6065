// Every seed and every finding of the fuzz targets (tests/fuzz) once more, through the same entry points, in this build: the reader returns
// or refuses with one line that names the file, and asks for no more memory than the file can stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "fuzz/target.h"

namespace {

std::size_t largest = 0;  // request for memory so far

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  largest = std::max(largest, size);
  return std::malloc(std::max<std::size_t>(size, 1));
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cornet::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMemory = std::size_t{64} << 20;  // in one request; the files have a few kB

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class FuzzCorpus : public testing::TestWithParam<Target> {
 protected:
  // Whether the reader took the file.
  static bool run(const std::string& bytes, const std::string& what) {
    largest = 0;
    bool good = false;
    EXPECT_NO_THROW(good = GetParam().run(bytes)) << what;
    EXPECT_LE(largest, kMostMemory + 64 * bytes.size()) << what;
    return good;
  }
};

TEST_P(FuzzCorpus, SeedsAndFindings) {
  const fs::path root = CORNET_FUZZ_FILES;
  const auto seeds = files_below(root / "corpus" / GetParam().name);
  EXPECT_FALSE(seeds.empty());
  const bool changes = std::string_view(GetParam().name) == "fclib_edits";  // its seeds change a good file
  for (const fs::path& path : seeds) EXPECT_TRUE(run(content(path), path.string()) || changes) << path;
  for (const fs::path& path : files_below(root / "regressions" / GetParam().name)) run(content(path), path.string());
}

TEST(FuzzEdits, WithoutAnyTheFileIsGood) { EXPECT_TRUE(run_fclib_edits("")); }

// Brackets within brackets: no reader may go as deep as the file says.
TEST_P(FuzzCorpus, DeepBrackets) {
  for (const std::string open : {"[", "{\"a\":", "{\"bodies\":[{\"shape\":", "[["}) {
    std::string bytes = "{\"record\":1,\"key\":\"a\",\"x\":";
    if (std::string_view(GetParam().name) != "records") bytes.clear();
    for (int k = 0; k < 200000; ++k) bytes += open;
    run(bytes, open);
    run(bytes + "\n\n", open);
  }
}

// The same, closed again: whoever writes or destroys such a value goes as deep as its reader did.
TEST_P(FuzzCorpus, DeepClosedBrackets) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  for (const std::string key : {"name", "problems", "bodies", "statistics", "x"}) {
    const std::string bytes = "{\"record\":1,\"key\":\"a\",\"" + key + "\":" + deep + "}\n\n";
    run(bytes, key);
    run(bytes.substr(bytes.find(",\"" + key)).replace(0, 1, "{"), key);
  }
}

// Every file cut short at many places.
TEST_P(FuzzCorpus, CutShort) {
  for (const fs::path& path : files_below(fs::path(CORNET_FUZZ_FILES) / "corpus" / GetParam().name)) {
    const std::string bytes = content(path);
    const std::size_t step = std::max<std::size_t>(1, bytes.size() / 100);
    for (std::size_t end = 0; end < bytes.size(); end += step)
      run(bytes.substr(0, end), path.string() + " up to byte " + std::to_string(end));
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace cornet::fuzz
