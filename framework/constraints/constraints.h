// All constraints.
#pragma once
#include "max_norm.h"
#include "min_max_norm.h"
#include "non_neg.h"
#include "unit_norm.h"
