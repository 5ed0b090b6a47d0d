// The order between Cornu's work and the program's streams, and copies between devices.
#include <catch.h>
#include <cornu/backend/peer_copies.h>
#include <cornu/backend/stream_order.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/dlpack.h>
#include <cornu/framework/tensor/stream.h>

#include <array>
#include <cstdio>
#include <string>

#include "support/dlpack_structs.h"
#include "support/matchers.h"
#include "support/skip.h"

namespace stream_test {

namespace stream_test {

using namespace cornu;
using cornu::test::contains;

namespace {

// A device with streams, whose memory is the host's, that tells what it was asked for.
class Streaming final : public backend::Backend,
                        public backend::StreamOrder,
                        public backend::PeerCopies {
 public:
  explicit Streaming(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  backend::Allocator& allocator() override { return backend::cpu_backend().allocator(); }
  void run(const backend::Kernel& kernel, std::span<const backend::Operand> inputs,
           std::span<const backend::Operand> outputs) override {
    told += "run ";
    backend::cpu_backend().run(kernel, inputs, outputs);
  }
  void copy_from_host(void* to, const void* from, size_t bytes) override {
    copy(to, from, bytes);
    told += "in ";
  }
  void copy_to_host(void* to, const void* from, size_t bytes) override {
    copy(to, from, bytes);
    told += "out ";
  }
  void copy(void* to, const void* from, size_t bytes) override {
    backend::cpu_backend().copy(to, from, bytes);
  }
  void synchronize() override { told += "synchronize "; }
  void wait_for_stream(void* stream) override { tell("wait", stream); }
  void let_stream_wait(void* stream) override { tell("hold", stream); }
  bool copy_from(backend::Backend& from, void* to, const void* data, size_t bytes) override {
    if (!dynamic_cast<Streaming*>(&from) || !reaches) return false;
    copy(to, data, bytes);
    told += "from " + from.name() + " ";
    return true;
  }
  std::string take() { return std::exchange(told, {}); }

  std::string told;
  bool reaches = true, refuses = false;

 private:
  void tell(const char* what, void* stream) {
    if (refuses) throw StateError("this device refuses");
    told += std::string(what) + std::to_string(reinterpret_cast<uintptr_t>(stream)) + " ";
  }
  std::string name_;
};

// Two of them, under names that DLPack knows.
struct Devices {
  Devices() {
    default_device();  // chosen before they are there
    backend::add_device(one);
    backend::add_device(two);
  }
  Streaming &one = *new Streaming("cuda:71"), &two = *new Streaming("cuda:72");
};
Devices& devices_with_streams() {
  static Devices& devices = *new Devices;
  devices.one.take();
  devices.two.take();
  return devices;
}

void* stream(uintptr_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

// A tensor of another library on cuda:71.
struct Foreign {
  alignas(64) std::array<float, 4> values{1, 2, 3, 4};
  int64_t shape[1] = {4};
  Streaming& device;
  DLManagedTensor managed{};

  explicit Foreign(Streaming& on) : device(on) {
    managed = {{values.data(), {2, 71}, 1, {2, 32, 1}, shape, nullptr, 0},
               this,
               [](DLManagedTensor* self) {
                 static_cast<Foreign*>(self->manager_ctx)->device.told += "deleted ";
               }};
  }
};

}  // namespace

TEST_CASE("a scope puts work into the order of a stream") {
  Streaming& one = devices_with_streams().one;
  const Device device(one);
  const DeviceScope on_it(device);
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  CHECK(one.take() == "in ");
  Tensor y;
  {
    const StreamScope scope(stream(5));
    y = x + x;
  }
  CHECK(one.take() == "wait5 run hold5 ");
  wait_for_stream(stream(6), device);
  let_stream_wait(nullptr);
  CHECK(one.take() == "wait6 hold0 ");
  CHECK(y.to_vector<float>() == std::vector<float>{2, 4});

  one.take();
  {
    const StreamScope scope(stream(5));
    one.refuses = true;
  }
  CHECK(one.take() == "wait5 synchronize ");
  CHECK_THROWS_WITH(StreamScope(stream(5)), contains("refuses"));
  one.refuses = false;
}

TEST_CASE("devices without streams take no notice") {
  const StreamScope scope(stream(5), Device::cpu());
  wait_for_stream(stream(6), Device::cpu());
  let_stream_wait(stream(7), Device::cpu());
  CHECK(ops::sum(Tensor::from({1.0f, 2.0f}, {2})).item() == 3);
}

TEST_CASE("a function that waits for a stream stays eager, and waits each time") {
  Streaming& one = devices_with_streams().one;
  const Device device(one);
  const DeviceScope on_it(device);
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  Function f([&](const Nest& given) {
    wait_for_stream(stream(5), device);
    return Nest(given.tensor() + given.tensor());
  });
  for (int i = 0; i < 4; ++i) {
    one.take();
    CHECK(f(x).tensor().to_vector<float>() == std::vector<float>{2, 4});
    CHECK_THAT(one.take(), contains("wait5 "));
  }
}

TEST_CASE("tensors of other libraries come and go in the order of a stream") {
  Streaming& one = devices_with_streams().one;
  const DeviceScope on_it{Device(one)};
  Foreign foreign(one);
  SECTION("in, with a stream") {
    {
      const Tensor x = from_dlpack(&foreign.managed, stream(5));
      CHECK(x.data() == foreign.values.data());
      CHECK(one.take() == "wait5 ");
    }
    CHECK(one.take() == "hold5 deleted ");
  }
  SECTION("in, without one: the host waits before the memory goes back") {
    from_dlpack(&foreign.managed);
    CHECK(one.take() == "synchronize deleted ");
  }
  SECTION("in, with a stream that is refused") {
    one.refuses = true;
    CHECK_THROWS_AS(from_dlpack(&foreign.managed, stream(5)), StateError);
    one.refuses = false;
    CHECK(one.take() == "deleted ");
    {
      const Tensor x = from_dlpack(&foreign.managed, stream(5));
      one.refuses = true;
    }
    one.refuses = false;
    CHECK(one.take() == "wait5 synchronize deleted ");
  }
  SECTION("out, with a stream") {
    Tensor x = Tensor::from({1.0f, 2.0f}, {2});
    one.take();
    DLManagedTensor* const managed = to_dlpack(x, stream(5));
    CHECK(managed->dl_tensor.device.device_id == 71);
    CHECK(one.take() == "hold5 ");
    x = {};
    managed->deleter(managed);
    CHECK(one.take() == "wait5 ");
  }
  SECTION("out, without one") {
    DLManagedTensor* const managed = to_dlpack(Tensor::from({1.0f, 2.0f}, {2}));
    CHECK(one.take() == "in synchronize ");
    managed->deleter(managed);
    CHECK(one.take().empty());
  }
  SECTION("out, with a stream that is refused at the end: the memory stays") {
    Tensor x = Tensor::from({1.0f, 2.0f}, {2});
    const size_t live = one.allocator().stats().live;
    DLManagedTensor* const managed = to_dlpack(x, stream(5));
    x = {};
    one.refuses = true;
    managed->deleter(managed);
    one.refuses = false;
    CHECK(one.allocator().stats().live == live);
  }
  SECTION("on the CPU a stream means nothing") {
    const DeviceScope on_host(Device::cpu());
    DLManagedTensor* const managed = to_dlpack(Tensor::from({1.0f, 2.0f}, {2}), stream(5));
    CHECK(from_dlpack(managed, stream(5)).to_vector<float>() == std::vector<float>{1, 2});
    CHECK(one.take().empty());
  }
}

TEST_CASE("tensors go from device to device without the host, where that is possible") {
  Devices& devices = devices_with_streams();
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2}).to(Device(devices.one));
  devices.one.take();
  Tensor y = x.to(Device(devices.two));
  CHECK(devices.one.take().empty());
  CHECK(devices.two.take() == "from cuda:71 ");
  CHECK(y.to_vector<float>() == std::vector<float>{1, 2});

  devices.two.reaches = false;
  devices.two.take();
  y = x.to(Device(devices.two));
  devices.two.reaches = true;
  CHECK(devices.one.take() == "out ");
  CHECK(devices.two.take() == "in ");
  CHECK(y.to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("GPUs work beside the default stream, and copy from each other") {
  const Device device = default_device();
  if (device.name() != "cuda:0") return test::skip("needs a GPU");
  const Tensor x = ops::arange(1000.0);
  Tensor sum;
  {
    const StreamScope scope(nullptr);
    sum = ops::sum(x * 2.0);
  }
  CHECK(sum.item() == 999000);
  CHECK(from_dlpack(to_dlpack(x, nullptr), nullptr).to_vector<float>() == x.to_vector<float>());
  for (const Device& other : devices())
    if (other.name() == "cuda:1") {
      const Tensor y = x.to(other);
      CHECK(y.device() == other);
      CHECK((y + y).to(device).to_vector<float>() == (x + x).to_vector<float>());
    }
}

}  // namespace stream_test

}  // namespace stream_test
