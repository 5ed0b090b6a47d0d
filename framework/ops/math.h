// keras.ops.math: segments, Fourier transforms, largest elements, special functions.
#pragma once
#include "op.h"
