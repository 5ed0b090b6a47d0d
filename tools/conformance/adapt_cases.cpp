// Cases of layers that learn something from data before they are used.
#include <cornu/framework/data/adapt.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/numpy/manipulation.h>
#include <cornu/framework/ops/operators.h>
#include <fmt/core.h>

#include "case.h"

namespace cornu::conformance {
namespace {

// A statistic with the axes of size 1 that Keras gives it.
Tensor like(const Tensor& statistic, const Tensor& recorded) {
  return statistic.size() == recorded.size() ? ops::reshape(statistic, recorded.shape())
                                             : statistic;
}

// Words as a list of texts, integers as one of numbers.
Value list_of(const Tensor& vocabulary) {
  if (vocabulary.dtype() == DType::string) return vocabulary.to_strings();
  return vocabulary.to_vector<int64_t>();
}

}  // namespace

void check_adapt(Case& c) {
  const auto object = deserialize(entry(c.spec, "object"));
  const auto layer = std::dynamic_pointer_cast<Adaptable>(object);
  if (!layer) throw UnsupportedError("this layer does not adapt to data");
  const Inputs inputs = c.inputs();
  for (const Value& call : entry(c.spec, "adapt").get<Value::List>())
    layer->adapt(detail::from_value<Tensor>(decode(call, inputs).get<Value::List>().at(0)));
  const std::vector<Tensor> found = layer->statistics();
  if (const Value* vocabulary = find(c.spec, "vocabulary"))
    c.differences.compare("vocabulary", list_of(found.at(0)), *vocabulary, c.tolerance());
  for (const auto& [number, recorded] : c.file.numbered(c.name, "out"))
    c.differences.compare(fmt::format("out/{}", number),
                          like(found.at(static_cast<size_t>(number)), recorded.get<Tensor>()),
                          recorded, c.tolerance());
}

}  // namespace cornu::conformance
