// Writing SVG: see svg.h.
#include "reproduce/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cornet::svg {
namespace {

constexpr double kLegendRow = 19;
constexpr const char* kFont = "font-family=\"DejaVu Sans, Verdana, Helvetica, sans-serif\"";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

// Two decimals are a hundredth of a pixel.
std::string px(double value) {
  if (!std::isfinite(value)) value = -1e4;
  std::string text = fmt::format("{:.2f}", std::clamp(value, -1e5, 1e5));
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attributes(const Style& style) {
  std::string out = fmt::format("stroke=\"{}\" stroke-width=\"{}\" fill=\"{}\"", style.stroke, px(style.width), style.fill);
  if (!style.dash.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", style.dash);
  if (style.opacity < 1) out += fmt::format(" opacity=\"{}\"", px(style.opacity));
  return out;
}

std::string path(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points) out += fmt::format("{}{},{}", out.empty() ? "" : " ", px(p.x), px(p.y));
  return out;
}

std::string tick_text(double value, double step, bool log) {
  if (log) {
    const long power = std::lround(std::log10(value));
    if (power >= -2 && power <= 3) return fmt::format("{:g}", value);
    std::string digits = std::to_string(std::abs(power)), out = power < 0 ? "10⁻" : "10";
    static const std::array<const char*, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    for (const char c : digits) out += kRaised[static_cast<std::size_t>(c - '0')];
    return out;
  }
  if (std::abs(value) < 1e-9 * step) value = 0;
  const std::string text = fmt::format("{:.6g}", value);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

// From dark (0) to light (1).
std::string shade(double t) {
  static const std::array<std::array<double, 3>, 6> kStops = {
      {{23, 37, 84}, {33, 92, 152}, {54, 150, 170}, {124, 196, 160}, {202, 227, 160}, {253, 249, 214}}};
  t = std::clamp(std::isfinite(t) ? t : 1.0, 0.0, 1.0) * (kStops.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(t), kStops.size() - 2);
  std::string out = "#";
  for (std::size_t c = 0; c < 3; ++c)
    out += fmt::format("{:02x}",
                       static_cast<int>(std::lround(kStops[k][c] + (t - static_cast<double>(k)) * (kStops[k + 1][c] - kStops[k][c]))));
  return out;
}

double along(const Axis& axis, double value) {
  if (!axis.log) return (value - axis.low) / (axis.high - axis.low);
  const double low = std::log10(axis.low), high = std::log10(axis.high);
  return (std::log10(std::max(value, 1e-300)) - low) / (high - low);
}

}  // namespace

const char* nth_colour(int k) {
  static const std::array<const char*, 6> kColours = {colour::kBlue,   colour::kRed,    colour::kGreen,
                                                      colour::kPurple, colour::kOrange, colour::kSky};
  return kColours[static_cast<std::size_t>(k) % kColours.size()];
}

Style stroke(const std::string& colour, double width, const std::string& dash) { return {colour, width, "none", dash, 1}; }
Style fill(const std::string& colour, double opacity) { return {"none", 0, colour, "", opacity}; }

Canvas::Canvas(double width, double height) : width_(width), height_(height) {}

void Canvas::line(Point a, Point b, const Style& style) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", px(a.x), px(a.y), px(b.x), px(b.y), attributes(style));
}

void Canvas::polyline(const std::vector<Point>& points, const Style& style) {
  body_ += fmt::format("<polyline points=\"{}\" {} stroke-linejoin=\"round\"/>\n", path(points), attributes(style));
}

void Canvas::polygon(const std::vector<Point>& points, const Style& style) {
  body_ += fmt::format("<polygon points=\"{}\" {} stroke-linejoin=\"round\"/>\n", path(points), attributes(style));
}

void Canvas::circle(Point centre, double radius, const Style& style) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", px(centre.x), px(centre.y), px(radius), attributes(style));
}

void Canvas::rectangle(Point corner, double width, double height, const Style& style) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", px(corner.x), px(corner.y), px(width), px(height),
                       attributes(style));
}

