// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_dtype_policies_DTypePolicy() { (void)dtype_policies::DTypePolicy(); }
static_assert(in_order<dtype_policies::DTypePolicy>({"name"}));
void keras_mixed_precision_DTypePolicy() { (void)mixed_precision::DTypePolicy(); }
static_assert(in_order<mixed_precision::DTypePolicy>({"name"}));
void keras_mixed_precision_Policy() { (void)mixed_precision::Policy(); }
static_assert(in_order<mixed_precision::Policy>({"name"}));
void keras_quantizers_Quantizer() { class Mine : public quantizers::Quantizer {}; }
void keras_backend_is_float_dtype() { (void)is_float(dtype); }
void keras_backend_is_int_dtype() { (void)is_int(dtype); }
void keras_backend_result_type() { (void)result_type(dtype, dtype); }
void keras_config_disable_flash_attention() { (void)config::disable_flash_attention(); }
void keras_config_dtype_policy() { (void)config::dtype_policy(); }
void keras_mixed_precision_dtype_policy() { (void)mixed_precision::dtype_policy(); }
void keras_mixed_precision_global_policy() { (void)mixed_precision::global_policy(); }
void keras_config_enable_flash_attention() { (void)config::enable_flash_attention(); }
void keras_config_epsilon() { (void)config::epsilon(); }
void keras_config_floatx() { (void)config::floatx(); }
void keras_config_image_data_format() { (void)config::image_data_format(); }
void keras_config_is_flash_attention_enabled() { (void)config::is_flash_attention_enabled(); }
void keras_config_max_epochs() { (void)config::max_epochs(); }
void keras_config_max_steps_per_epoch() { (void)config::max_steps_per_epoch(); }
void keras_config_set_dtype_policy() { (void)config::set_dtype_policy(policy); }
void keras_mixed_precision_set_dtype_policy() { (void)mixed_precision::set_dtype_policy(policy); }
void keras_mixed_precision_set_global_policy() { (void)mixed_precision::set_global_policy(policy); }
void keras_config_set_epsilon() { (void)config::set_epsilon(1e-7); }
void keras_config_set_floatx() { (void)config::set_floatx("float32"); }
void keras_config_set_image_data_format() { (void)config::set_image_data_format(data_format); }
void keras_config_set_max_epochs() { (void)config::set_max_epochs(1); }
void keras_config_set_max_steps_per_epoch() { (void)config::set_max_steps_per_epoch(1); }
void keras_dtype_policies_AWQDTypePolicy() { (void)dtype_policies::AWQDTypePolicy("awq/4/128"); }
void keras_dtype_policies_DTypePolicyMap() { (void)dtype_policies::DTypePolicyMap("float32", {{"encoder/.*", "bfloat16"}}); }
void keras_dtype_policies_GPTQDTypePolicy() { (void)dtype_policies::GPTQDTypePolicy("gptq/4/128"); }
void keras_dtype_policies_Int4DTypePolicy() { (void)dtype_policies::Int4DTypePolicy("int4/128"); }
void keras_dtype_policies_QuantizedDTypePolicy() { (void)dtype_policies::QuantizedDTypePolicy("int8"); }
void keras_dtype_policies_QuantizedFloat8DTypePolicy() { (void)dtype_policies::QuantizedFloat8DTypePolicy("float8"); }
void keras_dtype_policies_deserialize() { (void)dtype_policies::deserialize(config); }
void keras_dtype_policies_get() { (void)dtype_policies::get("mixed_float16"); }
void keras_dtype_policies_serialize() { (void)dtype_policies::serialize("mixed_float16"); }
void keras_mixed_precision_LossScaleOptimizer() { (void)mixed_precision::LossScaleOptimizer({.inner_optimizer = optimizers::SGD()}); }
static_assert(in_order<mixed_precision::LossScaleOptimizer>({"inner_optimizer", "initial_scale", "dynamic_growth_steps", "name"}));
void keras_quantizers_AWQConfig() { (void)quantizers::AWQConfig({.dataset = tensor_in}); }
static_assert(in_order<quantizers::AWQConfig>({"dataset", "tokenizer", "weight_bits", "num_samples"}));
void keras_quantizers_AbsMaxQuantizer() { (void)quantizers::AbsMaxQuantizer(); }
static_assert(in_order<quantizers::AbsMaxQuantizer>({"axis", "value_range", "epsilon", "output_dtype"}));
void keras_quantizers_Float8QuantizationConfig() { (void)quantizers::Float8QuantizationConfig(); }
void keras_quantizers_GPTQConfig() { (void)quantizers::GPTQConfig({.dataset = tensor_in}); }
static_assert(in_order<quantizers::GPTQConfig>({"dataset", "tokenizer", "weight_bits", "num_samples"}));
void keras_quantizers_Int4QuantizationConfig() { (void)quantizers::Int4QuantizationConfig(); }
static_assert(in_order<quantizers::Int4QuantizationConfig>({"weight_quantizer", "activation_quantizer", "block_size"}));
void keras_quantizers_Int8QuantizationConfig() { (void)quantizers::Int8QuantizationConfig(); }
static_assert(in_order<quantizers::Int8QuantizationConfig>({"weight_quantizer", "activation_quantizer"}));
void keras_quantizers_QuantizationConfig() { class Mine : public quantizers::QuantizationConfig {}; }
void keras_quantizers_abs_max_quantize() { (void)quantizers::abs_max_quantize(inputs, axis); }
void keras_quantizers_abs_max_quantize_grouped_with_zero_point() { (void)quantizers::abs_max_quantize_grouped_with_zero_point(inputs, block_size); }
void keras_quantizers_compute_float8_amax_history() { (void)quantizers::compute_float8_amax_history(x, amax_history); }
void keras_quantizers_compute_float8_scale() { (void)quantizers::compute_float8_scale(amax, scale, dtype_max); }
void keras_quantizers_deserialize() { (void)quantizers::deserialize(config); }
void keras_quantizers_fake_quant_with_min_max_vars() { (void)quantizers::fake_quant_with_min_max_vars(inputs, x, x); }
void keras_quantizers_get() { (void)quantizers::get("abs_max_quantizer"); }
void keras_quantizers_pack_int4() { (void)quantizers::pack_int4(arr); }
void keras_quantizers_quantize_and_dequantize() { (void)quantizers::quantize_and_dequantize(inputs, value, "float8_e4m3fn", dtype); }
void keras_quantizers_serialize() { (void)quantizers::serialize(*quantizers::AbsMaxQuantizer()); }
void keras_quantizers_unpack_int4() { (void)quantizers::unpack_int4(packed, orig_len); }
void keras_config_disable_interactive_logging() { (void)config::disable_interactive_logging(); }
void keras_config_enable_interactive_logging() { (void)config::enable_interactive_logging(); }
void keras_config_is_interactive_logging_enabled() { (void)config::is_interactive_logging_enabled(); }

}  // namespace cornu::test::coverage
