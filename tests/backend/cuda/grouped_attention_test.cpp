// Attention whose heads share keys and values, where no library takes it so: on a driver of host
// functions, beside the CPU on repeated keys and values.
#include <cornu/backend/cuda/grouped_attention.h>
#include <cornu/backend/optional_kernels.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "../../support/temporary.h"
#include "../array.h"
#include "fake_bench.h"

namespace grouped_attention_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

struct Sizes {
  int64_t batch, queries, keys, heads, shared, depth;  // shared: heads of keys
};

// (batch, steps, heads, depth) with each head so many times.
Array repeated(const Array& x, int64_t times) {
  Shape shape = x.shape();
  shape[2] *= times;
  Array result(x.dtype(), shape);
  const int64_t depth = shape[3];
  for (int64_t i = 0; i < result.numel(); ++i)
    result.set(i, x[i / depth / times * depth + i % depth]);
  return result;
}

// Sums over the heads that share one.
Array folded(const Array& x, int64_t times) {
  Shape shape = x.shape();
  shape[2] /= times;
  Array result(DType::float64, shape);
  const int64_t depth = shape[3];
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t to = i / depth / times * depth + i % depth;
    result.set(to, result[to] + x[i]);
  }
  return Array(result);
}

std::vector<Array> on_cpu(const Attention& kernel, std::vector<Array> inputs,
                          std::vector<Array> outputs) {
  std::vector<Array*> in, out;
  for (Array& array : inputs) in.push_back(&array);
  for (Array& array : outputs) out.push_back(&array);
  run(kernel, in, out);
  return outputs;
}

// What a device gives, by eager calls or by a captured graph that runs twice.
std::vector<Array> on_device(Backend& device, const Attention& kernel, std::vector<Array> inputs,
                             std::vector<Array> outputs, bool captured) {
  std::vector<Operand> in, out;
  const auto place = [&](Array& array, std::vector<Operand>& list) {
    const auto bytes = static_cast<size_t>(array.numel()) * size_of(array.dtype());
    void* const data = device.allocator().allocate(bytes);
    device.copy_from_host(data, array.data(), bytes);
    list.push_back({&array.shape(), array.dtype(), data});
  };
  for (Array& array : inputs) place(array, in);
  for (Array& array : outputs) place(array, out);
  device.run(kernel, in, out);
  if (captured) {
    const auto graph = device.capture([&] { device.run(kernel, in, out); });
    graph->run(nullptr);
    graph->run(nullptr);
    device.synchronize();
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    device.copy_to_host(outputs[i].data(), out[i].data,
                        static_cast<size_t>(outputs[i].numel()) * size_of(outputs[i].dtype()));
  for (const auto& list : {in, out})
    for (const Operand& operand : list)
      device.allocator().deallocate(
          operand.data, static_cast<size_t>(operand.shape->numel()) * size_of(operand.dtype));
  return outputs;
}

void check_near(const Array& found, const Array& expected, double tolerance) {
  REQUIRE(found.numel() == expected.numel());
  double most = 0;
  for (int64_t i = 0; i < found.numel(); ++i) {
    const double error = std::fabs(found[i] - expected[i]);
    most = std::isnan(error) ? HUGE_VAL : std::max(most, error);
  }
  CHECK(most <= tolerance);
}

// A library whose attention knows shared heads, rightly or not: it takes neighbors for a group, or
// every so many-th head.
class Sharing final : public Executable {
 public:
  Sharing(FakeDriver& driver, cuda::Context& context, const Attention& kernel,
          std::span<const Operand> inputs, std::span<const Operand> outputs, bool right)
      : driver_(driver), context_(context), kernel_(kernel), right_(right), count_(inputs.size()) {
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) arrays_.emplace_back(operand.dtype, *operand.shape);
  }
  void run(void* const* data) override {
    driver_.enqueue(context_.stream(), [this, all = std::vector(data, data + arrays_.size())] {
      std::vector<Array> in, out;
      const int64_t times = arrays_[0].shape()[2] / arrays_[1].shape()[2];
      for (size_t i = 0; i < arrays_.size(); ++i) {
        Array& array = arrays_[i];
        const auto bytes = static_cast<size_t>(array.numel()) * size_of(array.dtype());
        if (i < count_) std::memcpy(array.data(), all[i], bytes);
        const bool shared = i < count_ ? i == 1 || i == 2 : kernel_.backward && i > count_;
        (i < count_ ? in : out).push_back(shared ? spread(array, times) : array);
      }
      out = on_cpu(kernel_, in, out);
      for (size_t i = count_; i < arrays_.size(); ++i) {
        Array& array = arrays_[i];
        const Array& found = out[i - count_];
        const bool shared = found.numel() != array.numel();
        const Array values = shared ? folded(found, times) : found;
        for (int64_t k = 0; k < array.numel(); ++k) array.set(k, values[k]);
        std::memcpy(all[i], array.data(),
                    static_cast<size_t>(array.numel()) * size_of(array.dtype()));
      }
    });
  }

 private:
  Array spread(const Array& x, int64_t times) const {
    if (right_) return repeated(x, times);
    Shape shape = x.shape();
    const int64_t depth = shape[3], heads = shape[2];
    shape[2] *= times;
    Array result(x.dtype(), shape);
    for (int64_t i = 0; i < result.numel(); ++i) {
      const int64_t head = i / depth % (heads * times), place = i / depth / (heads * times);
      result.set(i, x[(place * heads + head % heads) * depth + i % depth]);
    }
    return result;
  }

  FakeDriver& driver_;
  cuda::Context& context_;
  Attention kernel_;
  bool right_;
  size_t count_;
  std::vector<Array> arrays_;
};

