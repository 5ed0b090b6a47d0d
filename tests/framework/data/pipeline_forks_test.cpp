// Pipelines in a child of fork(), which has none of the parent's threads.
#include <cornu/framework/data/pipeline.h>

#include <chrono>
#include <memory>
#include <thread>

#include "catch.h"
#include "support/child.h"
#include "support/temporary.h"

namespace pipeline_forks_test {

using namespace cornu;
using test::contains;
using namespace std::chrono_literals;

namespace {

int64_t sum(const data::Pipeline<int64_t>& pipeline, int64_t epoch = 0) {
  int64_t total = 0;
  for (const int64_t i : pipeline.epoch(epoch)) total += i;
  return total;
}

void expect(bool holds, const char* what) {
  if (!holds) throw StateError(what);
}

// The child ends without an error, and before a minute is over.
template <class F>
void check_child(const F& f) {
  const int status = test::in_child(
      [&] {
        alarm(60);
        f();
      },
      [](pid_t) {});
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace

TEST_CASE("A pipeline that was walked before fork() is walked and destroyed in the child") {
  auto threads = std::make_unique<data::Pipeline<int64_t>>(
      data::range(50).map([](int64_t i) { return i; }, {.workers = 2}).prefetch(2));
  const auto none = data::range(50).filter([](int64_t) { return true; });
  CHECK(sum(*threads) == 1225);
  CHECK(sum(none) == 1225);
  check_child([&] {
    for (int64_t epoch = 0; epoch < 3; ++epoch) expect(sum(*threads, epoch) == 1225, "other sum");
    expect(sum(threads->with({.seed = 1})) == 1225, "other sum with options");
    expect(sum(none) == 1225, "other sum without threads");
    // And its own child.
    const int status = test::in_child(
        [&] {
          alarm(30);
          expect(sum(*threads) == 1225, "other sum in the grandchild");
          threads.reset();
        },
        [](pid_t) {});
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the grandchild failed");
    threads.reset();
  });
  check_child([&] { threads.reset(); });
  CHECK(sum(*threads, 1) == 1225);
}

TEST_CASE(
    "A walk that the parent began is refused in a child of fork(), which goes on by position") {
  for (const int64_t workers : {0, 2}) {
    INFO("workers " << workers);
    const auto pipeline = data::range(40)
                              .map(
                                  [](int64_t i) {
                                    std::this_thread::sleep_for(200us);
                                    return i;
                                  },
                                  {.workers = workers})
                              .filter([](int64_t i) { return i % 4 != 0; });
    auto stream = pipeline.open(3);
    for (int i = 0; i < 5; ++i) CHECK(stream->next());
    // At any moment of the threads that work ahead.
    for (int i = 0; i < 10; ++i)
      check_child([&] {
        try {
          stream->next();
          expect(false, "the walk went on");
        } catch (const StateError& error) {
          expect(std::string(error.what()).find("begun before fork()") != std::string::npos,
                 error.what());
        }
        const auto mine = pipeline.open(3, stream->position());
        expect(mine->next() == 7, "another element behind the position");
        stream.reset();
        expect(sum(pipeline) == 780 - 180, "other sum");
      });
    CHECK(stream->next() == 7);
  }
}

TEST_CASE("A child of fork() neither writes nor deletes the cache that its parent has begun") {
  const test::TemporaryFolder folder;
  auto cached = std::make_unique<data::Pipeline<int64_t>>(
      data::range(40).map([](int64_t i) { return 3 * i; }).cache(folder / "cache"));
  const auto begin = [&](int64_t count) {
    const auto stream = cached->open();
    for (int64_t i = 0; i < count; ++i) expect(stream->next() == 3 * i, "another element");
  };
  begin(20);
  check_child([&] { cached.reset(); });
  check_child([&] {
    begin(30);
    expect(!std::filesystem::exists(folder / "cache"), "a cache of too few elements");
    cached.reset();
  });
  CHECK(folder.count() == 1);
  CHECK(sum(*cached) == 3 * 780);
  CHECK(std::filesystem::exists(folder / "cache"));
  CHECK(sum(*cached, 1) == 3 * 780);
}

}  // namespace pipeline_forks_test
