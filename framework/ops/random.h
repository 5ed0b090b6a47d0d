// keras.random: seeds, draws, distributions.
#pragma once
#include "random/discrete.h"
#include "random/distributions.h"
#include "random/draws.h"
#include "random/seed.h"
