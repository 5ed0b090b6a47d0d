// Pipelines when something goes wrong: exceptions, early stops, stages that are stuck; and what
// they tell of themselves.
#include <cornu/backend/log.h>
#include <cornu/framework/data/pipeline.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "catch.h"
#include "support/temporary.h"

namespace pipeline_faults_test {

using namespace cornu;
using test::contains;
using namespace std::chrono_literals;

namespace {

template <class P>
int64_t count(const P& pipeline) {
  int64_t n = 0;
  for (const auto& element : pipeline) {
    static_cast<void>(element);
    ++n;
  }
  return n;
}

// Threads of this process.
size_t threads_alive() {
  size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    static_cast<void>(entry);
    ++n;
  }
  return n;
}

struct File {
  int64_t number = 0;
  std::string source;
};

data::Pipeline<int64_t> failing(int64_t at, int64_t workers,
                                data::OnError on_error = data::OnError::raise) {
  return data::range(50)
      .map([](int64_t i) {
        return File{i, "image_" + std::to_string(i) + ".jpg"};
      })
      .map(
          [at](const File& file) {
            if (file.number == at) throw std::runtime_error("not a JPEG");
            return file.number;
          },
          {.workers = workers, .name = "decode", .on_error = on_error});
}

// A user's function that ends only when it is told to.
int64_t wait_for_stop(const data::Place& place) {
  while (!place.stop.stop_requested()) std::this_thread::sleep_for(100us);
  return 0;
}

}  // namespace

TEST_CASE("An exception ends the walk, and names the stage, the element and its file") {
  for (const int64_t workers : {0, 1, 3}) {
    INFO("workers " << workers);
    const auto stream = failing(17, workers).prefetch(3).open(2);
    // What comes before is the same for any number of workers.
    for (int64_t i = 0; i < 17; ++i) CHECK(stream->next() == i);
    try {
      stream->next();
      FAIL("no error");
    } catch (const data::DataError& error) {
      CHECK(std::string(error.what()) ==
            "Stage 'decode', element 17 of epoch 2 (from 'image_17.jpg'): not a JPEG");
      CHECK(error.stage() == "decode");
      CHECK(error.index() == 17);
      CHECK(error.epoch() == 2);
      CHECK_THROWS_AS(std::rethrow_exception(error.cause()), std::runtime_error);
    }
    CHECK(count(failing(17, workers).take(17)) == 17);
    CHECK(count(failing(100, workers)) == 50);
  }
}

TEST_CASE("Elements with an error are left out when that is asked for, and counted") {
  show_warnings(false);
  for (const int64_t workers : {0, 2}) {
    const auto skipping = failing(17, workers, data::OnError::skip);
    CHECK(skipping.size() == Dataset::unknown);
    std::set<int64_t> seen;
    for (const int64_t i : skipping) seen.insert(i);
    CHECK(seen.size() == 49);
    CHECK_FALSE(seen.contains(17));
    CHECK_THAT(skipping.explain(), contains("decode"));
    CHECK(skipping.runtime()->records().back().skipped == 1);
  }
  show_warnings(true);
}

TEST_CASE("Errors of every stage with a function are told with its name") {
  const auto fails = [](int64_t i) -> int64_t {
    if (i == 3) throw 42;
    return i;
  };
  CHECK_THROWS_WITH(count(data::range(9).filter(fails, {.name = "odd"})),
                    contains("Stage 'odd', element 3 of epoch 0: an exception that is no"));
  CHECK_THROWS_WITH(
      count(data::generate(
          [&](const data::Place& p) { return std::optional<int64_t>(fails(p.index)); },
          {.name = "sensor"})),
      contains("Stage 'sensor', element 3"));
  CHECK_THROWS_WITH(
      count(data::range(9).batch(2, [&](std::vector<int64_t> v) { return fails(v[1]); })),
      contains("Stage 'batch', element 1"));
  CHECK_THROWS_WITH(
      count(data::range(9).interleave([&](int64_t i) { return data::range(fails(i)); })),
      contains("Stage 'interleave', element 3"));
  CHECK_THROWS_WITH(count(data::range(9).bucket_by_length(fails, 2)),
                    contains("Stage 'bucket_by_length', element 3"));
}

TEST_CASE("A thousand walks that stop early leave no thread behind") {
  const size_t before = threads_alive();
  {
    std::atomic<int64_t> made = 0;
    const auto pipeline = data::range(1'000'000)
                              .map(
                                  [&](int64_t i) {
                                    ++made;
                                    return i;
                                  },
                                  {.workers = 3})
                              .batch(2, [](std::vector<int64_t> v) { return v[0]; })
                              .prefetch(2);
    for (int64_t walk = 0; walk < 1000; ++walk) {
      const auto stream = pipeline.open(walk);
      for (int64_t i = 0; i < walk % 5; ++i) CHECK(stream->next() == 2 * i);
    }
    // The threads of all walks are the same: workers, the prefetcher and the watchdog, and some
    // more while those of the walk before fall asleep.
    CHECK(pipeline.runtime()->crew.threads() <= 10);
    CHECK(made < 1000 * 100);
  }
  CHECK(threads_alive() == before);
}

