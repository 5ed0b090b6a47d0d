// timeseries_dataset_from_array: windows and targets as Keras gives them, batch by batch.
#include <cornu/framework/data/timeseries_dataset.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <algorithm>
#include <numeric>

#include "catch.h"
#include "support/contract.h"

namespace timeseries_dataset_test {

using namespace cornu;
using test::error_of;
using test::has;
using utils::timeseries_dataset_from_array;
using utils::TimeseriesOptions;

namespace {

using Numbers = std::vector<int64_t>;

Tensor counting(int64_t n, int64_t step = 1) {
  Numbers values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = i * step;
  return Tensor::from(values, {n});
}

std::vector<Batch> all(const data::Pipeline<Batch>& pipeline, int64_t epoch = 0) {
  std::vector<Batch> batches;
  for (const Batch& batch : pipeline.epoch(epoch)) batches.push_back(batch);
  return batches;
}

// The values of all batches of an epoch, one after the other.
Numbers values(const data::Pipeline<Batch>& pipeline, Nest Batch::*part, int64_t epoch = 0) {
  Numbers found;
  for (const Batch& batch : pipeline.epoch(epoch))
    for (const int64_t v : (batch.*part).tensor().to_vector<int64_t>()) found.push_back(v);
  return found;
}

// What Keras refuses, with a part of the error.
void refuses(const TimeseriesOptions& options, const std::string& part) {
  CHECK(has(error_of([&] { timeseries_dataset_from_array(counting(10), {}, 2, options); }), part));
}

}  // namespace

TEST_CASE("Windows come in batches, whose last one may be smaller") {
  const auto windows = timeseries_dataset_from_array(
      counting(10), {}, 3, {.sequence_stride = 2, .sampling_rate = 2, .batch_size = 2});
  CHECK(windows.size() == 2);
  const auto batches = all(windows);
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].x.tensor().shape() == Shape{2, 3});
  CHECK(batches[0].x.tensor().dtype() == DType::int64);
  CHECK(batches[0].y.empty());
  CHECK(batches[1].x.tensor().shape() == Shape{1, 3});
  CHECK(values(windows, &Batch::x) == Numbers{0, 2, 4, 2, 4, 6, 4, 6, 8});
  // One window of the whole series, and windows of one step.
  CHECK(values(timeseries_dataset_from_array(counting(4), {}, 4), &Batch::x) ==
        Numbers{0, 1, 2, 3});
  CHECK(values(timeseries_dataset_from_array(counting(4), {}, 1), &Batch::x) ==
        Numbers{0, 1, 2, 3});
}

TEST_CASE("Targets are those at the windows' starts") {
  // The numbers of Keras 3.15.
  const auto part = timeseries_dataset_from_array(
      counting(10), counting(10, 10), 2, {.batch_size = 3, .start_index = 2, .end_index = 7});
  CHECK(values(part, &Batch::x) == Numbers{2, 3, 3, 4, 4, 5, 5, 6});
  CHECK(values(part, &Batch::y) == Numbers{20, 30, 40, 50});
  REQUIRE(all(part).size() == 2);
  CHECK(all(part)[0].y.tensor().shape() == Shape{3});
  CHECK(all(part)[1].y.tensor().shape() == Shape{1});
  // Fewer targets than windows leave windows out.
  const auto few = timeseries_dataset_from_array(counting(10), counting(3, 10), 2);
  CHECK(values(few, &Batch::x) == Numbers{0, 1, 1, 2, 2, 3});
  CHECK(values(few, &Batch::y) == Numbers{0, 10, 20});
  // Both may have features.
  const Tensor series = ops::cast(Tensor::from(values(few, &Batch::x), {3, 2}), DType::float32);
  const Batch features =
      all(timeseries_dataset_from_array(series, Tensor::from(Numbers{1, 2, 3, 4, 5, 6}, {2, 3}), 2))
          .front();
  CHECK(features.x.tensor().shape() == Shape{2, 2, 2});
  CHECK(features.x.tensor().dtype() == DType::float32);
  CHECK(features.x.tensor().to_vector<int>() == std::vector<int>{0, 1, 1, 2, 1, 2, 2, 3});
  CHECK(features.y.tensor().shape() == Shape{2, 3});
}

TEST_CASE("A window whose target is not there is an error, as in Keras") {
  // With a start_index Keras counts all targets, though those before it are of no use.
  CHECK(has(error_of([] {
              all(timeseries_dataset_from_array(counting(10), counting(6), 2, {.start_index = 3}));
            }),
            "the window at step 8 has no target; there are 6 targets"));
  const auto enough =
      timeseries_dataset_from_array(counting(10), counting(9), 2, {.start_index = 3});
  CHECK(values(enough, &Batch::y) == Numbers{3, 4, 5, 6, 7, 8});
}

