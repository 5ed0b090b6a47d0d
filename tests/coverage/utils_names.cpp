// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_datasets_boston_housing_load_data() { (void)datasets::boston_housing::load_data(); }
void keras_datasets_california_housing_load_data() { (void)datasets::california_housing::load_data(); }
void keras_datasets_cifar10_load_data() { (void)datasets::cifar10::load_data(); }
void keras_datasets_cifar100_load_data() { (void)datasets::cifar100::load_data(); }
void keras_datasets_fashion_mnist_load_data() { (void)datasets::fashion_mnist::load_data(); }
void keras_datasets_imdb_get_word_index() { (void)datasets::imdb::get_word_index(); }
void keras_datasets_imdb_load_data() { (void)datasets::imdb::load_data(); }
void keras_datasets_mnist_load_data() { (void)datasets::mnist::load_data(); }
void keras_datasets_reuters_get_label_names() { (void)datasets::reuters::get_label_names(); }
void keras_datasets_reuters_get_word_index() { (void)datasets::reuters::get_word_index(); }
void keras_datasets_reuters_load_data() { (void)datasets::reuters::load_data(); }
void keras_preprocessing_image_smart_resize() { (void)ops::resize(images, {8, 8}, "bilinear", false, true); }
void keras_tree_assert_same_paths() { (void)tree::assert_same_paths(a, b); }
void keras_tree_assert_same_structure() { (void)tree::assert_same_structure(a, b); }
void keras_tree_flatten() { (void)tree::flatten(structure); }
void keras_tree_flatten_with_path() { (void)tree::flatten_with_path(structure); }
void keras_tree_is_nested() { (void)tree::is_nested(structure); }
void keras_tree_map_shape_structure() { (void)tree::map_shape_structure([](const Shape& shape) { return Value(shape); }, Value::List{}); }
void keras_tree_map_structure() { (void)tree::map_structure([](const Tensor& x) { return x; }, structure); }
void keras_tree_map_structure_up_to() { (void)tree::map_structure_up_to(structure, [](const Nest& part) { return part; }, structure); }
void keras_tree_pack_sequence_as() { (void)tree::pack_sequence_as(structure, flat_sequence); }
void keras_tree_traverse() { (void)tree::traverse([](const Nest&) { return std::optional<Nest>(); }, structure); }
void keras_utils_FeatureSpace() { (void)utils::FeatureSpace({.features = {{"age", "float"}}}); }
static_assert(in_order<utils::FeatureSpace>({"features", "output_mode", "crosses", "crossing_dim"}));
void keras_utils_Progbar() { (void)ProgressBar(Verbose::bar); }
void keras_utils_PyDataset() { class Mine : public Dataset {}; }
void keras_utils_array_to_img() { (void)utils::array_to_img(x); }
void keras_preprocessing_image_array_to_img() { (void)preprocessing::image::array_to_img(x); }
void keras_utils_audio_dataset_from_directory() { (void)utils::audio_dataset_from_directory(directory); }
void keras_utils_clear_session() { (void)utils::clear_session(); }
void keras_utils_deserialize_keras_object() { (void)utils::deserialize_keras_object(config); }
void keras_utils_disable_interactive_logging() { (void)utils::disable_interactive_logging(); }
void keras_utils_enable_interactive_logging() { (void)utils::enable_interactive_logging(); }
void keras_utils_get_custom_objects() { (void)catalog(); }
void keras_utils_get_registered_name() { (void)catalog().of(*layer); }
void keras_utils_get_registered_object() { (void)catalog().find_registered("package>Name"); }
void keras_utils_get_source_inputs() { (void)utils::get_source_inputs(tensor); }
void keras_utils_image_dataset_from_directory() { (void)utils::image_dataset_from_directory(directory); }
void keras_preprocessing_image_dataset_from_directory() { (void)preprocessing::image_dataset_from_directory(directory); }
void keras_utils_img_to_array() { (void)utils::img_to_array(utils::load_img(path)); }
void keras_preprocessing_image_img_to_array() { (void)preprocessing::image::img_to_array(utils::load_img(path)); }
void keras_utils_is_interactive_logging_enabled() { (void)utils::is_interactive_logging_enabled(); }
void keras_utils_is_keras_tensor() { (void)utils::is_keras_tensor(x); }
void keras_utils_load_img() { (void)utils::load_img(path); }
void keras_preprocessing_image_load_img() { (void)preprocessing::image::load_img(path); }
void keras_utils_model_to_dot() { (void)utils::model_to_dot(model); }
void keras_utils_normalize() { (void)utils::normalize(x); }
void keras_utils_pack_x_y_sample_weight() { (void)(Batch{x, y}); }
void keras_utils_pad_sequences() { (void)utils::pad_sequences(xs); }
void keras_preprocessing_sequence_pad_sequences() { (void)preprocessing::sequence::pad_sequences(xs); }
void keras_utils_plot_model() { (void)utils::plot_model(model, "model.svg"); }
void keras_utils_register_keras_serializable() { CORNU_REGISTER("package>Name", layers::DenseLayer); }
void keras_utils_save_img() { (void)utils::save_img(path, x); }
void keras_preprocessing_image_save_img() { (void)preprocessing::image::save_img(path, x); }
void keras_utils_serialize_keras_object() { (void)utils::serialize_keras_object(*layer); }
void keras_utils_set_random_seed() { (void)utils::set_random_seed(seed); }
void keras_utils_split_dataset() { (void)utils::split_dataset(x, {.left_size = 0.5}); }
void keras_utils_standardize_dtype() { (void)dtype_of("float32"); }
void keras_utils_text_dataset_from_directory() { (void)utils::text_dataset_from_directory(directory); }
void keras_preprocessing_text_dataset_from_directory() { (void)preprocessing::text_dataset_from_directory(directory); }
void keras_utils_timeseries_dataset_from_array() { (void)utils::timeseries_dataset_from_array(data, targets, sequence_length); }
void keras_preprocessing_timeseries_dataset_from_array() { (void)preprocessing::timeseries_dataset_from_array(data, targets, sequence_length); }
void keras_utils_to_categorical() { (void)utils::to_categorical(x); }
void keras_utils_unpack_x_y_sample_weight() { (void)(Batch{x, y}.x); }
void keras_utils_bounding_boxes_affine_transform() { (void)utils::bounding_boxes::affine_transform(boxes, a, a, a, a, a, a, b, b); }
void keras_utils_bounding_boxes_clip_to_image_size() { (void)utils::bounding_boxes::clip_to_image_size(bounding_boxes); }
void keras_utils_bounding_boxes_compute_ciou() { (void)utils::bounding_boxes::compute_ciou(boxes1, boxes2, bounding_box_format); }
void keras_utils_bounding_boxes_compute_iou() { (void)utils::bounding_boxes::compute_iou(boxes1, boxes2, bounding_box_format); }
void keras_utils_bounding_boxes_convert_format() { (void)utils::bounding_boxes::convert_format(boxes, "xyxy", "xywh"); }
void keras_utils_bounding_boxes_crop() { (void)utils::bounding_boxes::crop(boxes, a, a, b, b); }
void keras_utils_bounding_boxes_decode_deltas_to_boxes() { (void)utils::bounding_boxes::decode_deltas_to_boxes(anchors, boxes_delta, anchor_format, box_format); }
void keras_utils_bounding_boxes_encode_box_to_deltas() { (void)utils::bounding_boxes::encode_box_to_deltas(anchors, boxes, anchor_format, box_format); }
void keras_utils_bounding_boxes_pad() { (void)utils::bounding_boxes::pad(boxes, a, a); }
void keras_visualization_draw_bounding_boxes() { (void)visualization::draw_bounding_boxes(images, structure, "xyxy"); }
void keras_visualization_draw_segmentation_masks() { (void)visualization::draw_segmentation_masks(images, indices); }
void keras_visualization_plot_bounding_box_gallery() { (void)visualization::plot_bounding_box_gallery(images, "xyxy"); }
void keras_visualization_plot_image_gallery() { (void)visualization::plot_image_gallery(images); }
void keras_visualization_plot_segmentation_mask_gallery() { (void)visualization::plot_segmentation_mask_gallery(images, num_classes); }

}  // namespace cornu::test::coverage
