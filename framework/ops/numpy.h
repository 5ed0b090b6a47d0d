// keras.ops.numpy: creation, manipulation, reduction, sorting and the like, and the elementwise
// functions.
#pragma once
#include "operators.h"