void Canvas::arrow(Point tail, Point tip, const Style& style) {
  const double dx = tip.x - tail.x, dy = tip.y - tail.y, length = std::hypot(dx, dy);
  if (length < 0.5) return;
  const double ex = dx / length, ey = dy / length, head = std::min(5 + 2.5 * style.width, length), half = 0.4 * head;
  line(tail, {tip.x - 0.8 * head * ex, tip.y - 0.8 * head * ey}, style);
  const Point base{tip.x - head * ex, tip.y - head * ey};
  polygon({tip, {base.x - half * ey, base.y + half * ex}, {base.x + half * ey, base.y - half * ex}},
          {"none", 0, style.stroke, "", style.opacity});
}

void Canvas::text(Point where, const std::string& text, const TextStyle& style) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\" {}{}{}>{}</text>\n", px(where.x),
                       px(where.y), px(style.size), style.anchor, style.colour, kFont, style.bold ? " font-weight=\"bold\"" : "",
                       style.turn == 0 ? "" : fmt::format(" transform=\"rotate({} {} {})\"", px(style.turn), px(where.x), px(where.y)),
                       escaped(text));
}

void Canvas::begin_clip(Point corner, double width, double height) {
  ++clips_;
  body_ +=
      fmt::format("<clipPath id=\"c{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n<g clip-path=\"url(#c{})\">\n",
                  clips_, px(corner.x), px(corner.y), px(width), px(height), clips_);
}

void Canvas::end_clip() { body_ += "</g>\n"; }

std::string Canvas::str() const {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} "
      "{1}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      px(width_), px(height_), body_);
}

Axis axis_of(const std::vector<double>& values, const std::string& label, bool log) {
  Axis axis{0, 1, label, log};
  double low = INFINITY, high = -INFINITY;
  for (const double x : values)
    if (std::isfinite(x) && (!log || x > 0)) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  if (!(low <= high)) return log ? Axis{0.1, 1, label, true} : axis;
  if (log) return {std::pow(10, std::floor(std::log10(low))), std::pow(10, std::floor(std::log10(high)) + 1), label, true};
  const double room = high > low ? 0.05 * (high - low) : 0.5 * std::max(1.0, std::abs(high));
  return {low - room, high + room, label, false};
}

std::vector<double> ticks(const Axis& axis, int wanted) {
  std::vector<double> out;
  if (axis.log) {
    const long first = std::lround(std::ceil(std::log10(axis.low) - 1e-9)), last = std::lround(std::floor(std::log10(axis.high) + 1e-9));
    const long step = std::max(1L, (last - first + wanted - 1) / wanted);
    for (long k = first; k <= last; k += step) out.push_back(std::pow(10, static_cast<double>(k)));
    return out;
  }
  const double raw = (axis.high - axis.low) / wanted, power = std::pow(10, std::floor(std::log10(raw))), digit = raw / power;
  const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  for (double x = std::ceil(axis.low / step - 1e-9) * step; x <= axis.high + 1e-9 * step; x += step) out.push_back(x);
  return out;
}

Grid sample(int nx, int ny, double x0, double x1, double y0, double y1, const std::function<double(double, double)>& f) {
  Grid grid{nx, ny, x0, x1, y0, y1, {}};
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) grid.values.push_back(f(grid.x(i), grid.y(j)));
  return grid;
}

Plot::Plot(Canvas& canvas, const Frame& frame, const Axis& x, const Axis& y, const std::string& title, bool equal, Look look)
    : canvas_(canvas), frame_(frame), x_(x), y_(y) {
  if (equal) {
    const double sx = (x_.high - x_.low) / frame_.width, sy = (y_.high - y_.low) / frame_.height, s = std::max(sx, sy);
    const double grow_x = 0.5 * (s - sx) * frame_.width, grow_y = 0.5 * (s - sy) * frame_.height;
    x_.low -= grow_x;
    x_.high += grow_x;
    y_.low -= grow_y;
    y_.high += grow_y;
  }
  if (!title.empty()) canvas_.text({frame_.left + frame_.width / 2, frame_.top - 14}, title, {15, "middle", colour::kBlack, 0, true});
  if (look == Look::axes) draw_axes();
}

