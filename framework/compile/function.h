// function(f): makes a function of tensors fast by recording it once and replaying what it
// computed.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "../dispatch/variable.h"
#include "../tensor/first_argument.h"

namespace cornu {

/// How a Function has spent its calls.
struct FunctionReport {
  int64_t calls = 0;       ///< in all
  int64_t replays = 0;     ///< run by a plan
  int64_t recordings = 0;  ///< run eagerly and recorded
  int64_t bodies = 0;      ///< run eagerly, by the function's body
  int64_t plans = 0;       ///< that are kept now, one for each signature
  /// One line for each recording after the first and for each signature that stays eager, saying
  /// why: "argument 'x' changed from float32 (32, 20) to float32 (16, 20)".
  std::vector<std::string> causes;
};

/// What the first call of a signature does.
enum class FirstCall : uint8_t {
  computes,  ///< runs the body on real values, which a debugger shows, and records it
  replays,   ///< records the body without computing, so that the result comes from the plan, as
             ///< those of all later calls; runs it where it needs values. Under a debugger the body
             ///< runs before on real values, without effect on variables
};

/// A function of nested tensors that records itself. For each signature (the arguments' structure,
/// shapes and dtypes) the first call runs eagerly, on real values, and is recorded: kernels,
/// gradients, assignments of variables, random draws. The second is recorded too, and compared.
/// Later calls replay the optimized recording. Numbers and C++ values that the function reads are
/// constants of the recording. Results are equal up to float rounding; those of plans repeat bit
/// for bit.
///
/// It stays eager, and says so once, where it reads a tensor's value to decide something (item(),
/// to_vector(), ...), or where recordings keep differing. Inside an open GradientTape, another
/// function or a shape inference it runs its body as it is, so functions nest.
///
/// Any number of threads may call it at a time. Calls that assign no variable run beside each
/// other, each by a plan of its own; the others wait for each other.
class Function {
 public:
  using Body = std::function<Nest(const Nest&)>;  ///< computes results from nested arguments
  /// Options of a Function.
  struct Options {
    std::string name = "function";  ///< for reports and messages
    /// Names of the arguments, in the order of their flattening, for reports.
    std::vector<std::string> argument_names = {};
    /// Signatures whose plans are kept; beyond, the one that was used longest ago goes.
    int max_plans = 16;
    /// What the first call of a signature does.
    FirstCall first_call = FirstCall::computes;
  };

  /// Compiles `body`, which is first run by the first call.
  explicit Function(Body body) : Function(std::move(body), Options{}) {}
  /// The same with options. Throws ValueError for an empty body.
  Function(Body body, Options options);
  ~Function();
  Function(Function&&) noexcept;             ///< the other one may then only be destroyed
  Function& operator=(Function&&) noexcept;  ///< likewise

  /// Replays the plan of the arguments' signature, or records the body. Errors of the body pass
  /// through.
  Nest operator()(const Nest& arguments);
  /// The same with arguments that nobody needs any more: a result that is one of them with changes
  /// (`ops::slice_update`, `ops::scatter_update`) takes its memory, if there is no other handle of
  /// it, instead of copying it. So the caches of a language model go from call to call.
  Nest operator()(Nest&& arguments);

  /// Does what the first call with these arguments does besides computing: makes what the body
  /// makes when it first runs, and records it if that needs no values. Variables keep their values.
  /// Returns the variables that a call assigns.
  std::vector<Variable> prepare(const Nest& arguments);
  /// Lets the next call be recorded and compared again, because C++ values that the function reads
  /// may have changed. `fit` does this at each epoch.
  void recheck();
  /// Drops all plans.
  void clear();
  /// Off: every call runs the body.
  void set_enabled(bool enabled);

  /// How the calls so far were spent.
  FunctionReport report() const;
  /// The report as text, with the plans' kernels, steps and memory.
  std::string explain() const;
  /// Each plan's steps, one a line.
  std::string plans() const;
  /// Each recording as it was made, and what each pass that improves it leaves.
  std::string passes() const;

