// keras.ops.nn: activations, convolution, pooling, normalization, attention, losses.
#pragma once
#include "op.h"
