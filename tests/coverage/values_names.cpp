// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_initializers_Initializer() { class Mine : public initializers::Initializer {}; }
void keras_regularizers_Regularizer() { class Mine : public regularizers::Regularizer {}; }
void keras_activations_celu() { (void)activations::celu(x); }
void keras_activations_deserialize() { (void)activations::deserialize(config); }
void keras_activations_elu() { (void)activations::elu(x); }
void keras_activations_exponential() { (void)activations::exponential(x); }
void keras_activations_gelu() { (void)activations::gelu(x); }
void keras_activations_get() { (void)activations::get("relu"); }
void keras_activations_glu() { (void)activations::glu(x); }
void keras_activations_hard_shrink() { (void)activations::hard_shrink(x); }
void keras_activations_hard_sigmoid() { (void)activations::hard_sigmoid(x); }
void keras_activations_hard_silu() { (void)activations::hard_silu(x); }
void keras_activations_hard_swish() { (void)activations::hard_swish(x); }
void keras_activations_hard_tanh() { (void)activations::hard_tanh(x); }
void keras_activations_leaky_relu() { (void)activations::leaky_relu(x); }
void keras_activations_linear() { (void)activations::linear(x); }
void keras_activations_log_sigmoid() { (void)activations::log_sigmoid(x); }
void keras_activations_log_softmax() { (void)activations::log_softmax(x); }
void keras_activations_mish() { (void)activations::mish(x); }
void keras_activations_relu() { (void)activations::relu(x); }
void keras_activations_relu6() { (void)activations::relu6(x); }
void keras_activations_selu() { (void)activations::selu(x); }
void keras_activations_serialize() { (void)activations::serialize("relu"); }
void keras_activations_sigmoid() { (void)activations::sigmoid(x); }
void keras_activations_silu() { (void)activations::silu(x); }
void keras_activations_swish() { (void)activations::swish(x); }
void keras_activations_soft_shrink() { (void)activations::soft_shrink(x); }
void keras_activations_softmax() { (void)activations::softmax(x); }
void keras_activations_softplus() { (void)activations::softplus(x); }
void keras_activations_softsign() { (void)activations::softsign(x); }
void keras_activations_sparse_plus() { (void)activations::sparse_plus(x); }
void keras_activations_sparse_sigmoid() { (void)activations::sparse_sigmoid(x); }
void keras_activations_sparsemax() { (void)activations::sparsemax(x); }
void keras_activations_squareplus() { (void)activations::squareplus(x); }
void keras_activations_tanh() { (void)activations::tanh(x); }
void keras_activations_tanh_shrink() { (void)activations::tanh_shrink(x); }
void keras_activations_threshold() { (void)activations::threshold(x, threshold, default_value); }
void keras_constraints_Constraint() { class Mine : public constraints::Constraint {}; }
void keras_constraints_MaxNorm() { (void)constraints::MaxNorm(); }
static_assert(in_order<constraints::MaxNorm>({"max_value", "axis"}));
void keras_constraints_max_norm() { (void)constraints::max_norm(); }
void keras_constraints_MinMaxNorm() { (void)constraints::MinMaxNorm(); }
static_assert(in_order<constraints::MinMaxNorm>({"min_value", "max_value", "rate", "axis"}));
void keras_constraints_min_max_norm() { (void)constraints::min_max_norm(); }
void keras_constraints_NonNeg() { (void)constraints::NonNeg(); }
void keras_constraints_non_neg() { (void)constraints::non_neg(); }
void keras_constraints_UnitNorm() { (void)constraints::UnitNorm(); }
static_assert(in_order<constraints::UnitNorm>({"axis"}));
void keras_constraints_unit_norm() { (void)constraints::unit_norm(); }
void keras_constraints_deserialize() { (void)constraints::deserialize(config); }
void keras_constraints_get() { (void)constraints::get("non_neg"); }
void keras_constraints_serialize() { (void)constraints::serialize(*constraints::NonNeg()); }
void keras_initializers_Constant() { (void)initializers::Constant(); }
static_assert(in_order<initializers::Constant>({"value"}));
void keras_initializers_constant() { (void)initializers::constant(); }
void keras_initializers_GlorotNormal() { (void)initializers::GlorotNormal(); }
static_assert(in_order<initializers::GlorotNormal>({"seed", "input_axes", "output_axes"}));
void keras_initializers_glorot_normal() { (void)initializers::glorot_normal(); }
void keras_initializers_GlorotUniform() { (void)initializers::GlorotUniform(); }
static_assert(in_order<initializers::GlorotUniform>({"seed", "input_axes", "output_axes"}));
void keras_initializers_glorot_uniform() { (void)initializers::glorot_uniform(); }
void keras_initializers_HeNormal() { (void)initializers::HeNormal(); }
static_assert(in_order<initializers::HeNormal>({"seed", "input_axes", "output_axes"}));
void keras_initializers_he_normal() { (void)initializers::he_normal(); }
void keras_initializers_HeUniform() { (void)initializers::HeUniform(); }
static_assert(in_order<initializers::HeUniform>({"seed", "input_axes", "output_axes"}));
void keras_initializers_he_uniform() { (void)initializers::he_uniform(); }
void keras_initializers_Identity() { (void)initializers::Identity(); }
static_assert(in_order<initializers::Identity>({"gain"}));
void keras_initializers_identity() { (void)initializers::identity(); }
void keras_initializers_LecunNormal() { (void)initializers::LecunNormal(); }
static_assert(in_order<initializers::LecunNormal>({"seed", "input_axes", "output_axes"}));
void keras_initializers_lecun_normal() { (void)initializers::lecun_normal(); }
void keras_initializers_LecunUniform() { (void)initializers::LecunUniform(); }
static_assert(in_order<initializers::LecunUniform>({"seed", "input_axes", "output_axes"}));
void keras_initializers_lecun_uniform() { (void)initializers::lecun_uniform(); }
void keras_initializers_Ones() { (void)initializers::Ones(); }
void keras_initializers_ones() { (void)initializers::ones(); }
void keras_initializers_Orthogonal() { (void)initializers::Orthogonal(); }
static_assert(in_order<initializers::Orthogonal>({"gain", "seed"}));
void keras_initializers_orthogonal() { (void)initializers::orthogonal(); }
void keras_initializers_RandomNormal() { (void)initializers::RandomNormal(); }
static_assert(in_order<initializers::RandomNormal>({"mean", "stddev", "seed"}));
void keras_initializers_random_normal() { (void)initializers::random_normal(); }
void keras_initializers_RandomUniform() { (void)initializers::RandomUniform(); }
static_assert(in_order<initializers::RandomUniform>({"minval", "maxval", "seed"}));
void keras_initializers_random_uniform() { (void)initializers::random_uniform(); }
void keras_initializers_STFT() { (void)initializers::STFT(); }
static_assert(in_order<initializers::STFT>({"side", "window", "scaling", "periodic"}));
void keras_initializers_stft() { (void)initializers::stft(); }
void keras_initializers_TruncatedNormal() { (void)initializers::TruncatedNormal(); }
static_assert(in_order<initializers::TruncatedNormal>({"mean", "stddev", "seed"}));
void keras_initializers_truncated_normal() { (void)initializers::truncated_normal(); }
void keras_initializers_VarianceScaling() { (void)initializers::VarianceScaling(); }
static_assert(in_order<initializers::VarianceScaling>({"scale", "mode", "distribution", "seed"}));
void keras_initializers_variance_scaling() { (void)initializers::variance_scaling(); }
void keras_initializers_Zeros() { (void)initializers::Zeros(); }
void keras_initializers_zeros() { (void)initializers::zeros(); }
void keras_initializers_deserialize() { (void)initializers::deserialize(config); }
void keras_initializers_get() { (void)initializers::get("zeros"); }
void keras_initializers_serialize() { (void)initializers::serialize(*initializers::Zeros()); }
void keras_random_SeedGenerator() { (void)random::SeedGenerator(); }
static_assert(in_order<random::SeedGenerator>({"seed", "name"}));
void keras_random_beta() { (void)random::beta(shape, alpha, beta); }
void keras_random_binomial() { (void)random::binomial(shape, counts, probabilities); }
void keras_random_categorical() { (void)random::categorical(logits, num_samples); }
void keras_random_dropout() { (void)random::dropout(inputs, rate); }
void keras_random_gamma() { (void)random::gamma(shape, alpha); }
void keras_random_normal() { (void)random::normal(shape); }
void keras_random_randint() { (void)random::randint(shape, minval, maxval); }
void keras_random_shuffle() { (void)random::shuffle(x); }
void keras_random_truncated_normal() { (void)random::truncated_normal(shape); }
void keras_random_uniform() { (void)random::uniform(shape); }
void keras_regularizers_L1() { (void)regularizers::L1(); }
static_assert(in_order<regularizers::L1>({"l1"}));
void keras_regularizers_l1() { (void)regularizers::l1(); }
void keras_regularizers_L1L2() { (void)regularizers::L1L2(); }
static_assert(in_order<regularizers::L1L2>({"l1", "l2"}));
void keras_regularizers_l1_l2() { (void)regularizers::l1_l2(); }
void keras_regularizers_L2() { (void)regularizers::L2(); }
static_assert(in_order<regularizers::L2>({"l2"}));
void keras_regularizers_l2() { (void)regularizers::l2(); }
void keras_regularizers_OrthogonalRegularizer() { (void)regularizers::OrthogonalRegularizer(); }
static_assert(in_order<regularizers::OrthogonalRegularizer>({"factor", "mode"}));
void keras_regularizers_orthogonal_regularizer() { (void)regularizers::orthogonal_regularizer(); }
void keras_regularizers_deserialize() { (void)regularizers::deserialize(config); }
void keras_regularizers_get() { (void)regularizers::get("l2"); }
void keras_regularizers_serialize() { (void)regularizers::serialize(*regularizers::L2()); }

}  // namespace cornu::test::coverage
