// Types, conversions and arithmetic of generated kernels. They follow the CPU's vector layer
// (backend/cpu/vector-inl.h, vector_math-inl.h, tile_convert.cpp) case by case.
#include "prelude.h"

#include <string>

namespace cornu::backend::cuda {
namespace {

constexpr std::string_view types_text = R"text(
#ifndef CORNU_HOST
#define CORNU_DEVICE static __device__ __forceinline__
#define CORNU_KERNEL extern "C" __global__ void __launch_bounds__(256)
// What follows is done by each thread; between two such parts stands a barrier, and threads pass
// on values in shared memory only.
#define CORNU_EACH_THREAD
#define CORNU_METHOD __device__ __forceinline__
#define CORNU_SHARED __shared__
#define CORNU_BLOCK_BARRIER __syncthreads();
#define CORNU_WARP_BARRIER __syncwarp();
#endif

namespace cornu_device {

typedef signed char int8;
typedef unsigned char uint8;
typedef short int16;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

struct Bool { uint8 value; };
struct Half { uint16 bits; };
struct BFloat16 { uint16 bits; };
struct Float8E4M3 { uint8 bits; };
struct Float8E5M2 { uint8 bits; };

template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
template <class T> constexpr bool is_real = same<T, float> || same<T, double>;
template <class T> constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);

/// Integers as unsigned ones, whose overflow wraps.
template <class T> struct Modular { typedef T type; };
template <> struct Modular<int> { typedef uint32 type; };
template <> struct Modular<int64> { typedef uint64 type; };

template <class To, class From>
CORNU_DEVICE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  union { From from; To to; } both;
  both.from = from;
  return both.to;
}

template <class T>
CORNU_DEVICE T lowest() {
  if constexpr (same<T, float>) return bits_as<float>(0xFF800000u);
  else if constexpr (same<T, double>) return bits_as<double>(0xFFF0000000000000ull);
  else if constexpr (!is_signed<T>) return 0;
  else return static_cast<T>(static_cast<T>(1) << (8 * sizeof(T) - 1));
}
template <class T>
CORNU_DEVICE T highest() {
  if constexpr (is_real<T>) return -lowest<T>();
  else return static_cast<T>(~lowest<T>());
}
template <class T>
CORNU_DEVICE T nan() {
  if constexpr (same<T, float>) return bits_as<float>(0x7FC00000u);
  else return bits_as<double>(0x7FF8000000000000ull);
}

/// Lets the next kernel be put in place, and waits for all that the one before has written.
CORNU_DEVICE void begin_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

CORNU_DEVICE float half_to_float(uint16 bits) {
#ifdef __CUDA_ARCH__
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  const uint32 sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u;
  const uint32 fraction = bits & 0x3FFu;
  if (exponent == 31) return bits_as<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent != 0) return bits_as<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * bits_as<float>(0x33800000u);
  return sign != 0 ? -small : small;
#endif
}

/// To the nearest, ties to even.
CORNU_DEVICE uint16 float_to_half(float value) {
#ifdef __CUDA_ARCH__
  uint16 half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
#else
  const uint32 bits = bits_as<uint32>(value), sign = bits >> 16 & 0x8000u;
  const uint32 size = bits & 0x7FFFFFFFu;
  if (size > 0x7F800000u) return static_cast<uint16>(sign | 0x7E00u);
  if (size >= 0x477FF000u) return static_cast<uint16>(sign | 0x7C00u);
  if (size >= 0x38800000u)
    return static_cast<uint16>(sign | ((size + 0xFFFu + (size >> 13 & 1)) - 0x38000000u) >> 13);
  // The sum with 1/2 has the half's unit in its last place.
  const float shifted = bits_as<float>(size) + 0.5f;
  return static_cast<uint16>(sign | (bits_as<uint32>(shifted) - 0x3F000000u));
#endif
}

CORNU_DEVICE float bfloat16_to_float(uint16 bits) {
  return bits_as<float>(static_cast<uint32>(bits) << 16);
}
CORNU_DEVICE uint16 float_to_bfloat16(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint16 bfloat16;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bfloat16) : "f"(value));
  return bfloat16;
