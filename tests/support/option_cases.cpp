// Reading cases of options and comparing with them.
#include "option_cases.h"

#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/model/model.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include <regex>

#include "../catch.h"
#include "golden_json.h"
#include "layer_check.h"
#include "temporary.h"

namespace cornu::test {

Tensor option_numbers(const Shape& shape, int64_t salt, DType dtype, int64_t below) {
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  for (size_t k = 0; k < values.size(); ++k) {
    const auto i = static_cast<int64_t>(k);
    const int64_t n = (i * 37 + salt * 101 + (i * i % 53) * 11) % 199;
    values[k] = is_float(dtype) ? static_cast<double>(n - 99) / 50 : static_cast<double>(n % below);
  }
  return ops::cast(Tensor::from(values, shape), dtype);
}

namespace {

Shape shape_of(const Value& v) { return Shape(detail::from_value<std::vector<int64_t>>(v)); }

int64_t number(const Value& dict, const std::string& key, int64_t missing) {
  const Value* v = find_entry(dict, key);
  return v ? v->get<int64_t>() : missing;
}

// One case, and the layers and calls that it asks for.
class OptionCase {
 public:
  explicit OptionCase(const Value& recorded) : recorded_(recorded) {
    for (const Value& v : entry(recorded, "inputs").get<Value::List>()) {
      const Value* dtype = find_entry(v, "dtype");
      inputs_.push_back(option_numbers(shape_of(entry(v, "shape")), number(v, "salt", 0),
                                       dtype ? detail::from_value<DType>(*dtype) : DType::float32,
                                       number(v, "below", 2)));
    }
    if (const Value* list = find_entry(recorded, "masks")) masks_ = golden_tensors(*list);
    if (const Value* training = find_entry(recorded, "training"))
      call_.training = training->get<bool>();
    if (const Value* arguments = find_entry(recorded, "arguments"))
      for (const auto& [name, v] : arguments->get<Value::Dict>()) {
        if (name == "mask" && v.is<Value::Dict>())
          call_.mask = golden_tensor(v);
        else if (name == "mask")
          masks_ = golden_tensors(v);
        else if (v.is<Value::List>())
          call_.extra.emplace_back(name, Value(Nest(golden_tensors(v))));
        else
          call_.extra.emplace_back(name, v.is<Value::Dict>() ? Value(golden_tensor(v)) : v);
      }
    single_ = find_entry(recorded, "single") != nullptr;
    calls_ = number(recorded, "calls", 1);
    bits16_ = false;
    for (const Tensor& t : outputs())
      if (is_float(t.dtype()) && size_of(t.dtype()) < 4) bits16_ = true;
  }

  std::vector<Tensor> outputs() const { return golden_tensors(entry(recorded_, "outputs")); }
  double tolerance() const { return bits16_ ? 2e-2 : 5e-5; }
  bool random() const { return call_.is_training(); }

  // The inputs with their masks, in what the layer is called on.
  Nest pack(std::vector<Tensor> tensors) const {
    for (size_t i = 0; i < masks_.size(); ++i)
      if (masks_[i]) tensors[i] = tensors[i].with_mask(masks_[i]);
    return single_ ? Nest(tensors[0]) : Nest(Nest::List(tensors.begin(), tensors.end()));
  }

  std::shared_ptr<Layer> make(const Value& config) const {
    auto layer = std::dynamic_pointer_cast<Layer>(deserialize(config));
    REQUIRE(layer);
    layer->ensure_built(pack(inputs_));
    if (find_entry(recorded_, "own_weights")) return layer;
    const int64_t salt = number(recorded_, "weights", 0);
    const Value* scale_entry = find_entry(recorded_, "scale");
    const double scale = scale_entry ? scale_entry->number() : 0.25;
    std::vector<Tensor> values;
    for (const Variable& w : layer->weights()) {
      const auto k = static_cast<int64_t>(values.size());
      Tensor value = ops::cast(option_numbers(w.shape(), salt + k), DType::float64) * Tensor(scale);
      if (w.path().find("variance") != std::string::npos ||
          w.path().find("stddev") != std::string::npos)
        value = ops::absolute(value) + Tensor(0.5);
      values.push_back(ops::cast(ops::cast(value, DType::float32), w.dtype()));
    }
    layer->set_weights(values);
    return layer;
  }
  std::shared_ptr<Layer> make() const { return make(entry(recorded_, "layer")); }

