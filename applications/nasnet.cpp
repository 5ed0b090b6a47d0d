// Normal cells, which keep the size of an image, and reduction cells, which halve it.
#include "nasnet.h"

#include <fmt/core.h>

#include "../layers/convolutional/conv.h"
#include "../layers/convolutional/separable_conv.h"
#include "../layers/merging/add.h"
#include "../layers/merging/concatenate.h"
#include "../layers/normalization/batch_normalization.h"
#include "../layers/pooling/average_pooling.h"
#include "../layers/pooling/max_pooling.h"
#include "../layers/reshaping/cropping.h"
#include "../layers/reshaping/zero_padding.h"

namespace cornu::applications {
namespace {

using detail::Network;

struct NASNetArchitecture {
  const char* function;
  const char* name;
  int64_t size;
  int64_t filters;  // of the first normal cells; those behind a reduction have twice as many
  int64_t cells;    // normal ones in a row
  int64_t stem_filters;
  bool skip_reduction;  // the cell behind a reduction takes what that took, not its neighbor
};

// What a cell takes: the result of the cell before it, and that of the one before that (none for
// the first).
struct CellInputs {
  Tensor current, previous;
};

// One cell: the network, the number of its channels, and what its layers' names end with.
struct Cell {
  const Network& net;
  int64_t filters;
  std::string id;

