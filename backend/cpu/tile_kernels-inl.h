// Tile loops from the rows of opcodes.inc, for one element type. Included once per target.
#if defined(CORNU_TILE_KERNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_TILE_KERNELS_INL_H
#undef CORNU_TILE_KERNELS_INL_H
#else
#define CORNU_TILE_KERNELS_INL_H
#endif

#include <algorithm>
#include <utility>

#include "tile_kernels.h"
#include "vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

template <Opcode op, class T>
struct Row;

#define CORNU_ROW(name, keras, arity_, domain_, expression, ...)                                 \
  template <class T>                                                                             \
  struct Row<Opcode::name, T> {                                                                  \
    static constexpr int arity = arity_;                                                         \
    static constexpr Domain domain = Domain::domain_;                                            \
    static HWY_INLINE Vector<T> call([[maybe_unused]] Vector<T> a, [[maybe_unused]] Vector<T> b, \
                                     [[maybe_unused]] Vector<T> c) {                             \
      [[maybe_unused]] constexpr Number<T> num{};                                                \
      return expression;                                                                         \
    }                                                                                            \
  };
#include "../opcodes.inc"
#undef CORNU_ROW

template <class T>
constexpr bool has_tile(Opcode op, Domain domain) {
  if (is_real<T>) return domain != Domain::integer;
  return domain != Domain::floating || op == Opcode::floor || op == Opcode::ceil ||
         op == Opcode::round_even;
}

/// Operations of one or two machine instructions, whose loops are bound by their own overhead.
constexpr bool is_light(Opcode op) {
  switch (op) {
    case Opcode::negative:
    case Opcode::absolute:
    case Opcode::square:
    case Opcode::relu:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::maximum:
    case Opcode::minimum:
    case Opcode::fma:
    case Opcode::select:
    case Opcode::greater:
      return true;
    default:
      return false;
  }
}

template <Opcode op, class T>
void tile(const void* a_, [[maybe_unused]] const void* b_, [[maybe_unused]] const void* c_,
          void* out_, int64_t n) {
  using R = Row<op, T>;
  const T* a = static_cast<const T*>(a_);
  // Operands that the row does not have are read from a, so that one loop serves all arities.
  const T* b = static_cast<const T*>(R::arity > 1 ? b_ : a_);
  const T* c = static_cast<const T*>(R::arity > 2 ? c_ : a_);
  T* out = static_cast<T*>(out_);
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  int64_t i = 0;
  if constexpr (is_light(op)) {
    // All loads before the stores, as the compiler must assume that `out` overlaps the operands.
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      const Vector<T> r0 = R::call(load(a + i), load(b + i), load(c + i));
      const Vector<T> r1 = R::call(load(a + i + lanes), load(b + i + lanes), load(c + i + lanes));
      const Vector<T> r2 =
          R::call(load(a + i + 2 * lanes), load(b + i + 2 * lanes), load(c + i + 2 * lanes));
      const Vector<T> r3 =
          R::call(load(a + i + 3 * lanes), load(b + i + 3 * lanes), load(c + i + 3 * lanes));
      store(r0, out + i);
      store(r1, out + i + lanes);
      store(r2, out + i + 2 * lanes);
      store(r3, out + i + 3 * lanes);
    }
  }
  for (; i + lanes <= n; i += lanes) store(R::call(load(a + i), load(b + i), load(c + i)), out + i);
  if (i < n) {
    // Ones in the lanes left over: no operation is slow or traps there.
    const Vector<T> one = splat<T>(1);
    const size_t rest = static_cast<size_t>(n - i);
    store_first(R::call(load_first(a + i, rest, one), load_first(b + i, rest, one),
                        load_first(c + i, rest, one)),
                out + i, rest);
  }
}

template <Combine combine, class T>
HWY_INLINE Vector<T> combined(Vector<T> a, Vector<T> b) {
  if constexpr (combine == Combine::sum)
    return a + b;
  else if constexpr (combine == Combine::product)
    return a * b;
  else if constexpr (combine == Combine::maximum)
    return max(a, b);
  else
    return min(a, b);
}

template <Combine combine, class A>
HWY_INLINE A combined_scalar(A a, A b) {
  // Unsigned, so that integer overflow wraps.
  if constexpr (combine == Combine::sum || combine == Combine::product) {
    if constexpr (is_real<A>) {
      return combine == Combine::sum ? a + b : a * b;
    } else {
      using U = std::make_unsigned_t<A>;
      return static_cast<A>(combine == Combine::sum ? U(a) + U(b) : U(a) * U(b));
    }
  } else {
    // NaN wins, as in NumPy.
    if (a != a) return a;
    if (b != b) return b;
    return combine == Combine::maximum ? (a < b ? b : a) : (b < a ? b : a);
  }
}

