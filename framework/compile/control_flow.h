// Decisions and loops that depend on values, in a form that a compiled function can hold.
#pragma once
#include <concepts>
#include <functional>

#include "../tensor/nest.h"
#include "loop_functions.h"

namespace cornu::ops {

// In eager code these are C++'s own `if` and loops: only what is chosen runs, and a GradientTape
// sees through. While a function is recorded (see function.h), branches and bodies of loops
// are recorded once, without effect on variables, and become one step with a gradient; short loops,
// and those whose state changes its dtype, are recorded round by round. Branches must give results
// of one structure, with equal shapes and dtypes; ShapeError says what differs.

/// true_fn() where the scalar `pred` holds, else false_fn().
Nest cond(const Tensor& pred, const std::function<Nest()>& true_fn,
          const std::function<Nest()>& false_fn);
/// branches[index](operands); an index out of range counts as the nearest.
Nest switch_case(const Tensor& index, const std::vector<std::function<Nest(const Nest&)>>& branches,
                 const Nest& operands = {});
/// Repeats loop_vars = body(loop_vars) while cond(loop_vars), a scalar, holds; at most
/// `maximum_iterations` times, where a negative number is 0. In a recorded function its gradient
/// needs that bound: the states of all rounds are kept, in memory for that many.
Nest while_loop(const std::function<Tensor(const Nest&)>& cond,
                const std::function<Nest(const Nest&)>& body, const Nest& loop_vars,
                std::optional<int64_t> maximum_iterations = {});
/// The same of functions with a parameter for each variable; the body gives the next ones in their
/// order, as a pair, a tuple or a list:
/// `while_loop([](Tensor i, Tensor) { return i < 5; },
///             [](Tensor i, Tensor x) { return std::pair(i + 1, x * 2); }, {i, x})`.
/// Throws ValueError where the list of variables has another length.
template <detail::OfSeveral C, detail::OfSeveral B>
Nest while_loop(const C& cond, const B& body, const Nest& loop_vars,
                std::optional<int64_t> maximum_iterations = {}) {
  const auto holds = detail::of_nest(std::function(cond));
  const auto next = detail::of_nest(std::function(body));
  return while_loop([holds](const Nest& v) -> Tensor { return holds(v); },
                    [next](const Nest& v) { return detail::listed(next(v)); }, loop_vars,
                    maximum_iterations);
}
/// value = body(i, value) for i in [lower, upper), where i is an int32 scalar.
Nest fori_loop(int64_t lower, int64_t upper,
               const std::function<Nest(const Tensor&, const Nest&)>& body, const Nest& init);
/// The same with bounds that are known by value only: a while_loop.
Nest fori_loop(const Tensor& lower, const Tensor& upper,
               const std::function<Nest(const Tensor&, const Nest&)>& body, const Nest& init);

/// A state and what was collected on the way.
struct Scanned {
  Nest carry;  ///< the state after the last step
  Nest ys;     ///< collected results, stacked along a first axis
};
/// How many rounds of a scan are written out in one round of its recorded loop: a number, or true
/// for all of them.
class Unroll {
 public:
  /// At least 1, or true or false. Throws ValueError for another number.
  template <std::integral T>
  Unroll(T rounds) : Unroll(static_cast<int64_t>(rounds), std::same_as<T, bool>) {}
  int64_t rounds() const { return rounds_; }  ///< in one round of the loop
  bool all() const { return all_; }           ///< whether there is no loop

 private:
  Unroll(int64_t rounds, bool flag);
  int64_t rounds_ = 1;
  bool all_ = false;
};

/// carry, y = f(carry, x) for the slices x of xs along the first axis (or `length` times without
/// xs); the ys are stacked. `unroll` changes how a recorded function runs it, not what it gives:
/// more steps are recorded, and plans may fuse across rounds.
Scanned scan(const std::function<Scanned(const Nest& carry, const Nest& x)>& f, const Nest& init,
             const Nest& xs = {}, std::optional<int64_t> length = {}, bool reverse = false,
             const Unroll& unroll = 1);
/// The same of a function that gives a pair: `scan([](Tensor carry, Tensor x) { return
/// std::pair(carry + x, carry * x); }, init, xs)`.
template <detail::StepInPairs F>
Scanned scan(const F& f, const Nest& init, const Nest& xs = {}, std::optional<int64_t> length = {},
             bool reverse = false, const Unroll& unroll = 1) {
  const auto step = [f](const Nest& carry, const Nest& x) {
    auto [next, y] = f(carry, x);
    return Scanned{std::move(next), std::move(y)};
  };
  return scan(std::function<Scanned(const Nest&, const Nest&)>(step), init, xs, length, reverse,
              unroll);
}
/// f of each slice of xs along the first axis, stacked.
Nest map(const std::function<Nest(const Nest&)>& f, const Nest& xs);
/// The same; a recorded function does each kernel once for all elements where it can be.
Nest vectorized_map(const std::function<Nest(const Nest&)>& f, const Nest& elements);
/// Running combinations of elems along `axis` by the associative `f`, in a number of calls that
/// grows with the logarithm.
Nest associative_scan(const std::function<Nest(const Nest& a, const Nest& b)>& f, const Nest& elems,
                      bool reverse = false, int64_t axis = 0);

/// Calls `f` on the values of `inputs` now and in each replay of the function around it, for work
/// of the host: printing, counting, a simulator. It fills the `outputs` that are described. No
/// gradient passes.
Tensors callback(
    const std::function<void(std::span<const Tensor> inputs, std::span<const Tensor> outputs)>& f,
    const std::vector<Tensor>& inputs, const std::vector<TensorSpec>& outputs = {});

}  // namespace cornu::ops
