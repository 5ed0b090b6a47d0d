// The class of a layer or op, as messages and summaries print it.
#pragma once
#include <string>

#include "../dispatch/node.h"

namespace cornu {

/// "Conv2D", as files call the class, and "Relu" of an op. A class that nobody has registered goes
/// by its name in C++, without namespaces and template arguments.
std::string class_of(const Operation& operation);

}  // namespace cornu
