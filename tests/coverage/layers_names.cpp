// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_layers_Input() { (void)layers::Input({4}); }
void keras_layers_InputSpec() { layers::InputSpec spec{.min_ndim = 2}; }
void keras_layers_Layer() { class Mine : public layers::Layer {}; }
void keras_layers_Activation() { (void)layers::Activation({.activation = "relu"}); }
void keras_layers_ActivityRegularization() { (void)layers::ActivityRegularization(); }
void keras_layers_AdaptiveAveragePooling1D() { (void)layers::AdaptiveAveragePooling1D({.output_size = output_size}); }
void keras_layers_AdaptiveAveragePooling2D() { (void)layers::AdaptiveAveragePooling2D({.output_size = output_size}); }
void keras_layers_AdaptiveAveragePooling3D() { (void)layers::AdaptiveAveragePooling3D({.output_size = output_size}); }
void keras_layers_AdaptiveMaxPooling1D() { (void)layers::AdaptiveMaxPooling1D({.output_size = output_size}); }
void keras_layers_AdaptiveMaxPooling2D() { (void)layers::AdaptiveMaxPooling2D({.output_size = output_size}); }
void keras_layers_AdaptiveMaxPooling3D() { (void)layers::AdaptiveMaxPooling3D({.output_size = output_size}); }
void keras_layers_Add() { (void)layers::Add(); }
void keras_layers_AdditiveAttention() { (void)layers::AdditiveAttention(); }
void keras_layers_AlphaDropout() { (void)layers::AlphaDropout({.rate = rate}); }
void keras_layers_Attention() { (void)layers::Attention(); }
void keras_layers_AugMix() { (void)layers::AugMix(); }
void keras_layers_AutoContrast() { (void)layers::AutoContrast(); }
void keras_layers_Average() { (void)layers::Average(); }
void keras_layers_AveragePooling1D() { (void)layers::AveragePooling1D({.pool_size = pool_size}); }
void keras_layers_AvgPool1D() { (void)layers::AvgPool1D({.pool_size = pool_size}); }
void keras_layers_AveragePooling2D() { (void)layers::AveragePooling2D({.pool_size = pool_size}); }
void keras_layers_AvgPool2D() { (void)layers::AvgPool2D({.pool_size = pool_size}); }
void keras_layers_AveragePooling3D() { (void)layers::AveragePooling3D({.pool_size = pool_size}); }
void keras_layers_AvgPool3D() { (void)layers::AvgPool3D({.pool_size = pool_size}); }
void keras_layers_BatchNormalization() { (void)layers::BatchNormalization(); }
void keras_layers_Bidirectional() { (void)layers::Bidirectional({.layer = layer}); }
void keras_layers_CategoryEncoding() { (void)layers::CategoryEncoding({.num_tokens = 4}); }
void keras_layers_CenterCrop() { (void)layers::CenterCrop({.height = height, .width = width}); }
void keras_layers_Concatenate() { (void)layers::Concatenate(); }
void keras_layers_ContrastLimitedAdaptiveHistogramEqualization() { (void)layers::ContrastLimitedAdaptiveHistogramEqualization(); }
void keras_layers_Conv1D() { (void)layers::Conv1D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Convolution1D() { (void)layers::Convolution1D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Conv1DTranspose() { (void)layers::Conv1DTranspose({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Convolution1DTranspose() { (void)layers::Convolution1DTranspose({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Conv2D() { (void)layers::Conv2D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Convolution2D() { (void)layers::Convolution2D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Conv2DTranspose() { (void)layers::Conv2DTranspose({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Convolution2DTranspose() { (void)layers::Convolution2DTranspose({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Conv3D() { (void)layers::Conv3D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Convolution3D() { (void)layers::Convolution3D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Conv3DTranspose() { (void)layers::Conv3DTranspose({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Convolution3DTranspose() { (void)layers::Convolution3DTranspose({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_ConvLSTM1D() { (void)layers::ConvLSTM1D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_ConvLSTM2D() { (void)layers::ConvLSTM2D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_ConvLSTM3D() { (void)layers::ConvLSTM3D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_Cropping1D() { (void)layers::Cropping1D(); }
void keras_layers_Cropping2D() { (void)layers::Cropping2D(); }
void keras_layers_Cropping3D() { (void)layers::Cropping3D(); }
void keras_layers_CutMix() { (void)layers::CutMix(); }
void keras_layers_Dense() { (void)layers::Dense({.units = units}); }
void keras_layers_DepthwiseConv1D() { (void)layers::DepthwiseConv1D({.kernel_size = kernel_size}); }
void keras_layers_DepthwiseConv2D() { (void)layers::DepthwiseConv2D({.kernel_size = kernel_size}); }
void keras_layers_Discretization() { (void)layers::Discretization(); }
void keras_layers_Dot() { (void)layers::Dot({.axes = {1}}); }
void keras_layers_Dropout() { (void)layers::Dropout({.rate = rate}); }
void keras_layers_ELU() { (void)layers::ELU(); }
void keras_layers_EinsumDense() { (void)layers::EinsumDense({.equation = "ab,bc->ac", .output_shape = {4}}); }
void keras_layers_Embedding() { (void)layers::Embedding({.input_dim = input_dim, .output_dim = output_dim}); }
void keras_layers_Equalization() { (void)layers::Equalization(); }
void keras_layers_Flatten() { (void)layers::Flatten(); }
void keras_layers_GRU() { (void)layers::GRU({.units = units}); }
void keras_layers_GRUCell() { (void)layers::GRUCell({.units = units}); }
void keras_layers_GaussianDropout() { (void)layers::GaussianDropout({.rate = rate}); }
void keras_layers_GaussianNoise() { (void)layers::GaussianNoise({.stddev = stddev}); }
void keras_layers_GlobalAveragePooling1D() { (void)layers::GlobalAveragePooling1D(); }
void keras_layers_GlobalAvgPool1D() { (void)layers::GlobalAvgPool1D(); }
void keras_layers_GlobalAveragePooling2D() { (void)layers::GlobalAveragePooling2D(); }
void keras_layers_GlobalAvgPool2D() { (void)layers::GlobalAvgPool2D(); }
void keras_layers_GlobalAveragePooling3D() { (void)layers::GlobalAveragePooling3D(); }
void keras_layers_GlobalAvgPool3D() { (void)layers::GlobalAvgPool3D(); }
void keras_layers_GlobalMaxPooling1D() { (void)layers::GlobalMaxPooling1D(); }
void keras_layers_GlobalMaxPool1D() { (void)layers::GlobalMaxPool1D(); }
void keras_layers_GlobalMaxPooling2D() { (void)layers::GlobalMaxPooling2D(); }
void keras_layers_GlobalMaxPool2D() { (void)layers::GlobalMaxPool2D(); }
void keras_layers_GlobalMaxPooling3D() { (void)layers::GlobalMaxPooling3D(); }
void keras_layers_GlobalMaxPool3D() { (void)layers::GlobalMaxPool3D(); }
void keras_layers_GroupNormalization() { (void)layers::GroupNormalization(); }
void keras_layers_GroupQueryAttention() { (void)layers::GroupQueryAttention({.head_dim = head_dim, .num_query_heads = num_query_heads, .num_key_value_heads = num_key_value_heads}); }
void keras_layers_HashedCrossing() { (void)layers::HashedCrossing({.num_bins = num_bins}); }
void keras_layers_Hashing() { (void)layers::Hashing({.num_bins = num_bins}); }
void keras_layers_Identity() { (void)layers::Identity(); }
void keras_layers_InputLayer() { (void)layers::InputLayer({.shape = {4}}); }
void keras_layers_IntegerLookup() { (void)layers::IntegerLookup(); }
void keras_layers_LSTM() { (void)layers::LSTM({.units = units}); }
void keras_layers_LSTMCell() { (void)layers::LSTMCell({.units = units}); }
void keras_layers_Lambda() { (void)layers::Lambda({.function = [](const Tensor& x) { return x; }}); }
void keras_layers_LayerNormalization() { (void)layers::LayerNormalization(); }
void keras_layers_LeakyReLU() { (void)layers::LeakyReLU(); }
void keras_layers_Masking() { (void)layers::Masking(); }
void keras_layers_MaxNumBoundingBoxes() { (void)layers::MaxNumBoundingBoxes({.max_number = max_number}); }
void keras_layers_MaxPooling1D() { (void)layers::MaxPooling1D(); }
void keras_layers_MaxPool1D() { (void)layers::MaxPool1D(); }
void keras_layers_MaxPooling2D() { (void)layers::MaxPooling2D(); }
void keras_layers_MaxPool2D() { (void)layers::MaxPool2D(); }
void keras_layers_MaxPooling3D() { (void)layers::MaxPooling3D(); }
void keras_layers_MaxPool3D() { (void)layers::MaxPool3D(); }
void keras_layers_Maximum() { (void)layers::Maximum(); }
void keras_layers_MelSpectrogram() { (void)layers::MelSpectrogram(); }
void keras_layers_Minimum() { (void)layers::Minimum(); }
void keras_layers_MixUp() { (void)layers::MixUp(); }
void keras_layers_MultiHeadAttention() { (void)layers::MultiHeadAttention({.num_heads = num_heads, .key_dim = key_dim}); }
void keras_layers_Multiply() { (void)layers::Multiply(); }
void keras_layers_Normalization() { (void)layers::Normalization(); }
void keras_layers_PReLU() { (void)layers::PReLU(); }
void keras_layers_Permute() { (void)layers::Permute({.dims = {2, 1}}); }
void keras_layers_Pipeline() { (void)layers::Pipeline({.layers = {layer}}); }
void keras_layers_RMSNormalization() { (void)layers::RMSNormalization(); }
void keras_layers_RNN() { (void)layers::RNN({.cell = layers::LSTMCell({.units = units})}); }
void keras_layers_RandAugment() { (void)layers::RandAugment(); }
void keras_layers_RandomBrightness() { (void)layers::RandomBrightness({.factor = factor}); }
void keras_layers_RandomColorDegeneration() { (void)layers::RandomColorDegeneration({.factor = factor}); }
void keras_layers_RandomColorJitter() { (void)layers::RandomColorJitter(); }
void keras_layers_RandomContrast() { (void)layers::RandomContrast({.factor = factor}); }
void keras_layers_RandomCrop() { (void)layers::RandomCrop({.height = height, .width = width}); }
void keras_layers_RandomElasticTransform() { (void)layers::RandomElasticTransform(); }
void keras_layers_RandomErasing() { (void)layers::RandomErasing(); }
void keras_layers_RandomFlip() { (void)layers::RandomFlip(); }
void keras_layers_RandomGaussianBlur() { (void)layers::RandomGaussianBlur(); }
void keras_layers_RandomGrayscale() { (void)layers::RandomGrayscale(); }
void keras_layers_RandomHue() { (void)layers::RandomHue({.factor = factor}); }
void keras_layers_RandomInvert() { (void)layers::RandomInvert(); }
void keras_layers_RandomPerspective() { (void)layers::RandomPerspective(); }
void keras_layers_RandomPosterization() { (void)layers::RandomPosterization({.factor = std::vector<int64_t>{4, 8}}); }
void keras_layers_RandomRotation() { (void)layers::RandomRotation({.factor = factor}); }
void keras_layers_RandomSaturation() { (void)layers::RandomSaturation({.factor = factor}); }
void keras_layers_RandomSharpness() { (void)layers::RandomSharpness({.factor = factor}); }
void keras_layers_RandomShear() { (void)layers::RandomShear(); }
void keras_layers_RandomTranslation() { (void)layers::RandomTranslation({.height_factor = factor, .width_factor = factor}); }
void keras_layers_RandomZoom() { (void)layers::RandomZoom({.height_factor = factor}); }
void keras_layers_ReLU() { (void)layers::ReLU(); }
void keras_layers_RepeatVector() { (void)layers::RepeatVector({.n = n}); }
void keras_layers_Rescaling() { (void)layers::Rescaling({.scale = scale}); }
void keras_layers_Reshape() { (void)layers::Reshape({.target_shape = {2, 2}}); }
void keras_layers_Resizing() { (void)layers::Resizing({.height = height, .width = width}); }
void keras_layers_ReversibleEmbedding() { (void)layers::ReversibleEmbedding({.input_dim = input_dim, .output_dim = output_dim}); }
void keras_layers_STFTSpectrogram() { (void)layers::STFTSpectrogram(); }
void keras_layers_SeparableConv1D() { (void)layers::SeparableConv1D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_SeparableConvolution1D() { (void)layers::SeparableConvolution1D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_SeparableConv2D() { (void)layers::SeparableConv2D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_SeparableConvolution2D() { (void)layers::SeparableConvolution2D({.filters = filters, .kernel_size = kernel_size}); }
void keras_layers_SimpleRNN() { (void)layers::SimpleRNN({.units = units}); }
void keras_layers_SimpleRNNCell() { (void)layers::SimpleRNNCell({.units = units}); }
void keras_layers_Softmax() { (void)layers::Softmax(); }
void keras_layers_Solarization() { (void)layers::Solarization(); }
void keras_layers_SpatialDropout1D() { (void)layers::SpatialDropout1D({.rate = rate}); }
void keras_layers_SpatialDropout2D() { (void)layers::SpatialDropout2D({.rate = rate}); }
void keras_layers_SpatialDropout3D() { (void)layers::SpatialDropout3D({.rate = rate}); }
void keras_layers_SpectralNormalization() { (void)layers::SpectralNormalization({.layer = layer}); }
void keras_layers_StackedRNNCells() { (void)layers::StackedRNNCells({.cells = {layers::LSTMCell({.units = units})}}); }
void keras_layers_StringLookup() { (void)layers::StringLookup(); }
void keras_layers_Subtract() { (void)layers::Subtract(); }
void keras_layers_TextVectorization() { (void)layers::TextVectorization(); }
void keras_layers_TimeDistributed() { (void)layers::TimeDistributed({.layer = layer}); }
void keras_layers_UnitNormalization() { (void)layers::UnitNormalization(); }
void keras_layers_UpSampling1D() { (void)layers::UpSampling1D(); }
void keras_layers_UpSampling2D() { (void)layers::UpSampling2D(); }
void keras_layers_UpSampling3D() { (void)layers::UpSampling3D(); }
void keras_layers_Wrapper() { (void)layers::Wrapper({.layer = layer}); }
void keras_layers_ZeroPadding1D() { (void)layers::ZeroPadding1D(); }
void keras_layers_ZeroPadding2D() { (void)layers::ZeroPadding2D(); }
void keras_layers_ZeroPadding3D() { (void)layers::ZeroPadding3D(); }
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