// Kernels kept in a folder of its own.
struct KernelFolder {
  KernelFolder() { ::setenv("CORNU_KERNEL_CACHE", folder.path().c_str(), 1); }
  ~KernelFolder() {
    if (before)
      ::setenv("CORNU_KERNEL_CACHE", before->c_str(), 1);
    else
      ::unsetenv("CORNU_KERNEL_CACHE");
  }
  test::TemporaryFolder folder;
  std::optional<std::string> before =
      std::getenv("CORNU_KERNEL_CACHE")
          ? std::optional<std::string>(std::getenv("CORNU_KERNEL_CACHE"))
          : std::nullopt;
};

// Who runs attention of 4 heads that share 2, where a library offers it.
struct Offered {
  explicit Offered(bool right) {
    services.driver = &driver.table();
    services.library = [this, right](const Kernel& kernel, std::span<const Operand> inputs,
                                     std::span<const Operand> outputs,
                                     cuda::Context& context) -> std::unique_ptr<Executable> {
      const auto* const attention = std::get_if<Attention>(&kernel);
      if (!attention) return std::make_unique<ByCpu>(driver, context, kernel, inputs, outputs);
      if (!cuda::is_grouped(inputs)) return nullptr;
      ++offers;
      context.set_path(right ? "a library that is right" : "a library that is wrong");
      return std::make_unique<Sharing>(driver, context, *attention, inputs, outputs, right);
    };
    backend = std::make_unique<cuda::CudaBackend>(0, services);
  }
  std::string path(bool backward, DType dtype = DType::bfloat16) {
    const Shape q{2, 6, 4, 8}, k{2, 5, 2, 8}, rows{2, 4, 6};
    const Operand of_q{&q, dtype, nullptr}, of_k{&k, dtype, nullptr},
        sums{&rows, DType::float32, nullptr};
    std::vector<Operand> in{of_q, of_k, of_k}, out{of_q, sums};
    if (backward) {
      in.insert(in.end(), {of_q, sums, of_q});
      out = {of_q, of_k, of_k};
    }
    const auto made = backend->prepare(Attention{.scale = 0.3, .backward = backward}, in, out);
    return backend->device().path();
  }

  FakeDriver driver;
  cuda::Services services;
  int offers = 0;
  std::unique_ptr<cuda::CudaBackend> backend;
};

}  // namespace

