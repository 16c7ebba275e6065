// A small plotting library that writes SVG: a canvas in pixels, and plots in data coordinates on it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cornet::svg {

struct Point {
  double x = 0;
  double y = 0;
};

/// Colours that people with any kind of colour vision can tell apart (Okabe and Ito).
namespace colour {
constexpr const char* kBlue = "#0072B2";
constexpr const char* kRed = "#D55E00";
constexpr const char* kGreen = "#009E73";
constexpr const char* kPurple = "#AA4499";
constexpr const char* kOrange = "#E69F00";
constexpr const char* kSky = "#56B4E9";
constexpr const char* kBlack = "#222222";
constexpr const char* kGrey = "#777777";
constexpr const char* kPale = "#DDDDDD";
}  // namespace colour

/// The k-th of them, for curves that are counted.
const char* nth_colour(int k);

struct Style {
  std::string stroke = colour::kBlack;
  double width = 1.5;
  std::string fill = "none";
  std::string dash;  ///< for example "5 3"
  double opacity = 1;
};

Style stroke(const std::string& colour, double width = 1.5, const std::string& dash = "");
Style fill(const std::string& colour, double opacity = 1);

struct TextStyle {
  double size = 13;
  std::string anchor = "middle";  ///< start, middle, end
  std::string colour = colour::kBlack;
  double turn = 0;  ///< degrees
  bool bold = false;
};

class Canvas {
 public:
  Canvas(double width, double height);

  void line(Point a, Point b, const Style& style);
  void polyline(const std::vector<Point>& points, const Style& style);
  void polygon(const std::vector<Point>& points, const Style& style);
  void circle(Point centre, double radius, const Style& style);
  void rectangle(Point corner, double width, double height, const Style& style);
  void arrow(Point tail, Point tip, const Style& style);  ///< the head is filled with the stroke's colour
  void text(Point where, const std::string& text, const TextStyle& style = {});

  /// What is drawn until end_clip() shows only inside the rectangle.
  void begin_clip(Point corner, double width, double height);
  void end_clip();

  double width() const { return width_; }
  double height() const { return height_; }
  std::string str() const;  ///< the file

 private:
  double width_, height_;
  int clips_ = 0;
  std::string body_;
};

/// A rectangle of the canvas, in pixels; the axes are drawn outside of it.
struct Frame {
  double left = 70, top = 40, width = 620, height = 350;
};

struct Axis {
  double low = 0, high = 1;
  std::string label;
  bool log = false;
};

/// An axis that holds all values, with a little room.
Axis axis_of(const std::vector<double>& values, const std::string& label, bool log = false);

/// Round numbers from low to high: 1, 2 or 5 times a power of ten apart; powers of ten on a logarithmic axis.
std::vector<double> ticks(const Axis& axis, int wanted);

enum class Corner { top_left, top_right, bottom_left, bottom_right };

/// Values on an even grid over [x0, x1] × [y0, y1], x fastest.
struct Grid {
  int nx = 0, ny = 0;
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
  std::vector<double> values;
  double at(int i, int j) const { return values[static_cast<std::size_t>(j * nx + i)]; }
  double x(int i) const { return x0 + (x1 - x0) * i / (nx - 1); }
  double y(int j) const { return y0 + (y1 - y0) * j / (ny - 1); }
};

Grid sample(int nx, int ny, double x0, double x1, double y0, double y1, const std::function<double(double, double)>& f);

class Plot {
 public:
  enum class Look { axes, bare };  ///< bare: no axes, a drawing of a mechanism

  /// `equal`: one unit is as long on both axes; the ranges grow to fill the frame.
  Plot(Canvas& canvas, const Frame& frame, const Axis& x, const Axis& y, const std::string& title = "", bool equal = false,
       Look look = Look::axes);

  /// Curves with a label appear in the legend.
  void line(const std::vector<Point>& points, const Style& style, const std::string& label = "");
  /// Those outside of the frame are left out.
  void markers(const std::vector<Point>& points, const Style& style, double radius = 3.5, const std::string& label = "");
  void polygon(const std::vector<Point>& points, const Style& style, const std::string& label = "");
  void circle(Point centre, double radius, const Style& style);  ///< radius in units of x
  void arrow(Point tail, Point tip, const Style& style, const std::string& label = "");
  void text(Point where, const std::string& text, const TextStyle& style = {}, double dx = 0, double dy = 0);  ///< dx, dy in pixels

  /// Shades of a grid: dark is low. Values above `high` have the last shade.
  void heat(const Grid& grid, double low, double high);
  void contours(const Grid& grid, const std::vector<double>& levels, const Style& style);
  /// Regions: one colour per whole number.
  void regions(const Grid& grid, const std::vector<std::string>& colours);
  /// A bar with the shades of heat(), to the right of the frame.
  void colour_bar(double low, double high, const std::string& label);

  void legend(Corner corner);
  void legend_at(double x, double y);  ///< upper left corner, in pixels

  Point pixel(Point p) const;
  double x_low() const { return x_.low; }
  double x_high() const { return x_.high; }
  double y_low() const { return y_.low; }
  double y_high() const { return y_.high; }

 private:
  void draw_axes();
  Point legend_size() const;
  void clipped(const std::function<void()>& draw);

  struct Entry {
    Style style;
    std::string label;
    enum Kind { kLine, kMarker, kArea } kind;
  };
  Canvas& canvas_;
  Frame frame_;
  Axis x_, y_;
  std::vector<Entry> entries_;
};

}  // namespace cornet::svg
