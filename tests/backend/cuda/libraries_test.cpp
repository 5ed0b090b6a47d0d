// The vendor's libraries without a GPU: the mapping of convolutions onto theirs is
// emulated on the host, and their descriptors and plans are made for a described device.
#include <catch.h>
#include <cornu/backend/cuda/library_checks.h>
#include <cornu/backend/cuda/library_folding.h>
#include <cornu/backend/cuda/library_layouts.h>
#include <dlfcn.h>

#include <filesystem>

#include "../array.h"

// Null when the tests are linked without the sources that need the vendor's headers.
namespace cornu::backend::cuda {
[[gnu::weak]] std::string try_convolution(const std::string&, const Conv&, DType, const Shape&,
                                          const Shape&, const Shape&, bool, size_t);
[[gnu::weak]] std::string try_attention(const std::string&, const Attention&, DType, const Shape&,
                                        const Shape&, const Shape&, DType, bool);
[[gnu::weak]] std::string try_rnn(const Rnn&, DType, const Shape&, const Shape&);
[[gnu::weak]] std::string described_h100();
[[gnu::weak]] std::vector<DescribedDevice> described_devices();
[[gnu::weak]] std::string cusolver_version(std::string*);
}  // namespace cornu::backend::cuda

namespace libraries_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::cuda;
using namespace cornu::backend::testing;
using cudnn::ConvolutionLayouts;
using cudnn::Layout;

namespace {

struct Convolution {
  Conv conv;
  Shape x, kernel, y;
};

Conv conv_of(InlineVector<int64_t, 3> strides, InlineVector<int64_t, 3> dilation,
             InlineVector<int64_t, 3> low, InlineVector<int64_t, 3> high, int64_t groups = 1) {
  Conv conv;
  conv.strides = strides;
  conv.dilation = dilation;
  conv.pad_low = low;
  conv.pad_high = high;
  conv.groups = groups;
  return conv;
}

std::vector<Convolution> convolutions() {
  return {
      {conv_of({1}, {1}, {2}, {0}), {2, 9, 3}, {3, 3, 4}, {2, 9, 4}},
      {conv_of({1, 1}, {1, 1}, {1, 1}, {1, 1}), {2, 5, 6, 3}, {3, 3, 3, 4}, {2, 5, 6, 4}},
      {conv_of({2, 2}, {1, 1}, {0, 0}, {1, 1}), {2, 6, 8, 3}, {3, 3, 3, 4}, {2, 3, 4, 4}},
      {conv_of({1, 2}, {2, 1}, {2, 0}, {2, 1}, 2), {1, 7, 6, 4}, {3, 3, 2, 6}, {1, 7, 3, 6}},
      {conv_of({1, 1}, {1, 1}, {0, 0}, {0, 0}, 4), {1, 4, 5, 4}, {2, 3, 1, 8}, {1, 3, 3, 8}},
      {conv_of({1, 1, 2}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1}),
       {1, 3, 4, 6, 2},
       {2, 3, 2, 2, 3},
       {1, 2, 4, 3, 3}},
      // Of stride 2: what ResNets begin with, with the padding in x and beside it, and odd sizes.
      {conv_of({2, 2}, {1, 1}, {0, 0}, {0, 0}), {2, 14, 14, 3}, {7, 7, 3, 4}, {2, 4, 4, 4}},
      {conv_of({2, 2}, {1, 1}, {3, 3}, {3, 3}), {2, 8, 10, 3}, {7, 7, 3, 4}, {2, 4, 5, 4}},
      {conv_of({2, 2}, {1, 1}, {0, 0}, {0, 0}), {2, 9, 13, 3}, {7, 7, 3, 4}, {2, 2, 4, 4}},
      {conv_of({2, 2}, {1, 1}, {0, 1}, {1, 1}), {2, 7, 9, 3}, {3, 3, 3, 4}, {2, 3, 5, 4}},
      {conv_of({2, 2}, {1, 1}, {1, 1}, {1, 1}), {2, 7, 8, 5}, {3, 3, 5, 4}, {2, 4, 4, 4}},
      {conv_of({2, 2}, {1, 1}, {2, 5}, {3, 0}), {1, 6, 5, 1}, {3, 5, 1, 4}, {1, 5, 3, 4}},
      {conv_of({2, 2}, {1, 1}, {0, 0}, {0, 0}), {2, 6, 7, 2}, {2, 2, 2, 3}, {2, 3, 3, 3}},
      {conv_of({2, 2}, {1, 1}, {0, 0}, {0, 0}), {2, 6, 5, 3}, {1, 1, 3, 4}, {2, 3, 3, 4}},
      {conv_of({2, 2}, {1, 1}, {1, 0}, {0, 0}), {1, 1, 8, 3}, {2, 4, 3, 4}, {1, 1, 3, 4}},
      // No window reaches x.
      {conv_of({2, 2}, {1, 1}, {4, 0}, {0, 0}), {1, 1, 5, 2}, {2, 2, 2, 3}, {1, 2, 2, 3}},
  };
}

