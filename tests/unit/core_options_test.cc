// Options: ranges, parsing, the texts of errors, nearest names, and the way back from values to texts.
#include <gtest/gtest.h>

#include "cornet/error.h"
#include "cornet/options.h"
#include "support/fixtures.h"

namespace cornet {
namespace {

using test::contains;
using test::kInfinity;
using test::kNan;
using test::message_of;

enum class Colour { red, green, blue };

struct Example {
  bool shuffle = false;
  long sweeps = 10;
  double omega = 1.25;
  Colour colour = Colour::green;

  void visit(OptionVisitor& v) {
    v.flag("shuffle", shuffle, "visit contacts in random order");
    v.integer("sweeps", sweeps, {1, 1000}, "number of sweeps");
    v.real("omega", omega, {0, 2, true, true}, "relaxation");
    v.choice("colour", colour, {"red", "green", "blue"}, "a colour");
  }
};

void set(Example& e, const OptionTexts& texts) {
  assign([&](OptionVisitor& v) { e.visit(v); }, texts, "example");
}

TEST(Range, OpenAndClosedEnds) {
  const Range closed{0, 2}, open{0, 2, true, true}, half{0, kInfinity, true, false};
  EXPECT_TRUE(closed.contains(0));
  EXPECT_TRUE(closed.contains(2));
  EXPECT_FALSE(open.contains(0));
  EXPECT_FALSE(open.contains(2));
  EXPECT_TRUE(open.contains(1e-300));
  EXPECT_TRUE(half.contains(1e300));
  EXPECT_TRUE(half.contains(kInfinity));
  for (const Range& range : {closed, open, half}) EXPECT_FALSE(range.contains(kNan));
  EXPECT_FALSE(closed.contains(-1e-300));
}

TEST(Range, Text) {
  EXPECT_EQ((Range{0, 2}).text(), "[0, 2]");
  EXPECT_EQ((Range{0, kInfinity, true, true}).text(), "(0, inf)");
  EXPECT_EQ((Range{0, 1, true, false}).text(), "(0, 1]");
}

TEST(Options, Describe) {
  Example e;
  const std::vector<OptionInfo> table = describe([&](OptionVisitor& v) { e.visit(v); });
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0].name, "shuffle");
  EXPECT_EQ(table[0].type, "flag");
  EXPECT_EQ(table[0].default_value, OptionValue(false));
  EXPECT_EQ(table[1].type, "integer");
  EXPECT_EQ(table[1].default_value, OptionValue(10L));
  EXPECT_EQ(table[1].range, "[1, 1000]");
  EXPECT_EQ(table[2].type, "real");
  EXPECT_EQ(table[2].default_value, OptionValue(1.25));
  EXPECT_EQ(table[2].range, "(0, 2)");
  EXPECT_EQ(table[3].type, "choice");
  EXPECT_EQ(table[3].default_value, OptionValue(std::string("green")));
  EXPECT_EQ(table[3].choices, (std::vector<std::string>{"red", "green", "blue"}));
  EXPECT_EQ(table[3].range, "red|green|blue");
  EXPECT_EQ(table[3].what, "a colour");
}

TEST(Options, AssignSetsOnlyWhatIsNamed) {
  Example e;
  set(e, {{"omega", "0.5"}});
  EXPECT_EQ(e.omega, 0.5);
  EXPECT_EQ(e.sweeps, 10);
  EXPECT_EQ(e.colour, Colour::green);
  set(e, {{"shuffle", "true"}, {"sweeps", "1000"}, {"colour", "blue"}});
  EXPECT_TRUE(e.shuffle);
  EXPECT_EQ(e.sweeps, 1000);
  EXPECT_EQ(e.colour, Colour::blue);
  EXPECT_EQ(e.omega, 0.5);
  set(e, {{"omega", "1e-3"}});
  EXPECT_EQ(e.omega, 1e-3);
}

TEST(Options, OutOfRangePrintsNameValueAndRange) {
  Example e;
  for (const auto& [option, value, range] : std::vector<std::array<std::string, 3>>{{"sweeps", "0", "[1, 1000]"},
                                                                                    {"sweeps", "1001", "[1, 1000]"},
                                                                                    {"omega", "2", "(0, 2)"},
                                                                                    {"omega", "-0.1", "(0, 2)"},
                                                                                    {"omega", "nan", "(0, 2)"},
                                                                                    {"omega", "inf", "(0, 2)"},
                                                                                    {"colour", "pink", "red"}}) {
    const std::string message = message_of<InvalidOption>([&, o = option, v = value] { set(e, {{o, v}}); });
    for (const std::string& part : {option, value, range, std::string("example")})
      EXPECT_TRUE(contains(message, part)) << "no '" << part << "' in: " << message;
  }
  EXPECT_EQ(e.sweeps, 10);
  EXPECT_EQ(e.omega, 1.25);
}

TEST(Options, NotANumber) {
  Example e;
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"sweeps", "ten"},
                                                                                      {"sweeps", "1.5"},
                                                                                      {"sweeps", "5x"},
                                                                                      {"sweeps", ""},
                                                                                      {"sweeps", "99999999999999999999"},
                                                                                      {"omega", "1,5"},
                                                                                      {"omega", "1.5x"},
                                                                                      {"omega", ""},
                                                                                      {"shuffle", "maybe"}}) {
    const std::string message = message_of<InvalidOption>([&, o = option, v = value] { set(e, {{o, v}}); });
    EXPECT_TRUE(contains(message, option)) << message;
    EXPECT_TRUE(contains(message, "'" + value + "'") || (!value.empty() && contains(message, value))) << message;
  }
}

TEST(Options, UnknownNamePrintsTheNearest) {
  Example e;
  const std::string message = message_of<InvalidOption>([&] { set(e, {{"omga", "1"}}); });
  EXPECT_TRUE(contains(message, "omga")) << message;
  EXPECT_TRUE(contains(message, "omega")) << message;
  EXPECT_TRUE(contains(message, "example")) << message;
}

TEST(Options, ValuesReadBack) {
  Example e;
  set(e, {{"shuffle", "true"}, {"omega", "0.1"}, {"colour", "red"}, {"sweeps", "77"}});
  e.omega = 0.1 + 0.2;  // needs 17 digits
  const OptionTexts texts = values([&](OptionVisitor& v) { e.visit(v); });
  EXPECT_EQ(texts.size(), 4u);
  Example back;
  set(back, texts);
  EXPECT_EQ(back.shuffle, e.shuffle);
  EXPECT_EQ(back.omega, e.omega);
  EXPECT_EQ(back.colour, e.colour);
  EXPECT_EQ(back.sweeps, e.sweeps);
}

TEST(Nearest, ClosestFirstAndAtMostThree) {
  const std::vector<std::string> known = {"nsgs-ac", "nsgs-exact", "fp-vi-upk", "eg-vi-upk", "nsn-ac-gp"};
  ASSERT_FALSE(nearest("nsgs-a", known).empty());
  EXPECT_EQ(nearest("nsgs-a", known).front(), "nsgs-ac");
  EXPECT_EQ(nearest("eg-vi-uk", known).front(), "eg-vi-upk");
  EXPECT_LE(nearest("n", known).size(), 3u);
  EXPECT_TRUE(nearest("anything", {}).empty());
}

}  // namespace
}  // namespace cornet
