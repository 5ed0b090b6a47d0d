// keras.random: seeds, draws, distributions.
#pragma once
#include "op.h"
