// keras.config: defaults of the whole process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "../../backend/dtype.h"

namespace cornu::config {

// All of these may be called by any thread. Objects keep what held when they were made. Where
// Keras's file keras_home()/keras.json exists, floatx and image_data_format begin as it says; what
// is wrong in it is one warning. Nothing is written.

/// Keras's folder: the environment variable KERAS_HOME, else ".keras" in the home folder, or in
/// "/tmp" where nothing can be written in that.
std::string keras_home();

/// The dtype of weights, inputs, drawn tensors and those of ops::zeros and its like that name none:
/// "float32" unless set. What becomes of integers in arithmetic does not follow from it.
std::string floatx();
/// The same as a DType.
DType default_dtype();
/// Sets floatx: "float16", "bfloat16", "float32" or "float64". Throws ValueError for others.
void set_floatx(const std::string& floatx);

/// Where images have their channels, of layers and ops that are not told: "channels_last" unless
/// set.
std::string image_data_format();
/// Sets image_data_format: "channels_last" or "channels_first". Throws ValueError for others.
void set_image_data_format(const std::string& data_format);

/// What losses and metrics add so that logarithms and quotients stay finite: 1e-7.
double epsilon();
/// Throws UnsupportedError for another number than 1e-7, which is part of compiled kernels.
void set_epsilon(double epsilon);

/// Most epochs that fit runs, whatever it is told, for trying a program out; by default the number
/// in the environment variable KERAS_MAX_EPOCHS, else none.
std::optional<int64_t> max_epochs();
/// Sets max_epochs. Throws ValueError for numbers below 1.
void set_max_epochs(std::optional<int64_t> epochs);
/// Most batches of an epoch, an evaluation or a prediction; by default the number in
/// KERAS_MAX_STEPS_PER_EPOCH, else none.
std::optional<int64_t> max_steps_per_epoch();
/// Sets max_steps_per_epoch. Throws ValueError for numbers below 1.
void set_max_steps_per_epoch(std::optional<int64_t> steps);

/// Whether Verbose::automatic draws a bar on a terminal: true unless set.
bool is_interactive_logging_enabled();
/// Lets Verbose::automatic draw a bar on a terminal.
void enable_interactive_logging();
/// Lets Verbose::automatic print plain lines everywhere.
void disable_interactive_logging();

}  // namespace cornu::config
