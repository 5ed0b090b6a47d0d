// Choosing free names.
#include "names.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace cornu {

void make_names_unique(const std::vector<std::shared_ptr<Operation>>& operations) {
  std::set<std::string> taken;
  std::vector<std::shared_ptr<Operation>> open;
  for (const auto& op : operations) {
    if (!op->is_named()) {
      open.push_back(op);
    } else if (!taken.insert(op->name()).second) {
      throw ValueError(fmt::format("Two layers of a model are named '{}'. Names must be unique in a model.", op->name()));
    }
  }
  std::sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a->serial() < b->serial(); });
  for (const auto& op : open) {
    std::string name = op->name();
    for (int i = 1; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", op->base_name(), i);
    if (name != op->name()) op->rename(name);
  }
}

}  // namespace cornu