  // "kind_id"
  std::string name(const char* kind) const { return fmt::format("{}_{}", kind, id); }
};

Tensor normalize_cell(const Network& net, const Tensor& x, const std::string& name) {
  return net.add<layers::BatchNormalization>(x,
                                             {.momentum = 0.9997, .epsilon = 1e-3, .name = name});
}

Tensor project(const Network& net, const Tensor& x, int64_t filters, const std::string& name) {
  return net.add<layers::Conv2D>(x, {.filters = filters,
                                     .kernel_size = 1,
                                     .padding = "same",
                                     .use_bias = false,
                                     .kernel_initializer = "he_normal",
                                     .name = name});
}

// Two separable convolutions, each with relu before and normalization behind; the first has the
// stride. `side` is the kind of the cell and the place in it: "normal_left1".
Tensor separable_pair(const Cell& cell, Tensor x, const char* side, int64_t kernel,
                      int64_t stride = 1) {
  const Network& net = cell.net;
  const std::string id = cell.name(side);
  x = net.activate(x, "relu");
  if (stride == 2)
    x = net.add<layers::ZeroPadding2D>(
        x, {.padding = net.correct_pad(x, kernel), .name = "separable_conv_1_pad_" + id});
  x = net.add<layers::SeparableConv2D>(x, {.filters = cell.filters,
                                           .kernel_size = kernel,
                                           .strides = stride,
                                           .padding = stride == 2 ? "valid" : "same",
                                           .use_bias = false,
                                           .name = "separable_conv_1_" + id});
  x = net.activate(normalize_cell(net, x, "separable_conv_1_bn_" + id), "relu");
  x = net.add<layers::SeparableConv2D>(x, {.filters = cell.filters,
                                           .kernel_size = kernel,
                                           .padding = "same",
                                           .use_bias = false,
                                           .name = "separable_conv_2_" + id});
  return normalize_cell(net, x, "separable_conv_2_bn_" + id);
}

Tensor every_second(const Cell& cell, const Tensor& x, const char* pool, const char* conv) {
  const Tensor picked = cell.net.add<layers::AveragePooling2D>(
      x, {.pool_size = 1, .strides = 2, .name = cell.name(pool)});
  return project(cell.net, picked, cell.filters / 2, cell.name(conv));
}

// Half the size, of which half the channels see the even places and half the odd ones.
Tensor halve_previous(const Cell& cell, const Tensor& previous) {
  const Network& net = cell.net;
  const Tensor x = net.activate(previous, "relu", cell.name("adjust_relu_1"));
  const Tensor even = every_second(cell, x, "adjust_avg_pool_1", "adjust_conv_1");
  Tensor odd = net.add<layers::ZeroPadding2D>(x, {.padding = {{0, 1}, {0, 1}}});
  odd = net.add<layers::Cropping2D>(odd, {.cropping = {{1, 0}, {1, 0}}});
  odd = every_second(cell, odd, "adjust_avg_pool_2", "adjust_conv_2");
  const Tensor both = net.add<layers::Concatenate>({even, odd}, {});
  return normalize_cell(net, both, cell.name("adjust_bn"));
}

// The previous result in the size and the channels of this cell.
Tensor adjust(const Cell& cell, const CellInputs& inputs) {
  const Network& net = cell.net;
  const Tensor& previous = inputs.previous;
  if (!previous) return inputs.current;
  if (net.width(previous) != net.width(inputs.current)) return halve_previous(cell, previous);
  if (net.channels(previous) == cell.filters) return previous;
  const Tensor x = project(net, net.activate(previous, "relu"), cell.filters,
                           cell.name("adjust_conv_projection"));
  return normalize_cell(net, x, cell.name("adjust_bn"));
}

// The current result in the channels of this cell. `kind` begins the names: "normal".
Tensor squeeze_current(const Cell& cell, const Tensor& current, const char* kind) {
  const Tensor x = project(cell.net, cell.net.activate(current, "relu"), cell.filters,
                           cell.name(fmt::format("{}_conv_1", kind).c_str()));
  return normalize_cell(cell.net, x, cell.name(fmt::format("{}_bn_1", kind).c_str()));
}

Tensor sum(const Cell& cell, const Tensor& x, const Tensor& y, const char* kind) {
  return cell.net.add<layers::Add>({x, y}, {.name = kind ? cell.name(kind) : ""});
}

Tensor smooth(const Cell& cell, const Tensor& x, const char* kind) {
  return cell.net.add<layers::AveragePooling2D>(
      x, {.pool_size = 3, .strides = 1, .padding = "same", .name = cell.name(kind)});
}

Tensor normal_cell(const Cell& cell, const CellInputs& inputs) {
  const Tensor p = adjust(cell, inputs);
  const Tensor h = squeeze_current(cell, inputs.current, "normal");
  Tensor left = separable_pair(cell, h, "normal_left1", 5);
  Tensor right = separable_pair(cell, p, "normal_right1", 3);
  const Tensor x1 = sum(cell, left, right, "normal_add_1");
  left = separable_pair(cell, p, "normal_left2", 5);
  right = separable_pair(cell, p, "normal_right2", 3);
  const Tensor x2 = sum(cell, left, right, "normal_add_2");
  const Tensor x3 = sum(cell, smooth(cell, h, "normal_left3"), p, "normal_add_3");
  left = smooth(cell, p, "normal_left4");
  right = smooth(cell, p, "normal_right4");
  const Tensor x4 = sum(cell, left, right, "normal_add_4");
  const Tensor x5 = sum(cell, separable_pair(cell, h, "normal_left5", 3), h, "normal_add_5");
  return cell.net.add<layers::Concatenate>({p, x1, x2, x3, x4, x5},
                                           {.name = cell.name("normal_concat")});
}

Tensor reduction_cell(const Cell& cell, const CellInputs& inputs) {
  const Network& net = cell.net;
  const Tensor p = adjust(cell, inputs);
  const Tensor h = squeeze_current(cell, inputs.current, "reduction");
  const Tensor padded = net.add<layers::ZeroPadding2D>(
      h, {.padding = net.correct_pad(h, 3), .name = cell.name("reduction_pad_1")});
  const Tensor left = separable_pair(cell, h, "reduction_left1", 5, 2);
  Tensor right = separable_pair(cell, p, "reduction_right1", 7, 2);
  const Tensor x1 = sum(cell, left, right, "reduction_add_1");
  const Tensor largest = net.add<layers::MaxPooling2D>(
      padded, {.pool_size = 3, .strides = 2, .name = cell.name("reduction_left2")});
  right = separable_pair(cell, p, "reduction_right2", 7, 2);
  const Tensor x2 = sum(cell, largest, right, "reduction_add_2");
  const Tensor mean = net.add<layers::AveragePooling2D>(
      padded, {.pool_size = 3, .strides = 2, .name = cell.name("reduction_left3")});
  right = separable_pair(cell, p, "reduction_right3", 5, 2);
  const Tensor x3 = sum(cell, mean, right, "reduction_add3");
  const Tensor x4 = sum(cell, x2, smooth(cell, x1, "reduction_left4"), nullptr);
  const Tensor pair = separable_pair(cell, x1, "reduction_left4", 3);
  const Tensor largest_again = net.add<layers::MaxPooling2D>(
      padded, {.pool_size = 3, .strides = 2, .name = cell.name("reduction_right5")});
  const Tensor x5 = sum(cell, pair, largest_again, "reduction_add4");
  return net.add<layers::Concatenate>({x2, x3, x4, x5}, {.name = cell.name("reduction_concat")});
}

// A reduction cell and a row of normal ones; the first row has no reduction before it.
CellInputs cells_of_stage(const Network& net, const NASNetArchitecture& nasnet, CellInputs inputs,
                          int64_t stage) {
  const int64_t filters = nasnet.filters << stage;
  const int64_t before = stage * nasnet.cells;
  if (stage > 0) {
    const Tensor reduced = reduction_cell({net, filters, fmt::format("reduce_{}", before)}, inputs);
    inputs = {reduced, nasnet.skip_reduction ? inputs.previous : inputs.current};
  }
  for (int64_t i = 0; i < nasnet.cells; ++i) {
    const int64_t number = before + i + (stage > 0 ? 1 : 0);
    inputs = {normal_cell({net, filters, std::to_string(number)}, inputs), inputs.current};
  }
  return inputs;
}

Handle<Functional> make_nasnet(const NASNetArchitecture& nasnet, const NASNetOptions& options) {
  // Cells ask whether what they take has one size: that must be known.
  Network net({.function = nasnet.function,
               .default_size = nasnet.size,
               .channels_first = false,
               .sized = true},
              detail::common_options(options));
  Tensor x = net.add<layers::Conv2D>(net.input(), {.filters = nasnet.stem_filters,
                                                   .kernel_size = 3,
                                                   .strides = 2,
                                                   .use_bias = false,
                                                   .kernel_initializer = "he_normal",
                                                   .name = "stem_conv1"});
  CellInputs inputs{normalize_cell(net, x, "stem_bn1"), {}};
  inputs = {reduction_cell({net, nasnet.filters / 4, "stem_1"}, inputs), inputs.current};
  inputs = {reduction_cell({net, nasnet.filters / 2, "stem_2"}, inputs), inputs.current};
  for (int64_t stage = 0; stage < 3; ++stage) inputs = cells_of_stage(net, nasnet, inputs, stage);
  x = net.finish_top(net.activate(inputs.current, "relu"), {"", "", ""});
  return net.finish(x, nasnet.name);
}

}  // namespace

Handle<Functional> NASNetMobile(NASNetOptions options) {
  return make_nasnet({"NASNetMobile", "nasnet_mobile", 224, 1056 / 24, 4, 32, false}, options);
}

Handle<Functional> NASNetLarge(NASNetOptions options) {
  return make_nasnet({"NASNetLarge", "nasnet_large", 331, 4032 / 24, 6, 96, true}, options);
}

}  // namespace cornu::applications