// The convolution that the library's documentation defines, over the layouts' strides.
void run_layouts(const ConvolutionLayouts& l, int64_t groups, const Array& x, const Array& kernel,
                 Array& y) {
  const size_t axes = l.geometry.strides.size();
  const auto each = [](const std::vector<int64_t>& sizes, auto&& visit) {
    std::vector<int64_t> at(sizes.size(), 0);
    int64_t count = 1;
    for (int64_t size : sizes) count *= size;
    for (int64_t i = 0; i < count; ++i) {
      visit(at);
      for (size_t axis = sizes.size(); axis-- > 0 && ++at[axis] == sizes[axis];) at[axis] = 0;
    }
  };
  const auto place = [](const Layout& layout, const std::vector<int64_t>& at) {
    int64_t position = 0;
    for (size_t i = 0; i < at.size(); ++i) position += at[i] * layout.strides[i];
    return position;
  };
  const int64_t outs = l.kernel.sizes[0] / groups, ins = l.kernel.sizes[1];
  each(l.y.sizes, [&](const std::vector<int64_t>& to) {
    double sum = 0;
    std::vector<int64_t> window = l.kernel.sizes;
    window[0] = 1;
    each(window, [&](std::vector<int64_t> tap) {
      tap[0] = to[1];
      std::vector<int64_t> from{to[0], to[1] / outs * ins + tap[1]};
      for (size_t i = 0; i < axes; ++i) {
        const int64_t at = to[i + 2] * l.geometry.strides[i] - l.geometry.pad_low[i] +
                           tap[i + 2] * l.geometry.dilation[i];
        if (at < 0 || at >= l.x.sizes[i + 2]) return;
        from.push_back(at);
      }
      sum += x[place(l.x, from)] * kernel[place(l.kernel, tap)];
    });
    y.set(place(l.y, to), sum);
  });
}

Array run_on_cpu(const Kernel& kernel, std::vector<Array> inputs, const Shape& out) {
  Array result(inputs[0].dtype(), out);
  std::vector<Operand> operands;
  for (Array& input : inputs) operands.push_back(input.operand());
  const Operand output = result.operand();
  cpu_backend().run(kernel, operands, {&output, 1});
  return result;
}

void check_same(const Array& found, const Array& wanted) {
  REQUIRE(found.numel() == wanted.numel());
  int64_t wrong = 0;
  for (int64_t i = 0; i < found.numel(); ++i) wrong += found[i] != wanted[i];
  CHECK(wrong == 0);
}

// Whether the sources that need the vendor's headers are in this program, and the library is here.
bool usable(const std::string& said) {
  if (!said.starts_with("absent")) return true;
  WARN("Not tested: " << said);
  return false;
}

bool linked() {
  const bool all = try_convolution != nullptr && try_attention != nullptr && try_rnn != nullptr &&
                   described_h100 != nullptr;
  if (!all) WARN("Not tested: built without the headers of cuDNN");
  return all;
}

}  // namespace