TEST_CASE("Strings may be targets") {
  const auto named =
      timeseries_dataset_from_array(counting(4), Tensor::strings({"a", "b", "c", "d"}, {4}), 2,
                                    {.batch_size = 2, .shuffle = true, .seed = 4});
  std::string found;
  for (const Batch& batch : named) {
    const auto x = batch.x.tensor().to_vector<int64_t>();
    const auto y = batch.y.tensor().to_strings();
    for (size_t i = 0; i < y.size(); ++i) {
      CHECK(y[i] == std::string(1, static_cast<char>('a' + x[2 * i])));
      found += y[i];
    }
  }
  std::sort(found.begin(), found.end());
  CHECK(found == "abc");
}

TEST_CASE("Shuffled windows are all windows, in another order in each epoch") {
  const auto shuffled = timeseries_dataset_from_array(
      counting(60), counting(60), 3, {.batch_size = 8, .shuffle = true, .seed = 9});
  const Numbers first = values(shuffled, &Batch::y, 0), second = values(shuffled, &Batch::y, 1);
  CHECK(first != second);
  CHECK(values(shuffled, &Batch::y, 0) == first);
  for (Numbers y : {first, second}) {
    std::sort(y.begin(), y.end());
    CHECK(y == counting(58).to_vector<int64_t>());
  }
  for (const Batch& batch : shuffled) {
    const auto x = batch.x.tensor().to_vector<int64_t>(), y = batch.y.tensor().to_vector<int64_t>();
    for (size_t i = 0; i < y.size(); ++i)
      CHECK(Numbers(x.begin() + 3 * static_cast<int64_t>(i),
                    x.begin() + 3 * static_cast<int64_t>(i) + 3) ==
            Numbers{y[i], y[i] + 1, y[i] + 2});
  }
  // The same seed gives the same epochs.
  CHECK(values(timeseries_dataset_from_array(counting(60), counting(60), 3,
                                             {.batch_size = 8, .shuffle = true, .seed = 9}),
               &Batch::y, 1) == second);
  CHECK(values(timeseries_dataset_from_array(counting(60), counting(60), 3,
                                             {.batch_size = 8, .shuffle = true, .seed = 10}),
               &Batch::y, 0) != first);
}

TEST_CASE("Windows go on where a walk stopped, and pass through further stages") {
  const auto windows = timeseries_dataset_from_array(counting(40), {}, 4,
                                                     {.batch_size = 5, .shuffle = true, .seed = 1});
  const auto more = windows.map(
      [](Batch batch) {
        batch.y = ops::add(batch.x.tensor(), Tensor(int64_t{1}));
        return batch;
      },
      {.workers = 2});
  const Numbers whole = values(more, &Batch::y, 2);
  for (const int64_t k : {0, 1, 4, 8}) {
    const auto stream = more.open(2);
    for (int64_t i = 0; i < k; ++i) stream->next();
    const auto rest = more.open(2, stream->position());
    Numbers found;
    while (const auto batch = rest->next())
      for (const int64_t v : batch->y.tensor().to_vector<int64_t>()) found.push_back(v);
    CHECK(found ==
          Numbers(whole.begin() + std::min<int64_t>(20 * k, std::ssize(whole)), whole.end()));
  }
}

TEST_CASE("Options that Keras refuses are refused, with their values") {
  refuses({.start_index = -1}, "option 'start_index'");
  refuses({.start_index = 10}, "found 10");
  refuses({.end_index = 10}, "option 'end_index'");
  refuses({.end_index = -3}, "found -3");
  refuses({.start_index = 5, .end_index = 5}, "more than start_index, 5, found 5");
  refuses({.sampling_rate = 0}, "option 'sampling_rate'");
  refuses({.sampling_rate = 10}, "for 10 steps, found 10");
  refuses({.sequence_stride = 0}, "option 'sequence_stride'");
  refuses({.sequence_stride = 10}, "option 'sequence_stride'");
  CHECK(has(error_of([] { timeseries_dataset_from_array(counting(10), {}, 0); }), "found 0"));
  CHECK(has(error_of([] { timeseries_dataset_from_array(Tensor(1.0f), {}, 1); }), "no axis"));
  CHECK(has(error_of([] { timeseries_dataset_from_array(counting(9), {}, 2, {.batch_size = 0}); }),
            "at least 1, found 0"));
}

TEST_CASE("Series without a window are told, rather than trained on") {
  const auto told = [](int64_t length, const TimeseriesOptions& options = {}) {
    return has(error_of([&] { timeseries_dataset_from_array(counting(10), {}, length, options); }),
               "have no window");
  };
  CHECK(told(11));
  CHECK(told(4, {.sampling_rate = 4}));
  CHECK(told(2, {.start_index = 9}));
  CHECK(told(3, {.start_index = 2, .end_index = 4}));
  CHECK(has(error_of([] { timeseries_dataset_from_array(counting(10), ops::zeros({0}), 2); }),
            "have no window"));
  // In Keras an end of 0 is not checked: it is before all windows.
  CHECK(told(2, {.end_index = 0}));
  CHECK(utils::timeseries_starts(10, -1, 2, {.end_index = 0}).empty());
}

}  // namespace timeseries_dataset_test
