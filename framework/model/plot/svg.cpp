// The elements of a drawing as text, and the style sheet.
#include "svg.h"

#include <fmt/core.h>

#include <cmath>

#include "../../io/utf8.h"
#include "../../tensor/plain_nan.h"

namespace cornu::plot {
namespace {

// What a name of the style sheet sets, in the light and in the dark theme. Colors stand in the
// rules themselves: not every viewer of SVG knows variables.
struct Rule {
  const char* name;
  const char* property;
  const char* light;
  const char* dark;
};

constexpr Rule rules[] = {
    {"surface", "fill", "#fcfcfb", "#1a1a19"}, {"ink", "fill", "#0b0b0b", "#ffffff"},
    {"soft", "fill", "#52514e", "#c3c2b7"},    {"grid", "stroke", "#e1e0d9", "#2c2c2a"},
    {"axis", "stroke", "#b5b3aa", "#4a4945"},  {"box", "fill", "#ffffff", "#242423"},
    {"box", "stroke", "#c9c7bd", "#45443f"},   {"group", "fill", "#f3f2ee", "#1f1f1e"},
    {"group", "stroke", "#b5b3aa", "#4a4945"}, {"halo", "stroke", "#f3f2ee", "#1f1f1e"},
    {"edge", "stroke", "#7d7b74", "#95938a"},  {"tip", "fill", "#7d7b74", "#95938a"},
    {"on", "fill", "#ffffff", "#ffffff"},      {"cell", "fill", "#f3f2ee", "#242423"},
    {"plain", "fill", "#c9c7bd", "#5a5852"},
};

// Series differ by hue for readers of all kinds of color vision; each theme has its own lightness.
constexpr Rule hues[] = {
    {"s0", "", "#2a78d6", "#3987e5"}, {"s1", "", "#eb6834", "#d95926"},
    {"s2", "", "#1baf7a", "#199e70"}, {"s3", "", "#eda100", "#c98500"},
    {"s4", "", "#e87ba4", "#d55181"}, {"s5", "", "#008300", "#3c9a3c"},
    {"s6", "", "#4a3aa7", "#9085e9"}, {"s7", "", "#e34948", "#e66767"},
    {"s8", "", "#898781", "#898781"},
};

std::string colors(bool dark) {
  std::string css;
  for (const Rule& r : rules)
    css += fmt::format(".cornu .{}{{{}:{}}}", r.name, r.property, dark ? r.dark : r.light);
  for (const Rule& r : hues)
    css += fmt::format(".cornu .{0}.stroke{{stroke:{1}}}.cornu .{0}.fill{{fill:{1}}}", r.name,
                       dark ? r.dark : r.light);
  return css;
}

// What stands for a byte that is no UTF-8.
constexpr io::Utf8Character no_character = {.code = 0xFFFD, .length = 1};

// Widths of a sans-serif font's letters relative to its size.
double letter_width(unsigned char c) {
  if (c >= 0xC0) return 0.6;  // first byte of a letter beyond ASCII
  if (c >= 0x80) return 0;    // the others
  if (std::string_view("iljI.,:;'|!").find(static_cast<char>(c)) != std::string_view::npos)
    return 0.29;
  if (std::string_view("ft()[]{}/ -\"*r").find(static_cast<char>(c)) != std::string_view::npos)
    return 0.37;
  if (std::string_view("mwMW@%").find(static_cast<char>(c)) != std::string_view::npos) return 0.89;
  return c >= 'A' && c <= 'Z' ? 0.69 : 0.6;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto c = io::first_character(text).value_or(no_character);
    const std::string_view bytes = text.substr(0, c.length);
    text.remove_prefix(c.length);
    switch (c.code) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case 0xFFFD:  // a byte of no character, or the sign for it
      case 0xFFFE:
      case 0xFFFF:
        result += "\uFFFD";
        break;
      default:
        if (c.code < 0x20 && c.code != '\n' && c.code != '\t')
          result += '?';
        else
          result += bytes;
    }
  }
  return result;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const char c : text) width += letter_width(static_cast<unsigned char>(c));
  return width * font_size;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return fmt::format("{}", detail::plain_nan(value));
  if (size >= 1e4 && size < 1e6) return fmt::format("{:.4g}k", value / 1e3);
  if (size >= 1e6 && size < 1e9) return fmt::format("{:.4g}M", value / 1e6);
  return fmt::format("{:.4g}", value);
}

std::string series(int color) {
  return fmt::format("s{}", color < series_colors ? color : series_colors);
}

std::string style_sheet() {
  return ".cornu{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,"
         "sans-serif;font-size:12px}"
         ".cornu .middle{text-anchor:middle}.cornu .end{text-anchor:end}"
         ".cornu .title{font-size:14px;font-weight:600}.cornu .bold{font-weight:600}"
         ".cornu .card{font-size:13px;font-weight:600}"
         ".cornu .halo{stroke-width:5;paint-order:stroke}"
         ".cornu .stroke,.cornu .edge{fill:none}"
         ".cornu .thick{stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
         ".cornu .edge{stroke-width:1.4}.cornu .dashed{stroke-dasharray:5 4}"
         ".cornu .hit{fill-opacity:0}.cornu .hit:hover{fill-opacity:1}" +
         colors(false) + "@media (prefers-color-scheme:dark){" + colors(true) + "}";
}

void Svg::rect(double x, double y, double width, double height, double radius,
               std::string_view style) {
  body_ += fmt::format(
      R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:g}" class="{}"/>)", x, y,
      width, height, radius, style);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1,
                       y1, x2, y2, style);
}

void Svg::path(std::string_view commands, std::string_view style) {
  body_ += fmt::format(R"(<path d="{}" class="{}"/>)", commands, style);
}

void Svg::disk(double x, double y, double radius, std::string_view title, std::string_view style) {
  body_ +=
      fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:g}" class="{}")", x, y, radius, style);
  body_ += title.empty() ? "/>" : fmt::format("><title>{}</title></circle>", escape(title));
}

void Svg::text(double x, double y, std::string_view text, std::string_view style) {
  body_ +=
      fmt::format(R"(<text x="{:.1f}" y="{:.1f}" class="{}">{}</text>)", x, y, style, escape(text));
}

std::string Svg::open(bool alone) const {
  return fmt::format(
      R"(<svg{0} class="cornu" role="img" aria-label="{1}" width="{2:.0f}" height="{3:.0f}" viewBox="0 0 {2:.0f} {3:.0f}">)",
      alone ? R"( xmlns="http://www.w3.org/2000/svg")" : "", escape(label_), std::ceil(width_),
      std::ceil(height_));
}

std::string Svg::element() const { return open(false) + body_ + "</svg>"; }

std::string Svg::file() const {
  return open(true) + "<title>" + escape(label_) + "</title><style>" + style_sheet() +
         R"(</style><rect width="100%" height="100%" class="surface"/>)" + body_ + "</svg>\n";
}

}  // namespace cornu::plot
