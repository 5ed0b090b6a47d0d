// DLPack's structs, and what they say of a tensor.
#include "dlpack.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "../../backend/devices.h"
#include "../../backend/stream_order.h"
#include "stream.h"

// The C structs of DLPack's specification, version 0.6; later ones keep their layout.
extern "C" {
struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
}

namespace cornu {

namespace {

constexpr int32_t cpu = 1, cuda = 2, cuda_host = 3;  // kDLCPU, kDLCUDA, kDLCUDAHost

struct Type {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};
// Codes: kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBfloat 4, kDLComplex 5, kDLBool 6.
constexpr std::array<Type, 15> types = {{{DType::boolean, 6, 8},
                                         {DType::uint8, 1, 8},
                                         {DType::uint16, 1, 16},
                                         {DType::uint32, 1, 32},
                                         {DType::uint64, 1, 64},
                                         {DType::int8, 0, 8},
                                         {DType::int16, 0, 16},
                                         {DType::int32, 0, 32},
                                         {DType::int64, 0, 64},
                                         {DType::float16, 2, 16},
                                         {DType::bfloat16, 4, 16},
                                         {DType::float32, 2, 32},
                                         {DType::float64, 2, 64},
                                         {DType::complex64, 5, 64},
                                         {DType::complex128, 5, 128}}};

DType dtype_of(const DLDataType& type) {
  for (const Type& t : types)
    if (t.code == type.code && t.bits == type.bits && type.lanes == 1) return t.dtype;
  throw UnsupportedError(
      fmt::format("from_dlpack: elements of code {}, {} bits and {} lanes have no dtype here.",
                  type.code, type.bits, type.lanes));
}

backend::Backend& backend_of(const DLDevice& device) {
  if (device.device_type == cpu || device.device_type == cuda_host) return backend::cpu_backend();
  if (device.device_type == cuda)
    return backend::find_device(fmt::format("cuda:{}", device.device_id));
  throw UnsupportedError(
      fmt::format("from_dlpack: there is no device of type {} here; move the "
                  "tensor to the CPU or a CUDA GPU first.",
                  device.device_type));
}

bool is_dense(const DLTensor& t) {
  if (!t.strides) return true;
  int64_t expected = 1;
  for (int i = t.ndim - 1; i >= 0; --i) {
    if (t.shape[i] != 1 && t.strides[i] != expected) return false;
    expected *= t.shape[i];
  }
  return true;
}

// The elements one after the other, in row-major order.
void gather(const DLTensor& t, const std::byte* from, size_t size, std::byte*& to, int axis) {
  if (axis == t.ndim) {
    std::memcpy(to, from, size);
    to += size;
    return;
  }
  for (int64_t i = 0; i < t.shape[axis]; ++i)
    gather(t, from + i * t.strides[axis] * static_cast<int64_t>(size), size, to, axis + 1);
}

/// The stream of the other library, if it named one.
using OtherStream = std::optional<void*>;

// What another library lent, until our work on it has run.
class Lent {
 public:
  explicit Lent(DLManagedTensor* managed) : managed_(managed) {}
  Lent(const Lent&) = delete;
  ~Lent() {
    if (device_) settle();
    if (managed_->deleter) managed_->deleter(managed_);
  }
  // From now on work of the device may use it.
  void use_on(backend::Backend& device, const OtherStream& stream) {
    device_ = &device;
    stream_ = stream;
  }

 private:
  // Lets the other library know by its stream when our work has run, or waits for that.
  void settle() const {
    try {
      if (auto* const order = dynamic_cast<backend::StreamOrder*>(device_); order && stream_)
        return order->let_stream_wait(*stream_);
    } catch (const Error&) {
      // The stream cannot be told, so the host waits.
    }
    try {
      device_->synchronize();
    } catch (const Error&) {
      // The device has failed, and whoever used it knows: nothing reads the values any more.
    }
  }