void Plot::draw_axes() {
  const double bottom = frame_.top + frame_.height, step_x = (x_.high - x_.low) / 8, step_y = (y_.high - y_.low) / 6;
  for (const double t : ticks(x_, std::max(2, static_cast<int>(frame_.width / 80)))) {
    const double at = frame_.left + along(x_, t) * frame_.width;
    canvas_.line({at, frame_.top}, {at, bottom}, stroke("#EEEEEE", 1));
    canvas_.line({at, bottom}, {at, bottom + 5}, stroke(colour::kGrey, 1));
    canvas_.text({at, bottom + 19}, tick_text(t, step_x, x_.log), {12});
  }
  for (const double t : ticks(y_, std::max(2, static_cast<int>(frame_.height / 50)))) {
    const double at = bottom - along(y_, t) * frame_.height;
    canvas_.line({frame_.left, at}, {frame_.left + frame_.width, at}, stroke("#EEEEEE", 1));
    canvas_.line({frame_.left - 5, at}, {frame_.left, at}, stroke(colour::kGrey, 1));
    canvas_.text({frame_.left - 8, at + 4}, tick_text(t, step_y, y_.log), {12, "end"});
  }
  canvas_.rectangle({frame_.left, frame_.top}, frame_.width, frame_.height, stroke(colour::kGrey, 1));
  canvas_.text({frame_.left + frame_.width / 2, bottom + 40}, x_.label, {13});
  if (!y_.label.empty()) canvas_.text({frame_.left - 50, frame_.top + frame_.height / 2}, y_.label, {13, "middle", colour::kBlack, -90});
}

Point Plot::pixel(Point p) const {
  return {frame_.left + along(x_, p.x) * frame_.width, frame_.top + (1 - along(y_, p.y)) * frame_.height};
}

void Plot::clipped(const std::function<void()>& draw) {
  canvas_.begin_clip({frame_.left, frame_.top}, frame_.width, frame_.height);
  draw();
  canvas_.end_clip();
}

void Plot::line(const std::vector<Point>& points, const Style& style, const std::string& label) {
  std::vector<Point> pixels;
  for (const Point& p : points) pixels.push_back(pixel(p));
  clipped([&] { canvas_.polyline(pixels, style); });
  if (!label.empty()) entries_.push_back({style, label, Entry::kLine});
}

void Plot::markers(const std::vector<Point>& points, const Style& style, double radius, const std::string& label) {
  // Not clipped: a marker on the border stays whole.
  for (const Point& p : points)
    if (const double x = along(x_, p.x), y = along(y_, p.y); x > -0.01 && x < 1.01 && y > -0.01 && y < 1.01)
      canvas_.circle(pixel(p), radius, style);
  if (!label.empty()) entries_.push_back({style, label, Entry::kMarker});
}

void Plot::polygon(const std::vector<Point>& points, const Style& style, const std::string& label) {
  std::vector<Point> pixels;
  for (const Point& p : points) pixels.push_back(pixel(p));
  clipped([&] { canvas_.polygon(pixels, style); });
  if (!label.empty()) entries_.push_back({style, label, Entry::kArea});
}

void Plot::circle(Point centre, double radius, const Style& style) {
  const double r = std::abs(pixel({centre.x + radius, centre.y}).x - pixel(centre).x);
  clipped([&] { canvas_.circle(pixel(centre), r, style); });
}

void Plot::arrow(Point tail, Point tip, const Style& style, const std::string& label) {
  canvas_.arrow(pixel(tail), pixel(tip), style);
  if (!label.empty()) entries_.push_back({style, label, Entry::kLine});
}

void Plot::text(Point where, const std::string& text, const TextStyle& style, double dx, double dy) {
  const Point p = pixel(where);
  canvas_.text({p.x + dx, p.y + dy}, text, style);
}

void Plot::heat(const Grid& grid, double low, double high) {
  const double cell_x = (grid.x1 - grid.x0) / (grid.nx - 1), cell_y = (grid.y1 - grid.y0) / (grid.ny - 1);
  clipped([&] {
    for (int j = 0; j < grid.ny; ++j)
      for (int i = 0; i < grid.nx; ++i) {
        const Point a = pixel({grid.x(i) - cell_x / 2, grid.y(j) + cell_y / 2}),
                    b = pixel({grid.x(i) + cell_x / 2, grid.y(j) - cell_y / 2});
        // A little overlap hides the seams.
        canvas_.rectangle(a, b.x - a.x + 0.6, b.y - a.y + 0.6, fill(shade((grid.at(i, j) - low) / (high - low))));
      }
  });
}