TEST_CASE("A thousand stages that throw end their walks") {
  const size_t before = threads_alive();
  int64_t errors = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const auto stream = failing(i % 50, i % 4).prefetch(2).open();
    try {
      while (stream->next()) {
      }
    } catch (const data::DataError& error) {
      errors += error.index() == i % 50;
    }
  }
  CHECK(errors == 1000);
  CHECK(threads_alive() == before);
}

TEST_CASE("A hundred stages that are stuck end with an error after the timeout") {
  const size_t before = threads_alive();
  for (int64_t i = 0; i < 100; ++i) {
    const auto pipeline =
        data::range(20)
            .map([](int64_t n,
                    const data::Place& place) { return n == 2 ? wait_for_stop(place) : n; },
                 {.workers = i % 3, .name = "download"})
            .prefetch(1 + i % 2)
            .with({.stall_after = 10, .timeout = 0.01});
    CHECK_THROWS_WITH(count(pipeline), contains("Stage 'download' has been at element 2 of epoch"));
  }
  CHECK(threads_alive() == before);
}

TEST_CASE("A search that finds nothing ends after the timeout, and when nobody wants elements") {
  const size_t before = threads_alive();
  const auto failing = [](int64_t n) -> int64_t {
    if (n >= 0) throw ValueError("never");
    return n;
  };
  for (int64_t i = 0; i < 40; ++i) {
    const auto numbers = data::range(20).repeat();
    const auto with_limits = [&](const auto& pipeline) {
      return pipeline.prefetch(1 + i % 2).with({.stall_after = 10, .timeout = 0.01});
    };
    CHECK_THROWS_WITH(
        count(with_limits(numbers.filter([](int64_t) { return false; }, {.name = "none"}))),
        contains("Stage 'none' has been at element"));
    CHECK_THROWS_WITH(
        count(with_limits(numbers.map(failing, {.name = "bad", .on_error = data::OnError::skip}))),
        contains("Stage 'bad' has been at element"));
    // The prefetch searches while the walk ends.
    const auto rest = numbers.enumerate()
                          .filter([](const auto& numbered) { return numbered.first == 0; })
                          .prefetch(2)
                          .open();
    CHECK(rest->next().has_value());
  }
  CHECK(threads_alive() == before);
}

TEST_CASE("A function that never ends does not hold up the end of the run") {
  // What it uses is its own, as the documentation asks for.
  const auto go_on = std::make_shared<std::atomic<bool>>(true);
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  {
    const auto pipeline = data::range(20)
                              .map(
                                  [go_on, ended](int64_t n) {
                                    while (n == 3 && *go_on) std::this_thread::sleep_for(1ms);
                                    if (n == 3) *ended = true;
                                    return n;
                                  },
                                  {.workers = 2, .name = "stuck"})
                              .with({.timeout = 0.02});
    CHECK_THROWS_WITH(count(pipeline), contains("longer than the timeout"));
  }
  CHECK_FALSE(*ended);
  *go_on = false;
  while (!*ended) std::this_thread::sleep_for(1ms);
}

TEST_CASE("Stopping early ends functions that look at their place") {
  const auto pipeline = data::range(20).map(
      [](int64_t n, const data::Place& place) { return n >= 2 ? wait_for_stop(place) : n; },
      {.workers = 4});
  for (int i = 0; i < 20; ++i) CHECK(pipeline.open()->next() == 0);
}

