// Lists of networks.
#include "cases.h"

namespace cornu::test {
namespace {

using namespace applications;

// A function of the library with options of its family.
template <class Options>
NetworkFunction common(const char* name, Handle<Functional> (*function)(Options)) {
  return {name, [function](const CommonOptions& o) {
            Options options;
            options.include_top = o.include_top;
            options.weights = o.weights;
            options.input_shape = o.input_shape;
            options.classes = o.classes;
            options.classifier_activation = o.classifier_activation;
            return function(options);
          }};
}

std::vector<NetworkCase> make_cases() {
  std::vector<NetworkCase> cases;
  for (const NetworkFunction& function : network_functions())
    cases.push_back({function.name, [&function] { return function.make({}); }});
  const std::vector<NetworkCase> others = {
      {"VGG16 without top",
       [] { return VGG16({.include_top = false, .weights = {}, .pooling = "avg"}); }},
      {"ResNet50V2 of gray images",
       [] {
         return ResNet50V2({.include_top = false,
                            .weights = {},
                            .input_shape = Shape{65, 47, 1},
                            .pooling = "max"});
       }},
      {"MobileNet thin",
       [] {
         return MobileNet({.input_shape = Shape{128, 128, 3},
                           .alpha = 0.5,
                           .depth_multiplier = 2,
                           .dropout = 0.2,
                           .weights = {},
                           .classes = 7});
       }},
      {"MobileNet without top",
       [] { return MobileNet({.include_top = false, .weights = {}, .pooling = "max"}); }},
      {"MobileNetV2 wide",
       [] {
         return MobileNetV2({.input_shape = Shape{97, 96, 3}, .alpha = 1.4, .weights = {}});
       }},
      {"MobileNetV2 thin",
       [] {
         return MobileNetV2({.alpha = 0.35, .include_top = false, .weights = {}, .pooling = "avg"});
       }},
      {"MobileNetV3Small minimalistic",
       [] {
         return MobileNetV3Small(
             {.minimalistic = true, .weights = {}, .include_preprocessing = false});
       }},
      {"MobileNetV3Large wide",
       [] {
         return MobileNetV3Large(
             {.input_shape = Shape{97, 65, 3}, .alpha = 1.25, .weights = {}, .dropout_rate = 0});
       }},
      {"MobileNetV3Large without top",
       [] {
         return MobileNetV3Large(
             {.alpha = 0.75, .include_top = false, .weights = {}, .pooling = "max"});
       }},
      {"EfficientNetB1 without top",
       [] {
         return EfficientNetB1({.include_top = false,
                                .weights = {},
                                .input_shape = Shape{75, 64, 3},
                                .pooling = "avg"});
       }},
      {"EfficientNetV2B1 bare",
       [] {
         return EfficientNetV2B1({.include_top = false,
                                  .weights = {},
                                  .pooling = "max",
                                  .include_preprocessing = false});
       }},
      {"EfficientNetV2B2 of gray images",
       [] {
         return EfficientNetV2B2({.weights = {}, .input_shape = Shape{64, 64, 1}, .classes = 5});
       }},
      {"DenseNet121 without top",
       [] { return DenseNet121({.include_top = false, .weights = {}}); }},
      {"InceptionV3 without top",
       [] {
         return InceptionV3({.include_top = false,
                             .weights = {},
                             .input_shape = Shape{75, 90, 3},
                             .pooling = "avg"});
       }},
      {"InceptionResNetV2 without top",
       [] { return InceptionResNetV2({.include_top = false, .weights = {}, .pooling = "max"}); }},
      {"Xception without top",
       [] {
         return Xception({.include_top = false,
                          .weights = {},
                          .input_shape = Shape{71, 80, 3},
                          .pooling = "max"});
       }},
      {"NASNetMobile without top",
       [] { return NASNetMobile({.include_top = false, .weights = {}, .pooling = "avg"}); }},
      {"NASNetMobile of odd sizes",
       [] {
         return NASNetMobile(
             {.input_shape = Shape{57, 71, 3}, .include_top = false, .weights = {}});
       }},
      {"NASNetLarge without top",
       [] {
         return NASNetLarge({.input_shape = Shape{331, 331, 3},
                             .include_top = false,
                             .weights = {},
                             .pooling = "max"});
       }},
      {"ConvNeXtTiny without top",
       [] {
         return ConvNeXtTiny(
             {.include_top = false, .weights = {}, .pooling = "avg", .name = "features"});
       }},
      {"ConvNeXtTiny bare",
       [] {
         return ConvNeXtTiny({.include_preprocessing = false,
                              .weights = {},
                              .input_shape = Shape{64, 64, 4},
                              .classes = 3});
       }},
  };
  cases.insert(cases.end(), others.begin(), others.end());
  return cases;
}

}  // namespace

const std::vector<NetworkFunction>& network_functions() {
  static const std::vector<NetworkFunction> functions = {
      common("VGG16", VGG16),
      common("VGG19", VGG19),
      common("ResNet50", ResNet50),
      common("ResNet101", ResNet101),
      common("ResNet152", ResNet152),
      common("ResNet50V2", ResNet50V2),
      common("ResNet101V2", ResNet101V2),
      common("ResNet152V2", ResNet152V2),
      common("MobileNet", MobileNet),
      common("MobileNetV2", MobileNetV2),
      common("MobileNetV3Small", MobileNetV3Small),
      common("MobileNetV3Large", MobileNetV3Large),
      common("EfficientNetB0", EfficientNetB0),
      common("EfficientNetB1", EfficientNetB1),
      common("EfficientNetB2", EfficientNetB2),
      common("EfficientNetB3", EfficientNetB3),
      common("EfficientNetB4", EfficientNetB4),
      common("EfficientNetB5", EfficientNetB5),
      common("EfficientNetB6", EfficientNetB6),
      common("EfficientNetB7", EfficientNetB7),
      common("EfficientNetV2B0", EfficientNetV2B0),
      common("EfficientNetV2B1", EfficientNetV2B1),
      common("EfficientNetV2B2", EfficientNetV2B2),
      common("EfficientNetV2B3", EfficientNetV2B3),
      common("EfficientNetV2S", EfficientNetV2S),
      common("EfficientNetV2M", EfficientNetV2M),
      common("EfficientNetV2L", EfficientNetV2L),
      common("DenseNet121", DenseNet121),
      common("DenseNet169", DenseNet169),
      common("DenseNet201", DenseNet201),
      common("InceptionV3", InceptionV3),
      common("InceptionResNetV2", InceptionResNetV2),
      common("Xception", Xception),
      common("NASNetMobile", NASNetMobile),
      common("NASNetLarge", NASNetLarge),
      common("ConvNeXtTiny", ConvNeXtTiny),
      common("ConvNeXtSmall", ConvNeXtSmall),
      common("ConvNeXtBase", ConvNeXtBase),
      common("ConvNeXtLarge", ConvNeXtLarge),
      common("ConvNeXtXLarge", ConvNeXtXLarge),
  };
  return functions;
}

const std::vector<NetworkCase>& network_cases() {
  static const std::vector<NetworkCase> cases = make_cases();
  return cases;
}

const NetworkFunction& network_function(const std::string& name) {
  for (const NetworkFunction& function : network_functions())
    if (function.name == name) return function;
  throw ValueError("There is no network '" + name + "'.");
}

}  // namespace cornu::test
