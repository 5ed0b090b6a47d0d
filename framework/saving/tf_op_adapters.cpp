// Operations of TensorFlow in graphs of Keras 2, and the ops of Keras 3 that equal them.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../../backend/error.h"
#include "adapters.h"
#include "dict.h"

namespace cornu::saving {
namespace {

/// "y" is an argument of the call, "axis=axis" a setting (TensorFlow's name, then Keras's) and
/// "-name" one that says nothing here.
struct Row {
  const char* function;  ///< several of one meaning are separated by blanks
  const char* op;
  std::vector<const char*> parameters;  ///< the first operand is not listed
};

const std::vector<Row>& table() {
  static const std::vector<const char*> binary = {"y", "x2", "b"};
  static const std::vector<const char*> reduction = {"axis=axis", "keepdims=keepdims"};
  static const std::vector<Row> rows = {
      {"__operators__.add math.add add", "numpy.Add", binary},
      {"math.subtract subtract __operators__.sub", "numpy.Subtract", binary},
      {"math.multiply multiply __operators__.mul", "numpy.Multiply", binary},
      {"math.truediv math.divide divide realdiv truediv __operators__.truediv", "numpy.TrueDivide",
       binary},
      {"math.floordiv floordiv __operators__.floordiv", "numpy.FloorDivide", binary},
      {"math.floormod math.mod floormod __operators__.mod", "numpy.Mod", binary},
      {"math.pow pow __operators__.pow", "numpy.Power", binary},
      {"math.maximum maximum", "numpy.Maximum", binary},
      {"math.minimum minimum", "numpy.Minimum", binary},
      {"math.greater greater", "numpy.Greater", binary},
      {"math.greater_equal greater_equal", "numpy.GreaterEqual", binary},
      {"math.less less", "numpy.Less", binary},
      {"math.less_equal less_equal", "numpy.LessEqual", binary},
      {"math.equal equal __operators__.eq", "numpy.Equal", binary},
      {"math.not_equal not_equal __operators__.ne", "numpy.NotEqual", binary},
      {"math.logical_and logical_and", "numpy.LogicalAnd", binary},
      {"math.logical_or logical_or", "numpy.LogicalOr", binary},
      {"math.logical_xor", "numpy.LogicalXor", binary},
      {"math.logical_not logical_not", "numpy.LogicalNot", {}},
      {"linalg.matmul matmul",
       "numpy.Matmul",
       {"b", "-transpose_a", "-transpose_b", "-adjoint_a", "-adjoint_b"}},
      {"math.negative negative __operators__.neg", "numpy.Negative", {}},
      {"math.abs abs", "numpy.Absolute", {}},
      {"math.exp exp", "numpy.Exp", {}},
      {"math.expm1", "numpy.Expm1", {}},
      {"math.log", "numpy.Log", {}},
      {"math.log1p", "numpy.Log1p", {}},
      {"math.sqrt sqrt", "numpy.Sqrt", {}},
      {"math.rsqrt", "math.Rsqrt", {}},
      {"math.square square", "numpy.Square", {}},
      {"math.reciprocal", "numpy.Reciprocal", {}},
      {"math.sin sin", "numpy.Sin", {}},
      {"math.cos cos", "numpy.Cos", {}},
      {"math.tan tan", "numpy.Tan", {}},
      {"math.tanh tanh nn.tanh", "numpy.Tanh", {}},
      {"math.sigmoid sigmoid nn.sigmoid", "nn.Sigmoid", {}},
      {"math.erf", "math.Erf", {}},
      {"math.sign sign", "numpy.Sign", {}},
      {"math.floor floor", "numpy.Floor", {}},
      {"math.ceil", "numpy.Ceil", {}},
      {"math.round round", "numpy.Round", {}},
      {"math.softplus nn.softplus", "nn.Softplus", {}},
      {"nn.softsign", "nn.Softsign", {}},
      {"nn.relu", "nn.Relu", {}},
      {"nn.relu6", "nn.Relu6", {}},
      {"nn.elu", "nn.Elu", {}},
      {"nn.selu", "nn.Selu", {}},
      {"nn.silu nn.swish", "nn.Silu", {}},
      {"nn.gelu", "nn.Gelu", {"approximate=approximate"}},
      {"nn.leaky_relu", "nn.LeakyRelu", {"alpha=negative_slope"}},
      {"nn.softmax math.softmax", "nn.Softmax", {"axis=axis"}},
      {"nn.log_softmax math.log_softmax", "nn.LogSoftmax", {"axis=axis"}},
      {"math.reduce_mean reduce_mean", "numpy.Mean", reduction},
      {"math.reduce_sum reduce_sum", "numpy.Sum", reduction},
      {"math.reduce_max reduce_max", "numpy.Max", reduction},
      {"math.reduce_min reduce_min", "numpy.Min", reduction},
      {"math.reduce_prod reduce_prod", "numpy.Prod", reduction},
      {"math.reduce_any reduce_any", "numpy.Any", reduction},
      {"math.reduce_all reduce_all", "numpy.All", reduction},
      {"math.reduce_std", "numpy.Std", reduction},
      {"math.reduce_variance", "numpy.Var", reduction},
      {"math.reduce_logsumexp", "math.Logsumexp", reduction},
      {"math.argmax argmax", "numpy.Argmax", {"axis=axis", "-output_type"}},
      {"math.argmin argmin", "numpy.Argmin", {"axis=axis", "-output_type"}},
      {"math.cumsum cumsum", "numpy.Cumsum", {"axis=axis", "-exclusive", "-reverse"}},
      {"math.l2_normalize linalg.l2_normalize nn.l2_normalize",
       "nn.Normalize",
       {"axis=axis", "epsilon=epsilon"}},
      {"concat", "numpy.Concatenate", {"axis=axis"}},
      {"stack", "numpy.Stack", {"axis=axis"}},
      {"split", "numpy.Split", {"num_or_size_splits=indices_or_sections", "axis=axis", "-num"}},
      {"reshape", "numpy.Reshape", {"shape=newshape"}},
      {"transpose", "numpy.Transpose", {"perm=axes", "-conjugate"}},
      {"expand_dims", "numpy.ExpandDims", {"axis=axis"}},
      {"squeeze", "numpy.Squeeze", {"axis=axis"}},
      {"tile", "numpy.Tile", {"multiples=repeats"}},
      {"repeat", "numpy.Repeat", {"repeats=repeats", "axis=axis"}},
      {"reverse", "numpy.Flip", {"axis=axis"}},
      {"roll", "numpy.Roll", {"shift=shift", "axis=axis"}},
      {"pad", "numpy.Pad", {"paddings=pad_width", "mode=mode", "-constant_values"}},
      {"broadcast_to", "numpy.BroadcastTo", {"shape=shape"}},
      {"where", "numpy.Where", {"x", "y"}},
      {"gather", "numpy.Take", {"indices", "axis=axis", "-validate_indices", "-batch_dims"}},
      {"clip_by_value", "numpy.Clip", {"clip_value_min=x_min", "clip_value_max=x_max"}},
      {"cast", "core.Cast", {"dtype=dtype"}},
      {"one_hot", "nn.OneHot", {"depth=num_classes", "axis=axis", "dtype=dtype"}},
      {"ones_like", "numpy.OnesLike", {"dtype=dtype"}},
      {"zeros_like", "numpy.ZerosLike", {"dtype=dtype"}},
      {"stop_gradient", "core.StopGradient", {}},
      {"identity", "numpy.Copy", {}},
  };
  return rows;
}

bool names(const char* functions, const std::string& function) {
  const std::string all = std::string(" ") + functions + " ";
  return all.find(" " + function + " ") != std::string::npos;
}

[[noreturn]] void refuse(const std::string& layer, const std::string& function,
                         const std::string& why) {
  throw UnsupportedError(
      fmt::format("layer '{}': the operation tf.{} of TensorFlow {} Rebuild the model with layers "
                  "of Keras, or with keras.ops in "
                  "Keras 3.",
                  layer, function, why));
}

/// One index of x[...], as Keras 3 writes it.
Value slice_of(const Value& spec) {
  if (spec.is<Value::List>()) {
    Value::List list;
    for (const Value& e : spec.get<Value::List>()) list.push_back(slice_of(e));
    return list;
  }
  if (!spec.is<Value::Dict>()) return spec;
  const auto& d = spec.get<Value::Dict>();
  if (d.find("class_name"))
    return dict::text(d, "class_name") == "__ellipsis__"
               ? Value(Value::Dict{{"class_name", "__ellipsis__"}, {"config", Value::Dict{}}})
               : spec;
  const auto bound = [&](const char* key) { return d.find(key) ? *d.find(key) : Value(); };
  return Value::Dict{
      {"class_name", "__slice__"},
      {"config",
       Value::Dict{{"start", bound("start")}, {"stop", bound("stop")}, {"step", bound("step")}}}};
}

Value::Dict entry_of(const std::string& layer, const std::string& op, Value::Dict config,
                     Value::List args) {
  const size_t dot = op.find('.');
  config.emplace_back("name", layer);
  return {{"module", "keras.src.ops." + op.substr(0, dot)},
          {"class_name", op.substr(dot + 1)},
          {"config", std::move(config)},
          {"registered_name", op.substr(dot + 1)},
          {"name", layer},
          {"inbound_nodes",
           Value::List{Value::Dict{{"args", std::move(args)}, {"kwargs", Value::Dict{}}}}}};
}

bool is_trivial(const Value& v) {
  return v.is_null() || (v.is<bool>() && !v.get<bool>()) || (v.is_number() && v.number() == 0) ||
         (v.is<std::string>() && v.get<std::string>() == "int64");
}

}  // namespace

Value::Dict upgrade_tf_op(const std::string& layer, const std::string& function,
                          const Value::List& args, const Value::Dict& kwargs) {
  if (function == "__operators__.getitem" || function == "strided_slice") {
    const Value* spec = kwargs.find("slice_spec");
    if (!spec) refuse(layer, function, "has no slice_spec.");
    return entry_of(layer, "numpy.GetItem", {}, {args.at(0), slice_of(*spec)});
  }
  for (const Row& row : table()) {
    if (!names(row.function, function)) continue;
    Value::List operands = args;
    Value::Dict config;
    std::vector<std::string> known = {"name"};
    for (const std::string parameter : row.parameters) {
      const size_t equals = parameter.find('=');
      const bool silent = parameter[0] == '-';
      const std::string theirs = silent ? parameter.substr(1) : parameter.substr(0, equals);
      known.push_back(theirs);
      const Value* v = kwargs.find(theirs);
      if (!v) continue;
      if (silent) {
        if (!is_trivial(*v))
          refuse(layer, function, fmt::format("is used with {}, which is not supported.", theirs));
      } else if (equals == std::string::npos) {
        operands.push_back(*v);
      } else if (!v->is_null()) {
        config.emplace_back(parameter.substr(equals + 1), *v);
      }
    }
    for (const auto& [key, v] : kwargs)
      if (std::find(known.begin(), known.end(), key) == known.end() && !v.is_null())
        refuse(layer, function, fmt::format("is used with {}, which is not supported.", key));
    const std::string op = row.op;
    if (op == "numpy.Concatenate" && !config.find("axis")) config.emplace_back("axis", 0);
    if (op == "nn.Gelu" && !config.find("approximate")) config.emplace_back("approximate", false);
    if (op == "numpy.Take" && !config.find("axis")) config.emplace_back("axis", 0);
    if ((op == "numpy.Argmax" || op == "numpy.Argmin") && !config.find("axis"))
      config.emplace_back("axis", 0);
    if (op == "numpy.Cumsum" && !config.find("axis")) config.emplace_back("axis", 0);
    if (op == "numpy.Pad") {
      if (const std::string mode = dict::text(config, "mode"); !mode.empty()) {
        std::string lower = mode;
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        dict::set(config, "mode", lower);
      }
    }
    // TensorFlow takes the sizes of the parts, Keras the places between them.
    if (const Value::List* sizes = dict::find_list(config, "indices_or_sections");
        op == "numpy.Split" && sizes) {
      Value::List places;
      int64_t sum = 0;
      for (size_t i = 0; i + 1 < sizes->size(); ++i) {
        if (!(*sizes)[i].is<int64_t>() || (*sizes)[i].get<int64_t>() < 0)
          refuse(layer, function, "is used with sizes that are not numbers.");
        if (__builtin_add_overflow(sum, (*sizes)[i].get<int64_t>(), &sum))
          refuse(layer, function, "is used with sizes that are too large.");
        places.push_back(sum);
      }
      dict::set(config, "indices_or_sections", std::move(places));
    }
    return entry_of(layer, op, std::move(config), std::move(operands));
  }
  refuse(layer, function, "is not supported.");
}

}  // namespace cornu::saving
