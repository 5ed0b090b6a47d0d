// Attention and recurrent layers on every GPU of this machine against the CPU. Without one the
// tests say so and pass.
#include <cornu/backend/rnn_reserve.h>

#include <utility>

#include "catch.h"
#include "gpu_runs.h"

namespace gpu_sequences_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// Forwards, and backwards from what the CPU gave forwards.
std::vector<CodegenCase> attentions() {
  std::mt19937 random(5);
  const auto real = [&](DType dtype, const Shape& shape) {
    Array array(dtype, shape);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t i = 0; i < array.numel(); ++i) array.set(i, uniform(random));
    return array;
  };
  std::vector<CodegenCase> cases;
  const auto add = [&](DType dtype, bool causal, int64_t keys, const Array* mask) {
    const int64_t queries = 64;
    Attention attention{.scale = 0.125, .causal = causal, .mask = mask != nullptr};
    CodegenCase c =
        case_of("attention " + std::string(dtype_name(dtype)) + (causal ? " causal " : " ") +
                    std::to_string(keys) + (mask ? " mask " + mask->shape().str() : ""),
                attention,
                {real(dtype, {2, queries, 3, 64}), real(dtype, {2, keys, 3, 64}),
                 real(dtype, {2, keys, 3, 64})},
                {Array(dtype, {2, queries, 3, 64}), Array(DType::float32, {2, 3, queries})});
    if (mask) c.inputs.push_back(*mask);
    c.tolerance = allowed(dtype);
    c.slack = 4 * allowed(dtype);
    CodegenCase back = c;
    for (Array& result : run_on_cpu(c)) back.inputs.push_back(std::move(result));
    attention.backward = true;
    back.kernel = attention;
    back.name += " backward";
    back.inputs.push_back(real(dtype, {2, queries, 3, 64}));
    back.outputs = {back.inputs[0], back.inputs[1], back.inputs[2]};
    back.slack = 16 * allowed(dtype);
    cases.push_back(std::move(c));
    cases.push_back(std::move(back));
  };
  for (DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    for (bool causal : {false, true})
      for (int64_t keys : {128, 64, 50}) {
        add(dtype, causal, keys, nullptr);
        for (const Shape& shape :
             {Shape{2, 1, 64, keys}, Shape{1, 1, 1, keys}, Shape{2, 3, 64, keys}}) {
          // Some rows may attend nowhere.
          Array allowed_keys(DType::boolean, shape), bias(DType::float32, shape);
          for (int64_t i = 0; i < bias.numel(); ++i) {
            allowed_keys.set(i, i / keys % 5 != 3 && random() % 3 != 0);
            bias.set(i, static_cast<double>(random() % 100) / 50 - 1);
          }
          add(dtype, causal, keys, &allowed_keys);
          add(dtype, causal, keys, &bias);
        }
      }
  return cases;
}

// Gates and `extra` are the device's own: the backward pass gets what the same device gave, in the
// form of RnnReserve if `reserved`.
void check_recurrent(Backend& device, const Rnn& rnn, DType dtype, bool reserved) {
  std::mt19937 random(8);
  const auto real = [&](const Shape& shape) {
    Array array(dtype, shape);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    for (int64_t i = 0; i < array.numel(); ++i) array.set(i, uniform(random));
    return array;
  };
  const int64_t batch = 3, time = 5, in = 7, units = 6;
  const int64_t gates = rnn.cell == RnnCell::lstm ? 4 : rnn.cell == RnnCell::gru ? 3 : 1;
  const bool lstm = rnn.cell == RnnCell::lstm, simple = rnn.cell == RnnCell::simple;
  const Shape state{batch, units}, walk{batch, time, units};
  std::vector<Array> inputs{real({batch, time, in}), real({in, gates * units}),
                            real({units, gates * units})};
  if (rnn.bias)
    inputs.push_back(real(rnn.cell == RnnCell::gru ? Shape{2, 3 * units} : Shape{gates * units}));
  inputs.push_back(real(state));
  if (lstm) inputs.push_back(real(state));
  std::vector<Array> outputs{Array(dtype, walk), Array(dtype, state)};
  if (lstm) outputs.emplace_back(dtype, state);
  const size_t seen = outputs.size();
  if (!simple) {
    outputs.emplace_back(dtype, Shape{time, batch, gates * units});
    outputs.emplace_back(dtype, Shape{time, batch, units});
  }
  CodegenCase forward = case_of("forward", rnn, inputs, outputs);
  forward.tolerance = allowed(dtype);
  forward.slack = 4 * allowed(dtype);
  const std::vector<Array> here = run_on_cpu(forward);
  if (reserved) {
    const size_t bytes = dynamic_cast<RnnReserve&>(device).rnn_reserve(
        rnn, dtype, inputs[0].shape(), inputs[1].shape());
    if (bytes == 0) return;  // no cuDNN
    forward.outputs[seen] = Array(dtype, {static_cast<int64_t>(bytes / size_of(dtype))});
    forward.outputs[seen + 1] = Array(dtype, {0});
  }
  // A reserve may have parts that nobody writes.
  const std::vector<Array> there = run_on(device, forward, seen);
  for (size_t i = 0; i < seen; ++i) CHECK(first_difference(there[i], here[i], forward) < 0);

  const std::vector<Array> slopes{real(walk), real(state), real(state)};
  const auto backward = [&](const std::vector<Array>& from) {
    Rnn back = rnn;
    back.backward = true;
    CodegenCase c = case_of("backward", back, inputs, inputs);
    c.inputs.push_back(from[0]);
    if (!simple) c.inputs.insert(c.inputs.end(), from.end() - 2, from.end());
    c.inputs.insert(c.inputs.end(), slopes.begin(), slopes.begin() + (lstm ? 3 : 2));
    c.tolerance = allowed(dtype);
    c.slack = 16 * allowed(dtype);
    return c;
  };
  const CodegenCase at_device = backward(there);
  const std::vector<Array> got = run_on(device, at_device), expected = run_on_cpu(backward(here));
  for (size_t i = 0; i < got.size(); ++i) {
    INFO("slope " << i);
    CHECK(first_difference(got[i], expected[i], at_device) < 0);
  }
}

}  // namespace

TEST_CASE("GPUs attend as the CPU does, with masks and without") { check_all(attentions()); }

TEST_CASE("GPUs walk along sequences as the CPU does") {
  for (Backend* device : gpus())
    for (const RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru})
      for (const bool bias : {true, false})
        for (const bool reverse : {false, true})
          for (const DType dtype : {DType::float32, DType::float64}) {
            INFO(device->name() << ": cell " << static_cast<int>(cell) << (bias ? ", bias" : "")
                                << (reverse ? ", reverse " : " ") << dtype_name(dtype));
            check_recurrent(*device, {cell, false, bias, reverse}, dtype, false);
            if (cell == RnnCell::simple) continue;
            check_recurrent(*device, {cell, false, bias, reverse}, dtype, true);
          }
}

}  // namespace gpu_sequences_test