  std::vector<Tensor> run(Layer& layer, const std::vector<Tensor>& tensors) const {
    return layer(pack(tensors), call_).flatten();
  }
  // After the calls before the one that is recorded.
  std::shared_ptr<Layer> prepared(const Value& config) const {
    const auto layer = make(config);
    for (int64_t i = 1; i < calls_; ++i) run(*layer, inputs_);
    layer->clear_losses();
    return layer;
  }

  void check() const {
    check_values();
    check_config();
    check_shapes();
    check_graph();
    check_compiled();
    check_paths();
    check_policies();
  }

 private:
  void compare(const char* what, const std::vector<Tensor>& found,
               const std::vector<Tensor>& expected, double tolerance) const {
    INFO(what);
    REQUIRE(found.size() == expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      INFO("number " << i << ", expected " << (expected[i] ? expected[i].str() : "none")
                     << "\nfound " << (found[i] ? found[i].str() : "none"));
      if (!expected[i]) {
        CHECK_FALSE(found[i]);
        continue;
      }
      // No gradient at all is one of zeros.
      CHECK(difference(found[i] ? found[i] : expected[i] * Tensor(0.0), expected[i]) < tolerance);
      if (found[i]) CHECK(found[i].dtype() == expected[i].dtype());
    }
  }
  void compare_entry(const char* what, const std::vector<Tensor>& found, double tolerance) const {
    const Value* list = find_entry(recorded_, what);
    compare(what, found, list ? golden_tensors(*list) : std::vector<Tensor>(found.size()),
            tolerance);
  }

  void check_values() const {
    const auto layer = prepared(entry(recorded_, "layer"));
    GradientTape tape({.persistent = true});
    std::vector<Tensor> inputs = inputs_, floats;
    for (const Tensor& x : inputs)
      if (is_float(x.dtype())) {
        tape.watch(x);
        floats.push_back(x);
      }
    const std::vector<Tensor> outputs = run(*layer, inputs), losses = layer->losses();
    Tensor loss(0.0);
    const int64_t salt = number(recorded_, "cotangents", 0);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const DType dtype = outputs[i].dtype() == DType::float64 ? DType::float64 : DType::float32;
      const Tensor cotangent =
          ops::cast(option_numbers(outputs[i].shape(), salt + static_cast<int64_t>(i)), dtype);
      loss = loss + ops::sum(ops::cast(outputs[i], dtype) * cotangent);
    }
    for (const Tensor& l : losses) loss = loss + l;
    tape.stop();
    compare("outputs", outputs, this->outputs(), tolerance());
    std::vector<Tensor> masks;
    for (const Tensor& y : outputs) masks.push_back(y.mask());
    compare_entry("output_masks", masks, 1e-6);
    if (find_entry(recorded_, "losses"))
      compare_entry("losses", losses, tolerance());
    else
      CHECK(losses.empty());
    if (find_entry(recorded_, "state_after")) {
      std::vector<Tensor> state;
      for (const Variable& v : layer->non_trainable_weights()) state.push_back(v.value());
      compare_entry("state_after", state, tolerance());
    }
    if (!find_entry(recorded_, "weight_gradients")) return;
    compare_entry("weight_gradients", tape.gradient(loss, layer->trainable_variables()),
                  2 * tolerance());
    compare_entry("input_gradients", tape.gradient(loss, floats), 2 * tolerance());
  }

  void check_config() const {
    INFO("made again from its config");
    const auto layer = make();
    const Value config = serialize(*layer);
    const auto copy = prepared(config);
    std::string where;
    same(serialize(*copy), config, where);
    CHECK(where.empty());
    compare("outputs", run(*copy, inputs_), outputs(), tolerance());
  }

