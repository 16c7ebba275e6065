// The plotting helper: ticks, axes, escaping, mapping, contours.
#include <gtest/gtest.h>

#include "reproduce/svg.h"
#include "support/fixtures.h"

namespace cornet::svg {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

void expect_ticks(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
}

TEST(Ticks, AreRoundNumbersInside) {
  expect_ticks(ticks({0, 1, ""}, 5), {0, 0.2, 0.4, 0.6, 0.8, 1});
  expect_ticks(ticks({-1.2, 1.1, ""}, 5), {-1, -0.5, 0, 0.5, 1});
  expect_ticks(ticks({3, 97, ""}, 4), {50});
  expect_ticks(ticks({0, 0.0042, ""}, 4), {0, 0.002, 0.004});
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTen) {
  expect_ticks(ticks({0.05, 200, "", true}, 8), {0.1, 1, 10, 100});
  expect_ticks(ticks({1e-4, 1e4, "", true}, 4), {1e-4, 1e-2, 1, 1e2, 1e4});
}

TEST(AxisOf, HoldsAllValuesAndSkipsWhatIsNotFinite) {
  const Axis axis = axis_of({1, 3, test::kNan, 2, test::kInfinity}, "x");
  EXPECT_NEAR(axis.low, 0.9, 1e-12);
  EXPECT_NEAR(axis.high, 3.1, 1e-12);
  const Axis one = axis_of({4}, "x");
  EXPECT_LT(one.low, 4);
  EXPECT_GT(one.high, 4);
  const Axis log = axis_of({0, 0.003, 20}, "x", true);
  EXPECT_NEAR(log.low, 1e-3, 1e-15);
  EXPECT_NEAR(log.high, 100, 1e-9);
  EXPECT_LT(axis_of({}, "x").low, axis_of({}, "x").high);
}

TEST(Canvas, WritesOneDocumentAndEscapesText) {
  Canvas canvas(100, 50);
  canvas.text({1, 2}, "a < b & \"c\"");
  canvas.line({0, 0}, {10, 10}, stroke(colour::kRed, 2, "5 3"));
  const std::string file = canvas.str();
  EXPECT_EQ(file.rfind("<?xml", 0), 0u);
  EXPECT_TRUE(test::contains(file, "width=\"100\" height=\"50\""));
  EXPECT_TRUE(test::contains(file, "a &lt; b &amp; &quot;c&quot;"));
  EXPECT_TRUE(test::contains(file, "stroke-dasharray=\"5 3\""));
  EXPECT_TRUE(file.ends_with("</svg>\n"));
}

TEST(Canvas, AnArrowWithoutLengthIsNotDrawn) {
  Canvas none(10, 10), one(10, 10);
  none.arrow({5, 5}, {5, 5}, {});
  one.arrow({1, 1}, {9, 9}, {});
  EXPECT_EQ(count(none.str(), "<polygon"), 0);
  EXPECT_EQ(count(one.str(), "<polygon"), 1);
}

TEST(Plot, MapsDataToPixels) {
  Canvas canvas(200, 200);
  const Plot plot(canvas, {10, 20, 100, 50}, {0, 2, "x"}, {1, 100, "y", true});
  EXPECT_NEAR(plot.pixel({0, 1}).x, 10, 1e-12);
  EXPECT_NEAR(plot.pixel({0, 1}).y, 70, 1e-12);
  EXPECT_NEAR(plot.pixel({1, 10}).x, 60, 1e-12);
  EXPECT_NEAR(plot.pixel({1, 10}).y, 45, 1e-12);
}

TEST(Plot, EqualAxesHaveOneScale) {
  Canvas canvas(300, 200);
  const Plot plot(canvas, {0, 0, 200, 100}, {-1, 1, ""}, {-1, 1, ""}, "", true);
  const Point o = plot.pixel({0, 0}), x = plot.pixel({1, 0}), y = plot.pixel({0, 1});
  EXPECT_NEAR(x.x - o.x, o.y - y.y, 1e-12);
  EXPECT_NEAR(o.x, 100, 1e-12);
}

TEST(Plot, MarkersOutsideOfTheFrameAreLeftOut) {
  Canvas canvas(200, 200);
  Plot plot(canvas, {10, 10, 100, 100}, {0, 1, ""}, {0, 1, ""});
  plot.markers({{0.5, 0.5}, {1, 1}, {1.5, 0.5}, {0.5, -2}}, fill(colour::kBlue));
  EXPECT_EQ(count(canvas.str(), "<circle"), 2);
}

TEST(Plot, TheLegendNamesWhatHasALabel) {
  Canvas canvas(300, 200);
  Plot plot(canvas, {10, 10, 200, 100}, {0, 1, ""}, {0, 1, ""});
  plot.line({{0, 0}, {1, 1}}, {}, "first");
  plot.line({{0, 1}, {1, 0}}, {});
  plot.markers({{0.5, 0.5}}, {}, 3, "second");
  plot.legend(Corner::top_left);
  EXPECT_EQ(count(canvas.str(), ">first<"), 1);
  EXPECT_EQ(count(canvas.str(), ">second<"), 1);
}

TEST(Plot, ContoursOfAPlaneAreStraight) {
  Canvas canvas(200, 200);
  Plot plot(canvas, {0, 0, 100, 100}, {0, 1, ""}, {0, 1, ""}, "", false, Plot::Look::bare);
  const Grid grid = sample(11, 11, 0, 1, 0, 1, [](double x, double) { return x; });
  EXPECT_EQ(grid.at(3, 7), grid.x(3));
  plot.contours(grid, {0.25}, stroke(colour::kBlack));
  // One segment per row of cells, all at x = 25 pixels.
  EXPECT_EQ(count(canvas.str(), "x1=\"25\""), 10);
  EXPECT_EQ(count(canvas.str(), "x2=\"25\""), 10);
}

TEST(Plot, RegionsMergeEqualNeighbours) {
  Canvas canvas(200, 200);
  Plot plot(canvas, {0, 0, 100, 100}, {0, 1, ""}, {0, 1, ""}, "", false, Plot::Look::bare);
  plot.regions(sample(10, 2, 0, 1, 0, 1, [](double x, double) { return x < 0.5 ? 0.0 : 1.0; }), {"#111111", "#222222"});
  EXPECT_EQ(count(canvas.str(), "#111111"), 2);
  EXPECT_EQ(count(canvas.str(), "#222222"), 2);
}

}  // namespace
}  // namespace cornet::svg
