// keras.ops.linalg: decompositions, solvers, norms.
#pragma once
#include "op.h"
