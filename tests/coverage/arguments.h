// Keras's required parameters, by their names: what the lines of *_names.cpp call with. They have
// no values, as those lines are compiled and linked, and not run.
#pragma once
#include <cornu/cornu.h>

namespace cornu::test::coverage {

/// Whether the options of a class that is made from such begin with these, as far as it has them.
template <class T>
consteval bool in_order(std::initializer_list<std::string_view> names) {
  if constexpr (requires { typename T::Config; }) {
    // These say themselves what goes without a name.
    if constexpr (!requires { &T::Config::positional; }) {
      constexpr auto own = reflect::member_names<typename T::Config>();
      for (size_t i = 0; i < own.size() && i < names.size(); ++i)
        if (own[i] != names.begin()[i]) return false;
    }
  }
  return true;
}

// Tensors and lists of them.
inline Tensor x, x1, x2, xi, a, b, y, y_true, y_pred, output, target, targets, inputs, images,
    image1, image2, kernel, depthwise_kernel, pointwise_kernel, query, key, value, values, boxes,
    boxes1, boxes2, boxes_delta, anchors, bounding_boxes, coordinates, condition, counts,
    probabilities, data, segment_ids, indices, updates, start_indices, logits, mean, variance, amax,
    amax_history, arr, packed, array, tensor, bins, sorted_sequence, predictions, pred, index,
    target_length, output_length, sequence_lengths, transform, start_points, end_points, volumes,
    preds, abs_, angle, alpha, beta, variable;
inline std::vector<Tensor> xs, flat_sequence;

// Numbers, names and shapes.
inline int64_t N, n, k, axis, axis1, axis2, source, destination, num_classes, num_samples, kth,
    shift, repeats, fft_length, sequence_length, sequence_stride, block_size, order, orig_len,
    lower, upper, minval, maxval, units, filters, kernel_size, pool_size, output_size, input_dim,
    output_dim, height, width, key_dim, num_heads, head_dim, num_query_heads, num_key_value_heads,
    num_bins, max_number, decay_steps, first_decay_steps, seed;
inline double rate, stddev, start, stop, fill_value, x_min, x_max, q, factor, scale, recall,
    precision, sensitivity, specificity, decay_rate, initial_learning_rate, threshold,
    default_value, max_val, dtype_max;
inline std::string pattern, filepath, directory, path, bounding_box_format, box_format,
    anchor_format, policy, data_format, json_string, filename, backup_dir, name, method;
inline Shape shape;
inline DType dtype = DType::float32;
inline Value config;

// Models and what they are made of.
inline Tensor tensor_in;
inline Nest structure;
inline Sequential model;
inline layers::Dense layer = nullptr;

}  // namespace cornu::test::coverage