TEST_CASE("convolutions by the library's layouts are those of the CPU") {
  std::mt19937 random(2);
  for (const Convolution& c : convolutions()) {
    INFO(c.x.str() << " * " << c.kernel.str() << " -> " << c.y.str());
    CHECK(cudnn::sizes_fit(c.conv, c.x, c.kernel, c.y));
    Array x = random_array(random, DType::float32, c.x, -3, 3);
    Array kernel = random_array(random, DType::float32, c.kernel, -3, 3);
    const Array wanted = run_on_cpu(c.conv, {x, kernel}, c.y);
    const Copy to = cudnn::kernel_to_library(c.kernel);
    const Array ordered = run_on_cpu(to, {kernel}, to.shape);
    Array found(DType::float32, c.y);
    run_layouts(cudnn::convolution_layouts(c.conv, c.x, c.kernel, c.y), c.conv.groups, x, ordered,
                found);
    check_same(found, wanted);
    // With the padding in memory.
    const Copy pad = cudnn::pad_copy(c.conv, c.x);
    const Array padded = run_on_cpu(pad, {x}, pad.shape);
    CHECK(pad.shape == cudnn::padded_shape(c.conv, c.x));
    Array again(DType::float32, c.y);
    run_layouts(
        cudnn::convolution_layouts(cudnn::without_padding(c.conv), pad.shape, c.kernel, c.y),
        c.conv.groups, padded, ordered, again);
    check_same(again, wanted);
    // The copies' ways back.
    check_same(run_on_cpu(cudnn::crop_copy(c.conv, c.x), {padded}, c.x), x);
    check_same(run_on_cpu(cudnn::kernel_from_library(c.kernel), {ordered}, c.kernel), kernel);
  }
  CHECK_FALSE(cudnn::sizes_fit(conv_of({1}, {1}, {0}, {0}), {2, 9, 3}, {3, 3, 4}, {2, 9, 4}));
  CHECK(cudnn::kernel_in_order({1, 1, 1, 8}));
  CHECK(cudnn::kernel_in_order({3, 3, 8, 1}));
  CHECK_FALSE(cudnn::kernel_in_order({1, 1, 2, 8}));
}

TEST_CASE("convolutions of stride 2 are folded ones of stride 1") {
  std::mt19937 random(3);
  int cases = 0;
  for (const Convolution& c : convolutions()) {
    if (!cudnn::can_fold(c.conv, c.x)) continue;
    ++cases;
    Array x = random_array(random, DType::float32, c.x, -3, 3);
    Array kernel = random_array(random, DType::float32, c.kernel, -3, 3);
    Array dy = random_array(random, DType::float32, c.y, -3, 3);
    const Array wanted = run_on_cpu(c.conv, {x, kernel}, c.y);
    Conv backward = c.conv;
    backward.pass = ConvPass::backward_weights;
    const Array gradient = run_on_cpu(backward, {x, dy}, c.kernel);
    // Each part of a copy has an input of its own.
    const auto copied = [](const Copy& copy, const Array& from) {
      CHECK(copy.parts.size() <= 4);
      return run_on_cpu(copy, std::vector<Array>(copy.parts.size(), from), copy.shape);
    };
    const int64_t all = 4 * c.x.back();
    for (int64_t channels : {all, (all + 7) / 8 * 8, all + 5}) {
      INFO(c.x.str() << " * " << c.kernel.str() << " -> " << c.y.str() << " by " << channels);
      const Conv conv = cudnn::folded(c.conv);
      const Copy fold = cudnn::fold_copy(c.conv, c.x, c.kernel, c.y, channels);
      const Shape wide = cudnn::folded_kernel(c.kernel, channels);
      CHECK(fold.shape == cudnn::folded_shape(c.conv, c.x, c.kernel, c.y, channels));
      CHECK(cudnn::sizes_fit(conv, fold.shape, wide, c.y));
      const Array narrow = copied(fold, x),
                  ordered = copied(cudnn::fold_kernel_to_library(c.kernel, channels), kernel);
      Array found(DType::float32, c.y);
      run_layouts(cudnn::convolution_layouts(conv, fold.shape, wide, c.y), 1, narrow, ordered,
                  found);
      check_same(found, wanted);
      const Copy back = cudnn::fold_kernel_from_library(c.kernel, channels);
      check_same(copied(back, ordered), kernel);
      // The gradient of a folded kernel, also where that has zeros.
      const Array wide_gradient = run_on_cpu(cudnn::folded(backward), {narrow, dy}, wide);
      check_same(copied(back, copied(cudnn::kernel_to_library(wide), wide_gradient)), gradient);
    }
  }
  CHECK(cases == 11);
}

