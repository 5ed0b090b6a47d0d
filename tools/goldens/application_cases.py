"""The networks of keras.applications for application_goldens.py: {case: (function, arguments)}, all 40 first."""

NETWORKS = (
    "VGG16 VGG19 ResNet50 ResNet101 ResNet152 ResNet50V2 ResNet101V2 ResNet152V2 MobileNet MobileNetV2 MobileNetV3Small "
    "MobileNetV3Large EfficientNetB0 EfficientNetB1 EfficientNetB2 EfficientNetB3 EfficientNetB4 EfficientNetB5 "
    "EfficientNetB6 EfficientNetB7 EfficientNetV2B0 EfficientNetV2B1 EfficientNetV2B2 EfficientNetV2B3 EfficientNetV2S "
    "EfficientNetV2M EfficientNetV2L DenseNet121 DenseNet169 DenseNet201 InceptionV3 InceptionResNetV2 Xception "
    "NASNetMobile NASNetLarge ConvNeXtTiny ConvNeXtSmall ConvNeXtBase ConvNeXtLarge ConvNeXtXLarge"
).split()

CASES = {name: (name, {}) for name in NETWORKS}
CASES |= {
    "VGG16 without top": ("VGG16", dict(include_top=False, pooling="avg")),
    "ResNet50V2 of gray images": ("ResNet50V2", dict(include_top=False, input_shape=(65, 47, 1), pooling="max")),
    "MobileNet thin": ("MobileNet", dict(input_shape=(128, 128, 3), alpha=0.5, depth_multiplier=2, dropout=0.2, classes=7)),
    "MobileNet without top": ("MobileNet", dict(include_top=False, pooling="max")),
    "MobileNetV2 wide": ("MobileNetV2", dict(input_shape=(97, 96, 3), alpha=1.4)),
    "MobileNetV2 thin": ("MobileNetV2", dict(include_top=False, alpha=0.35, pooling="avg")),
    "MobileNetV3Small minimalistic": ("MobileNetV3Small", dict(minimalistic=True, include_preprocessing=False)),
    "MobileNetV3Large wide": ("MobileNetV3Large", dict(input_shape=(97, 65, 3), alpha=1.25, dropout_rate=0)),
    "MobileNetV3Large without top": ("MobileNetV3Large", dict(include_top=False, alpha=0.75, pooling="max")),
    "EfficientNetB1 without top": ("EfficientNetB1", dict(include_top=False, input_shape=(75, 64, 3), pooling="avg")),
    "EfficientNetV2B1 bare": ("EfficientNetV2B1", dict(include_preprocessing=False, include_top=False, pooling="max")),
    "EfficientNetV2B2 of gray images": ("EfficientNetV2B2", dict(input_shape=(64, 64, 1), classes=5)),
    "DenseNet121 without top": ("DenseNet121", dict(include_top=False)),
    "InceptionV3 without top": ("InceptionV3", dict(include_top=False, input_shape=(75, 90, 3), pooling="avg")),
    "InceptionResNetV2 without top": ("InceptionResNetV2", dict(include_top=False, pooling="max")),
    "Xception without top": ("Xception", dict(include_top=False, input_shape=(71, 80, 3), pooling="max")),
    "NASNetMobile without top": ("NASNetMobile", dict(include_top=False, pooling="avg")),
    "NASNetMobile of odd sizes": ("NASNetMobile", dict(include_top=False, input_shape=(57, 71, 3))),
    "NASNetLarge without top": ("NASNetLarge", dict(input_shape=(331, 331, 3), include_top=False, pooling="max")),
    "ConvNeXtTiny without top": ("ConvNeXtTiny", dict(include_top=False, pooling="avg", name="features")),
    "ConvNeXtTiny bare": ("ConvNeXtTiny", dict(include_preprocessing=False, input_shape=(64, 64, 4), classes=3)),
}
