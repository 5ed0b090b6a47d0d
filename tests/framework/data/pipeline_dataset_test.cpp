// Pipelines as datasets: batches by number in any order, states that another run goes on from, and
// the same bits for any number of workers.
#include <cornu/framework/config/json.h>
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/data/timeseries_dataset.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <numeric>

#include "catch.h"
#include "support/contract.h"
#include "support/temporary.h"

namespace pipeline_dataset_test {

using namespace cornu;
using test::error_of;
using test::has;

namespace {

using Numbers = std::vector<double>;

Numbers values(const Batch& batch) {
  Numbers all;
  for (const Nest* part : {&batch.x, &batch.y, &batch.sample_weight})
    if (!part->empty())
      for (const Tensor& t : part->flatten())
        for (const double v : t.to_vector<double>()) all.push_back(v);
  return all;
}

std::vector<Numbers> all(Dataset& data, int64_t epoch = 0) {
  std::vector<Numbers> batches;
  data.on_epoch_begin(epoch);
  for (int64_t i = 0;; ++i) {
    const std::optional<Batch> batch = data.next(i);
    if (!batch) break;
    batches.push_back(values(*batch));
  }
  data.on_epoch_end(epoch);
  return batches;
}

Tensor counting(int64_t n) {
  std::vector<float> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  return Tensor::from(numbers, {n, 1});
}

Batch noisy(Batch sample, const data::Place& place) {
  sample.x = sample.x.tensor() + static_cast<float>(place.random().normal());
  return sample;
}

// A pipeline of each kind: those that can give any batch, and those that give one after the other.
std::vector<data::Pipeline<Batch>> kinds(int64_t workers) {
  const data::MapOptions options{.workers = workers};
  const auto samples = data::from(counting(23), counting(23), counting(23));
  const auto odd = [](const Batch& b) { return std::lround(b.y.tensor().item()) % 2 == 1; };
  const auto ragged = data::range(20).map(
      [](int64_t i, const data::Place& place) {
        return Batch{ops::full({1 + i % 4}, static_cast<float>(place.random().uniform())),
                     Tensor(static_cast<float>(i))};
      },
      options);
  return {
      samples.batch(4),
      samples.shuffle({.seed = 3}).map(noisy, options).batch(4).prefetch(2),
      samples.map(noisy, options).shuffle().repeat(2).batch(5, {.drop_remainder = true}),
      samples.filter(odd).map(noisy, options).batch(3),
      samples.map(noisy, options).batch(4).rebatch(3),
      samples.map(noisy, options).filter(odd).shuffle({.window = 4}).batch(2).prefetch(3),
      ragged.batch(3, {.pad = true, .pad_value = -1}),
      ragged.bucket_by_length([](const Batch& b) { return b.x.tensor().size(); }, 3, {.window = 8}),
      data::range(4)
          .interleave([samples, options](
                          int64_t i) { return samples.skip(5 * i).take(5).map(noisy, options); },
                      {.cycle = 2})
          .batch(3),
      samples.map(noisy, options).cache().shuffle().batch(4),
      samples.filter(odd).map(noisy, options).cache().batch(4),
      data::generate(7,
                     [](const data::Place& place) {
                       return Batch{ops::full({2}, static_cast<float>(place.random().normal()))};
                     })
          .batch(2)
          .prefetch(2, {.workers = std::max<int64_t>(workers, 1)}),
      utils::timeseries_dataset_from_array(counting(12), counting(12), 3,
                                           {.batch_size = 4, .shuffle = true, .seed = 2})
          .map(noisy, options),
  };
}

std::shared_ptr<Dataset> dataset(const data::Pipeline<Batch>& pipeline) { return pipeline; }

}  // namespace

TEST_CASE("Batches have the same bits for any number of workers, in every epoch") {
  std::vector<std::vector<std::vector<Numbers>>> alone;
  for (const auto& pipeline : kinds(0)) {
    const auto data = dataset(pipeline);
    alone.push_back({all(*data, 0), all(*data, 1)});
    CHECK_FALSE(alone.back()[0].empty());
  }
  for (const int64_t workers : {1, 2, 8}) {
    const auto list = kinds(workers);
    for (size_t i = 0; i < list.size(); ++i) {
      INFO("pipeline " << i << ", workers " << workers);
      const auto data = dataset(list[i]);
      // Epochs in another order.
      CHECK(all(*data, 1) == alone[i][1]);
      CHECK(all(*data, 0) == alone[i][0]);
    }
  }
}

TEST_CASE("Batches may be asked for by number, forwards, backwards and twice") {
  for (const int64_t workers : {0, 2}) {
    const auto list = kinds(workers);
    for (size_t i = 0; i < list.size(); ++i) {
      INFO("pipeline " << i << ", workers " << workers);
      const auto data = dataset(list[i]);
      const auto expected = all(*data, 3);
      const auto count = static_cast<int64_t>(expected.size());
      data->on_epoch_begin(3);
      for (const int64_t k : {int64_t{0}, count - 1, count / 2, count / 2, int64_t{0}, count - 1}) {
        CHECK(values(data->batch(k)) == expected[static_cast<size_t>(k)]);
      }
      CHECK(has(error_of([&] { data->batch(count); }), "does not exist"));
      CHECK(has(error_of([&] { data->batch(count + 7); }), "does not exist"));
      CHECK_FALSE(data->next(count));
      // Behind the end, and in the middle again.
      CHECK(values(data->batch(count / 2)) == expected[static_cast<size_t>(count / 2)]);
      data->on_epoch_end(3);
      if (data->size() >= 0) CHECK(data->size() == count);
    }
  }
}

TEST_CASE("Batches of negative numbers are refused") {
  for (const auto& pipeline : kinds(0)) {
    const auto data = dataset(pipeline);
    data->on_epoch_begin(0);
    CHECK(has(error_of([&] { data->batch(-1); }), "batch -1 does not exist"));
    CHECK(values(data->batch(0)) == all(*data, 0)[0]);
  }
}

TEST_CASE("Another run goes on from the state behind any batch") {
  const auto list = kinds(2), later = kinds(0);
  for (size_t i = 0; i < list.size(); ++i) {
    INFO("pipeline " << i);
    const auto data = dataset(list[i]);
    const auto expected = all(*data, 2);
    for (size_t stop = 0; stop <= expected.size(); ++stop) {
      data->on_epoch_begin(2);
      for (size_t k = 0; k < stop; ++k) data->next(static_cast<int64_t>(k));
      const Value::Dict state = data->get_state();
      // As it comes from a file.
      const auto resumed = dataset(later[i]);
      resumed->set_state(parse_json(to_json(Value(state)), "state").get<Value::Dict>());
      resumed->on_epoch_begin(2);
      for (size_t k = stop; k < expected.size(); ++k) {
        const auto batch = resumed->next(static_cast<int64_t>(k));
        REQUIRE(batch);
        CHECK(values(*batch) == expected[k]);
      }
      CHECK_FALSE(resumed->next(static_cast<int64_t>(expected.size())));
      resumed->on_epoch_end(2);
      // And with whole epochs behind it.
      CHECK(all(*resumed, 3) == all(*data, 3));
    }
  }
}

TEST_CASE("A state brings its seed along, and nothing else where it has no more") {
  const auto samples = data::from(counting(30)).shuffle().batch(6);
  const auto first = dataset(samples.with({.seed = 5})), second = dataset(samples);
  const auto expected = all(*first, 0);
  CHECK(all(*second, 0) != expected);
  second->set_state(first->get_state());
  CHECK(all(*second, 0) == expected);
  second->set_state({});
  CHECK(all(*second, 0) == expected);
  // A state of another pass is forgotten when its pass does not come.
  first->on_epoch_begin(1);
  first->next(0);
  first->next(1);
  const auto third = dataset(samples);
  third->set_state(first->get_state());
  CHECK(all(*third, 0) == expected);
  CHECK(all(*third, 1) == all(*first, 1));
}

TEST_CASE("An error in a batch leaves the others and later epochs as they are") {
  const auto broken = std::make_shared<std::atomic<bool>>(true);
  const auto pipeline = data::from(counting(20))
                            .map(
                                [broken](Batch sample) {
                                  if (*broken && sample.x.tensor().item() == 9)
                                    throw ValueError("sample 9");
                                  return sample;
                                },
                                {.workers = 2})
                            .batch(4);
  const auto data = dataset(pipeline);
  data->on_epoch_begin(0);
  CHECK(values(data->batch(0)) == Numbers{0, 1, 2, 3});
  CHECK(has(error_of([&] { data->batch(2); }), "Stage 'map', element 9 of epoch 0: sample 9"));
  CHECK(values(data->batch(1)) == Numbers{4, 5, 6, 7});
  CHECK(values(data->batch(4)) == Numbers{16, 17, 18, 19});
  *broken = false;
  CHECK(values(data->batch(2)) == Numbers{8, 9, 10, 11});
  data->on_epoch_end(0);
  CHECK(all(*data, 1).size() == 5);
}

}  // namespace pipeline_dataset_test
