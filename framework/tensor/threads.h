// Threads of computations on the CPU: for the process, and for one caller.
#pragma once
#include "../../backend/backend.h"
#include "../../backend/thread_scope.h"

namespace cornu {

using backend::set_threads;
using backend::threads;
using backend::ThreadScope;

}  // namespace cornu