void Plot::regions(const Grid& grid, const std::vector<std::string>& colours) {
  const double cell_x = (grid.x1 - grid.x0) / (grid.nx - 1), cell_y = (grid.y1 - grid.y0) / (grid.ny - 1);
  clipped([&] {
    for (int j = 0; j < grid.ny; ++j)
      for (int i = 0; i < grid.nx;) {
        int end = i + 1;
        while (end < grid.nx && grid.at(end, j) == grid.at(i, j)) ++end;
        const Point a = pixel({grid.x(i) - cell_x / 2, grid.y(j) + cell_y / 2}),
                    b = pixel({grid.x(end - 1) + cell_x / 2, grid.y(j) - cell_y / 2});
        canvas_.rectangle(a, b.x - a.x + 0.3, b.y - a.y + 0.3, fill(colours.at(static_cast<std::size_t>(grid.at(i, j)))));
        i = end;
      }
  });
}

void Plot::contours(const Grid& grid, const std::vector<double>& levels, const Style& style) {
  clipped([&] {
    for (const double level : levels)
      for (int j = 0; j + 1 < grid.ny; ++j)
        for (int i = 0; i + 1 < grid.nx; ++i) {
          // Where the level crosses the sides of a cell, going round it; two or four crossings.
          const std::array<std::array<int, 2>, 4> corner = {{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
          std::vector<Point> crossing;
          for (std::size_t k = 0; k < 4; ++k) {
            const auto [ai, aj] = corner[k];
            const auto [bi, bj] = corner[(k + 1) % 4];
            const double a = grid.at(ai, aj) - level, b = grid.at(bi, bj) - level;
            if ((a < 0) == (b < 0)) continue;
            const double t = a / (a - b);
            crossing.push_back(pixel({grid.x(ai) + t * (grid.x(bi) - grid.x(ai)), grid.y(aj) + t * (grid.y(bj) - grid.y(aj))}));
          }
          for (std::size_t k = 0; k + 1 < crossing.size(); k += 2) canvas_.line(crossing[k], crossing[k + 1], style);
        }
  });
}

void Plot::colour_bar(double low, double high, const std::string& label) {
  const double left = frame_.left + frame_.width + 18, width = 16;
  const int pieces = 60;
  for (int k = 0; k < pieces; ++k)
    canvas_.rectangle({left, frame_.top + frame_.height * (1 - (k + 1.0) / pieces)}, width, frame_.height / pieces + 0.5,
                      fill(shade((k + 0.5) / pieces)));
  canvas_.rectangle({left, frame_.top}, width, frame_.height, stroke(colour::kGrey, 1));
  const Axis axis{low, high, label, false};
  for (const double t : ticks(axis, 6)) {
    const double at = frame_.top + frame_.height * (1 - along(axis, t));
    canvas_.line({left + width, at}, {left + width + 4, at}, stroke(colour::kGrey, 1));
    canvas_.text({left + width + 7, at + 4}, tick_text(t, (high - low) / 6, false), {12, "start"});
  }
  canvas_.text({left + width / 2, frame_.top - 8}, label, {13});
}

Point Plot::legend_size() const {
  std::size_t longest = 0;
  for (const Entry& entry : entries_) {
    std::size_t length = 0;
    for (const char c : entry.label) length += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    longest = std::max(longest, length);
  }
  return {44 + 7.4 * static_cast<double>(longest), kLegendRow * static_cast<double>(entries_.size()) + 8};
}

void Plot::legend(Corner corner) {
  const Point size = legend_size();
  const double gap = 8;
  const bool left = corner == Corner::top_left || corner == Corner::bottom_left;
  const bool top = corner == Corner::top_left || corner == Corner::top_right;
  legend_at(left ? frame_.left + gap : frame_.left + frame_.width - size.x - gap,
            top ? frame_.top + gap : frame_.top + frame_.height - size.y - gap);
}

void Plot::legend_at(double x, double y) {
  if (entries_.empty()) return;
  const Point size = legend_size();
  canvas_.rectangle({x, y}, size.x, size.y, {colour::kPale, 1, "#FFFFFF", "", 0.9});
  y += 4 + kLegendRow / 2;
  for (const Entry& entry : entries_) {
    if (entry.kind == Entry::kLine) canvas_.line({x + 8, y}, {x + 32, y}, entry.style);
    else if (entry.kind == Entry::kMarker) canvas_.circle({x + 20, y}, 3.5, entry.style);
    else canvas_.rectangle({x + 10, y - 6}, 20, 12, entry.style);
    canvas_.text({x + 38, y + 4}, entry.label, {12, "start"});
    y += kLegendRow;
  }
}

}  // namespace cornet::svg
