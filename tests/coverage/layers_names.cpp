// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_layers_Input() { (void)layers::Input({4}); }
static_assert(in_order<layers::Input>({"shape", "batch_size", "dtype", "sparse"}));
void keras_layers_InputSpec() { layers::InputSpec spec{.min_ndim = 2}; }
void keras_layers_Layer() { class Mine : public layers::Layer {}; }
void keras_layers_Activation() { (void)layers::Activation({.activation = "relu"}); }
static_assert(in_order<layers::Activation>({"activation"}));
void keras_layers_ActivityRegularization() { (void)layers::ActivityRegularization(); }
static_assert(in_order<layers::ActivityRegularization>({"l1", "l2"}));
void keras_layers_AdaptiveAveragePooling1D() { (void)layers::AdaptiveAveragePooling1D({.output_size = output_size}); }
static_assert(in_order<layers::AdaptiveAveragePooling1D>({"output_size", "data_format"}));
void keras_layers_AdaptiveAveragePooling2D() { (void)layers::AdaptiveAveragePooling2D({.output_size = output_size}); }
static_assert(in_order<layers::AdaptiveAveragePooling2D>({"output_size", "data_format"}));
void keras_layers_AdaptiveAveragePooling3D() { (void)layers::AdaptiveAveragePooling3D({.output_size = output_size}); }
static_assert(in_order<layers::AdaptiveAveragePooling3D>({"output_size", "data_format"}));
void keras_layers_AdaptiveMaxPooling1D() { (void)layers::AdaptiveMaxPooling1D({.output_size = output_size}); }
static_assert(in_order<layers::AdaptiveMaxPooling1D>({"output_size", "data_format"}));
void keras_layers_AdaptiveMaxPooling2D() { (void)layers::AdaptiveMaxPooling2D({.output_size = output_size}); }
static_assert(in_order<layers::AdaptiveMaxPooling2D>({"output_size", "data_format"}));
void keras_layers_AdaptiveMaxPooling3D() { (void)layers::AdaptiveMaxPooling3D({.output_size = output_size}); }
static_assert(in_order<layers::AdaptiveMaxPooling3D>({"output_size", "data_format"}));
void keras_layers_Add() { (void)layers::Add(); }
void keras_layers_AdditiveAttention() { (void)layers::AdditiveAttention(); }
static_assert(in_order<layers::AdditiveAttention>({"use_scale", "dropout"}));
void keras_layers_AlphaDropout() { (void)layers::AlphaDropout({.rate = rate}); }
static_assert(in_order<layers::AlphaDropout>({"rate", "noise_shape", "seed"}));
void keras_layers_Attention() { (void)layers::Attention(); }
static_assert(in_order<layers::Attention>({"use_scale", "score_mode", "dropout", "seed"}));
void keras_layers_AugMix() { (void)layers::AugMix(); }
static_assert(in_order<layers::AugMix>({"value_range", "num_chains", "chain_depth", "factor"}));
void keras_layers_AutoContrast() { (void)layers::AutoContrast(); }
static_assert(in_order<layers::AutoContrast>({"value_range"}));
void keras_layers_Average() { (void)layers::Average(); }
void keras_layers_AveragePooling1D() { (void)layers::AveragePooling1D({.pool_size = pool_size}); }
static_assert(in_order<layers::AveragePooling1D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_AvgPool1D() { (void)layers::AvgPool1D({.pool_size = pool_size}); }
static_assert(in_order<layers::AvgPool1D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_AveragePooling2D() { (void)layers::AveragePooling2D({.pool_size = pool_size}); }
static_assert(in_order<layers::AveragePooling2D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_AvgPool2D() { (void)layers::AvgPool2D({.pool_size = pool_size}); }
static_assert(in_order<layers::AvgPool2D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_AveragePooling3D() { (void)layers::AveragePooling3D({.pool_size = pool_size}); }
static_assert(in_order<layers::AveragePooling3D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_AvgPool3D() { (void)layers::AvgPool3D({.pool_size = pool_size}); }
static_assert(in_order<layers::AvgPool3D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_BatchNormalization() { (void)layers::BatchNormalization(); }
static_assert(in_order<layers::BatchNormalization>({"axis", "momentum", "epsilon", "center"}));
void keras_layers_Bidirectional() { (void)layers::Bidirectional({.layer = layer}); }
static_assert(in_order<layers::Bidirectional>({"layer", "merge_mode", "weights", "backward_layer"}));
void keras_layers_CategoryEncoding() { (void)layers::CategoryEncoding({.num_tokens = 4}); }
static_assert(in_order<layers::CategoryEncoding>({"num_tokens", "output_mode", "sparse"}));
void keras_layers_CenterCrop() { (void)layers::CenterCrop({.height = height, .width = width}); }
static_assert(in_order<layers::CenterCrop>({"height", "width", "data_format"}));
void keras_layers_Concatenate() { (void)layers::Concatenate(); }
static_assert(in_order<layers::Concatenate>({"axis"}));
void keras_layers_ContrastLimitedAdaptiveHistogramEqualization() { (void)layers::ContrastLimitedAdaptiveHistogramEqualization(); }
static_assert(in_order<layers::ContrastLimitedAdaptiveHistogramEqualization>({"value_range", "clip_limit", "tile_grid_size", "data_format"}));
void keras_layers_Conv1D() { (void)layers::Conv1D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Conv1D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Convolution1D() { (void)layers::Convolution1D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Convolution1D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Conv1DTranspose() { (void)layers::Conv1DTranspose({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Conv1DTranspose>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Convolution1DTranspose() { (void)layers::Convolution1DTranspose({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Convolution1DTranspose>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Conv2D() { (void)layers::Conv2D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Conv2D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Convolution2D() { (void)layers::Convolution2D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Convolution2D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Conv2DTranspose() { (void)layers::Conv2DTranspose({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Conv2DTranspose>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Convolution2DTranspose() { (void)layers::Convolution2DTranspose({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Convolution2DTranspose>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Conv3D() { (void)layers::Conv3D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Conv3D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Convolution3D() { (void)layers::Convolution3D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Convolution3D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Conv3DTranspose() { (void)layers::Conv3DTranspose({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Conv3DTranspose>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Convolution3DTranspose() { (void)layers::Convolution3DTranspose({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::Convolution3DTranspose>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_ConvLSTM1D() { (void)layers::ConvLSTM1D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::ConvLSTM1D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_ConvLSTM2D() { (void)layers::ConvLSTM2D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::ConvLSTM2D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_ConvLSTM3D() { (void)layers::ConvLSTM3D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::ConvLSTM3D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_Cropping1D() { (void)layers::Cropping1D(); }
static_assert(in_order<layers::Cropping1D>({"cropping"}));
void keras_layers_Cropping2D() { (void)layers::Cropping2D(); }
static_assert(in_order<layers::Cropping2D>({"cropping", "data_format"}));
void keras_layers_Cropping3D() { (void)layers::Cropping3D(); }
static_assert(in_order<layers::Cropping3D>({"cropping", "data_format"}));
void keras_layers_CutMix() { (void)layers::CutMix(); }
static_assert(in_order<layers::CutMix>({"factor", "seed", "data_format"}));
void keras_layers_Dense() { (void)layers::Dense({.units = units}); }
static_assert(in_order<layers::Dense>({"units", "activation", "use_bias", "kernel_initializer"}));
void keras_layers_DepthwiseConv1D() { (void)layers::DepthwiseConv1D({.kernel_size = kernel_size}); }
static_assert(in_order<layers::DepthwiseConv1D>({"kernel_size", "strides", "padding", "depth_multiplier"}));
void keras_layers_DepthwiseConv2D() { (void)layers::DepthwiseConv2D({.kernel_size = kernel_size}); }
static_assert(in_order<layers::DepthwiseConv2D>({"kernel_size", "strides", "padding", "depth_multiplier"}));
void keras_layers_Discretization() { (void)layers::Discretization(); }
static_assert(in_order<layers::Discretization>({"bin_boundaries", "num_bins", "epsilon", "output_mode"}));
void keras_layers_Dot() { (void)layers::Dot({.axes = {1}}); }
static_assert(in_order<layers::Dot>({"axes", "normalize"}));
void keras_layers_Dropout() { (void)layers::Dropout({.rate = rate}); }
static_assert(in_order<layers::Dropout>({"rate", "noise_shape", "seed"}));
void keras_layers_ELU() { (void)layers::ELU(); }
static_assert(in_order<layers::ELU>({"alpha"}));
void keras_layers_EinsumDense() { (void)layers::EinsumDense({.equation = "ab,bc->ac", .output_shape = {4}}); }
static_assert(in_order<layers::EinsumDense>({"equation", "output_shape", "activation", "bias_axes"}));
void keras_layers_Embedding() { (void)layers::Embedding({.input_dim = input_dim, .output_dim = output_dim}); }
static_assert(in_order<layers::Embedding>({"input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer"}));
void keras_layers_Equalization() { (void)layers::Equalization(); }
static_assert(in_order<layers::Equalization>({"value_range", "bins", "data_format"}));
void keras_layers_Flatten() { (void)layers::Flatten(); }
static_assert(in_order<layers::Flatten>({"data_format"}));
void keras_layers_GRU() { (void)layers::GRU({.units = units}); }
static_assert(in_order<layers::GRU>({"units", "activation", "recurrent_activation", "use_bias"}));
void keras_layers_GRUCell() { (void)layers::GRUCell({.units = units}); }
static_assert(in_order<layers::GRUCell>({"units", "activation", "recurrent_activation", "use_bias"}));
void keras_layers_GaussianDropout() { (void)layers::GaussianDropout({.rate = rate}); }
static_assert(in_order<layers::GaussianDropout>({"rate", "seed"}));
void keras_layers_GaussianNoise() { (void)layers::GaussianNoise({.stddev = stddev}); }
static_assert(in_order<layers::GaussianNoise>({"stddev", "seed"}));
void keras_layers_GlobalAveragePooling1D() { (void)layers::GlobalAveragePooling1D(); }
static_assert(in_order<layers::GlobalAveragePooling1D>({"data_format", "keepdims"}));
void keras_layers_GlobalAvgPool1D() { (void)layers::GlobalAvgPool1D(); }
static_assert(in_order<layers::GlobalAvgPool1D>({"data_format", "keepdims"}));
void keras_layers_GlobalAveragePooling2D() { (void)layers::GlobalAveragePooling2D(); }
static_assert(in_order<layers::GlobalAveragePooling2D>({"data_format", "keepdims"}));
void keras_layers_GlobalAvgPool2D() { (void)layers::GlobalAvgPool2D(); }
static_assert(in_order<layers::GlobalAvgPool2D>({"data_format", "keepdims"}));
void keras_layers_GlobalAveragePooling3D() { (void)layers::GlobalAveragePooling3D(); }
static_assert(in_order<layers::GlobalAveragePooling3D>({"data_format", "keepdims"}));
void keras_layers_GlobalAvgPool3D() { (void)layers::GlobalAvgPool3D(); }
static_assert(in_order<layers::GlobalAvgPool3D>({"data_format", "keepdims"}));
void keras_layers_GlobalMaxPooling1D() { (void)layers::GlobalMaxPooling1D(); }
static_assert(in_order<layers::GlobalMaxPooling1D>({"data_format", "keepdims"}));
void keras_layers_GlobalMaxPool1D() { (void)layers::GlobalMaxPool1D(); }
static_assert(in_order<layers::GlobalMaxPool1D>({"data_format", "keepdims"}));
void keras_layers_GlobalMaxPooling2D() { (void)layers::GlobalMaxPooling2D(); }
static_assert(in_order<layers::GlobalMaxPooling2D>({"data_format", "keepdims"}));
void keras_layers_GlobalMaxPool2D() { (void)layers::GlobalMaxPool2D(); }
static_assert(in_order<layers::GlobalMaxPool2D>({"data_format", "keepdims"}));
void keras_layers_GlobalMaxPooling3D() { (void)layers::GlobalMaxPooling3D(); }
static_assert(in_order<layers::GlobalMaxPooling3D>({"data_format", "keepdims"}));
void keras_layers_GlobalMaxPool3D() { (void)layers::GlobalMaxPool3D(); }
static_assert(in_order<layers::GlobalMaxPool3D>({"data_format", "keepdims"}));
void keras_layers_GroupNormalization() { (void)layers::GroupNormalization(); }
static_assert(in_order<layers::GroupNormalization>({"groups", "axis", "epsilon", "center"}));
void keras_layers_GroupQueryAttention() { (void)layers::GroupQueryAttention({.head_dim = head_dim, .num_query_heads = num_query_heads, .num_key_value_heads = num_key_value_heads}); }
static_assert(in_order<layers::GroupQueryAttention>({"head_dim", "num_query_heads", "num_key_value_heads", "dropout"}));
void keras_layers_HashedCrossing() { (void)layers::HashedCrossing({.num_bins = num_bins}); }
static_assert(in_order<layers::HashedCrossing>({"num_bins", "output_mode", "sparse", "name"}));
void keras_layers_Hashing() { (void)layers::Hashing({.num_bins = num_bins}); }
static_assert(in_order<layers::Hashing>({"num_bins", "mask_value", "salt", "output_mode"}));
void keras_layers_Identity() { (void)layers::Identity(); }
void keras_layers_InputLayer() { (void)layers::InputLayer({.shape = {4}}); }
static_assert(in_order<layers::InputLayer>({"shape", "batch_size", "dtype", "sparse"}));
void keras_layers_IntegerLookup() { (void)layers::IntegerLookup(); }
static_assert(in_order<layers::IntegerLookup>({"max_tokens", "num_oov_indices", "mask_token", "oov_token"}));
void keras_layers_LSTM() { (void)layers::LSTM({.units = units}); }
static_assert(in_order<layers::LSTM>({"units", "activation", "recurrent_activation", "use_bias"}));
void keras_layers_LSTMCell() { (void)layers::LSTMCell({.units = units}); }
static_assert(in_order<layers::LSTMCell>({"units", "activation", "recurrent_activation", "use_bias"}));
void keras_layers_Lambda() { (void)layers::Lambda({.function = [](const Tensor& x) { return x; }}); }
static_assert(in_order<layers::Lambda>({"function", "output_shape", "mask", "arguments"}));
void keras_layers_LayerNormalization() { (void)layers::LayerNormalization(); }
static_assert(in_order<layers::LayerNormalization>({"axis", "epsilon", "center", "scale"}));
void keras_layers_LeakyReLU() { (void)layers::LeakyReLU(); }
static_assert(in_order<layers::LeakyReLU>({"negative_slope"}));
void keras_layers_Masking() { (void)layers::Masking(); }
static_assert(in_order<layers::Masking>({"mask_value"}));
void keras_layers_MaxNumBoundingBoxes() { (void)layers::MaxNumBoundingBoxes({.max_number = max_number}); }
static_assert(in_order<layers::MaxNumBoundingBoxes>({"max_number", "fill_value"}));
void keras_layers_MaxPooling1D() { (void)layers::MaxPooling1D(); }
static_assert(in_order<layers::MaxPooling1D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_MaxPool1D() { (void)layers::MaxPool1D(); }
static_assert(in_order<layers::MaxPool1D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_MaxPooling2D() { (void)layers::MaxPooling2D(); }
static_assert(in_order<layers::MaxPooling2D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_MaxPool2D() { (void)layers::MaxPool2D(); }
static_assert(in_order<layers::MaxPool2D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_MaxPooling3D() { (void)layers::MaxPooling3D(); }
static_assert(in_order<layers::MaxPooling3D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_MaxPool3D() { (void)layers::MaxPool3D(); }
static_assert(in_order<layers::MaxPool3D>({"pool_size", "strides", "padding", "data_format"}));
void keras_layers_Maximum() { (void)layers::Maximum(); }
void keras_layers_MelSpectrogram() { (void)layers::MelSpectrogram(); }
static_assert(in_order<layers::MelSpectrogram>({"fft_length", "sequence_stride", "sequence_length", "window"}));
void keras_layers_Minimum() { (void)layers::Minimum(); }
void keras_layers_MixUp() { (void)layers::MixUp(); }
static_assert(in_order<layers::MixUp>({"alpha", "data_format", "seed"}));
void keras_layers_MultiHeadAttention() { (void)layers::MultiHeadAttention({.num_heads = num_heads, .key_dim = key_dim}); }
static_assert(in_order<layers::MultiHeadAttention>({"num_heads", "key_dim", "value_dim", "dropout"}));
void keras_layers_Multiply() { (void)layers::Multiply(); }
void keras_layers_Normalization() { (void)layers::Normalization(); }
static_assert(in_order<layers::Normalization>({"axis", "mean", "variance", "invert"}));
void keras_layers_PReLU() { (void)layers::PReLU(); }
static_assert(in_order<layers::PReLU>({"alpha_initializer", "alpha_regularizer", "alpha_constraint", "shared_axes"}));
void keras_layers_Permute() { (void)layers::Permute({.dims = {2, 1}}); }
static_assert(in_order<layers::Permute>({"dims"}));
void keras_layers_Pipeline() { (void)layers::Pipeline({.layers = {layer}}); }
static_assert(in_order<layers::Pipeline>({"layers", "name"}));
void keras_layers_RMSNormalization() { (void)layers::RMSNormalization(); }
static_assert(in_order<layers::RMSNormalization>({"axis", "epsilon"}));
void keras_layers_RNN() { (void)layers::RNN({.cell = layers::LSTMCell({.units = units})}); }
static_assert(in_order<layers::RNN>({"cell", "return_sequences", "return_state", "go_backwards"}));
void keras_layers_RandAugment() { (void)layers::RandAugment(); }
static_assert(in_order<layers::RandAugment>({"value_range", "num_ops", "factor", "interpolation"}));
void keras_layers_RandomBrightness() { (void)layers::RandomBrightness({.factor = factor}); }
static_assert(in_order<layers::RandomBrightness>({"factor", "value_range", "seed"}));
void keras_layers_RandomColorDegeneration() { (void)layers::RandomColorDegeneration({.factor = factor}); }
static_assert(in_order<layers::RandomColorDegeneration>({"factor", "value_range", "data_format", "seed"}));
void keras_layers_RandomColorJitter() { (void)layers::RandomColorJitter(); }
static_assert(in_order<layers::RandomColorJitter>({"value_range", "brightness_factor", "contrast_factor", "saturation_factor"}));
void keras_layers_RandomContrast() { (void)layers::RandomContrast({.factor = factor}); }
static_assert(in_order<layers::RandomContrast>({"factor", "value_range", "seed"}));
void keras_layers_RandomCrop() { (void)layers::RandomCrop({.height = height, .width = width}); }
static_assert(in_order<layers::RandomCrop>({"height", "width", "seed", "data_format"}));
void keras_layers_RandomElasticTransform() { (void)layers::RandomElasticTransform(); }
static_assert(in_order<layers::RandomElasticTransform>({"factor", "scale", "interpolation", "fill_mode"}));
void keras_layers_RandomErasing() { (void)layers::RandomErasing(); }
static_assert(in_order<layers::RandomErasing>({"factor", "scale", "fill_value", "value_range"}));
void keras_layers_RandomFlip() { (void)layers::RandomFlip(); }
static_assert(in_order<layers::RandomFlip>({"mode", "seed", "data_format"}));
void keras_layers_RandomGaussianBlur() { (void)layers::RandomGaussianBlur(); }
static_assert(in_order<layers::RandomGaussianBlur>({"factor", "kernel_size", "sigma", "value_range"}));
void keras_layers_RandomGrayscale() { (void)layers::RandomGrayscale(); }
static_assert(in_order<layers::RandomGrayscale>({"factor", "data_format", "seed"}));
void keras_layers_RandomHue() { (void)layers::RandomHue({.factor = factor}); }
static_assert(in_order<layers::RandomHue>({"factor", "value_range", "data_format", "seed"}));
void keras_layers_RandomInvert() { (void)layers::RandomInvert(); }
static_assert(in_order<layers::RandomInvert>({"factor", "value_range", "seed", "data_format"}));
void keras_layers_RandomPerspective() { (void)layers::RandomPerspective(); }
static_assert(in_order<layers::RandomPerspective>({"factor", "scale", "interpolation", "fill_value"}));
void keras_layers_RandomPosterization() { (void)layers::RandomPosterization({.factor = std::vector<int64_t>{4, 8}}); }
static_assert(in_order<layers::RandomPosterization>({"factor", "value_range", "data_format", "seed"}));
void keras_layers_RandomRotation() { (void)layers::RandomRotation({.factor = factor}); }
static_assert(in_order<layers::RandomRotation>({"factor", "fill_mode", "interpolation", "seed"}));
void keras_layers_RandomSaturation() { (void)layers::RandomSaturation({.factor = factor}); }
static_assert(in_order<layers::RandomSaturation>({"factor", "value_range", "data_format", "seed"}));
void keras_layers_RandomSharpness() { (void)layers::RandomSharpness({.factor = factor}); }
static_assert(in_order<layers::RandomSharpness>({"factor", "value_range", "data_format", "seed"}));
void keras_layers_RandomShear() { (void)layers::RandomShear(); }
static_assert(in_order<layers::RandomShear>({"x_factor", "y_factor", "interpolation", "fill_mode"}));
void keras_layers_RandomTranslation() { (void)layers::RandomTranslation({.height_factor = factor, .width_factor = factor}); }
static_assert(in_order<layers::RandomTranslation>({"height_factor", "width_factor", "fill_mode", "interpolation"}));
void keras_layers_RandomZoom() { (void)layers::RandomZoom({.height_factor = factor}); }
static_assert(in_order<layers::RandomZoom>({"height_factor", "width_factor", "fill_mode", "interpolation"}));
void keras_layers_ReLU() { (void)layers::ReLU(); }
static_assert(in_order<layers::ReLU>({"max_value", "negative_slope", "threshold"}));
void keras_layers_RepeatVector() { (void)layers::RepeatVector({.n = n}); }
static_assert(in_order<layers::RepeatVector>({"n"}));
void keras_layers_Rescaling() { (void)layers::Rescaling({.scale = scale}); }
static_assert(in_order<layers::Rescaling>({"scale", "offset"}));
void keras_layers_Reshape() { (void)layers::Reshape({.target_shape = {2, 2}}); }
static_assert(in_order<layers::Reshape>({"target_shape"}));
void keras_layers_Resizing() { (void)layers::Resizing({.height = height, .width = width}); }
static_assert(in_order<layers::Resizing>({"height", "width", "interpolation", "crop_to_aspect_ratio"}));
void keras_layers_ReversibleEmbedding() { (void)layers::ReversibleEmbedding({.input_dim = input_dim, .output_dim = output_dim}); }
static_assert(in_order<layers::ReversibleEmbedding>({"input_dim", "output_dim", "tie_weights", "embeddings_initializer"}));
void keras_layers_STFTSpectrogram() { (void)layers::STFTSpectrogram(); }
static_assert(in_order<layers::STFTSpectrogram>({"mode", "frame_length", "frame_step", "fft_length"}));
void keras_layers_SeparableConv1D() { (void)layers::SeparableConv1D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::SeparableConv1D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_SeparableConvolution1D() { (void)layers::SeparableConvolution1D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::SeparableConvolution1D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_SeparableConv2D() { (void)layers::SeparableConv2D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::SeparableConv2D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_SeparableConvolution2D() { (void)layers::SeparableConvolution2D({.filters = filters, .kernel_size = kernel_size}); }
static_assert(in_order<layers::SeparableConvolution2D>({"filters", "kernel_size", "strides", "padding"}));
void keras_layers_SimpleRNN() { (void)layers::SimpleRNN({.units = units}); }
static_assert(in_order<layers::SimpleRNN>({"units", "activation", "use_bias", "kernel_initializer"}));
void keras_layers_SimpleRNNCell() { (void)layers::SimpleRNNCell({.units = units}); }
static_assert(in_order<layers::SimpleRNNCell>({"units", "activation", "use_bias", "kernel_initializer"}));
void keras_layers_Softmax() { (void)layers::Softmax(); }
static_assert(in_order<layers::Softmax>({"axis"}));
void keras_layers_Solarization() { (void)layers::Solarization(); }
static_assert(in_order<layers::Solarization>({"addition_factor", "threshold_factor", "value_range", "seed"}));
void keras_layers_SpatialDropout1D() { (void)layers::SpatialDropout1D({.rate = rate}); }
static_assert(in_order<layers::SpatialDropout1D>({"rate", "seed", "name", "dtype"}));
void keras_layers_SpatialDropout2D() { (void)layers::SpatialDropout2D({.rate = rate}); }
static_assert(in_order<layers::SpatialDropout2D>({"rate", "data_format", "seed", "name"}));
void keras_layers_SpatialDropout3D() { (void)layers::SpatialDropout3D({.rate = rate}); }
static_assert(in_order<layers::SpatialDropout3D>({"rate", "data_format", "seed", "name"}));
void keras_layers_SpectralNormalization() { (void)layers::SpectralNormalization({.layer = layer}); }
static_assert(in_order<layers::SpectralNormalization>({"layer", "power_iterations"}));
void keras_layers_StackedRNNCells() { (void)layers::StackedRNNCells({.cells = {layers::LSTMCell({.units = units})}}); }
static_assert(in_order<layers::StackedRNNCells>({"cells"}));
void keras_layers_StringLookup() { (void)layers::StringLookup(); }
static_assert(in_order<layers::StringLookup>({"max_tokens", "num_oov_indices", "mask_token", "oov_token"}));
void keras_layers_Subtract() { (void)layers::Subtract(); }
void keras_layers_TextVectorization() { (void)layers::TextVectorization(); }
static_assert(in_order<layers::TextVectorization>({"max_tokens", "standardize", "split", "ngrams"}));
void keras_layers_TimeDistributed() { (void)layers::TimeDistributed({.layer = layer}); }
static_assert(in_order<layers::TimeDistributed>({"layer"}));
void keras_layers_UnitNormalization() { (void)layers::UnitNormalization(); }
static_assert(in_order<layers::UnitNormalization>({"axis"}));
void keras_layers_UpSampling1D() { (void)layers::UpSampling1D(); }
static_assert(in_order<layers::UpSampling1D>({"size"}));
void keras_layers_UpSampling2D() { (void)layers::UpSampling2D(); }
static_assert(in_order<layers::UpSampling2D>({"size", "data_format", "interpolation"}));
void keras_layers_UpSampling3D() { (void)layers::UpSampling3D(); }
static_assert(in_order<layers::UpSampling3D>({"size", "data_format"}));
void keras_layers_Wrapper() { (void)layers::Wrapper({.layer = layer}); }
static_assert(in_order<layers::Wrapper>({"layer"}));
void keras_layers_ZeroPadding1D() { (void)layers::ZeroPadding1D(); }
static_assert(in_order<layers::ZeroPadding1D>({"padding", "data_format"}));
void keras_layers_ZeroPadding2D() { (void)layers::ZeroPadding2D(); }
static_assert(in_order<layers::ZeroPadding2D>({"padding", "data_format"}));
void keras_layers_ZeroPadding3D() { (void)layers::ZeroPadding3D(); }
static_assert(in_order<layers::ZeroPadding3D>({"padding", "data_format"}));
void keras_layers_add() { (void)layers::add(inputs); }
void keras_layers_average() { (void)layers::average(inputs); }
void keras_layers_concatenate() { (void)layers::concatenate(inputs); }
void keras_layers_deserialize() { (void)layers::deserialize(config); }
void keras_layers_dot() { (void)layers::dot(inputs, {.axes = {1}}); }
void keras_layers_maximum() { (void)layers::maximum(inputs); }
void keras_layers_minimum() { (void)layers::minimum(inputs); }
void keras_layers_multiply() { (void)layers::multiply(inputs); }
void keras_layers_serialize() { (void)layers::serialize(*layer); }
void keras_layers_subtract() { (void)layers::subtract(inputs); }

}  // namespace cornu::test::coverage
