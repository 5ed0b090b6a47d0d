// Small attention by the library, and on repeated keys and values.
#include "shared_heads_trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../error.h"
#include "../log.h"
#include "grouped_attention.h"
#include "trial_choices.h"

namespace cornu::backend::cuda {
namespace {

// A tile of queries and keys as libraries like it.
constexpr int64_t steps = 128;

// What is known in this process.
struct Known {
  explicit Known(Context&) {}
  std::unordered_map<std::string, bool> right;
};

float number_of(const char* from, DType dtype) {
  if (dtype == DType::float32) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return dtype == DType::float16 ? half_to_float(bits) : bfloat16_to_float(bits);
}

// An array on the device, and its bytes on the host.
class Values {
 public:
  Values(Device& device, DType dtype, const Shape& shape)
      : device_(device),
        dtype_(dtype),
        shape_(shape),
        bytes_(static_cast<size_t>(shape.numel()) * size_of(dtype)),
        data_(device.allocator().allocate(bytes_.size()),
              [&device, size = bytes_.size()](void* data) {
                device.allocator().deallocate(data, size);
              }) {
    // NaN: what nobody writes is seen.
    std::memset(bytes_.data(), 0xFF, bytes_.size());
    upload();
  }
  Values(const Values&) = delete;

  // Numbers between -2 and 2, others for each seed.
  void fill(uint32_t seed) {
    for (size_t i = 0; i < bytes_.size() / 2; ++i) {
      seed = seed * 1664525 + 1013904223;
      const float value = static_cast<float>(seed >> 24) / 64 - 2;
      const uint16_t bits =
          dtype_ == DType::float16 ? float_to_half(value) : float_to_bfloat16(value);
      std::memcpy(bytes_.data() + 2 * i, &bits, sizeof bits);
    }
    upload();
  }
  Operand operand() const { return {&shape_, dtype_, data_.get()}; }

  bool near(Values& expected) {
    download();
    expected.download();
    float largest = 0, error = 0;
    for (size_t i = 0; i < bytes_.size(); i += size_of(dtype_)) {
      const float a = number_of(bytes_.data() + i, dtype_);
      const float b = number_of(expected.bytes_.data() + i, dtype_);
      if (!(std::fabs(a - b) < HUGE_VALF)) return false;
      largest = std::max(largest, std::fabs(b));
      error = std::max(error, std::fabs(a - b));
    }
    // Some units in the last place of 16 bits, and far from what other heads would give.
    return largest > 0 && error <= (dtype_ == DType::bfloat16 ? 0.04f : 0.01f) * largest;
  }

 private:
  void upload() { device_.copy_in(data_.get(), bytes_.data(), bytes_.size()); }
  void download() { device_.copy_out(bytes_.data(), data_.get(), bytes_.size()); }

  Device& device_;
  DType dtype_;
  Shape shape_;
  std::vector<char> bytes_;
  std::shared_ptr<void> data_;
};

using List = std::vector<Values*>;

std::vector<Operand> operands_of(const List& list) {
  std::vector<Operand> operands;
  for (const Values* values : list) operands.push_back(values->operand());
  return operands;
}

// Runs attention by the library or, without one, on repeated keys and values.
class Runs {
 public:
  explicit Runs(Device& device) : device_(device) {}
  Runs(const Runs&) = delete;
  // What was launched uses what was made for it.
  ~Runs() {
    try {
      device_.synchronize();
    } catch (const Error&) {
      // The device has failed, and whoever uses it next hears it.
    }
  }
  bool operator()(const Attention& kernel, const List& inputs, const List& outputs, bool library) {
    const std::vector<Operand> in = operands_of(inputs), out = operands_of(outputs);
    std::unique_ptr<Executable> executable =
        library ? device_.services().library(kernel, in, out, device_)
                : repeated_attention(kernel, in, out, device_);
    if (!executable) return false;
    std::vector<void*> data;
    for (const auto& list : {in, out})
      for (const Operand& operand : list) data.push_back(operand.data);
    executable->run(data.data());
    device_.count_work();
    made_.push_back(std::move(executable));
    return true;
  }

 private:
  Device& device_;
  std::vector<std::unique_ptr<Executable>> made_;
};

bool try_shared_heads(Attention kernel, DType dtype, int64_t group, int64_t depth, Device& device) {
  const int64_t shared = 2, heads = shared * group;
  const Shape of_q{1, steps, heads, depth}, of_k{1, steps, shared, depth}, rows{1, heads, steps};
  // What a mask adds to the scores has nothing to do with groups.
  kernel.mask = false;
  const bool backward = std::exchange(kernel.backward, false);
  Values q(device, dtype, of_q), k(device, dtype, of_k), v(device, dtype, of_k);
  Values y(device, dtype, of_q), sums(device, DType::float32, rows);
  Runs run(device);
  uint32_t seed = 1;
  for (Values* values : {&q, &k, &v}) values->fill(seed++);
  if (!run(kernel, {&q, &k, &v}, {&y, &sums}, false)) return false;
  if (!backward) {
    Values its_y(device, dtype, of_q), its_sums(device, DType::float32, rows);
    return run(kernel, {&q, &k, &v}, {&its_y, &its_sums}, true) && its_y.near(y) &&
           its_sums.near(sums);
  }
  kernel.backward = true;
  Values dy(device, dtype, of_q);
  dy.fill(seed);
  const List inputs{&q, &k, &v, &y, &sums, &dy};
  Values dq(device, dtype, of_q), dk(device, dtype, of_k), dv(device, dtype, of_k);
  Values its_dq(device, dtype, of_q), its_dk(device, dtype, of_k), its_dv(device, dtype, of_k);
  return run(kernel, inputs, {&dq, &dk, &dv}, false) &&
         run(kernel, inputs, {&its_dq, &its_dk, &its_dv}, true) && its_dq.near(dq) &&
         its_dk.near(dk) && its_dv.near(dv);
}

}  // namespace

bool shared_heads_are_right(const Attention& attention, std::span<const Operand> inputs,
                            Device& device) {
  const Shape &q = *inputs[0].shape, &k = *inputs[1].shape;
  const DType dtype = inputs[0].dtype;
  if (dtype != DType::float16 && dtype != DType::bfloat16) return false;
  const int64_t group = q[2] / k[2], depth = q[3];
  const std::string path = device.path();
  const std::string key =
      fmt::format("{}\n{}\nshared heads {} {}{}groups of {}, depth {}, scale {}", device.model(),
                  path, dtype_name(dtype), attention.backward ? "backward " : "",
                  attention.causal ? "causal " : "", group, depth, attention.scale);
  auto& known = device.part<Known>().right;
  if (const auto at = known.find(key); at != known.end()) return at->second;
  const TrialChoices& choices = device.part<TrialChoices>();
  std::optional<size_t> right = choices.find(key, 2);
  if (!right) {
    try {
      right = choices.keep(key, 2, try_shared_heads(attention, dtype, group, depth, device));
    } catch (const Error&) {
      // No memory, or no time: what fails for another reason comes to light elsewhere.
      device.set_path(path);
      return false;
    }
    device.set_path(path);
  }
  if (*right == 0)
    warn_once(
        fmt::format("{}: attention with shared heads by {} gave wrong numbers in a trial ({}, "
                    "groups of {}, depth {}). Keys and values are repeated for each head instead.",
                    device.name(), path, dtype_name(dtype), group, depth));
  return known[key] = *right == 1;
}

}  // namespace cornu::backend::cuda
