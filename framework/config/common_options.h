// Options that many structs have, said once. They are macros because braces such as
// `Dense({.units = 8, .name = "d"})` set members of the struct itself, not those of a base.
#pragma once

/// The last options of every layer; also for layers of the user's own:
/// `struct ScaleConfig { double factor = 1; CORNU_LAYER_OPTIONS; };`.
#define CORNU_LAYER_OPTIONS                                   \
  /** Of the layer; empty: made from the class's name. */     \
  std::string name = "";                                      \
  /** Whether training changes the weights. */                \
  bool trainable = true;                                      \
  /** Of weights and computation; none: the global policy. */ \
  std::optional<cornu::DTypePolicy> dtype = {}

/// Of layers with a kernel and a bias, such as Dense and Conv2D.
#define CORNU_KERNEL_OPTIONS                                               \
  /** Initial values of the kernel. */                                     \
  cornu::Choice<cornu::Initializer> kernel_initializer = "glorot_uniform"; \
  /** Initial values of the bias. */                                       \
  cornu::Choice<cornu::Initializer> bias_initializer = "zeros";            \
  /** Penalty on the kernel, added to the losses. */                       \
  cornu::Choice<cornu::Regularizer> kernel_regularizer = {};               \
  /** Penalty on the bias, added to the losses. */                         \
  cornu::Choice<cornu::Regularizer> bias_regularizer = {};                 \
  /** Penalty on the output, added to the losses. */                       \
  cornu::Choice<cornu::Regularizer> activity_regularizer = {};             \
  /** Applied to the kernel after each update. */                          \
  cornu::Choice<cornu::Constraint> kernel_constraint = {};                 \
  /** Applied to the bias after each update. */                            \
  cornu::Choice<cornu::Constraint> bias_constraint = {}

/// Of every optimizer, behind its own and weight_decay.
#define CORNU_OPTIMIZER_OPTIONS                                                \
  /** Largest L2 norm of each gradient; none: no limit. */                     \
  std::optional<double> clipnorm = {};                                         \
  /** Largest absolute value of a gradient's elements; none: no limit. */      \
  std::optional<double> clipvalue = {};                                        \
  /** Largest L2 norm of all gradients together; none: no limit. */            \
  std::optional<double> global_clipnorm = {};                                  \
  /** Whether to keep moving averages of the weights. */                       \
  bool use_ema = false;                                                        \
  /** Of those averages, in [0, 1]. */                                         \
  double ema_momentum = 0.99;                                                  \
  /** Steps after which the averages replace the weights; none: at the end. */ \
  std::optional<int64_t> ema_overwrite_frequency = {};                         \
  /** Factor of the loss, divided out of the gradients; none: 1. */            \
  std::optional<double> loss_scale_factor = {};                                \
  /** Calls whose mean gradient is one update; none: 1. */                     \
  std::optional<int64_t> gradient_accumulation_steps = {}