TEST_CASE("Queues hold no more than they may") {
  std::atomic<int64_t> made = 0;
  const auto make = [&](int64_t i) {
    ++made;
    return std::vector<float>(1000, static_cast<float>(i));
  };
  const auto settled = [&] {
    int64_t last = -1;
    while (std::exchange(last, made.load()) != made.load()) std::this_thread::sleep_for(20ms);
    return made.load();
  };
  const auto few = data::range(1000).map(make, {.workers = 2, .buffer = 6}).open();
  few->next();
  CHECK(settled() <= 1 + 6);
  made = 0;
  const auto small = data::range(1000)
                         .map(make, {.workers = 2, .buffer = 500})
                         .with({.queue_bytes = 20'000})
                         .open();
  small->next();
  // Five fill the queue; those that are being made do not count yet.
  CHECK(settled() <= 1 + 5 + 2);
}

TEST_CASE("Threads are kept from epoch to epoch, and compute alone") {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto pipeline = data::range(200).map(
      [&](int64_t i) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        CHECK(backend::threads() == 1);
        return i;
      },
      {.workers = 2});
  for (int64_t epoch = 0; epoch < 20; ++epoch)
    for (const int64_t i : pipeline.epoch(epoch)) static_cast<void>(i);
  // Two workers and a watchdog, whose threads are taken for either; a few may have been asleep.
  CHECK(threads.size() <= 6);
  CHECK_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_CASE("Explain counts, and names the bottleneck") {
  const auto pipeline = data::range(12)
                            .map(
                                [](int64_t i) {
                                  std::this_thread::sleep_for(2ms);
                                  return i;
                                },
                                {.name = "decode"})
                            .map([](int64_t i) { return i + 1; }, {.workers = 1, .name = "scale"})
                            .batch(4);
  CHECK_THAT(pipeline.explain(), contains("No element has left the pipeline yet"));
  for (const Batch& batch : pipeline) {
    static_cast<void>(batch);
    std::this_thread::sleep_for(1ms);
  }
  INFO(pipeline.explain());
  CHECK_THAT(pipeline.explain(), contains("stage 'decode' is the bottleneck"));
  for (const auto& record : pipeline.runtime()->records()) {
    if (record.stage->name() == "decode") CHECK(record.busy > 24'000'000);
    if (record.stage->name() == "scale") CHECK(record.items == 12);
    if (record.stage->name() == "batch") CHECK(record.items == 3);
  }
}

namespace {

// Notes its passes; a batch at a time, or several.
class Notes : public Dataset {
 public:
  explicit Notes(int64_t batches) : batches_(batches) {}
  int64_t size() const override { return batches_; }
  Batch batch(int64_t index) override {
    if (index == 5) throw FileError("page 5 is missing");
    return {Tensor::from<float>({static_cast<float>(index)}, {1, 1})};
  }
  void on_epoch_begin(int64_t epoch) override { notes += "<" + std::to_string(epoch); }
  void on_epoch_end(int64_t epoch) override { notes += std::to_string(epoch) + ">"; }
  std::string notes;

 private:
  int64_t batches_;
};

}  // namespace

TEST_CASE("A dataset of one's own is a source, with or without workers") {
  for (const int64_t workers : {0, 3}) {
    const auto notes = std::make_shared<Notes>(5);
    const auto pipeline = data::from(notes, {.workers = workers, .max_queue_size = 4});
    for (const int64_t epoch : {0, 3}) {
      float next = 0;
      for (const Batch& batch : pipeline.epoch(epoch))
        CHECK(batch.x.tensor().to_vector<float>()[0] == next++);
      CHECK(next == 5);
    }
    CHECK(notes->notes == "<00><33>");
    CHECK_THROWS_WITH(count(data::from(std::make_shared<Notes>(9), {.workers = workers})),
                      contains("Stage 'dataset', element 5 of epoch 0: page 5 is missing"));
  }
}

namespace {

// What takes long to copy where it says so, as rows of a file system that does not answer.
struct Slow {
  Slow(int64_t n, std::chrono::milliseconds t) : number(n), time(t) {}
  Slow(const Slow& other) : number(other.number), time(other.time) {
    if (armed) std::this_thread::sleep_for(time);
  }
  Slow(Slow&&) = default;
  Slow& operator=(Slow&&) = default;
  int64_t number;
  std::chrono::milliseconds time;
  static inline std::atomic<bool> armed = false;
};

data::Pipeline<Slow> slow_source(std::chrono::milliseconds each, std::chrono::milliseconds third) {
  Slow::armed = false;
  std::vector<Slow> elements;
  for (int64_t i = 0; i < 5; ++i) elements.emplace_back(i, i == 3 ? third : each);
  auto pipeline = data::from(std::move(elements));
  Slow::armed = true;
  return pipeline;
}

const data::detail::StageRecord& record_of(const auto& pipeline, const std::string& name) {
  for (const auto& record : pipeline.runtime()->records())
    if (record.stage->name() == name) return record;
  throw ValueError("no stage " + name);
}

}  // namespace

TEST_CASE("A source that is stuck is named though no stage calls a function of the user's") {
  const size_t before = threads_alive();
  for (int i = 0; i < 3; ++i) {
    const auto source = slow_source(0ms, 100ms).repeat();
    const std::string expected = "Stage 'from' has been at element 3 of epoch 0";
    CHECK_THROWS_WITH(count(source.with({.timeout = 0.02})), contains(expected));
    CHECK_THROWS_WITH(count(source.prefetch(1 + i % 2).with({.timeout = 0.02})),
                      contains(expected));
    CHECK_THROWS_WITH(count(source.batch(2, [](const std::vector<Slow>& v) { return v[0].number; })
                                .with({.timeout = 0.02})),
                      contains(expected));
  }
  CHECK(threads_alive() == before);
}

TEST_CASE("Sources are timed as stages are") {
  const auto slow = slow_source(2ms, 2ms);
  CHECK(count(slow) == 5);
  CHECK(record_of(slow, "from").items == 5);
  CHECK(record_of(slow, "from").busy >= 10'000'000);
  CHECK_THAT(slow.explain(), contains("stage 'from' is the bottleneck"));

  const auto rows = data::from(Tensor::from(std::vector<float>(64 * 1000), {64, 1000})).batch(16);
  CHECK(count(rows) == 4);
  CHECK(record_of(rows, "from").items == 64);
  CHECK(record_of(rows, "from").busy > 0);
  CHECK(record_of(rows, "batch").items == 4);
  // What the source does for a batch is its own time.
  CHECK(record_of(rows, "batch").busy == 0);

  const auto numbers = data::range(7).shuffle().take(5);
  CHECK(count(numbers) == 5);
  CHECK(record_of(numbers, "range").items == 5);
  CHECK(record_of(numbers, "range").busy > 0);
}

TEST_CASE("Loops of stages that never give an element end after the timeout") {
  const size_t before = threads_alive();
  const data::PipelineOptions limits{.stall_after = 10, .timeout = 0.02};
  const auto numbers = data::range(20).repeat();
  const std::vector<Batch> nothing(2, Batch{.x = Tensor::from(std::vector<float>(), {0, 3})});
  for (int i = 0; i < 5; ++i) {
    const auto check = [&](const auto& pipeline, const std::string& stage) {
      CHECK_THROWS_WITH(count(pipeline.with(limits)),
                        contains("Stage '" + stage + "' has been at element"));
      CHECK_THROWS_WITH(count(pipeline.prefetch(2).with(limits)),
                        contains("Stage '" + stage + "' has been at element"));
    };
    check(data::from(nothing).repeat().rebatch(4), "rebatch");
    check(numbers.interleave([](int64_t) { return data::range(0); }), "interleave");
    const auto fails = [](int64_t n) -> int64_t {
      if (n >= 0) throw ValueError("never");
      return n;
    };
    check(numbers.map(fails, {.workers = 2, .name = "bad", .on_error = data::OnError::skip}),
          "bad");
  }
  CHECK(threads_alive() == before);
}

TEST_CASE("Stages that read ahead without an end stop when nobody wants elements") {
  const size_t before = threads_alive();
  constexpr int64_t many = int64_t{1} << 40;
  const auto endless = data::generate([n = int64_t{0}]() mutable { return n++; });
  const auto leave = [](const auto& pipeline) {
    const auto stream = pipeline.prefetch(2).open();
    std::this_thread::sleep_for(5ms);
  };
  leave(endless.shuffle(many));
  leave(endless.skip(many));
  leave(endless.shard(0, many));
  leave(endless.bucket_by_length([](int64_t) { return 1; }, 4, {.window = many}));
  leave(data::range(3).repeat().interleave([](int64_t) { return data::range(0); }));
  CHECK(threads_alive() == before);
}

TEST_CASE("A pipeline inside of a stage is watched by the one around it") {
  const auto inner = [](int64_t) {
    return data::range(3).map(
        [](int64_t n, const data::Place& place) { return n == 2 ? wait_for_stop(place) : n; },
        {.name = "inner"});
  };
  const size_t before = threads_alive();
  for (int64_t i = 0; i < 10; ++i)
    CHECK_THROWS_WITH(count(data::range(4).interleave(inner).prefetch(1).with({.timeout = 0.02})),
                      contains("Stage 'inner' has been at element 2"));
  CHECK(threads_alive() == before);
}

namespace {

struct Page {
  int64_t number = 0;
  std::string source;
};
Batch as_batch(const Page& page) {
  if (page.number == 6) throw FileError("the page is torn");
  return {Tensor(page.number)};
}

}  // namespace

TEST_CASE("An element that cannot become a row of a batch is named by its own number and file") {
  std::vector<Page> pages;
  for (int64_t i = 0; i < 9; ++i) pages.push_back({i, "page" + std::to_string(i) + ".txt"});
  const auto check = [](const auto& batches) {
    try {
      count(batches);
      FAIL("no error");
    } catch (const data::DataError& error) {
      CHECK(std::string(error.what()) ==
            "Stage '" + error.stage() +
                "', element 6 of epoch 0 (from 'page6.txt'): the page is torn");
      CHECK(error.index() == 6);
      CHECK_THROWS_AS(std::rethrow_exception(error.cause()), FileError);
    }
  };
  check(data::from(pages).batch(4));
  check(data::from(pages).prefetch(3).batch(4));
  check(data::from(pages).bucket_by_length([](const Page& p) { return p.number; }, 4));
}

}  // namespace pipeline_faults_test
