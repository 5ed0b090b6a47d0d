// The name of a callback's class.
#include "callback.h"

#include "../config/class_name.h"

namespace cornu {

std::string Callback::name() const { return detail::handle_name(typeid(*this), "Callback"); }

}  // namespace cornu
