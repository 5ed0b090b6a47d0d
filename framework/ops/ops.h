// All of cornu::ops.
#pragma once
#include "core.h"
#include "creation.h"
#include "elementwise.h"
#include "indexing.h"
#include "linalg.h"
#include "nn.h"
#include "operators.h"
#include "reduction.h"
#include "shaping.h"
