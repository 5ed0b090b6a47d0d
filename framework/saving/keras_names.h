// What Keras has in several modules, by the other names: base classes, losses among metrics, files
// among models.
#pragma once
#include "../../backend/devices.h"
#include "../base/activations.h"
#include "../base/quantized_dtype_policies.h"
#include "../dispatch/shape_tree.h"
#include "../model/callback_list.h"
#include "../model/clone_model.h"
#include "../model/functional.h"
#include "../model/plot/plot_model.h"
#include "../model/sequential.h"
#include "../ops/nn/flash_attention.h"
#include "../ops/ops.h"
#include "../quantizers/abs_max_quantizer.h"
#include "../quantizers/awq.h"
#include "../quantizers/gptq.h"
#include "../tensor/distribution.h"
#include "../tensor/promotion.h"
#include "keras_file.h"

namespace cornu {

/// The version of Cornu.
inline std::string version() { return backend::plugin_version(); }

namespace layers {
using cornu::Input;
using cornu::InputLayer;
using cornu::Layer;
/// The layer as files hold it. Throws StateError for a layer whose class is not registered.
inline Value serialize(const Layer& layer) { return cornu::serialize(layer); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Layer> R>
Value serialize(const R& layer) {
  return cornu::serialize(detail::referred<Layer>(layer));
}
/// The layer that serialize described. Throws ValueError.
inline Handle<Layer> deserialize(const Value& config) {
  return Choice<Layer>(cornu::deserialize(config, "keras.layers")).shared();
}
}  // namespace layers

namespace models {
using cornu::clone_model;
using cornu::load_model;
using cornu::Model;
using cornu::model_from_json;
using cornu::Sequential;
using saving::save_model;
}  // namespace models

namespace callbacks {
using cornu::Callback;
using cornu::CallbackList;
using cornu::History;
}  // namespace callbacks

namespace initializers {
using cornu::Initializer;
}
namespace regularizers {
using cornu::Regularizer;
}
namespace constraints {
using cornu::Constraint;
}
namespace losses {
using cornu::Loss;
}
namespace metrics {
using cornu::Metric;
}
namespace optimizers {
using cornu::Optimizer;
namespace schedules {
using cornu::LearningRateSchedule;
}
}  // namespace optimizers
namespace random {
using cornu::SeedGenerator;
}

namespace quantizers {
using cornu::QuantizationConfig;
using cornu::Quantizer;
using ops::abs_max_quantize;
using ops::abs_max_quantize_grouped_with_zero_point;
using ops::compute_float8_amax_history;
using ops::compute_float8_scale;
using ops::fake_quant_with_min_max_vars;
using ops::pack_int4;
using ops::quantize_and_dequantize;
using ops::unpack_int4;
/// The quantizer as files hold it. Throws StateError for one whose class is not registered.
inline Value serialize(const Quantizer& quantizer) { return cornu::serialize(quantizer); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Quantizer> R>
Value serialize(const R& quantizer) {
  return cornu::serialize(detail::referred<Quantizer>(quantizer));
}
/// The quantizer that serialize described. Throws ValueError.
inline std::shared_ptr<Quantizer> deserialize(const Value& config) {
  return Choice<Quantizer>(cornu::deserialize(config, Quantizer::module)).shared();
}
/// The quantizer of this name, or this one. Throws ValueError with a did-you-mean.
inline std::shared_ptr<Quantizer> get(const Choice<Quantizer>& identifier) {
  return identifier.shared();
}
}  // namespace quantizers

/// keras.dtype_policies, of which quantized_dtype_policies.h has the classes.
namespace dtype_policies {
/// The policy of this name, or this one. Throws ValueError with a did-you-mean.
inline DTypePolicy get(const DTypePolicy& identifier) { return identifier; }
/// The policy as files hold it.
inline Value serialize(const DTypePolicy& policy) {
  return detail::OptionCodec<DTypePolicy>::encode(policy);
}
/// The policy that serialize described. Throws ValueError.
inline DTypePolicy deserialize(const Value& config) {
  return detail::OptionCodec<DTypePolicy>::decode(config);
}
}  // namespace dtype_policies

namespace mixed_precision {
using cornu::DTypePolicy;
using Policy = DTypePolicy;  ///< by its older name
}  // namespace mixed_precision

namespace utils {
using config::disable_interactive_logging;
using config::enable_interactive_logging;
using config::is_interactive_logging_enabled;
using cornu::model_to_dot;
using cornu::plot_model;
/// Begins the stream from which all seeds that nobody gave are chosen, as random::set_seed does.
inline void set_random_seed(int64_t seed) { random::set_seed(seed); }
/// Puts back what the process has been told as keras.utils.clear_session does: the seed of
/// set_random_seed, the dtype policy, the distribution, flash attention and interactive logging.
/// With free_memory the memory that the default device keeps for later goes back to the system.
/// Models, graphs and plans belong to who holds them, and names count from 0 in each model: of
/// these there is nothing to clear.
inline void clear_session(bool free_memory = true) {
  random::forget_seed();
  config::forget_dtype_policy();
  distribution::set_distribution({});
  config::enable_flash_attention();
  config::enable_interactive_logging();
  if (free_memory) memory::release();
}
/// Whether the tensor stands for the data of a graph and has no values.
inline bool is_keras_tensor(const Tensor& x) { return x.is_symbolic(); }
/// The object as files hold it. Throws StateError when its class is not registered.
inline Value serialize_keras_object(const Configurable& obj) { return cornu::serialize(obj); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Configurable> R>
Value serialize_keras_object(const R& obj) {
  return cornu::serialize(detail::referred<Configurable>(obj));
}
/// The object that serialize_keras_object described. Throws ValueError.
inline std::shared_ptr<Configurable> deserialize_keras_object(const Value& config) {
  return cornu::deserialize(config);
}

/// keras.utils.bounding_boxes: the functions of ops.h on boxes.
namespace bounding_boxes {
using ops::clip_to_image_size;
using ops::compute_ciou;
using ops::compute_iou;
using ops::decode_deltas_to_boxes;
using ops::encode_box_to_deltas;
/// ops::transform_boxes: boxes turned, moved, scaled and sheared.
constexpr auto affine_transform = [](const auto&... arguments) {
  return ops::transform_boxes(arguments...);
};
/// ops::convert_boxes: boxes of one format in another.
constexpr auto convert_format = [](const auto&... arguments) {
  return ops::convert_boxes(arguments...);
};
/// ops::crop_boxes: boxes of an image in a part of it.
constexpr auto crop = [](const auto&... arguments) { return ops::crop_boxes(arguments...); };
/// ops::pad_boxes: boxes of an image in a larger one.
constexpr auto pad = [](const auto&... arguments) { return ops::pad_boxes(arguments...); };
}  // namespace bounding_boxes
}  // namespace utils

namespace saving {
using cornu::load_model;
using utils::deserialize_keras_object;
using utils::serialize_keras_object;
}  // namespace saving

/// keras.ops has all that is in its modules, so each of them is all of it here.
namespace ops {
namespace image = ::cornu::ops;
namespace linalg = ::cornu::ops;
namespace nn = ::cornu::ops;
namespace numpy = ::cornu::ops;
}  // namespace ops

}  // namespace cornu
