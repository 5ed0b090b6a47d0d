// The learning rate option: functions of the program's as schedules, and what files keep.
#include <algorithm>

#include "../dispatch/apply.h"
#include "optimizer.h"

namespace cornu {

namespace {

// A learning rate that a function of the program's gives.
class FunctionSchedule : public LearningRateSchedule {
 public:
  explicit FunctionSchedule(std::function<double()> function) : function_(std::move(function)) {}
  Tensor operator()(const Tensor& step) override {
    // Work of the host, so that a recording asks for the rate of each step anew.
    const auto rate = [function = function_](std::span<const Tensor>,
                                             std::span<const Tensor> outputs) {
      std::fill_n(outputs[0].mutable_data<float>(), outputs[0].size(),
                  static_cast<float>(function()));
    };
    const TensorSpec spec{step.shape(), DType::float32};
    return apply_host(rate, {&step, 1}, {&spec, 1})[0];
  }
  double at(int64_t) override { return static_cast<float>(function_()); }
  bool is_function() const override { return true; }
  Value::Dict get_config() const override {
    throw StateError(
        "The learning rate is a function, which files cannot hold. To save the optimizer, make it "
        "with a number, or with a LearningRateSchedule whose class is registered with "
        "CORNU_REGISTER.");
  }

 private:
  std::function<double()> function_;
};

}  // namespace

Choice<LearningRateSchedule> LearningRate::of_function(std::function<double()> function) {
  return std::make_shared<FunctionSchedule>(std::move(function));
}

namespace detail {

Value OptionCodec<LearningRate>::encode(const LearningRate& v) {
  // A copy of the optimizer shares a function.
  return v.is_schedule() ? serialize_shared(v.schedule().shared()) : Value(v.value());
}

LearningRate OptionCodec<LearningRate>::decode(const Value& v) {
  if (v.is_number()) return v.number();
  Choice<LearningRateSchedule> schedule = OptionCodec<Choice<LearningRateSchedule>>::decode(v);
  if (!schedule) throw ValueError("expected a number or a schedule, found " + v.kind());
  return schedule;
}

}  // namespace detail
}  // namespace cornu
