// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_optimizers_Optimizer() { class Mine : public optimizers::Optimizer {}; }
void keras_optimizers_LossScaleOptimizer() { (void)optimizers::LossScaleOptimizer({.inner_optimizer = optimizers::SGD()}); }
static_assert(in_order<optimizers::LossScaleOptimizer>({"inner_optimizer", "initial_scale", "dynamic_growth_steps", "name"}));
void keras_optimizers_Adadelta() { (void)optimizers::Adadelta(); }
static_assert(in_order<optimizers::Adadelta>({"learning_rate", "rho", "epsilon", "weight_decay"}));
void keras_optimizers_Adafactor() { (void)optimizers::Adafactor(); }
static_assert(in_order<optimizers::Adafactor>({"learning_rate", "beta_2_decay", "epsilon_1", "epsilon_2"}));
void keras_optimizers_Adagrad() { (void)optimizers::Adagrad(); }
static_assert(in_order<optimizers::Adagrad>({"learning_rate", "initial_accumulator_value", "epsilon", "weight_decay"}));
void keras_optimizers_Adam() { (void)optimizers::Adam(); }
static_assert(in_order<optimizers::Adam>({"learning_rate", "beta_1", "beta_2", "epsilon"}));
void keras_optimizers_AdamW() { (void)optimizers::AdamW(); }
static_assert(in_order<optimizers::AdamW>({"learning_rate", "weight_decay", "beta_1", "beta_2"}));
void keras_optimizers_Adamax() { (void)optimizers::Adamax(); }
static_assert(in_order<optimizers::Adamax>({"learning_rate", "beta_1", "beta_2", "epsilon"}));
void keras_optimizers_Ftrl() { (void)optimizers::Ftrl(); }
static_assert(in_order<optimizers::Ftrl>({"learning_rate", "learning_rate_power", "initial_accumulator_value", "l1_regularization_strength"}));
void keras_optimizers_Lamb() { (void)optimizers::Lamb(); }
static_assert(in_order<optimizers::Lamb>({"learning_rate", "beta_1", "beta_2", "epsilon"}));
void keras_optimizers_Lion() { (void)optimizers::Lion(); }
static_assert(in_order<optimizers::Lion>({"learning_rate", "beta_1", "beta_2", "weight_decay"}));
void keras_optimizers_MultiOptimizer() { (void)optimizers::MultiOptimizer({.optimizer_map = optimizers::OptimizerMap({.default_optimizer = optimizers::SGD()})}); }
static_assert(in_order<optimizers::MultiOptimizer>({"optimizer_map", "loss_scale_factor", "name"}));
void keras_optimizers_Muon() { (void)optimizers::Muon(); }
static_assert(in_order<optimizers::Muon>({"learning_rate", "adam_beta_1", "adam_beta_2", "adam_weight_decay"}));
void keras_optimizers_Nadam() { (void)optimizers::Nadam(); }
static_assert(in_order<optimizers::Nadam>({"learning_rate", "beta_1", "beta_2", "epsilon"}));
void keras_optimizers_OptimizerMap() { (void)optimizers::OptimizerMap({.default_optimizer = optimizers::SGD()}); }
static_assert(in_order<optimizers::OptimizerMap>({"default_optimizer", "optimizer_map"}));
void keras_optimizers_RMSprop() { (void)optimizers::RMSprop(); }
static_assert(in_order<optimizers::RMSprop>({"learning_rate", "rho", "momentum", "epsilon"}));
void keras_optimizers_SGD() { (void)optimizers::SGD(); }
static_assert(in_order<optimizers::SGD>({"learning_rate", "momentum", "nesterov", "weight_decay"}));
void keras_optimizers_ScheduleFreeAdamW() { (void)optimizers::ScheduleFreeAdamW(); }
static_assert(in_order<optimizers::ScheduleFreeAdamW>({"learning_rate", "beta_1", "beta_2", "epsilon"}));
void keras_optimizers_deserialize() { (void)optimizers::deserialize(config); }
void keras_optimizers_get() { (void)optimizers::get("adam"); }
void keras_optimizers_serialize() { (void)optimizers::serialize(*optimizers::SGD()); }
void keras_optimizers_schedules_CosineDecay() { (void)optimizers::schedules::CosineDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps}); }
static_assert(in_order<optimizers::schedules::CosineDecay>({"initial_learning_rate", "decay_steps", "alpha", "name"}));
void keras_optimizers_schedules_CosineDecayRestarts() { (void)optimizers::schedules::CosineDecayRestarts({.initial_learning_rate = initial_learning_rate, .first_decay_steps = first_decay_steps}); }
static_assert(in_order<optimizers::schedules::CosineDecayRestarts>({"initial_learning_rate", "first_decay_steps", "t_mul", "m_mul"}));
void keras_optimizers_schedules_ExponentialDecay() { (void)optimizers::schedules::ExponentialDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps, .decay_rate = decay_rate}); }
static_assert(in_order<optimizers::schedules::ExponentialDecay>({"initial_learning_rate", "decay_steps", "decay_rate", "staircase"}));
void keras_optimizers_schedules_InverseTimeDecay() { (void)optimizers::schedules::InverseTimeDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps, .decay_rate = decay_rate}); }
static_assert(in_order<optimizers::schedules::InverseTimeDecay>({"initial_learning_rate", "decay_steps", "decay_rate", "staircase"}));
void keras_optimizers_schedules_LearningRateSchedule() { class Mine : public optimizers::schedules::LearningRateSchedule {}; }
void keras_optimizers_schedules_PiecewiseConstantDecay() { (void)optimizers::schedules::PiecewiseConstantDecay({.boundaries = std::vector<Number>{10}, .values = std::vector<Number>{0.1, 0.01}}); }
static_assert(in_order<optimizers::schedules::PiecewiseConstantDecay>({"boundaries", "values", "name"}));
void keras_optimizers_schedules_PolynomialDecay() { (void)optimizers::schedules::PolynomialDecay({.initial_learning_rate = initial_learning_rate, .decay_steps = decay_steps}); }
static_assert(in_order<optimizers::schedules::PolynomialDecay>({"initial_learning_rate", "decay_steps", "end_learning_rate", "power"}));
void keras_optimizers_schedules_deserialize() { (void)optimizers::schedules::deserialize(config); }
void keras_optimizers_schedules_serialize() { (void)optimizers::schedules::serialize(*optimizers::schedules::CosineDecay({.initial_learning_rate = 0.1, .decay_steps = 10})); }

}  // namespace cornu::test::coverage
