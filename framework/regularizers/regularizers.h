// All regularizers.
#pragma once
#include "l1.h"
#include "l1_l2.h"
#include "l2.h"
#include "orthogonal_regularizer.h"
