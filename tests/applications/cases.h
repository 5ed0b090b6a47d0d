// The networks of tools/goldens/application_cases.py, built here.
#pragma once
#include <cornu/cornu.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cornu::test {

using NetworkPointer = std::shared_ptr<Functional>;

struct NetworkCase {
  const char* name;
  std::function<NetworkPointer()> make;
};

/// Options that all networks have; what is not given is the network's.
struct CommonOptions {
  bool include_top = true;
  std::optional<std::string> weights = {};
  std::optional<Shape> input_shape = {};
  int64_t classes = 1000;
  cornu::Activation classifier_activation = "softmax";
};

struct NetworkFunction {
  const char* name;
  std::function<NetworkPointer(const CommonOptions&)> make;
};

/// All of keras.applications.
const std::vector<NetworkFunction>& network_functions();
/// They with default options, and some of them with others.
const std::vector<NetworkCase>& network_cases();
/// The function of this name. Throws ValueError.
const NetworkFunction& network_function(const std::string& name);

}  // namespace cornu::test
