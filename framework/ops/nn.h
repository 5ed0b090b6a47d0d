// keras.ops.nn: activations, convolution, pooling, normalization, attention, losses.
#pragma once
#include "elementwise.h"
#include "nn/activations.h"
#include "nn/attention.h"
#include "nn/convolution.h"
#include "nn/ctc.h"
#include "nn/losses.h"
#include "nn/normalization.h"
#include "nn/one_hot.h"
#include "nn/patches.h"
#include "nn/polar.h"
#include "nn/pooling.h"
#include "nn/softmax.h"
