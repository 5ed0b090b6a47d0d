// The promotion lattice: each type lists what it promotes to directly; a result is the least common
// one.
#include "promotion.h"

#include <fmt/core.h>

#include <array>

namespace cornu {
namespace {

// Numbers of the lattice's nodes: the dtypes, then weak int and weak float.
constexpr int weak_int = dtype_count, weak_float = dtype_count + 1, node_count = dtype_count + 2;

constexpr int node(DType t) { return static_cast<int>(t); }

// above[n]: bit m is set when n promotes to m (itself included).
constexpr std::array<uint32_t, node_count> closure() {
  std::array<uint32_t, node_count> above{};
  auto set = [&](int from, auto... to) { above[from] = ((1u << to) | ... | (1u << from)); };
  using enum DType;
  set(node(boolean), weak_int);
  set(node(uint8), node(int16), node(uint16));
  set(node(uint16), node(int32), node(uint32));
  set(node(uint32), node(int64), node(uint64));
  set(node(uint64), weak_float);
  set(weak_int, node(uint8), node(int8));
  set(node(int8), node(int16));
  set(node(int16), node(int32));
  set(node(int32), node(int64));
  set(node(int64), weak_float);
  set(weak_float, node(bfloat16), node(float16));
  set(node(bfloat16), node(float32));
  set(node(float16), node(float32));
  set(node(float32), node(float64));
  set(node(float64));
  for (int round = 0; round < node_count; ++round)
    for (int n = 0; n < node_count; ++n)
      for (int m = 0; m < node_count; ++m)
        if (above[n] & (1u << m)) above[n] |= above[m];
  return above;
}

constexpr auto above = closure();

int least_upper_bound(uint32_t nodes) {
  uint32_t common = (1u << node_count) - 1;
  for (int n = 0; n < node_count; ++n)
    if (nodes & (1u << n)) common &= above[n];
  // The least element of `common` is the one below all others: its closure is `common` itself.
  for (int n = 0; n < node_count; ++n)
    if ((common & (1u << n)) && above[n] == common) return n;
  return node(DType::float64);
}

int node_of(PromotionType t, bool respect_weak) {
  if (!t.weak || !respect_weak || t.dtype == DType::boolean) return node(t.dtype);
  return is_float(t.dtype) ? weak_float : weak_int;
}

}  // namespace

DType result_type(std::span<const PromotionType> types) {
  if (types.empty()) return DType::float32;
  bool all_weak = true, same = true;
  for (const auto& t : types) {
    all_weak &= t.weak;
    same &= t.dtype == types[0].dtype;
  }
  if (same) return types[0].dtype;
  for (const auto& t : types)
    if (t.dtype == DType::string)
      throw ValueError(fmt::format(
          "Strings and {} values do not combine.",
          dtype_name(types[0].dtype == DType::string ? types[1].dtype : types[0].dtype)));
  for (const auto& t : types)
    if (is_float8(t.dtype))
      throw ValueError(
          fmt::format("{} does not combine with other types, such as {}. Cast one of them first.",
                      dtype_name(t.dtype),
                      dtype_name(types[0].dtype == t.dtype ? types[1].dtype : types[0].dtype)));
  // Keras says complex64 of all that meets a complex number; here double precision stays.
  bool complex = false;
  for (const auto& t : types) {
    if (t.dtype == DType::complex128) return DType::complex128;
    complex |= t.dtype == DType::complex64;
  }
  if (complex) return DType::complex64;
  uint32_t nodes = 0;
  for (const auto& t : types) nodes |= 1u << node_of(t, !all_weak);
  const int result = least_upper_bound(nodes);
  if (result == weak_int) return DType::int32;
  if (result == weak_float) return DType::float32;
  return static_cast<DType>(result);
}

DType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return a.dtype();
  const PromotionType types[] = {promotion_type(a), promotion_type(b)};
  return result_type(types);
}

DType result_type(DType a, DType b) {
  if (a == b) return a;
  const PromotionType types[] = {{a}, {b}};
  return result_type(types);
}

DType float_result_type(std::span<const PromotionType> types) {
  InlineVector<PromotionType, 4> with_float(types);
  with_float.push_back({DType::float32, true});
  return result_type(with_float);
}

DType compute_type(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      return DType::float32;
    case DType::boolean:
    case DType::uint8:
    case DType::uint16:
    case DType::int8:
    case DType::int16:
      return DType::int32;
    case DType::uint32:
      return DType::int64;
    case DType::string:
      return DType::int32;
    case DType::complex64:
      return DType::float32;
    case DType::complex128:
      return DType::float64;
    default:
      return dtype;
  }
}

}  // namespace cornu
