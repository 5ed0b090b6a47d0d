// Opening models, listing their layers, figures of their weights.
#include "models.h"

#include <cornu/framework/base/class_of.h>
#include <cornu/framework/config/configurable.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "commands.h"

namespace cornu::cli {
namespace {

// Numbers without a pattern, the same on every machine: floats in [-1, 1), integers 0 or 1, one
// of two texts.
Tensor probe(const Tensor& spec, int64_t batch_size, uint64_t seed) {
  Shape shape = spec.shape();
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == Shape::unknown) shape[axis] = axis == 0 ? batch_size : 8;
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  for (double& v : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double uniform = static_cast<double>(seed >> 11) / 9007199254740992.0;
    v = is_float(spec.dtype()) ? uniform * 2 - 1 : std::floor(uniform * 2);
  }
  if (spec.dtype() == DType::string) {
    std::vector<std::string> texts;
    for (const double v : values) texts.push_back(v == 0 ? "a" : "b c");
    return Tensor::strings(texts, shape);
  }
  const Tensor exact = Tensor::from(values, shape);
  Variable cast(Tensor::empty(shape, spec.dtype()));
  cast.assign(exact);
  return cast.value();
}

}  // namespace

Nest probe_inputs(const Model& model, int64_t batch_size, uint64_t seed) {
  return model.input_spec().map([&](const Tensor& t) { return probe(t, batch_size, seed++); });
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::shared_ptr<Model> open_model(const std::string& file, const std::string& model_file,
                                  bool compile) {
  const auto open = [&](const std::string& path) {
    return saving::kind_of(path) == saving::FileKind::model_json ? model_from_json(read_text(path))
                                                                 : load_model(path, compile);
  };
  if (model_file.empty()) return open(file);
  auto model = open(model_file);
  model->load_weights(file);
  return model;
}

bool holds_weights_alone(saving::FileKind kind) {
  return kind == saving::FileKind::weights || kind == saving::FileKind::legacy_weights ||
         kind == saving::FileKind::shard_map;
}

void require_model(const std::string& file, const std::string& model_file) {
  const saving::FileKind kind = saving::kind_of(file);
  if (holds_weights_alone(kind) && model_file.empty())
    throw UsageError(
        fmt::format("'{}' is {}: give its model with --model.", file, saving::describe(kind)));
}

std::shared_ptr<Model> open_to_run(const std::string& model_file, const std::string& weights_file,
                                   FreshWeights fresh, bool compile) {
  const saving::FileKind kind = saving::kind_of(model_file);
  if (holds_weights_alone(kind))
    throw UsageError(
        fmt::format("'{}' is {}: give the model in its place, and this with --weights.", model_file,
                    saving::describe(kind)));
  if (!weights_file.empty()) return open_model(weights_file, model_file, compile);
  if (kind == saving::FileKind::model_json && fresh == FreshWeights::refused)
    throw UsageError(
        fmt::format("'{}' is {}, which has no weights: give them with --weights FILE "
                    "(.weights.h5, .weights.json, .h5 or .keras).",
                    model_file, saving::describe(kind)));
  return open_model(model_file, "", compile);
}

std::vector<PlacedLayer> layers_of(const Model& model) {
  std::vector<PlacedLayer> result;
  const std::function<void(const Layer&, const std::string&)> visit = [&](const Layer& layer,
                                                                          const std::string& path) {
    for (const auto& inside : layer.sublayers()) {
      const bool seen = std::any_of(result.begin(), result.end(),
                                    [&](const PlacedLayer& p) { return p.layer == inside; });
      if (seen) continue;
      result.push_back({path + inside->name(), class_of(*inside), inside});
      visit(*inside, path + inside->name() + "/");
    }
  };
  visit(model, "");
  return result;
}

Statistics statistics_of(const Tensor& tensor) {
  const std::vector<double> values = tensor.to_vector<double>();
  Statistics s{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 0,
               0, 0};
  size_t count = 0;
  double sum = 0, squares = 0;
  for (double v : values) {
    if (!std::isfinite(v)) {
      ++s.not_finite;
      continue;
    }
    s.least = std::min(s.least, v);
    s.most = std::max(s.most, v);
    sum += v;
    ++count;
  }
  if (count == 0) return {0, 0, 0, 0, s.not_finite};
  s.mean = sum / static_cast<double>(count);
  for (double v : values)
    if (std::isfinite(v)) squares += (v - s.mean) * (v - s.mean);
  s.deviation = std::sqrt(squares / static_cast<double>(count));
  return s;
}

}  // namespace cornu::cli