TEST_CASE("convolutions are folded by few copies") {
  const auto parts = [](int64_t pad, int64_t size, int64_t channels, bool covers) {
    const Conv conv = conv_of({2, 2}, {1, 1}, {pad, pad}, {pad, pad});
    const int64_t y = (size + 2 * pad - 7) / 2 + 1;
    const Copy copy =
        cudnn::fold_copy(conv, {128, size, size, 3}, {7, 7, 3, 64}, {128, y, y, 64}, channels);
    CHECK(copy.covers == covers);
    return copy.parts.size();
  };
  CHECK(parts(0, 230, 12, true) == 1);
  CHECK(parts(0, 230, 16, false) == 1);
  CHECK(parts(2, 224, 12, false) == 1);
  CHECK(parts(3, 224, 16, false) == 4);
  CHECK(cudnn::fold_kernel_to_library({7, 7, 3, 64}, 12).parts.size() == 4);
  CHECK_FALSE(cudnn::fold_kernel_to_library({7, 7, 3, 64}, 12).covers);
  CHECK(cudnn::fold_kernel_to_library({4, 4, 3, 64}, 12).parts.size() == 1);
  CHECK(cudnn::fold_kernel_to_library({4, 4, 3, 64}, 12).covers);
}

TEST_CASE("convolutions are folded only where that is supported") {
  const Shape x({2, 6, 8, 3});
  const Conv good = conv_of({2, 2}, {1, 1}, {0, 3}, {1, 0});
  CHECK(cudnn::can_fold(good, x));
  const auto refused = [&](auto&& change, const Shape& shape) {
    Conv conv = good;
    change(conv);
    return !cudnn::can_fold(conv, shape);
  };
  CHECK(refused([](Conv&) {}, {2, 6, 3}));
  CHECK(refused([](Conv& c) { c.strides = {}; }, x));
  CHECK(refused([](Conv& c) { c.strides = {1, 2}; }, x));
  CHECK(refused([](Conv& c) { c.strides = {3, 3}; }, x));
  CHECK(refused([](Conv& c) { c.dilation = {1, 2}; }, x));
  CHECK(refused([](Conv& c) { c.pad_high = {-1, 0}; }, x));
  CHECK(refused([](Conv& c) { c.groups = 3; }, x));
  CHECK(refused([](Conv& c) { c.block_x = 1; }, x));
  CHECK(refused([](Conv& c) { c.block_y = 8; }, x));
  CHECK(refused([](Conv& c) { c.pool = Pool{}; }, x));
  CHECK(refused([](Conv& c) { c.pass = ConvPass::backward_data; }, x));
  Conv conv = good;
  conv.pass = ConvPass::backward_weights;
  conv.bias = conv.relu = true;
  const Conv result = cudnn::folded(conv);
  CHECK(result.pass == conv.pass);
  CHECK(result.bias);
  CHECK(result.relu);
  CHECK(result.strides == InlineVector<int64_t, 3>{1, 1});
  CHECK(result.pad_low == InlineVector<int64_t, 3>{0, 0});
}

TEST_CASE("attention's operands are (batch, heads, time, depth) by strides") {
  CHECK(cudnn::attention_layout({2, 5, 3, 8}) == Layout{{2, 3, 5, 8}, {120, 8, 24, 1}});
  CHECK(cudnn::attention_layout({2, 5, 3, 8}, true) == Layout{{2, 3, 8, 5}, {120, 8, 1, 24}});
}

