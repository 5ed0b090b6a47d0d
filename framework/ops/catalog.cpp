// Listing ops, decoding their arguments, and calling them from graphs.
#include "catalog.h"

#include <fmt/core.h>

#include <cctype>
#include <map>

#include "detail/lists.h"

namespace cornu {

InlineVector<int, 6> Axes::resolve(int rank) const {
  InlineVector<int, 6> result;
  if (all_) {
    for (int i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  for (int axis : axes_) result.push_back(normalize_axis(axis, rank));
  std::sort(result.begin(), result.end());
  for (size_t i = 1; i < result.size(); ++i)
    if (result[i] == result[i - 1])
      throw ShapeError(fmt::format("axis: {} is given twice", result[i]));
  return result;
}

Value Axes::value() const {
  if (all_) return {};
  if (single_) return axes_[0];
  return Value::List(axes_.begin(), axes_.end());
}

namespace detail {
Axes FromValue<Axes>::get(const Value& v) {
  if (v.is_null()) return {};
  if (v.is<int64_t>()) return Axes(v.get<int64_t>());
  return Axes(from_value<std::vector<int64_t>>(v));
}

Nest make_op_node(FunctionKey key, std::vector<Value> values,
                  const std::function<Nest(const std::vector<Value>&)>& run) {
  const OpInfo* info = op_catalog().find(key);
  if (!info) throw StateError("An op that is not in the catalog cannot be part of a graph.");
  Arguments arguments;
  Value::Dict config;
  std::vector<int> position(values.size(), -1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (info->is_tensor[i]) {
      position[i] = static_cast<int>(arguments.positional.size());
      arguments.positional.push_back(values[i]);
    } else {
      config.emplace_back(info->parameters[i], values[i]);
    }
  }
  const Nest outputs = infer_outputs(arguments, [&](const Arguments& stand_ins) {
    std::vector<Value> all = values;
    for (size_t i = 0; i < all.size(); ++i)
      if (position[i] >= 0) all[i] = stand_ins.positional[position[i]];
    return run(all);
  });
  return make_node(std::make_shared<OpOperation>(*info, std::move(config)), std::move(arguments),
                   outputs);
}

}  // namespace detail

namespace {

// The literal after '=' in a parameter's text, in Python's spelling.
Value literal(const std::string& text) {
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  if (text.front() == '(') {  // two numbers
    const size_t comma = text.find(',');
    return Value::List{literal(text.substr(1, comma - 1)),
                       literal(text.substr(comma + 1, text.size() - comma - 2))};
  }
  if (text.find_first_of(".e") != std::string::npos) return std::stod(text);
  return static_cast<int64_t>(std::stoll(text));
}

}  // namespace

void OpCatalog::insert(detail::FunctionKey key, const char* keras_name,
                       std::initializer_list<const char*> parameters, std::vector<bool> is_tensor,
                       std::function<Nest(const std::vector<Value>&)> call) {
  OpInfo info;
  const std::string full = keras_name;
  const size_t dot = full.rfind('.');
  info.module = "keras.src.ops." + full.substr(0, dot);
  info.class_name = full.substr(dot + 1);
  for (const std::string parameter : parameters) {
    const size_t equals = parameter.find('=');
    info.parameters.push_back(parameter.substr(0, equals));
    info.defaults.push_back(equals == std::string::npos
                                ? std::nullopt
                                : std::optional(literal(parameter.substr(equals + 1))));
  }
  if (info.parameters.size() != is_tensor.size())
    throw ValueError(fmt::format("Op {}: {} parameters are named, the function has {}.", keras_name,
                                 info.parameters.size(), is_tensor.size()));
  info.is_tensor = std::move(is_tensor);
  info.call = std::move(call);
  ops_.emplace_back(key, std::move(info));
}

const OpInfo* OpCatalog::find(detail::FunctionKey key) const {
  for (const auto& [k, info] : ops_)
    if (k == key) return &info;
  return nullptr;
}

const OpInfo* OpCatalog::find(const std::string& module, const std::string& class_name) const {
  for (const auto& [k, info] : ops_)
    if (info.class_name == class_name && info.module == module) return &info;
  return nullptr;
}

std::vector<std::string> OpCatalog::names() const {
  std::vector<std::string> result;
  for (const auto& [k, info] : ops_) result.push_back(info.class_name);
  return result;
}

const OpCatalog& op_catalog() {
  static const OpCatalog* catalog = [] {
    auto* c = new OpCatalog;
    ops::list_elementwise(*c);
    ops::list_core_cast(*c);
    ops::list_core_slices(*c);
    ops::list_numpy_arithmetic(*c);
    ops::list_numpy_bits(*c);
    ops::list_numpy_complex(*c);
    ops::list_numpy_creation(*c);
    ops::list_numpy_einsum(*c);
    ops::list_numpy_indexing(*c);
    ops::list_numpy_joining(*c);
    ops::list_numpy_logic(*c);
    ops::list_numpy_manipulation(*c);
    ops::list_numpy_matrices(*c);
    ops::list_numpy_nan_statistics(*c);
    ops::list_numpy_products(*c);
    ops::list_numpy_reduction(*c);
    ops::list_numpy_sets(*c);
    ops::list_numpy_sorting(*c);
    ops::list_numpy_statistics(*c);
    ops::list_numpy_windows(*c);
    ops::list_math_complex(*c);
    ops::list_math_distances(*c);
    ops::list_math_fft(*c);
    ops::list_math_segment(*c);
    ops::list_math_special(*c);
    ops::list_math_top_k(*c);
    ops::list_linalg_decompositions(*c);
    ops::list_linalg_norm(*c);
    ops::list_linalg_solvers(*c);
    ops::list_nn_activations(*c);
    ops::list_nn_attention(*c);
    ops::list_nn_convolution(*c);
    ops::list_nn_ctc(*c);
    ops::list_nn_losses(*c);
    ops::list_nn_normalization(*c);
    ops::list_nn_one_hot(*c);
    ops::list_nn_patches(*c);
    ops::list_nn_polar(*c);
    ops::list_nn_pooling(*c);
    ops::list_nn_softmax(*c);
    ops::list_image_color(*c);
    ops::list_image_filters(*c);
    ops::list_image_padding(*c);
    ops::list_image_patches(*c);
    ops::list_image_resize(*c);
    ops::list_image_transform(*c);
    ops::list_bounding_box_transforms(*c);
    ops::list_bounding_boxes(*c);
    ops::list_float8(*c);
    ops::list_quantization(*c);
    ops::list_rearrange(*c);
    return c;
  }();
  return *catalog;
}

OpOperation::OpOperation(const OpInfo& info, Value::Dict config)
    : info_(info), config_(std::move(config)), name_(base_name()) {}

std::string OpOperation::base_name() const { return to_snake_case(info_.class_name); }

Nest OpOperation::invoke(const Arguments& arguments) {
  std::vector<Value> values(info_.parameters.size());
  std::vector<bool> given(values.size());
  size_t next = 0;
  for (const Value& v : arguments.positional) {
    while (next < values.size() && !info_.is_tensor[next] && next < values.size() - 1 &&
           std::any_of(config_.begin(), config_.end(),
                       [&](const auto& c) { return c.first == info_.parameters[next]; }))
      ++next;
    if (next >= values.size())
      throw ValueError(fmt::format("Op '{}' ({}): takes {} arguments, found more.", name_,
                                   info_.class_name, values.size()));
    values[next] = v;
    given[next++] = true;
  }
  auto set = [&](const std::string& key, const Value& v) {
    for (size_t i = 0; i < values.size(); ++i)
      if (info_.parameters[i] == key && !given[i]) {
        values[i] = v;
        given[i] = true;
        return;
      }
  };
  for (const auto& [key, v] : arguments.named) set(key, v);
  for (const auto& [key, v] : config_) set(key, v);
  for (size_t i = 0; i < values.size(); ++i)
    if (!given[i]) {
      if (!info_.defaults[i])
        throw ValueError(fmt::format("Op '{}' ({}): argument '{}' is missing.", name_,
                                     info_.class_name, info_.parameters[i]));
      values[i] = *info_.defaults[i];
    } else if (info_.is_tensor[i] && !info_.defaults[i] && values[i].is_null()) {
      throw ValueError(fmt::format("Op '{}' ({}): argument '{}' is None; expected a tensor.", name_,
                                   info_.class_name, info_.parameters[i]));
    }
  return info_.call(values);
}

std::string to_snake_case(const std::string& class_name) {
  // Keras: "_" before a capital that lower case follows, then "_" between lower case (or a digit)
  // and a capital.
  std::string first;
  for (char c : class_name)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') first += c;
  std::string second;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool upper = std::isupper(static_cast<unsigned char>(first[i]));
    const bool next_lower =
        i + 1 < first.size() && std::islower(static_cast<unsigned char>(first[i + 1]));
    if (i > 0 && upper && next_lower) second += '_';
    second += first[i];
  }
  std::string result;
  for (size_t i = 0; i < second.size(); ++i) {
    if (i > 0 && std::isupper(static_cast<unsigned char>(second[i])) &&
        std::islower(static_cast<unsigned char>(second[i - 1])))
      result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(second[i])));
  }
  return result;
}

}  // namespace cornu
