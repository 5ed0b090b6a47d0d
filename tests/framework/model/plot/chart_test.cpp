// Curves: decimation, ticks, and History::plot.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/model/plot/history_charts.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace chart_test {

using namespace cornu;
using namespace cornu::plot;
namespace fs = std::filesystem;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

Curve curve_of(std::vector<double> y) {
  Curve curve;
  for (size_t i = 0; i < y.size(); ++i) curve.x.push_back(static_cast<double>(i));
  curve.y = std::move(y);
  return curve;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string plotted(const History& history) {
  const fs::path path = fs::temp_directory_path() / "cornu_history_plot_test.svg";
  history.plot(path.string());
  std::ifstream stream(path);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  fs::remove(path);
  return text;
}

}  // namespace

TEST_CASE("Decimation keeps the ends, the least and the largest of each column") {
  std::vector<double> y(10000);
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::sin(0.01 * static_cast<double>(i));
  y[4321] = 50;
  y[8765] = -50;
  const auto stretches = decimate(curve_of(y), 0, 9999, 100);
  REQUIRE(stretches.size() == 1);
  const auto& points = stretches[0];
  CHECK(points.size() <= 404);
  CHECK(points.size() >= 100);
  CHECK(points.front().x == 0);
  CHECK(points.back().x == 9999);
  bool peak = false, pit = false, rising = true;
  for (size_t i = 0; i < points.size(); ++i) {
    peak |= points[i].x == 4321 && points[i].y == 50;
    pit |= points[i].x == 8765 && points[i].y == -50;
    rising &= i == 0 || points[i].x > points[i - 1].x;
  }
  CHECK(peak);
  CHECK(pit);
  CHECK(rising);
}

TEST_CASE("Few points stay as they are, and what is no number is a gap") {
  const auto stretches = decimate(curve_of({1, 2, nan_value, 4, INFINITY, 6}), 0, 5, 300);
  REQUIRE(stretches.size() == 3);
  CHECK(stretches[0].size() == 2);
  CHECK(stretches[0][1].y == 2);
  CHECK(stretches[1].size() == 1);
  CHECK(stretches[2][0].x == 5);
  CHECK(decimate(curve_of({nan_value, nan_value}), 0, 1, 10).empty());
  CHECK(decimate(curve_of({}), 0, 1, 10).empty());
}

TEST_CASE("Ticks are round numbers within the range") {
  CHECK(ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  const std::vector<double> small = ticks(0.013, 0.052, 4);
  REQUIRE(small.size() == 4);
  CHECK(small[0] == Approx(0.02));
  CHECK(small[3] == Approx(0.05));
  CHECK(ticks(1, 1, 5).empty());
}

TEST_CASE("Ticks of the largest numbers, and of numbers far from 0") {
  const std::vector<double> wide = ticks(-1e308, 1e308, 4);
  REQUIRE(wide.size() >= 3);
  for (const double tick : wide) CHECK(std::isfinite(tick));
  for (const double tick : ticks(-1.7e308, 1.7e308, 4)) CHECK(std::isfinite(tick));
  // Numbers lie 128 apart here, ticks would lie 50 apart.
  CHECK(ticks(1e18, 1e18 + 128, 5).size() <= 6);
}

TEST_CASE("A chart of the largest numbers has finite coordinates") {
  for (const double large : {1e308, 1.7e308}) {
    LineChart chart{.title = "huge", .x_title = "epoch", .curves = {curve_of({-large, 0, large})}};
    Svg svg(panel_width, panel_height, "huge");
    draw(svg, chart, 0, 0);
    const std::string text = svg.element();
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.find("inf") == std::string::npos);
    // The curve goes from below to above the middle.
    CHECK(count(text, "class=\"grid\"") >= 3);
    chart.curves[0].x = {-large, 0, large};
    Svg wide(panel_width, panel_height, "wide");
    draw(wide, chart, 0, 0);
    CHECK(wide.element().find("nan") == std::string::npos);
    CHECK(wide.element().find("inf") == std::string::npos);
    CHECK(decimate(chart.curves[0], -large, large, 100)[0].size() == 3);
  }
}