TEST_CASE("cuDNN has deterministic engines for convolutions on an H100") {
  if (!linked()) return;
  const std::string h100 = described_h100();
  for (DType dtype : {DType::float32, DType::bfloat16, DType::float16, DType::float64})
    for (Convolution c : convolutions())
      for (ConvPass pass :
           {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
        c.conv.pass = pass;
        // Engines for 16-bit operands want channels in eights.
        const auto widen = [&](Shape shape, int axis) {
          shape[axis] *= 8;
          return shape;
        };
        const Shape kernel = widen(widen(c.kernel, c.kernel.rank() - 1), c.kernel.rank() - 2);
        const Shape x = widen(c.x, c.x.rank() - 1), y = widen(c.y, c.y.rank() - 1);
        INFO(dtype_name(dtype) << " " << x.str() << " * " << kernel.str() << " pass "
                               << static_cast<int>(pass));
        const std::string said = try_convolution(h100, c.conv, dtype, x, kernel, y, false, 1);
        if (!usable(said)) return;
        INFO(said);
        CHECK(said.starts_with("engine"));
        CHECK(said.find("not deterministic") == std::string::npos);
        CHECK(said.find("narrow") == std::string::npos);
        // float32 stays float32 unless TF32 is asked for.
        if (dtype == DType::float32) CHECK(said.find("tensor cores") == std::string::npos);
      }
}

TEST_CASE("cuDNN has engines for convolutions on all described devices") {
  if (!linked()) return;
  if (std::filesystem::exists("/dev/nvidiactl")) {
    WARN("Not tested: beside a GPU, cuDNN 9.19 crashes when it plans for one of another kind");
    return;
  }
  Conv conv = conv_of({1, 1}, {1, 1}, {1, 1}, {1, 1});
  const Shape x({32, 28, 28, 64}), kernel({3, 3, 64, 64}), y({32, 28, 28, 64});
  REQUIRE(described_devices().size() == 4);
  for (const DescribedDevice& device : described_devices())
    for (DType dtype : {DType::float32, DType::bfloat16, DType::float16})
      for (ConvPass pass :
           {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
        conv.pass = pass;
        const std::string said = try_convolution(device.json, conv, dtype, x, kernel, y, false, 8);
        if (!usable(said)) return;
        INFO(device.name << " " << dtype_name(dtype) << " pass " << static_cast<int>(pass) << ": "
                         << said);
        CHECK(said.starts_with("engine"));
        CHECK((said.find("tensor cores") != std::string::npos) == (dtype != DType::float32));
      }
}

TEST_CASE("cuDNN names several engines to try for a convolution") {
  if (!linked()) return;
  Conv conv;
  conv.strides = conv.dilation = conv.pad_low = conv.pad_high = {1, 1};
  conv.bias = conv.relu = true;
  const Shape x({32, 28, 28, 128}), kernel({3, 3, 128, 128});
  const auto engines = [&](const Conv& c, size_t most) {
    return try_convolution(described_h100(), c, DType::bfloat16, x, kernel, x, false, most);
  };
  const auto count = [](const std::string& said, const std::string& part) {
    size_t found = 0;
    for (size_t at = said.find(part); at != std::string::npos; at = said.find(part, at + 1))
      ++found;
    return found;
  };
  const std::string all = engines(conv, 3), first = engines(conv, 1);
  if (!usable(all)) return;
  INFO(all);
  // All with the bias and relu in it, before which 16 bits would be rounded; the first is what is
  // taken without trying.
  CHECK(count(all, "engine ") > 1);
  CHECK(count(all, "engine ") <= 3);
  CHECK(count(all, "fused") == count(all, "engine "));
  CHECK(all.starts_with(first));
  CHECK(count(all, "not deterministic") == 0);
  CHECK(count(first, "engine ") == 1);
  conv.pass = ConvPass::backward_weights;
  conv.bias = conv.relu = false;
  CHECK(count(engines(conv, 3), "engine ") > 1);
}

TEST_CASE("cuDNN has fused attention for an H100") {
  if (!linked()) return;
  const bool driver = dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
  if (!driver) WARN("Partly tested: there is no libcuda.so.1, not even the toolkit's stub");
  const std::string h100 = described_h100();
  struct Mask {
    Shape shape;
    DType dtype;
  };
  const Mask masks[] = {{{}, DType::boolean},
                        {{8, 12, 256, 192}, DType::float32},
                        {{8, 1, 256, 192}, DType::boolean},
                        {{1, 12, 256, 192}, DType::float32},
                        {{256, 192}, DType::boolean},
                        {{8, 1, 1, 192}, DType::boolean},
                        {{8, 1, 1, 192}, DType::float32}};
  for (const Mask& mask : masks)
    for (bool backward : {false, true})
      for (bool causal : {false, true})
        for (DType dtype : {DType::float16, DType::bfloat16}) {
          const Attention attention{.scale = 0.125,
                                    .causal = causal,
                                    .mask = mask.shape.rank() > 0,
                                    .backward = backward};
          const std::string said = try_attention(h100, attention, dtype, {8, 256, 12, 64},
                                                 {8, 192, 12, 64}, mask.shape, mask.dtype, false);
          if (!usable(said)) return;
          INFO(dtype_name(dtype) << (backward ? " backward" : "") << (causal ? " causal" : "")
                                 << " mask " << mask.shape.str() << ": " << said);
          // Its kernels are compiled, then loaded by the driver. The toolkit's stub of a driver
          // lets the first be seen; without any, cuDNN does not go as far.
          if (driver)
            CHECK((said.starts_with("engine") ||
                   said.find("EXECUTION_FAILED_CUDA_DRIVER") != std::string::npos));
          else
            CHECK((said.starts_with("engine") || said.starts_with("refused")));
        }
}

TEST_CASE("cuDNN has fused attention whose heads share keys and values") {
  if (!linked()) return;
  const bool driver = dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
  if (!driver) WARN("Partly tested: there is no libcuda.so.1, not even the toolkit's stub");
  const auto plan = [](int64_t heads, bool backward) {
    return try_attention(described_h100(), {.scale = 0.125, .causal = true, .backward = backward},
                         DType::bfloat16, {8, 256, 12, 64}, {8, 256, heads, 64});
  };
  for (const bool backward : {false, true}) {
    const std::string said = plan(4, backward), wrong = plan(5, backward);
    if (!usable(said)) return;
    INFO((backward ? "backward: " : "forward: ") << said << "\n5 heads: " << wrong);
    // As above, compiled kernels are what can be seen with a stub of a driver.
    if (driver)
      CHECK((said.starts_with("engine") ||
             said.find("EXECUTION_FAILED_CUDA_DRIVER") != std::string::npos));
    else
      CHECK((said.starts_with("engine") || said.starts_with("refused")));
    CHECK(wrong.find("BAD_PARAM") != std::string::npos);  // 12 heads are not shared by 5
  }
}

TEST_CASE("cuSOLVER has all routines that are asked of it") {
  if (cusolver_version == nullptr) return;
  std::string why;
  const std::string version = cusolver_version(&why);
  INFO(version << why);
  if (version.empty())
    CHECK(why.find("libcusolver.so") != std::string::npos);
  else
    CHECK(version.find('.') != std::string::npos);
}

TEST_CASE("cuDNN takes the descriptors of recurrent layers") {
  if (!linked()) return;
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
    for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru})
      for (bool bias : {true, false}) {
        const int64_t gates = cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1;
        const std::string said =
            try_rnn({.cell = cell, .bias = bias}, dtype, {3, 7, 20}, {20, gates * 33});
        if (!usable(said)) return;
        CHECK(said == "descriptors made");
      }
  CHECK(try_rnn({}, DType::int32, {3, 7, 20}, {20, 132}).starts_with("refused"));
}

