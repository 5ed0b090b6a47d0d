// Layers around layers.
#include "wrapper.h"

namespace cornu::layers {

Nest WrapperLayer::call_many(const Nest&, const Call&) {
  throw UnsupportedError(
      "Wrapper is abstract and computes nothing. Use TimeDistributed or Bidirectional, or derive a "
      "layer of your own from WrapperOf.");
}

void register_wrapper(Catalog& c) { c.add<WrapperLayer>("keras.layers.Wrapper"); }

}  // namespace cornu::layers

namespace cornu::detail {

Value OptionCodec<AnyLayer>::encode(const AnyLayer& v) {
  Value::Dict entry = serialize(*v.shared()).get<Value::Dict>();
  if (!v->get_build_config().empty()) entry.emplace_back("build_config", v->get_build_config());
  return entry;
}

AnyLayer OptionCodec<AnyLayer>::decode(const Value& v) {
  const std::shared_ptr<Configurable> object = deserialize(v);
  const auto layer = std::dynamic_pointer_cast<Layer>(object);
  if (!layer) wrong_kind(Layer::module, *object);
  const Value* build = find(v.get<Value::Dict>(), "build_config");
  if (build && build->is<Value::Dict>() && !layer->built())
    layer->build_from_config(build->get<Value::Dict>());
  return layer;
}

}  // namespace cornu::detail

template class cornu::LayerOf<cornu::layers::WrapperLayer, cornu::layers::WrapperConfig>;
