// Building layers: weights for the shapes that a layer is called with, and what files keep of
// those.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "../../backend/log.h"
#include "../dispatch/shape_tree.h"
#include "call_scope.h"
#include "located.h"
#include "nesting.h"

namespace cornu {

Nest specs_of(const Nest& inputs, bool may_be_missing) {
  return inputs.map([&](const Tensor& t) {
    if (!t && may_be_missing) return t;
    if (!t) throw ValueError("one of the inputs is None; expected tensors.");
    return Tensor::abstract(t.shape(), t.dtype());
  });
}

namespace {

// Lets one thread at a time build a layer. Each layer has a lock of its own while somebody builds
// it, since a user's build may call other models, and their first calls may wait for a build.
class BuildLock {
 public:
  explicit BuildLock(const Layer& layer) : layer_(&layer) {
    {
      const std::lock_guard lock(table().mutex);
      entry_ = &table().entries[layer_];
      // Counted under the table's lock, so that the entry lives while anybody waits for it.
      ++entry_->users;
    }
    entry_->mutex.lock();
  }
  ~BuildLock() {
    entry_->mutex.unlock();
    const std::lock_guard lock(table().mutex);
    if (--entry_->users == 0) table().entries.erase(layer_);
  }
  BuildLock(const BuildLock&) = delete;

 private:
  struct Entry {
    // A build may call the layer itself, to infer a shape.
    std::recursive_mutex mutex;
    int users = 0;
  };
  struct Table {
    std::mutex mutex;
    std::map<const Layer*, Entry> entries;
  };
  static Table& table() {
    static Table table;
    return table;
  }

  const Layer* layer_;
  Entry* entry_;
};

Value shapes(const Nest& inputs) {
  if (inputs.is_tensor()) {
    if (inputs.empty()) return {};
    Value::List list;
    for (int64_t size : inputs.tensor().shape())
      list.push_back(size == Shape::unknown ? Value() : Value(size));
    return list;
  }
  if (inputs.is_list()) {
    Value::List list;
    for (const Nest& n : inputs.list()) list.push_back(shapes(n));
    return list;
  }
  Value::Dict dict;
  for (const auto& [key, n] : inputs.entries()) dict.emplace_back(key, shapes(n));
  return dict;
}

Nest nest_of_shapes(const Value& v) {
  return tree::map_shape_structure(
             [](const Shape& shape) { return Tensor::abstract(shape, DType::float32); }, v)
      .nest();
}

// Makes unknown each axis whose size differs between two shapes, or nests of shapes. What was built
// for one shape may be called with more tensors behind the first, as a cell is with its states.
Value merge_shapes(const Value& a, const Value& b) {
  // The first shape of the list is the one that the layer was built for.
  if (tree::is_shape(a) && b.is<Value::List>() && !tree::is_shape(b))
    return merge_shapes(a, b.get<Value::List>()[0]);
  if (a.is<Value::List>() && b.is<Value::List>() &&
      a.get<Value::List>().size() == b.get<Value::List>().size()) {
    Value::List list;
    for (size_t i = 0; i < a.get<Value::List>().size(); ++i)
      list.push_back(merge_shapes(a.get<Value::List>()[i], b.get<Value::List>()[i]));
    return list;
  }
  if (a.is<Value::Dict>() && b.is<Value::Dict>()) {
    Value::Dict dict;
    for (const auto& [key, v] : a.get<Value::Dict>()) {
      const Value* other = detail::find(b.get<Value::Dict>(), key);
      dict.emplace_back(key, other ? merge_shapes(v, *other) : v);
    }
    return dict;
  }
  if (a.is<int64_t>() && b.is<int64_t>() && a.get<int64_t>() == b.get<int64_t>()) return a;
  return a.is<int64_t>() ? Value() : a;
}

}  // namespace

// ensure_built calls it for layers without weights of their own; who else does wants the layer
// built.
void Layer::build(const Shape& input_shape) {
  if (!building_) ensure_built(Tensor::abstract(input_shape, compute_dtype()));
}

void Layer::build_many(const Nest& inputs) {
  if (inputs.is_tensor()) build(inputs.tensor().shape());
}

void Layer::ensure_built(const Nest& inputs) {
  if (shapes_pending_) settle_build_shapes(inputs);
  if (built_) return;
  const BuildLock lock(*this);
  if (built_) return;  // by another thread meanwhile
  name();              // what is made up on demand is there before several threads ask for it
  note_path();
  // Weights outlive a recording under way, so they are made for real and unseen by it.
  const ComputeNow now;
  // Weights go between others, and an optimizer may be put in place of another: these are copied.
  std::vector<Variable> weights = weights_;
  std::vector<TrackedState> states = states_;
  const size_t trainable = trainable_weights_, tracked = tracked_.size(),
               seeds = seed_generators_.size(), metrics = metrics_.size();
  building_ = true;
  try {
    // Paths of the weights inside begin with this layer, whoever asked for the build.
    const CallScope scope(*this, {});
    build_many(specs_of(inputs, !input_spec_.empty()));
  } catch (...) {
    // A failed build leaves nothing behind: the next call may be right.
    weights_ = std::move(weights);
    trainable_weights_ = trainable;
    tracked_.resize(tracked);
    seed_generators_.resize(seeds);
    metrics_.resize(metrics);
    states_ = std::move(states);
    building_ = false;
    throw;
  }
  building_ = false;
  build_config_ = {{"input_shape", shapes(inputs)}};
  shapes_pending_ = inference_pass() == InferencePass::first;
  built_ = true;
  warn_untracked();
}

// A layer with weights that none of those around its call tracks is neither trained nor saved with
// them. Where somebody else holds it that may be meant.
void Layer::warn_untracked() const {
  const Layer* caller = nullptr;
  for (const Layer* outer : call_context().stack) {
    if (outer == this) continue;
    if (detail::is_or_has(*outer, *this)) return;
    if (twin() && detail::is_or_has(*outer, *twin())) return;
    caller = outer;
  }
  if (!caller || weights().empty()) return;
  warn_once(fmt::format(
      "Layer '{}' has weights, but '{}', which calls it, does not track it: they are neither "
      "trained nor saved with it. Write track(\"{}\", member) in the constructor of its class.",
      name(), caller->name(), name()));
}

// The dtypes of a layer whose policy is a map depend on its path, which files and Keras take to be
// the layer's place in the call that built it.
void Layer::note_path() {
  if (!policy_.is_map()) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (built_path_.empty()) built_path_ = path();
}

// A layer that was built on stand-ins learns from their second sizes which axes are unknown; one
// whose `build` was called directly, from its first inputs.
void Layer::settle_build_shapes(const Nest& inputs) {
  const BuildLock lock(*this);
  const InferencePass pass = inference_pass();
  if (build_config_.empty())
    build_config_ = {{"input_shape", shapes(inputs)}};
  else if (pass == InferencePass::second)
    build_config_ = {{"input_shape", merge_shapes(build_config_[0].second, shapes(inputs))}};
  shapes_pending_ = pass == InferencePass::first;
}

void Layer::build_from_config(const Value::Dict& config) {
  const Value* shape = detail::find(config, "input_shape");
  if (!shape || shape->is_null()) return;
  CallScope scope(*this, {});
  located(*this, [&] { ensure_built(nest_of_shapes(*shape)); });
}

}  // namespace cornu
