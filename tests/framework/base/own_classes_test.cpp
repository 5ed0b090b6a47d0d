// Losses and metrics of one's own, derived from the base classes.
#include <cornu/framework/base/layer_handle.h>
#include <cornu/framework/base/loss.h>
#include <cornu/framework/base/metric.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include "catch.h"

namespace own_classes_test {

using namespace cornu;

namespace {

class Gap : public Loss {
 public:
  Gap() : Loss("gap", "sum") {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override {
    return ops::mean(y_true - y_pred, -1);
  }
};

class Total : public Metric {
 public:
  Total() : Metric("total"), sum_(add_variable(ops::zeros({}), "sum")) {}
  void update_state(const Tensor& values, const Tensor&, const Tensor&) override {
    sum_.assign_add(ops::sum(values));
  }
  Tensor result() override { return sum_; }

 private:
  Variable sum_;
};

class Counts : public Metric {
 public:
  Counts()
      : Metric("counts"),
        counts_(add_weight({.shape = {2}, .initializer = "ones", .dtype = "int32", .name = "n"})),
        total_(add_weight({})) {}
  void update_state(const Tensor& values, const Tensor&, const Tensor&) override {
    counts_.assign_add(values);
  }
  Tensor result() override { return counts_; }

 private:
  Variable counts_, total_;
};

}  // namespace

TEST_CASE("handles of losses and metrics are called as these are") {
  const Tensor y = Tensor::from({3.0f, 1.0f}, {2, 1}), zero = ops::zeros({2, 1});
  const Handle<Loss> loss = make<Gap>();
  CHECK(loss(y, zero).item() == 4);
  CHECK(loss(y, zero, Tensor::from({2.0f, 0.0f}, {2})).item() == 6);
  const Handle<Metric> metric = make<Total>();
  CHECK(metric(y).item() == 4);
  CHECK(metric(y, zero).item() == 8);
}

TEST_CASE("a loss of one's own needs nothing but call") {
  Gap gap;
  CHECK(gap(ops::ones({2, 3}), ops::zeros({2, 3})).item() == 2);
  CHECK(to_json(Value(gap.get_config())) == R"({"name": "gap", "reduction": "sum"})");
}

TEST_CASE("a metric of one's own needs nothing but update_state and result") {
  Total total;
  total.update_state(ops::ones({3}), {}, {});
  total.update_state(ops::ones({4}), {}, {});
  CHECK(total.result().item() == 7);
  CHECK(to_json(Value(total.get_config())) == R"({"name": "total", "dtype": "float32"})");
}

TEST_CASE("a metric makes its state by add_weight") {
  Counts counts;
  REQUIRE(counts.variables().size() == 2);
  CHECK(counts.variables()[0].path() == "counts/n");
  CHECK(counts.variables()[1].dtype() == DType::float32);
  CHECK(counts.variables()[1].shape() == Shape());
  counts.update_state(ops::array({2, 3}), {}, {});
  CHECK(counts.result().to_vector<int32_t>() == std::vector<int32_t>{3, 4});
  counts.reset_state();
  CHECK(counts.result().to_vector<int32_t>() == std::vector<int32_t>{1, 1});
}

}  // namespace own_classes_test
