// Names of the classes of operations.
#include "class_of.h"

#include "../config/class_name.h"
#include "../ops/catalog.h"
#include "layer.h"

namespace cornu {

std::string class_of(const Operation& operation) {
  if (const auto* op = dynamic_cast<const OpOperation*>(&operation)) return op->info().class_name;
  if (const auto* layer = dynamic_cast<const Layer*>(&operation))
    if (const ClassInfo* info = catalog().find_class(*layer)) return info->class_name;
  return detail::handle_name(typeid(operation), "");
}

}  // namespace cornu
