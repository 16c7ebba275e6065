// A program that has called setlocale(LC_ALL, "") in a country with decimal commas uses the library: reading, writing, options and JSON.
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>

#include "cornet/campaign.h"
#include "cornet/cornet_c.h"
#include "cornet/error.h"
#include "cornet/io.h"
#include "cornet/result.h"
#include "cornet/samples.h"
#include "cornet/sim_library.h"

#if defined(__SANITIZE_ADDRESS__)
// What setlocale keeps of LOCPATH, in the C library.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:__argz_add_sep\n"; }
#endif

namespace cornet {
namespace {

namespace fs = std::filesystem;

// de_DE is installed on few machines: one is made from the sources of the C library.
class CommaLocale : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("cornet-locale-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    const std::string command = "localedef -i de_DE -f UTF-8 '" + (folder_ / "de_DE.UTF-8").string() + "' > /dev/null 2>&1";
    // NOLINTNEXTLINE(cert-env33-c): the command is ours
    made_ = std::system(command.c_str()) == 0;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  // NOLINTBEGIN(concurrency-mt-unsafe): the locale is that of the process, which has one thread
  void SetUp() override {
    if (!made_) GTEST_SKIP() << "SKIPPED: localedef cannot make de_DE here (package locales)";
    ::setenv("LOCPATH", folder_.c_str(), 1);
    ::setenv("LC_ALL", "de_DE.UTF-8", 1);
    ASSERT_NE(std::setlocale(LC_ALL, ""), nullptr);
    std::locale::global(std::locale(""));
    ASSERT_STREQ(std::localeconv()->decimal_point, ",");
    ASSERT_EQ(std::strtod("0.5", nullptr), 0.0) << "this locale reads commas";
  }
  static void back_to_points() {
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, "C");
  }
  void TearDown() override {
    back_to_points();
    ::unsetenv("LC_ALL");
    ::unsetenv("LOCPATH");
  }
  // NOLINTEND(concurrency-mt-unsafe)
  static std::string path(const std::string& name) { return (folder_ / name).string(); }

  static inline fs::path folder_;
  static inline bool made_ = false;
};

TEST_F(CommaLocale, siconos_text_is_read) {
  std::ofstream out(path("p.dat"), std::ios::binary);
  out.imbue(std::locale::classic());
  out << "3\n1\n0\n3\n3\n3\t3\n1.5 0.25 0\n0.25 1.5 0\n0 0 1.5\n-1.125 0.5 0.25\n0.75\n";
  out.close();
  const auto local = std::get<LocalProblem>(read(path("p.dat")));
  EXPECT_EQ(local.mu, std::vector<double>{0.75});
  EXPECT_EQ(local.q, (std::vector<double>{-1.125, 0.5, 0.25}));
}

TEST_F(CommaLocale, a_problem_goes_through_a_file_and_is_solved) {
  const Problem problem = samples::box_stack(3, 0.45);
  write(path("p.hdf5"), problem);
  EXPECT_EQ(std::get<GlobalProblem>(read(path("p.hdf5"))).mu, std::get<GlobalProblem>(problem).mu);
  RunOptions options;
  options.solver = "psor-ac";
  options.options = {{"omega", "1.25"}};
  const Result here = solve(problem, options);
  EXPECT_EQ(here.provenance.options.at("omega"), "1.25");
  EXPECT_EQ(here.message.find(','), here.message.find(", tolerance")) << "no decimal comma: " << here.message;
  back_to_points();
  EXPECT_EQ(solve(problem, options).x.r, here.x.r);
}

TEST_F(CommaLocale, options_refuse_commas_and_messages_have_points) {
  RunOptions options;
  options.solver = "psor-ac";
  options.options = {{"omega", "1,25"}};
  EXPECT_THROW(solve(samples::box_stack(2, 0.5), options), InvalidOption);
  options.options = {{"omega", "-0.125"}};
  try {
    solve(samples::box_stack(2, 0.5), options);
    FAIL() << "a negative omega is refused";
  } catch (const InvalidOption& error) {
    EXPECT_NE(std::string(error.what()).find("-0.125"), std::string::npos) << error.what();
  }
}

TEST_F(CommaLocale, scenes_and_campaigns_are_read_and_written) {
  const sim::Scene scene = sim::make_scene("boxes-stack");
  const std::string text = sim::to_text(scene);
  EXPECT_EQ(sim::to_text(sim::parse_scene(text)), text);
  EXPECT_EQ(sim::parse_scene(text).dt, scene.dt);
  EXPECT_GT(scene.dt, 0);
  const auto spec = campaign::parse_spec(
      R"({"problems": ["a.hdf5"], "solvers": ["psor-ac:omega=1.5"], "tolerances": [0.0001], "time_limit": 2.5})", "spec");
  EXPECT_EQ(spec.tolerances, std::vector<double>{0.0001});
  EXPECT_EQ(spec.time_limit, 2.5);
}

TEST_F(CommaLocale, the_c_interface) {
  cornet_options* options = nullptr;
  ASSERT_EQ(cornet_options_new(&options), CORNET_OK);
  EXPECT_EQ(cornet_options_set(options, "tol", "0.001"), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_options_set_real(options, "time_limit", 1.5), CORNET_OK) << cornet_last_error();
  EXPECT_EQ(cornet_options_set_real(options, "omega", 1.25), CORNET_OK) << cornet_last_error();
  EXPECT_NE(cornet_options_set(options, "tol", "0,001"), CORNET_OK);
  cornet_options_free(options);
}

}  // namespace
}  // namespace cornet
