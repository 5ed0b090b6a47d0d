// All ops, in Keras's modules, and those that Keras has elsewhere: bounding boxes, quantization,
// einops. Control flow is in framework/compile/control_flow.h.
#pragma once
#include "bounding_boxes.h"
#include "core.h"
#include "float8.h"
#include "image.h"
#include "linalg.h"
#include "math.h"
#include "nn.h"
#include "numpy.h"
#include "operators.h"
#include "quantization.h"
#include "random.h"
#include "rearrange.h"
