// Work in a child process: whatever ends it, this process goes on with a message; and the bytes that come back are checked.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cornet/error.h"
#include "io/isolated.h"
#include "io/problem_bytes.h"
#include "support/io_problems.h"

namespace cornet::io {
namespace {

std::string failure(const std::function<std::string()>& work) {
  try {
    run_isolated("box.hdf5", 1000, work);
  } catch (const IoError& error) {
    return error.what();
  }
  return "no IoError";
}

TEST(Isolated, BytesComeBack) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(run_isolated("f", 0, [&] { return std::string(large); }), large);
  EXPECT_EQ(run_isolated("f", 0, [] { return std::string(); }), "");
}

TEST(Isolated, NothingOfTheChildIsSeenHere) {
  int changed = 0;
  run_isolated("f", 0, [&] {
    changed = 1;
    return std::string();
  });
  EXPECT_EQ(changed, 0);
}

TEST(Isolated, ASignalIsAMessage) {
  EXPECT_EQ(failure([]() -> std::string {
              ::raise(SIGSEGV);
              return "";
            }),
            "box.hdf5: found a damaged file on which the process that reads it failed (it was ended by signal 11 (SEGV)), expected a sound "
            "one");
  EXPECT_NE(failure([]() -> std::string { std::abort(); }).find("signal 6 (ABRT)"), std::string::npos);
  EXPECT_NE(failure([]() -> std::string { ::_exit(0); }).find("it ended early"), std::string::npos);
}

TEST(Isolated, AHandlerOfTheCallerDoesNotRunInTheChild) {
  struct sigaction mine = {};
  struct sigaction before = {};
  mine.sa_handler = [](int) { ::_exit(0); };
  ::sigaction(SIGSEGV, &mine, &before);
  const std::string message = failure([]() -> std::string {
    ::raise(SIGSEGV);
    return "";
  });
  ::sigaction(SIGSEGV, &before, nullptr);
  EXPECT_NE(message.find("signal 11"), std::string::npos) << message;
}

TEST(Isolated, AnEndlessLoopEnds) {
  rlimit before = {};
  ::getrlimit(RLIMIT_CPU, &before);
  rlimit short_time = before;
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  short_time.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 2);
  ::setrlimit(RLIMIT_CPU, &short_time);
  const std::string message = failure([]() -> std::string {
    std::atomic<unsigned> count = 0;
    while (true) ++count;
  });
  ::setrlimit(RLIMIT_CPU, &before);
  EXPECT_NE(message.find("it took too long"), std::string::npos) << message;
}

TEST(Isolated, ErrorsKeepTheirKind) {
  EXPECT_EQ(failure([]() -> std::string { throw IoError("box.hdf5: io"); }), "box.hdf5: io");
  EXPECT_EQ(failure([]() -> std::string { throw std::bad_alloc(); }), "box.hdf5: not enough memory to read the file");
  EXPECT_EQ(failure([]() -> std::string { throw std::runtime_error("other"); }), "box.hdf5: other");
  EXPECT_THROW(run_isolated("f", 0, []() -> std::string { throw InvalidProblem("p"); }), InvalidProblem);
  EXPECT_THROW(run_isolated("f", 0, []() -> std::string { throw MissingFeature("m"); }), MissingFeature);
}

TEST(Isolated, WorksWhereChildrenAreIgnored) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run_isolated("f", 0, [] { return std::string("good"); }), "good");
  EXPECT_NE(failure([]() -> std::string { std::abort(); }).find("it ended early"), std::string::npos);
  ::signal(SIGCHLD, before);
}

TEST(Isolated, ManyReadsLeaveNothingOpen) {
  const auto open_files = [] {
    const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
    return std::distance(begin(entries), end(entries));
  };
  const auto before = open_files();
  for (int k = 0; k < 20; ++k) {
    run_isolated("f", 0, [] { return std::string("x"); });
    failure([]() -> std::string { std::abort(); });
  }
  EXPECT_EQ(open_files(), before);
}

ProblemFile everything() {
  ProblemFile file;
  file.local = test::local_with_bilateral();
  file.local->W.info = SparseMatrix::Info{"comment", 2, 3, 4};
  file.local->info = ProblemInfo{"title", "", "math"};
  file.global = test::global_problem();
  file.guesses = {Iterate{{1, 2}, {3}, {}, {4}}, Iterate{}};
  file.solution = file.guesses[0];
  file.attributes["/"] = {{"i", 1}, {"l", std::int64_t{1} << 40}, {"d", 0.5}, {"s", std::string("text")}};
  file.attributes["/solution"] = {{"is", std::vector<int>{1, 2}}, {"ls", std::vector<std::int64_t>{3}}, {"ds", std::vector<double>{0.25}}};
  file.text_layouts["/solution@s"] = TextLayout{7, TextLayout::Padding::space_padded, true};
  file.warnings = {"one", ""};
  return file;
}

TEST(ProblemBytes, EverythingComesBack) {
  const std::string bytes = to_bytes(everything());
  const ProblemFile copy = from_bytes(bytes);
  EXPECT_EQ(to_bytes(copy), bytes);
  EXPECT_EQ(copy.attributes, everything().attributes);
  EXPECT_EQ(copy.warnings, everything().warnings);
  EXPECT_EQ(copy.local->W.x, everything().local->W.x);
  EXPECT_EQ(copy.text_layouts.at("/solution@s").length, 7u);
}

TEST(ProblemBytes, WhatIsNotWholeIsRefused) {
  const std::string bytes = to_bytes(everything());
  for (std::size_t end = 0; end < bytes.size(); ++end) EXPECT_THROW(from_bytes(bytes.substr(0, end)), IoError) << end;
  EXPECT_THROW(from_bytes(bytes + "x"), IoError);
}

TEST(ProblemBytes, OverwrittenBytesAreReadOrRefused) {
  const std::string bytes = to_bytes(everything());
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    std::string broken = bytes;
    broken[k] = '\xff';
    try {
      from_bytes(broken);
    } catch (const IoError&) {
    }
  }
}

}  // namespace
}  // namespace cornet::io