TEST_CASE("Texts of XML are UTF-8") {
  CHECK(escape("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escape("\x01\n\t\x1F") == "?\n\t?");
  for (const char* text : {"\u00E9", "\u20AC", "\U0001F600", "\uFFFD", "\uE000", "\u0080"})
    CHECK(escape(text) == text);
  const std::string mark = "\uFFFD";
  CHECK(escape("a\xFF"
               "b") == "a" + mark + "b");
  CHECK(escape("\xE2\x82") == mark + mark);                     // cut
  CHECK(escape("\xC0\xAF") == mark + mark);                     // longer than it has to be
  CHECK(escape("\xED\xA0\x80") == mark + mark + mark);          // a surrogate
  CHECK(escape("\xF4\x90\x80\x80").size() == 4 * mark.size());  // above U+10FFFF
  CHECK(escape("\xEF\xBF\xBE\xEF\xBF\xBF") == mark + mark);     // none of XML's characters
  CHECK(escape("\x80<") == mark + "&lt;");
}

TEST_CASE("Validation stands at the epochs that had one") {
  History history;
  history.epoch = {0, 1, 2, 3, 4};
  history.history = {{"loss", {5, 4, 3, 2, 1}}, {"val_loss", {4, 2}}};
  const auto figures = figures_of(history);
  CHECK(figures.at("loss").epochs == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(figures.at("val_loss").epochs == std::vector<double>{2, 4});
}

TEST_CASE("A chart for the loss, then one for each metric") {
  History history;
  history.epoch = {0, 1};
  history.history = {{"accuracy", {0.5, 0.6}}, {"loss", {2, 1}}, {"val_loss", {2, 1.5}}};
  const auto charts = history_charts({{"", figures_of(history)}});
  REQUIRE(charts.size() == 2);
  CHECK(charts[0].title == "loss");
  REQUIRE(charts[0].curves.size() == 2);
  CHECK(charts[0].curves[1].dashed);
  CHECK(charts[0].curves[0].color != charts[0].curves[1].color);
  CHECK(charts[1].title == "accuracy");

  const auto compared = history_charts({{"a", figures_of(history)}, {"b", figures_of(history)}});
  REQUIRE(compared[0].curves.size() == 4);
  CHECK(compared[0].curves[0].color == compared[0].curves[1].color);
  CHECK(compared[0].curves[0].color != compared[0].curves[2].color);
  CHECK(compared[0].curves[2].name == "b");
}

TEST_CASE("History::plot writes a panel for each figure") {
  History history;
  for (int64_t e = 0; e < 8; ++e) {
    history.epoch.push_back(e);
    const auto x = static_cast<double>(e);
    history.history["loss"].push_back(e == 3 ? nan_value : 2 / (x + 1));
    history.history["val_loss"].push_back(3 / (x + 1));
    history.history["a<b>&\"c\""].push_back(x);
  }
  const std::string svg = plotted(history);
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("xmlns=\"http://www.w3.org/2000/svg\"") != std::string::npos);
  CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(svg.find("a&lt;b&gt;&amp;&quot;c&quot;") != std::string::npos);
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(count(svg, "<text") == count(svg, "</text>"));
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(count(svg, "stroke thick dashed") == 2);  // the curve, and its mark in the legend
}

TEST_CASE("History::plot of a million epochs draws what a screen can show") {
  History history;
  for (int64_t e = 0; e < 1000000; ++e) {
    history.epoch.push_back(e);
    history.history["loss"].push_back(static_cast<double>(e * 7919 % 1000));
  }
  const std::string svg = plotted(history);
  CHECK(svg.size() < 100000);
}

TEST_CASE("History::plot says what it cannot do") {
  History history;
  CHECK_THROWS_AS(history.plot("curves.svg"), ValueError);
  history.epoch = {0};
  history.history["loss"] = {1};
  CHECK_THROWS_AS(history.plot("curves.png"), ValueError);
  CHECK_THROWS_AS(history.plot("/no/such/folder/curves.svg"), FileError);
  CHECK(plotted(history).find("<circle") != std::string::npos);  // a single epoch is a dot
}

}  // namespace chart_test