TEST_CASE("cuDNN sums attention's query gradients in float32 where scores would be large") {
  if (!linked()) return;
  // cuDNN compiles its kernels, then asks a driver to load them: the toolkit's stub of one will do
  // for the first.
  bool driver = false;
  for (const char* file : {"libcuda.so.1", "/usr/local/cuda/lib64/stubs/libcuda.so",
                           "/usr/local/cuda/lib/stubs/libcuda.so"})
    driver = driver || dlopen(file, RTLD_LAZY) != nullptr;
  if (!driver) {
    WARN("Not tested: there is no libcuda.so.1, not even the toolkit's stub");
    return;
  }
  const std::vector<DescribedDevice> devices = described_devices();
  const Attention attention{.scale = 0.125, .causal = true, .backward = true};
  // An H100 and a B200; the gradients of all scores would take 64 GiB.
  for (const DescribedDevice& device : {devices[0], devices[2]}) {
    const Shape q{2, 32768, 16, 64};
    const std::string said =
        try_attention(device.json, attention, DType::bfloat16, q, q, {}, DType::boolean, false);
    if (!usable(said)) return;
    INFO(device.name << ": " << said);
    if (!said.starts_with("engine")) {
      CHECK(said.find("EXECUTION_FAILED_CUDA_DRIVER") != std::string::npos);
      continue;
    }
    CHECK(said.ends_with(", sums of dq 268435456"));
    const std::string workspace = "workspace ";
    const size_t at = said.find(workspace);
    REQUIRE(at != std::string::npos);
    CHECK(std::stoull(said.substr(at + workspace.size())) + 268435456 < size_t{2} << 30);
  }
}

}  // namespace libraries_test