  DLManagedTensor* managed_;
  backend::Backend* device_ = nullptr;
  OtherStream stream_;
};

Tensor take(DLManagedTensor* managed, const OtherStream& stream) {
  if (!managed) throw ValueError("from_dlpack: expected a DLManagedTensor, found null.");
  const auto owner = std::make_shared<Lent>(managed);
  const DLTensor& t = managed->dl_tensor;
  const DType dtype = dtype_of(t.dtype);
  backend::Backend& backend = backend_of(t.device);
  if (t.ndim < 0) throw ValueError(fmt::format("from_dlpack: {} axes.", t.ndim));
  const Shape shape(std::span<const int64_t>(t.shape, static_cast<size_t>(t.ndim)));
  for (int64_t size : shape)
    if (size < 0) throw ValueError("from_dlpack: a size is negative in " + shape.str() + ".");
  // Before the elements are counted: their number might wrap.
  detail::bytes_of(shape, dtype);
  const auto* data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  if (shape.numel() == 0 || is_dense(t)) {
    if (shape.numel() > 0 && !backend.on_host()) {
      if (stream) wait_for_stream(*stream, Device(backend));
      owner->use_on(backend, stream);
    }
    return Tensor::from_blob(data, shape, dtype, owner, backend);
  }
  if (!backend.on_host())
    throw UnsupportedError(
        "from_dlpack: a tensor on a GPU must be dense and row-major; make it contiguous first.");
  const Tensor copy = Tensor::empty(shape, dtype, backend);
  auto* to = static_cast<std::byte*>(copy.data());
  gather(t, data, size_of(dtype), to, 0);
  return copy;
}

// What the other library waits for: our handle, and the numbers that its struct points to.
struct Export {
  DLManagedTensor managed;
  Tensor tensor;
  std::vector<int64_t> shape;
  OtherStream stream;
};

void delete_export(DLManagedTensor* self) {
  const std::unique_ptr<Export> e(static_cast<Export*>(self->manager_ctx));
  if (!e->stream) return;
  try {
    const Device device = e->tensor.device();
    if (auto* const order = dynamic_cast<backend::StreamOrder*>(&device.backend()))
      order->wait_for_stream(*e->stream);
  } catch (const Error&) {
    // Nobody knows when the other library has read the values: their memory must stay.
    static_cast<void>(new Tensor(std::move(e->tensor)));
  }
}

DLManagedTensor* give(const Tensor& given, const OtherStream& stream) {
  if (!given || !given.is_eager() || given.is_meta())
    throw ValueError("to_dlpack: the tensor has no values.");
  // A number of the program's has no memory of its own.
  const Tensor x = given.is_weak() ? given.duplicate() : given;
  const auto type =
      std::find_if(types.begin(), types.end(), [&](const Type& t) { return t.dtype == x.dtype(); });
  if (type == types.end())
    throw UnsupportedError(
        fmt::format("to_dlpack: DLPack has no type for {}.", dtype_name(x.dtype())));
  const Device device = x.device();
  if (stream)
    let_stream_wait(*stream, device);
  else
    device.synchronize();
  auto e = std::make_unique<Export>(Export{{}, x, x.shape().vec(), stream});
  const std::string& name = device.name();
  const size_t colon = name.find(':');
  const DLDevice place = {device.is_cpu() ? cpu : cuda,
                          colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1))};
  e->managed = {
      {x.data(), place, x.rank(), {type->code, type->bits, 1}, e->shape.data(), nullptr, 0},
      e.get(),
      &delete_export};
  return &e.release()->managed;  // delete_export takes it back
}

}  // namespace

Tensor from_dlpack(DLManagedTensor* managed) { return take(managed, {}); }
Tensor from_dlpack(DLManagedTensor* managed, void* stream) { return take(managed, stream); }

DLManagedTensor* to_dlpack(const Tensor& x) { return give(x, {}); }
DLManagedTensor* to_dlpack(const Tensor& x, void* stream) { return give(x, stream); }

}  // namespace cornu
