// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_applications_ConvNeXtBase() { (void)applications::ConvNeXtBase({.weights = {}}); }
void keras_applications_convnext_ConvNeXtBase() { (void)applications::convnext::ConvNeXtBase({.weights = {}}); }
void keras_applications_ConvNeXtLarge() { (void)applications::ConvNeXtLarge({.weights = {}}); }
void keras_applications_convnext_ConvNeXtLarge() { (void)applications::convnext::ConvNeXtLarge({.weights = {}}); }
void keras_applications_ConvNeXtSmall() { (void)applications::ConvNeXtSmall({.weights = {}}); }
void keras_applications_convnext_ConvNeXtSmall() { (void)applications::convnext::ConvNeXtSmall({.weights = {}}); }
void keras_applications_ConvNeXtTiny() { (void)applications::ConvNeXtTiny({.weights = {}}); }
void keras_applications_convnext_ConvNeXtTiny() { (void)applications::convnext::ConvNeXtTiny({.weights = {}}); }
void keras_applications_ConvNeXtXLarge() { (void)applications::ConvNeXtXLarge({.weights = {}}); }
void keras_applications_convnext_ConvNeXtXLarge() { (void)applications::convnext::ConvNeXtXLarge({.weights = {}}); }
void keras_applications_DenseNet121() { (void)applications::DenseNet121({.weights = {}}); }
void keras_applications_densenet_DenseNet121() { (void)applications::densenet::DenseNet121({.weights = {}}); }
void keras_applications_DenseNet169() { (void)applications::DenseNet169({.weights = {}}); }
void keras_applications_densenet_DenseNet169() { (void)applications::densenet::DenseNet169({.weights = {}}); }
void keras_applications_DenseNet201() { (void)applications::DenseNet201({.weights = {}}); }
void keras_applications_densenet_DenseNet201() { (void)applications::densenet::DenseNet201({.weights = {}}); }
void keras_applications_EfficientNetB0() { (void)applications::EfficientNetB0({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB0() { (void)applications::efficientnet::EfficientNetB0({.weights = {}}); }
void keras_applications_EfficientNetB1() { (void)applications::EfficientNetB1({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB1() { (void)applications::efficientnet::EfficientNetB1({.weights = {}}); }
void keras_applications_EfficientNetB2() { (void)applications::EfficientNetB2({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB2() { (void)applications::efficientnet::EfficientNetB2({.weights = {}}); }
void keras_applications_EfficientNetB3() { (void)applications::EfficientNetB3({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB3() { (void)applications::efficientnet::EfficientNetB3({.weights = {}}); }
void keras_applications_EfficientNetB4() { (void)applications::EfficientNetB4({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB4() { (void)applications::efficientnet::EfficientNetB4({.weights = {}}); }
void keras_applications_EfficientNetB5() { (void)applications::EfficientNetB5({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB5() { (void)applications::efficientnet::EfficientNetB5({.weights = {}}); }
void keras_applications_EfficientNetB6() { (void)applications::EfficientNetB6({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB6() { (void)applications::efficientnet::EfficientNetB6({.weights = {}}); }
void keras_applications_EfficientNetB7() { (void)applications::EfficientNetB7({.weights = {}}); }
void keras_applications_efficientnet_EfficientNetB7() { (void)applications::efficientnet::EfficientNetB7({.weights = {}}); }
void keras_applications_EfficientNetV2B0() { (void)applications::EfficientNetV2B0({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2B0() { (void)applications::efficientnet_v2::EfficientNetV2B0({.weights = {}}); }
void keras_applications_EfficientNetV2B1() { (void)applications::EfficientNetV2B1({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2B1() { (void)applications::efficientnet_v2::EfficientNetV2B1({.weights = {}}); }
void keras_applications_EfficientNetV2B2() { (void)applications::EfficientNetV2B2({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2B2() { (void)applications::efficientnet_v2::EfficientNetV2B2({.weights = {}}); }
void keras_applications_EfficientNetV2B3() { (void)applications::EfficientNetV2B3({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2B3() { (void)applications::efficientnet_v2::EfficientNetV2B3({.weights = {}}); }
void keras_applications_EfficientNetV2L() { (void)applications::EfficientNetV2L({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2L() { (void)applications::efficientnet_v2::EfficientNetV2L({.weights = {}}); }
void keras_applications_EfficientNetV2M() { (void)applications::EfficientNetV2M({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2M() { (void)applications::efficientnet_v2::EfficientNetV2M({.weights = {}}); }
void keras_applications_EfficientNetV2S() { (void)applications::EfficientNetV2S({.weights = {}}); }
void keras_applications_efficientnet_v2_EfficientNetV2S() { (void)applications::efficientnet_v2::EfficientNetV2S({.weights = {}}); }
void keras_applications_InceptionResNetV2() { (void)applications::InceptionResNetV2({.weights = {}}); }
void keras_applications_inception_resnet_v2_InceptionResNetV2() { (void)applications::inception_resnet_v2::InceptionResNetV2({.weights = {}}); }
void keras_applications_InceptionV3() { (void)applications::InceptionV3({.weights = {}}); }
void keras_applications_inception_v3_InceptionV3() { (void)applications::inception_v3::InceptionV3({.weights = {}}); }
void keras_applications_MobileNet() { (void)applications::MobileNet({.weights = {}}); }
void keras_applications_mobilenet_MobileNet() { (void)applications::mobilenet::MobileNet({.weights = {}}); }
void keras_applications_MobileNetV2() { (void)applications::MobileNetV2({.weights = {}}); }
void keras_applications_mobilenet_v2_MobileNetV2() { (void)applications::mobilenet_v2::MobileNetV2({.weights = {}}); }
void keras_applications_MobileNetV3Large() { (void)applications::MobileNetV3Large({.weights = {}}); }
void keras_applications_MobileNetV3Small() { (void)applications::MobileNetV3Small({.weights = {}}); }
void keras_applications_NASNetLarge() { (void)applications::NASNetLarge({.weights = {}}); }
void keras_applications_nasnet_NASNetLarge() { (void)applications::nasnet::NASNetLarge({.weights = {}}); }
void keras_applications_NASNetMobile() { (void)applications::NASNetMobile({.weights = {}}); }
void keras_applications_nasnet_NASNetMobile() { (void)applications::nasnet::NASNetMobile({.weights = {}}); }
void keras_applications_ResNet101() { (void)applications::ResNet101({.weights = {}}); }
void keras_applications_resnet_ResNet101() { (void)applications::resnet::ResNet101({.weights = {}}); }
void keras_applications_ResNet101V2() { (void)applications::ResNet101V2({.weights = {}}); }
void keras_applications_resnet_v2_ResNet101V2() { (void)applications::resnet_v2::ResNet101V2({.weights = {}}); }
void keras_applications_ResNet152() { (void)applications::ResNet152({.weights = {}}); }
void keras_applications_resnet_ResNet152() { (void)applications::resnet::ResNet152({.weights = {}}); }
void keras_applications_ResNet152V2() { (void)applications::ResNet152V2({.weights = {}}); }
void keras_applications_resnet_v2_ResNet152V2() { (void)applications::resnet_v2::ResNet152V2({.weights = {}}); }
void keras_applications_ResNet50() { (void)applications::ResNet50({.weights = {}}); }
void keras_applications_resnet_ResNet50() { (void)applications::resnet::ResNet50({.weights = {}}); }
void keras_applications_resnet50_ResNet50() { (void)applications::resnet50::ResNet50({.weights = {}}); }
void keras_applications_ResNet50V2() { (void)applications::ResNet50V2({.weights = {}}); }
void keras_applications_resnet_v2_ResNet50V2() { (void)applications::resnet_v2::ResNet50V2({.weights = {}}); }
void keras_applications_VGG16() { (void)applications::VGG16({.weights = {}}); }
void keras_applications_vgg16_VGG16() { (void)applications::vgg16::VGG16({.weights = {}}); }
void keras_applications_VGG19() { (void)applications::VGG19({.weights = {}}); }
void keras_applications_vgg19_VGG19() { (void)applications::vgg19::VGG19({.weights = {}}); }
void keras_applications_Xception() { (void)applications::Xception({.weights = {}}); }
void keras_applications_xception_Xception() { (void)applications::xception::Xception({.weights = {}}); }
void keras_applications_convnext_decode_predictions() { (void)applications::convnext::decode_predictions(preds); }
void keras_applications_convnext_preprocess_input() { (void)applications::convnext::preprocess_input(x); }
void keras_applications_densenet_decode_predictions() { (void)applications::densenet::decode_predictions(preds); }
void keras_applications_densenet_preprocess_input() { (void)applications::densenet::preprocess_input(x); }
void keras_applications_efficientnet_decode_predictions() { (void)applications::efficientnet::decode_predictions(preds); }
void keras_applications_efficientnet_preprocess_input() { (void)applications::efficientnet::preprocess_input(x); }
void keras_applications_efficientnet_v2_decode_predictions() { (void)applications::efficientnet_v2::decode_predictions(preds); }
void keras_applications_efficientnet_v2_preprocess_input() { (void)applications::efficientnet_v2::preprocess_input(x); }
void keras_applications_imagenet_utils_decode_predictions() { (void)applications::imagenet_utils::decode_predictions(preds); }
void keras_applications_imagenet_utils_preprocess_input() { (void)applications::imagenet_utils::preprocess_input(x); }
void keras_applications_inception_resnet_v2_decode_predictions() { (void)applications::inception_resnet_v2::decode_predictions(preds); }
void keras_applications_inception_resnet_v2_preprocess_input() { (void)applications::inception_resnet_v2::preprocess_input(x); }
void keras_applications_inception_v3_decode_predictions() { (void)applications::inception_v3::decode_predictions(preds); }
void keras_applications_inception_v3_preprocess_input() { (void)applications::inception_v3::preprocess_input(x); }
void keras_applications_mobilenet_decode_predictions() { (void)applications::mobilenet::decode_predictions(preds); }
void keras_applications_mobilenet_preprocess_input() { (void)applications::mobilenet::preprocess_input(x); }
void keras_applications_mobilenet_v2_decode_predictions() { (void)applications::mobilenet_v2::decode_predictions(preds); }
void keras_applications_mobilenet_v2_preprocess_input() { (void)applications::mobilenet_v2::preprocess_input(x); }
void keras_applications_mobilenet_v3_decode_predictions() { (void)applications::mobilenet_v3::decode_predictions(preds); }
void keras_applications_mobilenet_v3_preprocess_input() { (void)applications::mobilenet_v3::preprocess_input(x); }
void keras_applications_nasnet_decode_predictions() { (void)applications::nasnet::decode_predictions(preds); }
void keras_applications_nasnet_preprocess_input() { (void)applications::nasnet::preprocess_input(x); }
void keras_applications_resnet_decode_predictions() { (void)applications::resnet::decode_predictions(preds); }
void keras_applications_resnet50_decode_predictions() { (void)applications::resnet50::decode_predictions(preds); }
void keras_applications_resnet_preprocess_input() { (void)applications::resnet::preprocess_input(x); }
void keras_applications_resnet50_preprocess_input() { (void)applications::resnet50::preprocess_input(x); }
void keras_applications_resnet_v2_decode_predictions() { (void)applications::resnet_v2::decode_predictions(preds); }
void keras_applications_resnet_v2_preprocess_input() { (void)applications::resnet_v2::preprocess_input(x); }
void keras_applications_vgg16_decode_predictions() { (void)applications::vgg16::decode_predictions(preds); }
void keras_applications_vgg16_preprocess_input() { (void)applications::vgg16::preprocess_input(x); }
void keras_applications_vgg19_decode_predictions() { (void)applications::vgg19::decode_predictions(preds); }
void keras_applications_vgg19_preprocess_input() { (void)applications::vgg19::preprocess_input(x); }
void keras_applications_xception_decode_predictions() { (void)applications::xception::decode_predictions(preds); }
void keras_applications_xception_preprocess_input() { (void)applications::xception::preprocess_input(x); }

}  // namespace cornu::test::coverage
