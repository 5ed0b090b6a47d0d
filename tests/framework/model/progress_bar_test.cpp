// Tests of the progress bar's text, with a stream and a clock of their own.
#include <catch.h>
#include <cornu/framework/model/progress_bar.h>

#include <chrono>
#include <limits>
#include <sstream>

namespace progress_bar_test {

using namespace cornu;

namespace {

struct Screen {
  std::ostringstream stream;
  double now = 100;
  int width = 80;

  ProgressBar::Target target(bool terminal) {
    return {&stream, terminal, false, [this] { return width; }, [this] { return now; }};
  }
  std::string take() {
    std::string text = stream.str();
    stream.str("");
    return text;
  }
};

}  // namespace

TEST_CASE("lines: one for the epoch, one for its end") {
  Screen screen;
  ProgressBar bar(Verbose::automatic, 20, screen.target(false));
  bar.begin(0, 23);
  CHECK(screen.take() == "Epoch 1/20\n");
  for (int step = 1; step <= 23; ++step) {
    screen.now += step == 1 ? 0.5 : 0.04;
    CHECK_FALSE(bar.due(step));
  }
  CHECK(screen.take().empty());
  bar.finish({{"loss", 0.34561}, {"accuracy", 0.91234}, {"val_loss", 5e-5}});
  // The first step, which took 0.5 s, is not part of the time of a step.
  CHECK(screen.take() ==
        "23/23 - 1s - 40ms/step - accuracy: 0.9123 - loss: 0.3456 - val_loss: 5.0000e-05\n");
}

TEST_CASE("a single epoch and other passes have no heading") {
  Screen screen;
  ProgressBar one(Verbose::lines, 1, screen.target(true));
  one.begin(0, 4);
  CHECK(screen.take().empty());
  ProgressBar bar(Verbose::lines, 1, screen.target(true));
  bar.begin_pass(4);
  for (int step = 1; step <= 4; ++step) {
    screen.now += 2;
    bar.due(step);
  }
  bar.finish({});
  CHECK(screen.take() == "4/4 - 8s - 2s/step\n");
}

TEST_CASE("silent bars print nothing and never ask for figures") {
  Screen screen;
  ProgressBar bar(Verbose::silent, 3, screen.target(true));
  bar.begin(0, 4);
  for (int step = 1; step <= 4; ++step) {
    screen.now += 1;
    CHECK_FALSE(bar.due(step));
  }
  bar.update(4, {{"loss", 1}});
  bar.finish({{"loss", 1}});
  CHECK(screen.take().empty());
}

TEST_CASE("on a terminal the line is redrawn in place") {
  Screen screen;
  ProgressBar bar(Verbose::automatic, 2, screen.target(true));
  bar.begin(1, 20);
  CHECK(screen.take() == "Epoch 2/2\n");
  screen.now += 1;
  REQUIRE(bar.due(1));
  bar.update(1, {{"loss", 2.0}});
  CHECK(screen.take() == "\r 1/20 ━─────────────────── 19s 1s/step - loss: 2.0000\x1b[K");
  screen.now += 0.012;
  CHECK_FALSE(bar.due(2));
  for (int step = 3; step <= 10; ++step) screen.now += 0.012;
  screen.now -= 0.012 * 7;
  int redraws = 0;
  for (int step = 3; step <= 20; ++step) {
    screen.now += 0.012;
    if (bar.due(step)) {
      bar.update(step, {{"loss", 1.5}});
      ++redraws;
    }
  }
  CHECK(redraws >= 3);
  CHECK(redraws <= 5);  // 0.23 s, a redraw every 0.05 s
  screen.take();
  bar.finish({{"loss", 1.5}, {"val_loss", 1.25}});
  CHECK(screen.take() ==
        "\r20/20 ━━━━━━━━━━━━━━━━━━━━ 1s 13ms/step - loss: 1.5000 - val_loss: 1.2500\x1b[K\n");
}

TEST_CASE("long lines are cut at the terminal's edge, the final one is whole") {
  Screen screen;
  screen.width = 46;
  ProgressBar bar(Verbose::bar, 1, screen.target(true));
  bar.begin(0, 100);
  screen.now += 1;
  REQUIRE(bar.due(1));
  const Logs logs{{"a_metric_of_a_long_name", 0.5}, {"loss", 1.0}};
  bar.update(1, logs);
  std::string line = screen.take();
  size_t columns = 0;
  for (char c : line) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  CHECK(columns - 4 <= 45);  // without \r and the three characters that erase the rest
  CHECK(line.find("a_metric") != std::string::npos);
  bar.finish(logs);
  CHECK(screen.take().find("loss: 1.0000") != std::string::npos);
}

TEST_CASE("an unknown number of steps") {
  Screen screen;
  ProgressBar bar(Verbose::bar, 1, screen.target(true));
  bar.begin(0, -1);
  screen.now += 2;
  REQUIRE(bar.due(1));
  bar.update(1, {});
  CHECK(screen.take() == "\r      1/Unknown 2s 2s/step\x1b[K");
  bar.finish({});
  CHECK(screen.take() == "\r1/1 ━━━━━━━━━━━━━━━━━━━━ 2s 2s/step\x1b[K\n");
}

TEST_CASE("an error leaves no open line") {
  Screen screen;
  {
    ProgressBar bar(Verbose::bar, 1, screen.target(true));
    bar.begin(0, 5);
    bar.due(1);
    bar.update(1, {});
  }
  CHECK(screen.take().back() == '\n');
}

TEST_CASE("times and small figures") {
  CHECK(format_figure(0.12345) == "0.1235");
  CHECK(format_figure(-0.5) == "-0.5000");
  CHECK(format_figure(0) == "0.0000e+00");
  CHECK(format_figure(1.5e-4) == "1.5000e-04");
  CHECK(format_figure(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  Screen screen;
  ProgressBar bar(Verbose::bar, 1, screen.target(true));
  bar.begin(0, 10000);
  screen.now += 1;
  REQUIRE(bar.due(1));
  bar.update(1, {});
  CHECK(screen.take().find(" 2:46:39 1s/step") != std::string::npos);
}

TEST_CASE("asking whether a redraw is due costs next to nothing") {
  std::ostringstream stream;
  ProgressBar::Target target = ProgressBar::standard_output();
  target.stream = &stream;
  target.terminal = true;
  ProgressBar bar(Verbose::bar, 1, target);
  constexpr int64_t steps = 1000000;
  bar.begin(0, steps);
  const auto start = std::chrono::steady_clock::now();
  int64_t redraws = 0;
  for (int64_t step = 1; step <= steps; ++step) redraws += bar.due(step);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(redraws >= 1);
  CHECK(seconds.count() / steps < 300e-9);  // generous: sanitizers and busy machines
}

TEST_CASE("of an array the mean is shown") {
  Screen screen;
  ProgressBar bar(Verbose::lines, 1, screen.target(false));
  bar.begin(0, 1);
  bar.due(1);
  Logs logs;
  logs.set("f1", Tensor::from({0.25f, 0.75f, 0.5f}, {3}));
  bar.finish(logs);
  CHECK(screen.take() == "1/1 - 0s - 0s/step - f1: 0.5000\n");
}

}  // namespace progress_bar_test
