// Figures of a step by name.
#include "step_logs.h"

#include <fmt/core.h>

#include "../config/quoted_names.h"

namespace cornu {

std::vector<StepLogs::value_type>& StepLogs::all() const {
  if (make_) figures_ = std::exchange(make_, nullptr)().all();
  return figures_;
}

Tensor* StepLogs::find(const std::string& name) const {
  for (auto& [known, value] : all())
    if (known == name) return &value;
  return nullptr;
}

Tensor& StepLogs::operator[](const std::string& name) {
  Tensor* const found = find(name);
  return found ? *found : all().emplace_back(name, Tensor()).second;
}

const Tensor& StepLogs::at(const std::string& name) const {
  if (const Tensor* found = find(name)) return *found;
  std::vector<std::string> known;
  for (const auto& [key, value] : all()) known.push_back(key);
  throw ValueError(fmt::format(
      "The figures of the step have no '{}'.{}{}", name, did_you_mean(name, known),
      known.empty() ? " There are none." : " They are " + detail::quoted_names(known) + "."));
}

}  // namespace cornu
