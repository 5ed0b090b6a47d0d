// Callbacks: lists of callbacks, made from handles and shared pointers, as fit takes them.
#pragma once
#include <concepts>
#include <memory>
#include <type_traits>
#include <vector>

#include "../config/configurable.h"
#include "callback.h"

namespace cornu {

namespace detail {

/// The type of a hook of Callback, as a member of T.
template <class T, class Hook>
struct HookOf;
template <class T, class... Arguments>
struct HookOf<T, void (Callback::*)(Arguments...)> {
  using type = void (T::*)(Arguments...);
};

/// Fails to compile when T has a function with the name of a hook and other parameters: it would
/// hide the hook, and never be called.
template <class T>
constexpr void check_hooks() {
#define CORNU_CHECK_HOOK(hook)                                                              \
  if constexpr (requires { &T::hook; })                                                     \
  static_assert(std::is_convertible_v<decltype(&T::hook),                                   \
                                      typename HookOf<T, decltype(&Callback::hook)>::type>, \
                "this callback's " #hook                                                    \
                " would never be called, since its parameters are not those of "            \
                "Callback::" #hook                                                          \
                ": (int64_t, Logs&) for epochs and batches, (Logs&) for the others")
  CORNU_CHECK_HOOK(on_train_begin);
  CORNU_CHECK_HOOK(on_train_end);
  CORNU_CHECK_HOOK(on_epoch_begin);
  CORNU_CHECK_HOOK(on_epoch_end);
  CORNU_CHECK_HOOK(on_train_batch_begin);
  CORNU_CHECK_HOOK(on_train_batch_end);
  CORNU_CHECK_HOOK(on_batch_begin);
  CORNU_CHECK_HOOK(on_batch_end);
  CORNU_CHECK_HOOK(on_test_begin);
  CORNU_CHECK_HOOK(on_test_end);
  CORNU_CHECK_HOOK(on_test_batch_begin);
  CORNU_CHECK_HOOK(on_test_batch_end);
  CORNU_CHECK_HOOK(on_predict_begin);
  CORNU_CHECK_HOOK(on_predict_end);
  CORNU_CHECK_HOOK(on_predict_batch_begin);
  CORNU_CHECK_HOOK(on_predict_batch_end);
#undef CORNU_CHECK_HOOK
}

}  // namespace detail

/// A callback, for lists of them. A class with a hook of other parameters than Callback's does not
/// compile.
class AnyCallback {
 public:
  /// Shares the callback.
  template <std::derived_from<Callback> T>
  AnyCallback(std::shared_ptr<T> callback) : callback_(std::move(callback)) {
    detail::check_hooks<T>();
  }
  /// Shares the handle's callback.
  template <std::derived_from<Callback> T>
  AnyCallback(const Ref<T>& callback) : AnyCallback(callback.shared()) {}
  AnyCallback(std::nullptr_t) {}  ///< none, which is an error where callbacks are called
  const std::shared_ptr<Callback>& shared() const { return callback_; }  ///< the callback itself

 private:
  std::shared_ptr<Callback> callback_;
};

/// Callbacks, called in this order.
class Callbacks : public std::vector<std::shared_ptr<Callback>> {
 public:
  Callbacks() = default;
  /// A list in braces of handles and shared pointers.
  Callbacks(std::initializer_list<AnyCallback> callbacks) {
    reserve(callbacks.size());
    for (const AnyCallback& callback : callbacks) push_back(callback.shared());
  }
  /// A list that the program builds.
  template <std::convertible_to<AnyCallback> T>
  Callbacks(const std::vector<T>& callbacks) {
    reserve(callbacks.size());
    for (const T& callback : callbacks) push_back(AnyCallback(callback).shared());
  }
};

}  // namespace cornu