template <Combine combine, class T>
void rows_tile(const void* x_, int64_t rows, int64_t length, void* accumulators) {
  using A =
      std::conditional_t<is_single<T> && (combine == Combine::sum || combine == Combine::product),
                         double, T>;
  using V = Vector<T>;
  const T* x = static_cast<const T*>(x_);
  A* accumulator = static_cast<A*>(accumulators);
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  constexpr bool lowest = combine == Combine::maximum;
  const T neutral = combine == Combine::sum       ? T(0)
                    : combine == Combine::product ? T(1)
                    : is_real<T>                  ? static_cast<T>(lowest ? -HUGE_VAL : HUGE_VAL)
                    : lowest                      ? std::numeric_limits<T>::lowest()
                                                  : std::numeric_limits<T>::max();
  const V start{hn::Set(Tag<T>(), neutral)};
  for (int64_t r = 0; r < rows; ++r, x += length) {
    V sum = start;
    int64_t i = 0;
    // Four sums side by side hide the latency of an addition.
    if (length >= 4 * lanes) {
      V s1 = start, s2 = start, s3 = start;
      for (; i + 4 * lanes <= length; i += 4 * lanes) {
        sum = combined<combine>(sum, load(x + i));
        s1 = combined<combine>(s1, load(x + i + lanes));
        s2 = combined<combine>(s2, load(x + i + 2 * lanes));
        s3 = combined<combine>(s3, load(x + i + 3 * lanes));
      }
      sum = combined<combine>(combined<combine>(sum, s1), combined<combine>(s2, s3));
    }
    for (; i + lanes <= length; i += lanes) sum = combined<combine>(sum, load(x + i));
    if (i < length)
      sum = combined<combine>(sum, load_first(x + i, static_cast<size_t>(length - i), start));
    HWY_ALIGN T parts[hn::MaxLanes(Tag<T>())];
    hn::Store(sum.raw, Tag<T>(), parts);
    // Lanes beyond a short row hold only the neutral element.
    const int64_t used = std::min<int64_t>(length, lanes);
    A total = static_cast<A>(neutral);
    for (int64_t k = 0; k < used; ++k)
      total = combined_scalar<combine, A>(total, static_cast<A>(parts[k]));
    accumulator[r] = combined_scalar<combine, A>(accumulator[r], total);
  }
}

template <Link link, class T>
HWY_INLINE Vector<T> linked(Vector<T> x, Vector<T> y) {
  if constexpr (link == Link::add)
    return x + y;
  else if constexpr (link == Link::subtract)
    return x - y;
  else if constexpr (link == Link::reversed_subtract)
    return y - x;
  else if constexpr (link == Link::multiply)
    return x * y;
  else if constexpr (link == Link::divide)
    return x / y;
  else if constexpr (link == Link::reversed_divide)
    return y / x;
  else
    return x;
}

template <Link first, Link second, Link third, class T>
HWY_INLINE Vector<T> chained(Vector<T> a, Vector<T> b, Vector<T> c, Vector<T> d) {
  return linked<third>(linked<second>(linked<first>(a, b), c), d);
}

template <Link first, Link second, Link third, class T>
void chain_tile(const void* a_, const void* b_, const void* c_, const void* d_, void* out_,
                int64_t n) {
  const T* a = static_cast<const T*>(a_);
  const T* b = static_cast<const T*>(b_);
  const T* c = static_cast<const T*>(c_);
  // Chains of two links have no d.
  const T* d = static_cast<const T*>(third == Link::none ? c_ : d_);
  T* out = static_cast<T*>(out_);
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const int64_t j = i + lanes;
    const Vector<T> r0 =
        chained<first, second, third>(load(a + i), load(b + i), load(c + i), load(d + i));
    const Vector<T> r1 =
        chained<first, second, third>(load(a + j), load(b + j), load(c + j), load(d + j));
    store(r0, out + i);
    store(r1, out + j);
  }
  const Vector<T> one = splat<T>(1);
  for (; i < n; i += lanes) {
    const size_t some = static_cast<size_t>(std::min(lanes, n - i));
    store_first(
        chained<first, second, third>(load_first(a + i, some, one), load_first(b + i, some, one),
                                      load_first(c + i, some, one), load_first(d + i, some, one)),
        out + i, some);
  }
}

template <class T, Link first, Link second, int... third>
constexpr void fill_chains(ChainTile (&chains)[7], std::integer_sequence<int, third...>) {
  ((chains[third] = &chain_tile<first, second, static_cast<Link>(third), T>), ...);
}

template <class T, Link first, int... second>
constexpr void fill_chains(ChainTile (&chains)[6][7], std::integer_sequence<int, second...>) {
  (fill_chains<T, first, static_cast<Link>(second)>(chains[second],
                                                    std::make_integer_sequence<int, 7>()),
   ...);
}

template <Opcode op, class T>
constexpr ElementwiseTile tile_or_null() {
  if constexpr (has_tile<T>(op, Row<op, T>::domain))
    return &tile<op, T>;
  else
    return nullptr;
}

template <class T>
const TileKernels& kernels_of() {
  static constexpr TileKernels kernels = [] {
    TileKernels made = {{
#define CORNU_ROW(name, ...) tile_or_null<Opcode::name, T>(),
#include "../opcodes.inc"
#undef CORNU_ROW
                        },
                        {&rows_tile<Combine::sum, T>, &rows_tile<Combine::product, T>,
                         &rows_tile<Combine::maximum, T>, &rows_tile<Combine::minimum, T>},
                        {}};
    if constexpr (is_real<T>) {
      constexpr std::make_integer_sequence<int, 6> links;
      fill_chains<T, Link::add>(made.chains[0], links);
      fill_chains<T, Link::subtract>(made.chains[1], links);
      fill_chains<T, Link::multiply>(made.chains[2], links);
    }
    return made;
  }();
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