#else
  const uint32 bits = bits_as<uint32>(value);
  const uint32 rounded = (bits + 0x7FFFu + (bits >> 16 & 1)) >> 16, quiet = bits >> 16 | 0x40u;
  return static_cast<uint16>((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
#endif
}

/// Exact. A half has the same fraction and more exponents, counted from a number that is 2^8 less.
CORNU_DEVICE float e4m3_to_float(uint8 bits) {
  const uint32 size = bits & 0x7Fu;
  if (size == 0x7Fu) return nan<float>();
  return half_to_float(static_cast<uint16>((bits & 0x80u) << 8 | size << 7)) * 256.0f;
}
/// Its bits are the first of a half's.
CORNU_DEVICE float e5m2_to_float(uint8 bits) {
  return half_to_float(static_cast<uint16>(bits << 8));
}

/// The bits of the nearest 8-bit float, ties to even, where there are `digits` of a fraction and
/// exponents are less by `shift` than a float's; of what is in its range.
template <int digits, int shift>
CORNU_DEVICE uint32 nearest_float8(uint32 size) {
  const uint32 least = static_cast<uint32>(shift + 1) << 23;
  if (size >= least) {
    const uint32 cut = 23 - digits, half = (1u << (cut - 1)) - 1;
    return (size + half + (size >> cut & 1) - (static_cast<uint32>(shift) << 23)) >> cut;
  }
  // The sum with this has the least 8-bit float in its last place.
  const uint32 large = static_cast<uint32>(shift + 1 + 23 - digits) << 23;
  return bits_as<uint32>(bits_as<float>(size) + bits_as<float>(large)) - large;
}

/// To the nearest, ties to even; what is too large becomes NaN.
CORNU_DEVICE uint8 float_to_e4m3(float value) {
  const uint32 bits = bits_as<uint32>(value), size = bits & 0x7FFFFFFFu, sign = bits >> 24 & 0x80u;
  if (size > 0x7F800000u) return 0x7F;
  if (size > 0x43E80000u) return static_cast<uint8>(sign | 0x7Fu);  // half a step above 448
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  uint16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  return static_cast<uint8>(pair);
#else
  return static_cast<uint8>(sign | nearest_float8<3, 120>(size));
#endif
}
/// To the nearest, ties to even; what is too large becomes infinite.
CORNU_DEVICE uint8 float_to_e5m2(float value) {
  const uint32 bits = bits_as<uint32>(value), size = bits & 0x7FFFFFFFu, sign = bits >> 24 & 0x80u;
  if (size > 0x7F800000u) return 0x7E;
  if (size >= 0x47700000u) return static_cast<uint8>(sign | 0x7Cu);  // half a step above 57344
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  uint16 pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
  return static_cast<uint8>(pair);
#else
  return static_cast<uint8>(sign | nearest_float8<2, 112>(size));
#endif
}

/// Integers wrap, floats become integers by truncation (saturating, NaN is 0), 16-bit floats are
/// rounded to nearest even, and a boolean is whether the value is not zero.
template <class To, class From>
CORNU_DEVICE To convert(From x) {
  if constexpr (same<To, From>) {
    return x;
  } else if constexpr (same<From, Bool>) {
    return convert<To>(static_cast<int>(x.value));
  } else if constexpr (same<From, Half>) {
    return convert<To>(half_to_float(x.bits));
  } else if constexpr (same<From, BFloat16>) {
    return convert<To>(bfloat16_to_float(x.bits));
  } else if constexpr (same<From, Float8E4M3>) {
    return convert<To>(e4m3_to_float(x.bits));
  } else if constexpr (same<From, Float8E5M2>) {
    return convert<To>(e5m2_to_float(x.bits));
  } else if constexpr (same<To, Bool>) {
    return Bool{static_cast<uint8>(x != static_cast<From>(0))};
  } else if constexpr (same<To, Half>) {
    return Half{float_to_half(static_cast<float>(x))};
  } else if constexpr (same<To, BFloat16>) {
    return BFloat16{float_to_bfloat16(static_cast<float>(x))};
  } else if constexpr (is_real<From> && !is_real<To>) {
    // The upper bound is rounded up to a power of two where From cannot hold the largest To.
    if (x != x) return 0;
    if (x >= static_cast<From>(highest<To>())) return highest<To>();
    if (x <= static_cast<From>(lowest<To>())) return lowest<To>();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

/// Elements that are read and written together. Of their address no more than 16 is asked, to which
/// operands are aligned.
template <class T, int n> struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) Pack { T v[n]; };

template <int n, class T>
CORNU_DEVICE Pack<T, n> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, n>*>(from);
}
template <int n, class T>
CORNU_DEVICE void store_pack(const Pack<T, n>& pack, T* to) {
  *reinterpret_cast<Pack<T, n>*>(to) = pack;
}
/// The first `count` elements only, when there are fewer than n; the others repeat the first.
template <int n, class T>
CORNU_DEVICE Pack<T, n> load_pack(const T* from, uint64 count) {
  if (count >= n) return load_pack<n>(from);
  Pack<T, n> pack;
  for (int i = 0; i < n; ++i) pack.v[i] = from[i < static_cast<int>(count) ? i : 0];
  return pack;
}
template <int n, class T>
CORNU_DEVICE void store_pack(const Pack<T, n>& pack, T* to, uint64 count) {
  if (count >= n) return store_pack<n>(pack, to);
  for (int i = 0; i < n; ++i)
    if (i < static_cast<int>(count)) to[i] = pack.v[i];
}

/// n / divisor for n < 2^31, by the constants that the host made.
CORNU_DEVICE uint32 quotient(uint32 n, uint32 multiplier, uint32 shift) {
  return (static_cast<uint32>((static_cast<uint64>(n) * multiplier) >> 32) + n) >> shift;
}
)text";

