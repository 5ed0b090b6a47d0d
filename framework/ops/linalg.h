// keras.ops.linalg: decompositions, solvers, norms.
#pragma once
#include "linalg/decompositions.h"
#include "linalg/norm.h"
#include "linalg/solvers.h"
