// A cache that forgets its oldest values.
#pragma once
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

namespace cornu::backend::cuda {

/// Values by text, the oldest dropped beyond a number.
template <class T>
class BoundedCache {
 public:
  explicit BoundedCache(size_t most) : most_(most) {}
  /// The value of `key`, made by `make()` when it is new. Valid until the next call.
  template <class F>
  const T& get(const std::string& key, F&& make) {
    if (const auto found = values_.find(key); found != values_.end()) return found->second;
    T value = make();
    if (order_.size() == most_) {
      values_.erase(order_.front());
      order_.pop_front();
    }
    order_.push_back(key);
    return values_.emplace(key, std::move(value)).first->second;
  }
  size_t size() const { return order_.size(); }

 private:
  size_t most_;
  std::unordered_map<std::string, T> values_;
  std::deque<std::string> order_;
};

}  // namespace cornu::backend::cuda