constexpr std::string_view arithmetic_text = R"text(
/// num(x) in the expressions of opcodes.inc.
template <class T>
struct Number {
  CORNU_METHOD T operator()(double x) const { return static_cast<T>(x); }
};
CORNU_DEVICE int number(bool x) { return x ? 1 : 0; }
template <class T>
CORNU_DEVICE T select(bool condition, T x, T y) { return condition ? x : y; }

template <class T>
CORNU_DEVICE bool is_nan(T a) { return a != a; }
template <class T>
CORNU_DEVICE T abs(T a) {
  if constexpr (same<T, float>) return bits_as<float>(bits_as<uint32>(a) & 0x7FFFFFFFu);
  else if constexpr (same<T, double>)
    return bits_as<double>(bits_as<uint64>(a) & 0x7FFFFFFFFFFFFFFFull);
  else if constexpr (!is_signed<T>) return a;
  else return a < 0 ? static_cast<T>(0 - static_cast<typename Modular<T>::type>(a)) : a;
}
template <class T>
CORNU_DEVICE bool is_inf(T a) {
  if constexpr (is_real<T>) return abs(a) == highest<T>();
  else return false;
}
template <class T>
CORNU_DEVICE bool is_finite(T a) {
  if constexpr (is_real<T>) return abs(a) < highest<T>();
  else return true;
}
/// NaN in either operand wins. Of floats it is one instruction since 8.0; compiled, the cases become
/// branches, around which loads wait for each other.
template <class T>
CORNU_DEVICE T max(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (same<T, float>) {
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
  }
#endif
  if (a != a) return a;
  if (b != b) return b;
  return a < b ? b : a;
}
template <class T>
CORNU_DEVICE T min(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (same<T, float>) {
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
  }
#endif
  if (a != a) return a;
  if (b != b) return b;
  return b < a ? b : a;
}
template <class T>
CORNU_DEVICE T sign(T a) {
  if constexpr (!is_signed<T>) return a != 0 ? 1 : 0;
  else return a > static_cast<T>(0) ? static_cast<T>(1) : a < static_cast<T>(0) ? static_cast<T>(-1) : a;
}
template <class T>
CORNU_DEVICE T copy_sign(T size, T sign) {
  if constexpr (same<T, float>)
    return bits_as<float>((bits_as<uint32>(size) & 0x7FFFFFFFu) | (bits_as<uint32>(sign) & 0x80000000u));
  else
    return bits_as<double>((bits_as<uint64>(size) & 0x7FFFFFFFFFFFFFFFull) |
                           (bits_as<uint64>(sign) & 0x8000000000000000ull));
}
/// a * b + c; floats are rounded once.
template <class T>
CORNU_DEVICE T fma(T a, T b, T c) {
  if constexpr (same<T, float>) return ::fmaf(a, b, c);
  else if constexpr (same<T, double>) return ::fma(a, b, c);
  else return a * b + c;
}

