// Tensor's memory, conversions and printing.
#include "tensor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "../../backend/peer_copies.h"
#include "complex.h"
#include "plain_nan.h"
#include "recorder.h"
#include "strings.h"

namespace cornu {

std::string TensorSpec::str() const { return std::string(dtype_name(dtype)) + " " + shape.str(); }

namespace detail {

uint64_t next_key() {
  // Keys are dealt to threads in blocks, so that making a tensor touches no shared memory.
  static std::atomic<uint64_t> blocks{1};
  thread_local uint64_t next = 0, end = 0;
  if (next == end) {
    // A million keys at a time; 64 bits never run out.
    next = blocks.fetch_add(1, std::memory_order_relaxed) << 20;
    end = next + (1 << 20);
  }
  return next++;
}

TensorImpl::TensorImpl(const Shape& s, DType t) : shape(s), dtype(t), key(next_key()) {}

void Storage::release() {
  // acq_rel, so that whoever frees the memory has seen all that other threads did with it.
  if (references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (base)
    base->release();
  else if (data && !owner)
    backend->allocator().deallocate(data, bytes);
  delete this;
}

TensorImpl::~TensorImpl() {
  if (storage) storage->release();
  if (mask && mask->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete mask;
}

}  // namespace detail

using detail::TensorImpl;

void Tensor::destroy(TensorImpl* impl) { delete impl; }

Tensor::Tensor(double value) : impl_(new TensorImpl({}, DType::float32)) {
  impl_->weak = true;
  // The float, and what the float lacks: computations in float64 add the two (see apply).
  const float narrow = static_cast<float>(value);
  const double lost = value - static_cast<double>(narrow);
  const float parts[] = {narrow, std::isfinite(lost) ? static_cast<float>(lost) : 0.0f};
  std::memcpy(impl_->scalar, parts, sizeof parts);
}

Tensor::Tensor(Number, int64_t value, bool boolean)
    : impl_(new TensorImpl({}, boolean ? DType::boolean : DType::int32)) {
  impl_->weak = true;
  if (boolean) {
    impl_->scalar[0] = static_cast<std::byte>(value != 0);
  } else if (value == static_cast<int32_t>(value)) {
    const int32_t narrow = static_cast<int32_t>(value);
    std::memcpy(impl_->scalar, &narrow, sizeof narrow);
  } else {
    impl_->dtype = DType::int64;
    std::memcpy(impl_->scalar, &value, sizeof value);
  }
}

namespace {
[[noreturn]] void throw_negative(const Shape& shape) {
  std::string sizes;
  for (int64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  throw ShapeError("a tensor of shape (" + sizes + "): sizes must not be negative.");
}

[[noreturn]] void throw_too_large(const Shape& shape, DType dtype) {
  throw ShapeError(fmt::format(
      "a {} tensor of shape {}: expected at most 2^63 - 1 bytes, found more. Give smaller sizes.",
      dtype_name(dtype), shape.str()));
}
}  // namespace

// A product that wraps would ask for little memory, and kernels would write all elements.
size_t detail::bytes_of(const Shape& shape, DType dtype) {
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  for (int64_t size : shape) {
    if (size < 0) throw_negative(shape);
    if (__builtin_mul_overflow(bytes, size, &bytes)) throw_too_large(shape, dtype);
  }
  return static_cast<size_t>(bytes);
}

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  return empty(shape, dtype, detail::current_backend());
}

Tensor Tensor::empty(const Shape& shape, DType dtype, backend::Backend& wanted) {
  const size_t bytes = detail::bytes_of(shape, dtype);
  Tensor t = adopt(new TensorImpl(shape, dtype));
  // Devices have no use for indices into a table that is on the host.
  backend::Backend& backend = dtype == DType::string ? backend::cpu_backend() : wanted;
  t.impl_->storage = new detail::Storage{&backend, nullptr, 0};
  t.impl_->storage->data = backend.allocator().allocate(bytes);
  t.impl_->storage->bytes = bytes;
  return t;
}

Tensor Tensor::copy_of(const void* values, const Shape& shape, DType dtype) {
  Tensor t = empty(shape, dtype);
  if (const size_t bytes = t.bytes())
    t.impl_->storage->backend->copy_from_host(t.data(), values, bytes);
  return t;
}

Tensor Tensor::written(const Shape& shape, DType dtype, const std::function<void(void*)>& write) {
  Tensor t = empty(shape, dtype);
  backend::Backend& backend = *t.impl_->storage->backend;
  if (backend.on_host()) {
    write(t.data());
  } else {
    const auto bytes = std::make_unique<std::byte[]>(t.bytes());
    write(bytes.get());
    if (t.bytes() > 0) backend.copy_from_host(t.data(), bytes.get(), t.bytes());
  }
  return t;
}

Tensor Tensor::meta(const Shape& shape, DType dtype, backend::Backend& backend) {
  const size_t bytes = detail::bytes_of(shape, dtype);
  // Nothing has to be computed for it, so it may have its values.
  if (bytes == 0) return empty(shape, dtype, backend);
  Tensor t = adopt(new TensorImpl(shape, dtype));
  t.impl_->storage = new detail::Storage{&backend, nullptr, bytes};
  return t;
}

Tensor Tensor::abstract(const Shape& shape, DType dtype) {
  return adopt(new TensorImpl(shape, dtype));
}

Tensor Tensor::symbolic(const Shape& shape, DType dtype, Origin origin) {
  Tensor t = abstract(shape, dtype);
  t.impl_->origin = std::make_unique<Origin>(std::move(origin));
  return t;
}

void Tensor::refuse_empty() {
  throw StateError(
      "Expected a tensor, found an empty handle, as Tensor() is. Give it a value first; `if (x)` "
      "tells whether it has one.");
}

void Tensor::check_count(size_t count, const Shape& shape) {
  if (static_cast<int64_t>(count) != shape.numel())
    throw ShapeError(fmt::format("Tensor::from: {} values do not fill shape {}, which has {}",
                                 count, shape.str(), shape.numel()));
}

Tensor Tensor::of_bits(const std::vector<bool>& values, const Shape& shape) {
  const auto bytes = std::make_unique<bool[]>(values.size());
  std::copy(values.begin(), values.end(), bytes.get());
  return from_host(bytes.get(), shape);
}

void Tensor::check_type(DType wanted) const {
  if (wanted != dtype())
    throw ShapeError(
        fmt::format("Tensor::values: asked for {} values of a {} tensor of shape {}. Use "
                    "to_vector to convert, or ops::cast.",
                    dtype_name(wanted), dtype_name(dtype()), shape().str()));
}

void* Tensor::data() const {
  if (made()->storage && (impl_->storage->data || impl_->storage->bytes == 0))
    return impl_->storage->data;
  if (impl_->storage) {
    if (graph_context().dry)
      throw NeedsValues(
          fmt::format("This {} tensor of shape {} has no values yet: it is being recorded.",
                      dtype_name(dtype()), shape().str()));
    throw StateError(
        fmt::format("This {} tensor of shape {} has no values: it was kept from a compiled "
                    "function's inside (see "
                    "docs/compiling.md). Return it from the function, or assign it to a Variable.",
                    dtype_name(dtype()), shape().str()));
  }
  if (impl_->weak) return impl_->scalar;
  if (is_symbolic())
    throw StateError(fmt::format(
        "This {} tensor of shape {} has no values: it is a symbolic tensor of a graph that is "
        "being built (call the model on data instead).",
        dtype_name(dtype()), shape().str()));
  throw NeedsValues(fmt::format(
      "This {} tensor of shape {} has no values: it is a stand-in used to infer shapes.",
      dtype_name(dtype()), shape().str()));
}

const void* Tensor::host_data(SourceLine at) const {
  if (Tracer* tracer = graph_context().tracer) tracer->host_read(*this, at);
  return read();
}

const void* Tensor::read() const {
  const void* const values = data();
  detail::Storage* const storage = impl_->storage;
  if (!storage || storage->backend->on_host() || storage->bytes == 0) return values;
  // Whoever looks at values waits for the device anyway: a lock is nothing beside that. It is not
  // held meanwhile, since others may read other tensors.
  static std::mutex mutex;
  // A plan may write new values into the same storage; their id differs then.
  const auto id = storage->id;
  const auto known = [&] { return storage->copy && storage->copy->id == id; };
  {
    const std::lock_guard lock(mutex);
    if (known()) return storage->copy->bytes.get();
  }
  auto bytes = std::make_unique<std::byte[]>(storage->bytes);
  storage->backend->copy_to_host(bytes.get(), values, storage->bytes);
  const std::lock_guard lock(mutex);
  // Another thread may have read the same values meanwhile, and hold their address.
  if (!known()) storage->copy.reset(new detail::HostCopy{id, std::move(bytes)});
  return storage->copy->bytes.get();
}

Device Tensor::device() const {
  return made()->storage ? Device(*impl_->storage->backend) : default_device();
}

Tensor Tensor::to(const Device& device) const {
  if (!made()->storage || impl_->storage->backend == &device.backend() || dtype() == DType::string)
    return *this;
  backend::Backend &from = *impl_->storage->backend, &target = device.backend();
  if (Tracer* tracer = graph_context().tracer)
    tracer->give_up(fmt::format("Tensor::to, from {} to {}", from.name(), target.name()));
  Tensor result = empty(shape(), dtype(), target);
  if (const size_t size = bytes()) {
    if (from.on_host()) {
      target.copy_from_host(result.data(), data(), size);
    } else if (target.on_host()) {
      from.copy_to_host(result.data(), data(), size);
    } else if (auto* const peers = dynamic_cast<backend::PeerCopies*>(&target);
               !peers || !peers->copy_from(from, result.data(), data(), size)) {
      const auto between = std::make_unique<std::byte[]>(size);
      from.copy_to_host(between.get(), data(), size);
      target.copy_from_host(result.data(), between.get(), size);
    }
  }
  if (const Tensor m = mask()) result.set_mask(m.to(device));
  apply_custom({this, 1}, {&result, 1},
               [back = Device(from)](std::span<const Tensor> dy) -> Tensors {
                 return {dy[0] ? dy[0].to(back) : dy[0]};
               });
  return result;
}

namespace {

void check_single(const Tensor& x) {
  if (!x.shape().known() || x.size() != 1)
    throw ShapeError(
        fmt::format("Tensor::item: needs exactly one element, found shape {}", x.shape().str()));
}

}  // namespace

double Tensor::item(SourceLine at) const {
  check_single(*this);
  return to_vector<double>(at)[0];
}

int64_t Tensor::whole_item(SourceLine at) const {
  check_single(*this);
  return to_vector<int64_t>(at)[0];
}

namespace {

template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<From, Half>)
    return static_cast<To>(half_to_float(v.bits));
  else if constexpr (std::is_same_v<From, BFloat16>)
    return static_cast<To>(bfloat16_to_float(v.bits));
  else
    return static_cast<To>(v);
}

}  // namespace

template <class T>
std::vector<T> Tensor::to_vector(SourceLine at) const {
  if (dtype() == DType::string)
    throw ValueError(fmt::format(
        "Tensor::to_vector: a string tensor of shape {} holds no numbers. Use to_strings.",
        shape().str()));
  if (is_complex(dtype()))
    throw ValueError(fmt::format(
        "Tensor::to_vector: a {} tensor of shape {} holds no real numbers. Ask for "
        "std::complex<float> or std::complex<double> (cornu/framework/tensor/complex.h), or "
        "use ops::real and ops::imag.",
        dtype_name(dtype()), shape().str()));
  const void* source = host_data(at);
  std::vector<T> result(static_cast<size_t>(size()));
  if (is_float8(dtype())) {
    const auto* const bits = static_cast<const uint8_t*>(source);
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<T>(float8_to_float(bits[i], dtype()));
    return result;
  }
  dispatch(dtype(), [&]<class From>() {
    const From* from = static_cast<const From*>(source);
    for (size_t i = 0; i < result.size(); ++i) result[i] = convert<T>(from[i]);
  });
  return result;
}

template std::vector<float> Tensor::to_vector<float>(SourceLine) const;
template std::vector<double> Tensor::to_vector<double>(SourceLine) const;
template std::vector<int32_t> Tensor::to_vector<int32_t>(SourceLine) const;
template std::vector<int64_t> Tensor::to_vector<int64_t>(SourceLine) const;
template std::vector<uint8_t> Tensor::to_vector<uint8_t>(SourceLine) const;
template std::vector<bool> Tensor::to_vector<bool>(SourceLine) const;

Tensor Tensor::with_shape(const Shape& shape) const {
  Tensor t = detached();
  t.impl_->shape = shape;
  return t;
}

Tensor Tensor::detached() const {
  const detail::TensorImpl& own = *made();
  Tensor t = adopt(new TensorImpl(own.shape, own.dtype));
  t.impl_->weak = own.weak;
  std::memcpy(t.impl_->scalar, own.scalar, sizeof own.scalar);
  t.impl_->storage = own.storage;
  if (own.storage) own.storage->retain();
  return t;
}

Tensor Tensor::fresh_alias() const {
  Tensor t = detached();
  // The storage that t holds becomes the base of the new one.
  if (detail::Storage* base = t.impl_->storage) {
    t.impl_->storage = new detail::Storage{base->backend, base->data, base->bytes, base};
    t.impl_->storage->strings = base->strings;
    // A view of a view that nobody else holds would only make the chain longer.
    if (base->base && base->references.load(std::memory_order_acquire) == 1) {
      t.impl_->storage->base = base->base;
      base->base->retain();
      base->release();
    }
  }
  return t;
}

Tensor Tensor::duplicate() const {
  if (made()->weak) return copy_of(data(), shape(), dtype());
  backend::Backend& backend = *impl_->storage->backend;
  Tensor t = empty(shape(), dtype(), backend);
  if (const size_t size = bytes()) backend.copy(t.data(), data(), size);
  return t;
}

bool Tensor::unique(int64_t handles) const {
  // Only a handle that is alone may be written to; the answer can turn from no to yes at any time,
  // but not back, since nobody else can copy the handle.
  if (made()->references.load(std::memory_order_acquire) != handles || !impl_->storage)
    return false;
  for (const detail::Storage* s = impl_->storage; s; s = s->base)
    if (s->owner || s->references.load(std::memory_order_acquire) != 1) return false;
  return true;
}

Tensor Tensor::from_blob(const void* values, const Shape& shape, DType dtype,
                         std::shared_ptr<const void> owner, backend::Backend& backend) {
  const size_t bytes = detail::bytes_of(shape, dtype);
  if (bytes == 0) return empty(shape, dtype, backend);
  // What kernels ask of their operands.
  constexpr uintptr_t alignment = 64;
  if (reinterpret_cast<uintptr_t>(values) % alignment != 0) {
    const Tensor copy = empty(shape, dtype, backend);
    backend.copy(copy.data(), values, bytes);
    backend.synchronize();  // the owner may go
    return copy;
  }
  Tensor t = adopt(new TensorImpl(shape, dtype));
  t.impl_->storage = new detail::Storage{&backend, const_cast<void*>(values), bytes};
  t.impl_->storage->owner = std::move(owner);
  return t;
}

Tensor Tensor::part_of(const Tensor& owner, void* data, const Shape& shape, DType dtype) {
  detail::Storage* const base = owner.made()->storage;
  const size_t bytes = detail::bytes_of(shape, dtype);
  Tensor t = adopt(new TensorImpl(shape, dtype));
  base->retain();
  t.impl_->storage = new detail::Storage{base->backend, data, bytes, base};
  if (dtype == DType::string) t.impl_->storage->strings = base->strings;
  return t;
}

Tensor Tensor::mask() const {
  if (!made()->mask) return {};
  impl_->mask->references.fetch_add(1, std::memory_order_relaxed);
  return adopt(impl_->mask);
}

Tensor Tensor::with_mask(const Tensor& mask) const {
  Tensor t = detached();
  t.impl_->key = impl_->key;
  t.impl_->tapes = impl_->tapes.load(std::memory_order_relaxed);
  if (impl_->origin) t.impl_->origin = std::make_unique<Origin>(*impl_->origin);
  mask.retain();
  t.impl_->mask = mask.impl_;
  return t;
}

void Tensor::set_mask(const Tensor& mask) {
  if (made()->mask == mask.impl_) return;
  *this = with_mask(mask);
}

std::string Tensor::str() const {
  if (!impl_) return "<no tensor>";
  std::string text = fmt::format("<{} {}", dtype_name(dtype()), shape().str());
  if (!is_eager()) return text + (is_symbolic() ? ", symbolic>" : ", abstract>");
  if (dtype() == DType::string) return text + detail::quoted_strings(*this);
  if (is_complex(dtype())) return text + detail::complex_text(*this);
  const std::vector<double> values = to_vector<double>();
  const size_t shown = std::min<size_t>(values.size(), 10);
  text += ": [";
  for (size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{:.6g}", i ? ", " : "", detail::plain_nan(values[i]));
  return text + (shown < values.size() ? ", ...]>" : "]>");
}

namespace memory {
Stats stats(const Device& device) { return device.backend().allocator().stats(); }
void release(const Device& device) { device.backend().allocator().release(); }
void set_limit(size_t bytes, const Device& device) {
  device.backend().allocator().set_limit(bytes);
}
void reset_peak(const Device& device) { device.backend().allocator().reset_peak(); }
}  // namespace memory

}  // namespace cornu