  // Without values, with a batch of unknown size where the layer takes one.
  void check_shapes() const {
    if (!call_.extra.empty()) return;  // compute_output_spec takes no arguments
    INFO("inferred shapes");
    const auto layer = make();
    const std::vector<Tensor> expected = outputs();
    for (const bool known : {true, false}) {
      if (!known && find_entry(recorded_, "fixed_batch")) continue;
      std::vector<Tensor> specs;
      for (const Tensor& x : inputs_) {
        Shape shape = x.shape();
        if (!known) shape[0] = Shape::unknown;
        specs.push_back(Tensor::abstract(shape, x.dtype()));
      }
      const Nest nest = single_ ? Nest(specs[0]) : Nest(Nest::List(specs.begin(), specs.end()));
      const std::vector<Tensor> found = layer->compute_output_spec(nest).flatten();
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        Shape shape = expected[i].shape();
        if (!known) shape[0] = Shape::unknown;
        CHECK(found[i].shape() == shape);
        CHECK(found[i].dtype() == expected[i].dtype());
      }
    }
    if (single_ && expected.size() == 1)
      CHECK(layer->compute_output_shape(inputs_[0].shape()) == expected[0].shape());
    if (!find_entry(recorded_, "fixed_batch")) check_symbolic_build(*layer);
    if (const Value* unknown = find_entry(recorded_, "unknown_axes")) check_unknown_axes(*unknown);
  }

