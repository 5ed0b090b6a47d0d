// All of cornu::ops.
#pragma once
#include "attention.h"
#include "core.h"
#include "creation.h"
#include "einsum.h"
#include "elementwise.h"
#include "indexing.h"
#include "linalg.h"
#include "nn.h"
#include "operators.h"
#include "reduction.h"
#include "shaping.h"
