// StepLogs: the figures of one step, as tensors.
#pragma once
#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "../tensor/tensor.h"

namespace cornu {

/// Figures of one step by name, in the order in which they came; they are read from the device only
/// when somebody looks. `{{"loss", loss}}`, or `logs["loss"] = loss`.
class StepLogs {
 public:
  using value_type = std::pair<std::string, Tensor>;   ///< a figure
  using iterator = std::vector<value_type>::iterator;  ///< over figures

  StepLogs() = default;                                                        ///< no figures
  StepLogs(std::initializer_list<value_type> figures) : figures_(figures) {}   ///< in braces
  StepLogs(std::vector<value_type> figures) : figures_(std::move(figures)) {}  ///< the same
  /// Those that `make` gives, which is called when somebody looks at them.
  explicit StepLogs(std::function<StepLogs()> make) : make_(std::move(make)) {}

  /// The figure of this name; an empty tensor to assign to when it is not there.
  Tensor& operator[](const std::string& name);
  /// @{
  /// The figure of this name, as operator[].
  void push_back(const value_type& figure) { (*this)[figure.first] = figure.second; }
  void emplace_back(const std::string& name, const Tensor& value) { (*this)[name] = value; }
  /// @}
  /// Figures have names.
  template <std::integral I>
  Tensor& operator[](I) = delete;  // figures have names: ["loss"]
  /// The figure of this name. Throws ValueError with a did-you-mean.
  const Tensor& at(const std::string& name) const;
  /// Whether there is a figure of this name.
  bool contains(const std::string& name) const { return find(name) != nullptr; }
  size_t size() const { return all().size(); }                 ///< number of figures
  bool empty() const { return all().empty(); }                 ///< whether there is none
  iterator begin() { return all().begin(); }                   ///< the first
  iterator end() { return all().end(); }                       ///< behind the last
  auto begin() const { return std::as_const(all()).begin(); }  ///< the first
  auto end() const { return std::as_const(all()).end(); }      ///< behind the last
  /// Whether they have not been made, since nobody has looked.
  bool pending() const { return make_ != nullptr; }

 private:
  std::vector<value_type>& all() const;
  Tensor* find(const std::string& name) const;

  mutable std::function<StepLogs()> make_;
  mutable std::vector<value_type> figures_;
};

}  // namespace cornu
