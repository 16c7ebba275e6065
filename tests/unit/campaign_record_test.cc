// Records, their file, specifications and the hash that identifies a run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "campaign/json_scan.h"
#include "campaign/problem_list.h"
#include "campaign/record_file.h"
#include "campaign/sha256.h"
#include "cornet/campaign.h"
#include "cornet/error.h"
#include "cornet/samples.h"

using namespace cornet;
using namespace cornet::campaign;

namespace {

class Campaign : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("cornet-campaign-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static void put(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
  static std::string get(const std::string& file) {
    std::stringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
  }
  template <class Exception>
  static std::string message(const std::function<void()>& call) {
    try {
      call();
    } catch (const Exception& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  std::filesystem::path folder_;
};

Record example(const std::string& key) {
  Record r;
  r.key = key;
  r.problem = "a \"quoted\" name µ";
  r.file = "x.hdf5";
  r.problem_hash = "h";
  r.set = "Capsules";
  r.form = "local";
  r.dimension = 3;
  r.number_of_contacts = 12;
  r.solver = "psor-ac";
  r.label = "psor-ac:omega=1.5";
  r.family = "splitting";
  r.tolerance = 1e-8;
  r.status = "solved";
  r.claimed = true;
  r.termination = "converged";
  r.message = "two\nlines";
  r.error = 3.25e-9;
  r.time = 0.125;
  r.iterations = 77;
  r.products = 5;
  r.take_off = 1, r.stick = 2, r.slide = 9;
  r.mu_min = 0.3;
  r.mu_max = std::numeric_limits<double>::infinity();
  r.rank_ratio = 1.5;
  r.statistics = {{"factorisations", 4}};
  r.history = {{0, 0.0, 1.0}, {5, 0.01, 1e-9}};
  r.provenance.options = {{"omega", "1.5"}};
  r.provenance.version = "0.1.0";
  r.provenance.time_limit = 10;
  return r;
}

TEST(Sha, KnownDigests) {
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 abc;
  abc.add("abc", std::size_t{3});
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 parts;  // a million letters in pieces of odd sizes
  const std::string letters(997, 'a');
  for (std::size_t left = 1000000; left > 0;) {
    const std::size_t take = std::min(left, letters.size());
    parts.add(letters.data(), take);
    left -= take;
  }
  EXPECT_EQ(parts.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Scan, ValuesEscapesAndErrors) {
  JsonScan in(R"({"a": "x\"\\\u00b5\n", "skip": [1, {"b": "]}"}, null, -1e3], "n": -2.5e-3, "t": true, "none": null})");
  std::string text;
  double number = 0, none = 0;
  bool flag = false;
  in.object([&](std::string_view key) {
    if (key == "a") text = in.string();
    else if (key == "n") number = in.number();
    else if (key == "t") flag = in.boolean();
    else if (key == "none") none = in.number();
    else in.skip();
  });
  in.finish();
  EXPECT_EQ(text, "x\"\\µ\n");
  EXPECT_EQ(number, -2.5e-3);
  EXPECT_TRUE(flag);
  EXPECT_TRUE(std::isnan(none));
  for (const char* broken : {"", "{", "{\"a\"}", "{\"a\": 1", "{\"a\": 1,}", "{\"a\": }", "[1]", "{\"a\": 1} x", "{\"a\": \"x}"})
    EXPECT_THROW(
        {
          JsonScan scan(broken);
          scan.object([&](std::string_view) { scan.skip(); });
          scan.finish();
        },
        IoError)
        << broken;
}

TEST_F(Campaign, ARecordSurvivesItsLine) {
  const Record a = example("k");
  const std::string line = to_line(a);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Record b = parse_line(line, Detail::everything);
  EXPECT_EQ(to_line(b), line);
  EXPECT_EQ(b.problem, a.problem);
  EXPECT_EQ(b.message, a.message);
  EXPECT_TRUE(std::isinf(b.mu_max));
  EXPECT_TRUE(std::isnan(b.density));
  EXPECT_EQ(b.history.size(), 2u);
  EXPECT_EQ(b.provenance.options.at("omega"), "1.5");
  EXPECT_TRUE(parse_line(line, Detail::measures).history.empty());
}

TEST_F(Campaign, TornAndBrokenLines) {
  const std::string good = to_line(example("1")) + "\n" + to_line(example("2")) + "\n";
  for (const std::string& tail : {std::string("{\"record\":1,\"key\":\"3"), std::string(20, '\0'), std::string("{\"record\":1}\n")}) {
    put(path("a"), good + tail);
    const RecordSet set = read_records({path("a")});
    EXPECT_EQ(set.records.size(), 2u);
    ASSERT_EQ(set.warnings.size(), 1u);
    RecordFile file(path("a"), true);
    EXPECT_EQ(file.keys().size(), 2u);
    EXPECT_EQ(get(path("a")), good);
  }
  put(path("b"), "{\"record\":1}\n" + good);
  EXPECT_NE(message<IoError>([&] { read_records({path("b")}); }).find("line 1: found no field key"), std::string::npos);
  EXPECT_THROW(RecordFile(path("b"), true), IoError);
}

TEST_F(Campaign, ANewerVersionIsRefusedEvenInTheLastLine) {
  put(path("a"), "{\"record\":2,\"key\":\"x\"}\n");
  const std::string text = message<IoError>([&] { read_records({path("a")}); });
  EXPECT_NE(text.find("line 1: found record format 2, expected at most 1"), std::string::npos) << text;
  EXPECT_THROW(RecordFile(path("a"), true), IoError);
}

TEST_F(Campaign, AFileIsGoneOnWithOnlyWhenAsked) {
  {
    RecordFile file(path("a"), false);
    file.append(example("1"));
    file.sync();
    file.finish();
    EXPECT_NE(message<IoError>([&] { RecordFile(path("a"), true); }).find("another campaign is writing"), std::string::npos);
  }
  EXPECT_NE(message<IoError>([&] { RecordFile(path("a"), false); }).find("--resume"), std::string::npos);
  EXPECT_TRUE(RecordFile(path("a"), true).keys().contains("1"));
  EXPECT_THROW(RecordFile(path("no/folder/a"), false), IoError);
}

TEST_F(Campaign, MergeKeepsTheFirstOfEqualKeys) {
  Record late = example("1");
  late.time = 9;
  put(path("a"), to_line(example("1")) + "\n");
  put(path("b"), to_line(late) + "\n" + to_line(example("2")) + "\n");
  const MergeResult merged = merge_records({path("a"), path("b")}, path("a"));
  EXPECT_EQ(merged.records, 2);
  EXPECT_EQ(merged.duplicates, 1);
  EXPECT_EQ(get(path("a")), to_line(example("1")) + "\n" + to_line(example("2")) + "\n");
}

TEST_F(Campaign, TheHashOfAProblemFollowsItsData) {
  const GlobalProblem a = samples::block_on_incline(3, 0.3, 0.5);
  GlobalProblem b = a;
  b.name = "another name";
  EXPECT_EQ(hash_problem(a), hash_problem(b));
  b.mu[2] = std::nextafter(b.mu[2], 1);
  EXPECT_NE(hash_problem(a), hash_problem(b));
  b = a;
  b.H.x[5] = std::nextafter(a.H.x[5], 10);
  EXPECT_NE(hash_problem(a), hash_problem(b));
}

TEST_F(Campaign, SolversAreCheckedWhenTheyAreRead) {
  const SolverChoice choice = parse_solver("psor-ac:omega=1.5:omega_rule=fixed");
  EXPECT_EQ(choice.id, "psor-ac");
  EXPECT_EQ(choice.options.at("omega"), "1.5");
  EXPECT_EQ(choice.label, "psor-ac:omega=1.5:omega_rule=fixed");
  EXPECT_NE(message<InvalidOption>([] { parse_solver("nsgs-acc"); }).find("nsgs-ac"), std::string::npos);
  EXPECT_THROW(parse_solver("psor-ac:omega=7"), InvalidOption);
  EXPECT_THROW(parse_solver("psor-ac:nonsense=1"), InvalidOption);
  EXPECT_THROW(parse_solver("psor-ac:omega"), InvalidOption);
  EXPECT_THROW(parse_solver(""), InvalidOption);
  EXPECT_THROW(parse_peer("no-such-program-anywhere"), InvalidOption);
  const SolverChoice peer = parse_peer("mine=sh -c true");
  EXPECT_EQ(peer.id, "mine");
  EXPECT_EQ(peer.command.size(), 3u);
}

TEST_F(Campaign, SpecsSayWhatIsWrongWithThem) {
  const auto error = [](const std::string& text) { return message<Error>([&] { parse_spec(text, "s.json"); }); };
  EXPECT_NE(error("{").find("s.json: byte 2: no JSON"), std::string::npos) << error("{");
  EXPECT_NE(error("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(error(R"({"solver": []})").find("unknown field 'solver'; did you mean solvers?"), std::string::npos);
  EXPECT_NE(error(R"({"time_limit": 0})").find("time_limit: found 0, expected a number in (0"), std::string::npos);
  EXPECT_NE(error(R"({"tolerances": [2]})").find("expected a number in (0, 1]"), std::string::npos);
  EXPECT_NE(error(R"({"solvers": ["nsgs-acc"]})").find("s.json: solvers[0]: "), std::string::npos);
  EXPECT_NE(error(R"({"problems": [{"set": "x"}]})").find("problems[0]: found none of them, expected either files or generate"),
            std::string::npos);
  EXPECT_NE(error(R"({"problems": [{"generate": "Capsule"}]})").find("did you mean Capsules?"), std::string::npos);
  const Spec spec = parse_spec(R"({"problems": ["a/*.hdf5", {"generate": "Chain", "count": 3, "tolerances": [1e-6]}],
                                   "solvers": [{"solver": "psor-ac", "options": {"omega": 1.5}, "label": "x"}]})",
                               "s.json");
  EXPECT_EQ(spec.problems[0].files[0], "a/*.hdf5");
  EXPECT_EQ(spec.problems[1].tolerances[0], 1e-6);
  EXPECT_EQ(spec.solvers[0].options.at("omega"), "1.5");
  EXPECT_EQ(spec.solvers[0].label, "x");
}

}  // namespace
