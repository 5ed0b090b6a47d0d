// keras.ops.core: casts, slices at tensors. Control flow (cond, scan, ...) is in
// ../compile/control_flow.h.
#pragma once
#include "op.h"
