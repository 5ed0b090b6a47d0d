// keras.ops.core: casts, slices at tensors. Control flow (cond, scan, ...) is in
// framework/compile/control_flow.h.
#pragma once
#include "core/cast.h"
#include "core/slices.h"
