// keras.ops.image: colors, sizes, borders, filters, transforms and patches of images.
#pragma once
#include "image/color.h"
#include "image/filters.h"
#include "image/padding.h"
#include "image/patches.h"
#include "image/resize.h"
#include "image/transform.h"