#define CORNU_FUNCTION(name, single, twice)                      \
  CORNU_DEVICE float name(float a) { return ::single(a); }       \
  CORNU_DEVICE double name(double a) { return ::twice(a); }
CORNU_FUNCTION(exp, expf, exp)
CORNU_FUNCTION(expm1, expm1f, expm1)
CORNU_FUNCTION(log, logf, log)
CORNU_FUNCTION(log1p, log1pf, log1p)
CORNU_FUNCTION(log2, log2f, log2)
CORNU_FUNCTION(log10, log10f, log10)
CORNU_FUNCTION(sqrt, sqrtf, sqrt)
CORNU_FUNCTION(sin, sinf, sin)
CORNU_FUNCTION(cos, cosf, cos)
CORNU_FUNCTION(tan, tanf, tan)
CORNU_FUNCTION(asin, asinf, asin)
CORNU_FUNCTION(acos, acosf, acos)
CORNU_FUNCTION(atan, atanf, atan)
CORNU_FUNCTION(sinh, sinhf, sinh)
CORNU_FUNCTION(cosh, coshf, cosh)
CORNU_FUNCTION(tanh, tanhf, tanh)
CORNU_FUNCTION(asinh, asinhf, asinh)
CORNU_FUNCTION(acosh, acoshf, acosh)
CORNU_FUNCTION(atanh, atanhf, atanh)
/// 1 / sqrt(a), of floats to two units in the last place: a division would have branches.
#ifdef CORNU_HOST
CORNU_DEVICE float inverse_root(float a) { return 1 / ::sqrtf(a); }
#else
CORNU_DEVICE float inverse_root(float a) { return ::rsqrtf(a); }
#endif
CORNU_DEVICE double inverse_root(double a) { return 1 / ::sqrt(a); }
CORNU_FUNCTION(erf, erff, erf)
CORNU_FUNCTION(whole_below, floorf, floor)
CORNU_FUNCTION(whole_above, ceilf, ceil)
CORNU_FUNCTION(whole_nearest, rintf, rint)
CORNU_FUNCTION(whole_toward_zero, truncf, trunc)
#undef CORNU_FUNCTION

// Integers are whole already.
template <class T>
CORNU_DEVICE T floor(T a) {
  if constexpr (is_real<T>) return whole_below(a);
  else return a;
}
template <class T>
CORNU_DEVICE T ceil(T a) {
  if constexpr (is_real<T>) return whole_above(a);
  else return a;
}
template <class T>
CORNU_DEVICE T round(T a) {
  if constexpr (is_real<T>) return whole_nearest(a);
  else return a;
}
template <class T>
CORNU_DEVICE T trunc(T a) {
  if constexpr (is_real<T>) return whole_toward_zero(a);
  else return a;
}
)text";

}  // namespace

std::string_view prelude() {
  static const std::string text =
      std::string(types_text) + std::string(arithmetic_text) + std::string(functions_prelude());
  return text;
}

std::string kernel_head() {
  return "CORNU_KERNEL @NAME@(const Arguments args) {\n  begin_kernel();\n";
}

}  // namespace cornu::backend::cuda