  /// What one step of a plan took, did and moved.
  struct Timing {
    /// @{
    /// The kernel's name, and the path of the layer that it belongs to.
    std::string kernel, where;
    /// @}

    /// @{
    /// Begin and length in seconds; operations, and bytes moved, as kernel_cost counts them.
    double start = 0, seconds = 0, flops = 0, bytes = 0;
    /// @}
  };
  /// What profile measures.
  struct Profile {
    std::vector<Timing> steps;   ///< in the order of execution
    size_t arena_bytes = 0;      ///< what the plan's values in between take
    size_t unplanned_bytes = 0;  ///< what they would take side by side
    size_t variable_bytes = 0;   ///< of the variables that it reads or writes
  };
  /// Runs the plan that these arguments have (recording it if need be) and times each step, in the
  /// repetition that was disturbed least. Variables get their values back. Throws StateError when
  /// the function stays eager.
  Profile profile(const Nest& arguments, int repetitions = 10);

 private:
  struct State;
  Nest call(const Nest& arguments, bool donated);

  std::unique_ptr<State> state_;
};

/// A compiled function whose parameters are Tensors; see `function`.
template <class R, class... P>
class TensorFunction {
 public:
  /// Wraps a function of tensors; copies share the plans.
  explicit TensorFunction(std::function<R(const P&...)> f)
      : function_(std::make_shared<Function>([f = std::move(f)](const Nest& arguments) {
          return call(f, arguments, std::index_sequence_for<P...>());
        })) {}

  /// Calls it; see Function.
  R operator()(const P&... tensors) const {
    Nest result = (*function_)(arguments_of(tensors...));
    if constexpr (std::derived_from<R, Tensor>)
      return R(result.take_tensor());
    else if constexpr (!std::is_void_v<R>)
      return result;
  }
  /// Its reports: step->explain().
  Function* operator->() const { return function_.get(); }

 private:
  // A single tensor is no list of one: that would cost two allocations per call.
  static Nest arguments_of(const P&... tensors) {
    if constexpr (sizeof...(P) == 1)
      return Nest(tensors...);
    else
      return Nest(Nest::List{Nest(tensors)...});
  }

  template <class F, size_t... I>
  static Nest call(const F& f, const Nest& arguments, std::index_sequence<I...>) {
    // Element 0 of a single tensor is itself.
    if constexpr (std::is_void_v<R>) {
      f(arguments[I].tensor()...);
      return Nest();
    } else {
      return Nest(f(arguments[I].tensor()...));
    }
  }

  std::shared_ptr<Function> function_;
};

namespace detail {

template <class T>
struct CallTraits;
template <class F, class R, class... P>
struct CallTraits<R (F::*)(P...)> {
  static_assert((std::is_same_v<std::remove_cvref_t<P>, Tensor> && ...),
                "function: the parameters must be Tensors, or a single Nest");
  using Type = TensorFunction<R, std::remove_cvref_t<P>...>;
};
template <class F, class R, class... P>
struct CallTraits<R (F::*)(P...) const> : CallTraits<R (F::*)(P...)> {};

}  // namespace detail

/// The function of tensors `f`, compiled:
///
///   auto step = function([&](const Tensor& x, const Tensor& y) {
///     GradientTape tape;
///     const Tensor loss = ops::mean(ops::square(model(x) - y));
///     optimizer->apply(tape.gradient(loss, variables), variables);
///     return loss;
///   });
///   for (...) step(x, y);
///
/// `f` takes Tensors (by const reference) and returns a Tensor, a Nest or nothing; one that takes a
/// Nest gives a Function, which has reports.
template <class F>
auto function(F f) {
  if constexpr (detail::TakesNest<F>)
    return Function(Function::Body(std::move(f)));
  else
    return typename detail::CallTraits<decltype(&F::operator())>::Type(std::move(f));
}

}  // namespace cornu
