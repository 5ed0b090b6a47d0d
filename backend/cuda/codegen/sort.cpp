// Stable sort and top-k along the last axis: elements become unsigned keys of the same order.
#include "../../error.h"
#include "codegen.h"
#include "sort_stages.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* key_text = R"text(
/// The sign-magnitude order of a float's bits made unsigned: both zeros are equal, NaN is last.
template <class Bits>
CORNU_DEVICE Bits float_key(Bits bits, Bits infinity) {
  const Bits sign = static_cast<Bits>(static_cast<Bits>(1) << (8 * sizeof(Bits) - 1));
  const Bits size = static_cast<Bits>(bits & static_cast<Bits>(~sign));
  if (size > infinity) return static_cast<Bits>(~static_cast<Bits>(0));
  if (size == 0) return sign;
  return static_cast<Bits>((bits & sign) != 0 ? ~bits : bits | sign);
}
template <class T> struct KeyOf { typedef T type; };
template <> struct KeyOf<int8> { typedef uint8 type; };
template <> struct KeyOf<int16> { typedef uint16 type; };
template <> struct KeyOf<int> { typedef uint32 type; };
template <> struct KeyOf<int64> { typedef uint64 type; };
CORNU_DEVICE uint8 sort_key(Bool x) { return x.value; }
CORNU_DEVICE uint16 sort_key(Half x) { return float_key<uint16>(x.bits, 0x7C00); }
CORNU_DEVICE uint16 sort_key(BFloat16 x) { return float_key<uint16>(x.bits, 0x7F80); }
CORNU_DEVICE uint32 sort_key(float x) { return float_key<uint32>(bits_as<uint32>(x), 0x7F800000u); }
CORNU_DEVICE uint64 sort_key(double x) {
  return float_key<uint64>(bits_as<uint64>(x), 0x7FF0000000000000ull);
}
template <class T>
CORNU_DEVICE typename KeyOf<T>::type sort_key(T x) {
  typedef typename KeyOf<T>::type Key;
  const Key sign = static_cast<Key>(static_cast<Key>(1) << (8 * sizeof(Key) - 1));
  const Key flip = is_signed<T> ? sign : static_cast<Key>(0);
  return static_cast<Key>(static_cast<Key>(x) ^ flip);
}
template <class Key>
CORNU_DEVICE uint64 in_order(Key key) {
  return descending ? static_cast<Key>(~key) : key;
}
)text";

}  // namespace

KernelPlan plan(const Sort& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  KernelPlan plan;
  const Operand& x = inputs[0];
  const int64_t n = x.shape->empty() ? 1 : x.shape->back();
  if (n == 0 || kernel.count == 0 || x.shape->numel() == 0) return plan;
  if (n >= int64_t{1} << 31)
    throw ValueError("Sort: expected at most 2147483647 elements along the last axis, found " +
                     std::to_string(n) + ". Indices have 32 bits; sort smaller parts.");
  SortTask task;
  task.rows = x.shape->numel() / n;
  task.n = n;
  task.paired = size_of(x.dtype) == 8;
  task.largest = x.shape->numel();
  task.functions = key_text;
  task.workspace = static_cast<int>(inputs.size() + outputs.size());
  const DType dtype = x.dtype;
  task.declare = [&](KernelText& text) {
    text.type("T", dtype);
    text.constant("descending", kernel.descending ? 1 : 0);
    text.pointer("x", 0, "const T");
    text.pointer("values", 1, "T");
    text.pointer("indices", 2, "int");
    text.index("kept", kernel.count);
    text.index("width", n);
  };
  task.load = "in_order(sort_key(x[row * width + i]))";
  task.store =
      "if (i < kept) {\n"
      "          const Index position = position_of(entry);\n"
      "          values[row * kept + i] = x[row * width + position];\n"
      "          indices[row * kept + i] = static_cast<int>(position);\n"
      "        }";
  add_sort(plan, task, options.multiprocessors);
  return plan;
}

}  // namespace cornu::backend::cuda
