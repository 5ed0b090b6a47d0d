// Losses and metrics of one's own, derived from the base classes.
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

}  // namespace

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

}  // namespace own_classes_test
