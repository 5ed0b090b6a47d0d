// keras.ops.image: colors, sizes, borders, filters, transforms and patches of images.
#pragma once
#include "op.h"