TEST_CASE("A library's shared heads are tried once before it is relied on", "[cuda]") {
  use_attention_kernel();
  const KernelFolder folder;
  for (const bool backward : {false, true}) {
    CAPTURE(backward);
    {
      Offered right(true);
      CHECK(right.path(backward) == "a library that is right");
      CHECK(right.offers == 2);  // the trial's too
      CHECK(right.path(backward) == "a library that is right");
      CHECK(right.offers == 3);
    }
    {
      Offered wrong(false);
      const std::string found = wrong.path(backward);
      CHECK(found.find("repeated for each head") != std::string::npos);
      CHECK(wrong.offers == 2);
      CHECK(wrong.path(backward) == found);
      CHECK(wrong.offers == 3);
    }
    // The next process knows it from the folder of kernels.
    Offered later(true);
    CHECK(later.path(backward) == "a library that is right");
    CHECK(later.offers == 1);
    // Of what cannot be tried nobody is relied on.
    CHECK(later.path(backward, DType::float32).find("repeated") != std::string::npos);
    later.driver.faults["memory_allocate"] = cuda::out_of_memory;
    CHECK(later.path(backward, DType::float16).find("repeated") != std::string::npos);
    later.driver.faults.clear();
    CHECK(later.path(backward, DType::float16) == "a library that is right");
  }
}

TEST_CASE("Heads share keys and values, forwards and backwards", "[cuda]") {
  use_attention_kernel();
  const bool masked = GENERATE(false, true), captured = GENERATE(false, true);
  CAPTURE(masked, captured);
  for (const Sizes& s : {Sizes{2, 5, 7, 6, 2, 4}, Sizes{1, 1, 9, 4, 1, 8}, Sizes{1, 6, 6, 8, 4, 3}})
    for (const DType dtype : {DType::float32, DType::float16}) {
      CAPTURE(s.heads, s.shared, dtype_name(dtype));
      std::mt19937 random(3);
      const auto numbers = [&](const Shape& shape, DType type) {
        Array x = random_array(random, type, shape, -16, 16);
        for (int64_t i = 0; i < x.numel(); ++i) x.set(i, x[i] / 8);
        return x;
      };
      const Shape of_q{s.batch, s.queries, s.heads, s.depth}, rows{s.batch, s.heads, s.queries};
      const Shape of_k{s.batch, s.keys, s.shared, s.depth};
      const Array q = numbers(of_q, dtype), k = numbers(of_k, dtype), v = numbers(of_k, dtype);
      const int64_t times = s.heads / s.shared;
      Attention kernel{.scale = 0.3, .causal = true, .mask = masked};
      std::vector<Array> inputs{q, k, v}, same{q, repeated(k, times), repeated(v, times)};
      if (masked)
        for (auto* list : {&inputs, &same})
          list->push_back(Array(DType::float32, {s.queries, s.keys}));
      Bench bench;
      std::vector<Array> outputs{Array(dtype, of_q), Array(DType::float32, rows)};
      const std::vector<Array> expected = on_cpu(kernel, same, outputs);
      bench.library = true;
      const std::vector<Array> found =
          on_device(bench.backend(), kernel, inputs, outputs, captured);
      const double tolerance = dtype == DType::float32 ? 1e-5 : 1e-2;
      check_near(found[0], expected[0], tolerance);
      check_near(found[1], expected[1], tolerance);

      kernel.backward = true;
      for (auto* list : {&inputs, &same}) {
        list->push_back(expected[0]);
        list->push_back(expected[1]);
        list->push_back(numbers(of_q, dtype));
      }
      same.back() = inputs.back();
      const Array of_key(dtype, of_k);
      const std::vector<Array> gradients =
          on_device(bench.backend(), kernel, inputs, {q, of_key, of_key}, captured);
      const std::vector<Array> whole =
          on_cpu(kernel, same, {q, repeated(of_key, times), repeated(of_key, times)});
      check_near(gradients[0], whole[0], 10 * tolerance);
      for (size_t i : {1, 2}) check_near(gradients[i], folded(whole[i], times), 10 * tolerance);
    }
}

TEST_CASE("As many heads of keys as of queries are nobody's group", "[cuda]") {
  const Shape q{2, 3, 4, 8}, k{2, 5, 2, 8}, rank{2, 3};
  const Operand of_q{&q, DType::float16, nullptr}, of_k{&k, DType::float16, nullptr},
      other{&rank, DType::float16, nullptr};
  CHECK(cuda::is_grouped(std::vector{of_q, of_k}));
  CHECK_FALSE(cuda::is_grouped(std::vector{of_q, of_q}));
  CHECK_FALSE(cuda::is_grouped(std::vector{other, other}));
  Bench bench;
  CHECK(bench.backend().groups_heads(DType::bfloat16));
  CHECK_FALSE(bench.backend().groups_heads(DType::float32));
}

}  // namespace grouped_attention_test
