// keras.ops.math: segments, Fourier transforms, largest elements, special functions.
#pragma once
#include "elementwise.h"
#include "math/complex.h"
#include "math/distances.h"
#include "math/fft.h"
#include "math/segment.h"
#include "math/special.h"
#include "math/top_k.h"