  // A layer that a symbolic call builds computes what one built by values does.
  void check_symbolic_build(const Layer& built) const {
    INFO("built by a symbolic call");
    const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded_, "layer")));
    Nest::List symbols;
    for (const Tensor& x : inputs_)
      symbols.push_back(Input({.shape = x.shape().slice(1), .dtype = x.dtype()}));
    (*layer)(single_ ? symbols[0] : Nest(symbols));
    CHECK(layer->built());
    layer->set_weights(built.get_weights());
    for (int64_t i = 1; i < calls_; ++i) run(*layer, inputs_);
    compare("outputs", run(*layer, inputs_), outputs(), tolerance());
  }

  // All axes unknown but that of the channels.
  void check_unknown_axes(const Value& expected) const {
    INFO("of unknown axes");
    const auto layer = make();
    const bool first =
        to_json(entry(recorded_, "layer")).find("channels_first") != std::string::npos;
    Nest::List specs;
    for (const Tensor& x : inputs_) {
      Shape shape = x.shape();
      const int kept = first ? 1 : shape.rank() - 1;
      for (int i = 0; i < shape.rank(); ++i)
        if (i != kept) shape[i] = Shape::unknown;
      specs.push_back(Tensor::abstract(shape, x.dtype()));
    }
    Shape shape(detail::from_value<std::vector<int64_t>>(expected));
    for (int i = 0; i < shape.rank(); ++i)
      if (shape[i] == -1) shape[i] = Shape::unknown;
    Shape found;
    CHECK_NOTHROW(
        found =
            layer->compute_output_spec(single_ ? specs[0] : Nest(specs)).flatten().at(0).shape());
    CHECK(found == shape);
  }

  void check_graph() const {
    if (find_entry(recorded_, "fixed_batch") || !masks_.empty() || call_.mask || calls_ > 1) return;
    INFO("in a graph");
    const auto layer = make();
    Call call = call_;
    call.training = {};
    std::vector<Tensor> symbols;
    for (const Tensor& x : inputs_)
      symbols.push_back(call_.extra.empty()
                            ? Input({.shape = x.shape().slice(1), .dtype = x.dtype()})
                            : Input({.dtype = x.dtype(), .batch_shape = x.shape()}));
    const Nest all(Nest::List(symbols.begin(), symbols.end()));
    Functional model(all, (*layer)(single_ ? Nest(symbols[0]) : all, call));
    const Nest given(Nest::List(inputs_.begin(), inputs_.end()));
    const auto state = model.get_weights();
    compare("outputs of a model", model(given, {.training = call_.training}).flatten(), outputs(),
            tolerance());
    const auto copy = model_from_json(model.to_json());
    copy->set_weights(state);
    compare("outputs of a model from JSON", (*copy)(given, {.training = call_.training}).flatten(),
            outputs(), tolerance());
    const TemporaryFolder folder;
    model.set_weights(state);
    model.save((folder / "m.keras").string());
    const auto loaded = load_model((folder / "m.keras").string());
    compare("outputs of a model from a file",
            (*loaded)(given, {.training = call_.training}).flatten(), outputs(), tolerance());
  }

  void check_compiled() const {
    if (find_entry(recorded_, "eager_only")) return;
    INFO("compiled");
    const auto layer = prepared(entry(recorded_, "layer"));
    const auto plain = prepared(entry(recorded_, "layer"));
    Function f([&](const Nest& x) { return Nest(run(*layer, x.flatten())); });
    const Nest given(Nest::List(inputs_.begin(), inputs_.end()));
    for (int i = 0; i < 3; ++i) {
      const std::vector<Tensor> expected = run(*plain, inputs_);
      const std::vector<Tensor> found = f(given).flatten();
      REQUIRE(found.size() == expected.size());
      for (size_t k = 0; k < found.size(); ++k)
        CHECK(difference(found[k], expected[k]) < tolerance());
    }
    CHECK(f.report().replays == 1);
  }

  void check_paths() const {
    const Value* paths = find_entry(recorded_, "paths");
    if (!paths) return;
    const auto layer = make();
    std::vector<std::string> found;
    for (const Variable& w : layer->weights()) found.push_back(without_numbers(w.path()));
    CHECK(found == detail::from_value<std::vector<std::string>>(*paths));
  }
  // "dense_1/kernel" without the number that makes a name of Keras's unique.
  static std::string without_numbers(const std::string& path) {
    return std::regex_replace(path, std::regex("_[0-9]+(?=/)"), "");
  }

  // In float64 the same but for rounding, and in mixed 16 bits nearly so.
  void check_policies() const {
    for (const char* name : {"float64", "mixed_bfloat16"}) {
      const bool wide = std::string(name) == "float64";
      // Draws have the bits of their dtype.
      if (bits16_ || random() || find_entry(recorded_, "own_weights") ||
          find_entry(recorded_, "one_policy") || call_.find("reverse"))
        continue;
      if (to_json(entry(recorded_, "layer")).find("DTypePolicy") != std::string::npos) continue;
      INFO("under the policy " << name);
      const PolicyScope policy(name);
      const auto layer = prepared(entry(recorded_, "layer"));
      const std::vector<Tensor> expected = outputs(), found = run(*layer, inputs_);
      REQUIRE(found.size() == expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        INFO("number " << i << ", expected " << expected[i].str() << "\nfound " << found[i].str());
        if (is_float(expected[i].dtype()))
          CHECK(found[i].dtype() == (wide ? DType::float64 : DType::bfloat16));
        CHECK(difference(found[i], expected[i]) < (wide ? 5e-5 : 0.1));
      }
      for (const Variable& w : layer->weights())
        if (is_float(w.dtype())) CHECK(w.dtype() == (wide ? DType::float64 : DType::float32));
    }
  }

  const Value& recorded_;
  std::vector<Tensor> inputs_, masks_;
  Call call_;
  bool single_ = false, bits16_ = false;
  int64_t calls_ = 1;
};

}  // namespace

void check_options(const std::string& file, const std::string& prefix, int count) {
  int found = 0;
  const Value all = golden_file(file);
  for (const Value& recorded : all.get<Value::List>()) {
    const std::string name = entry(recorded, "name").get<std::string>();
    if (!name.starts_with(prefix)) continue;
    ++found;
    DYNAMIC_SECTION(name) { OptionCase(recorded).check(); }
  }
  CHECK(found >= count);
}

}  // namespace cornu::test
