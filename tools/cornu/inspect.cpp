// The commands that show a model: summary and inspect.
#include <cstdio>

#include "commands.h"
#include "models.h"

namespace cornu::cli {

void summary(const std::string& model_file) { open_model(model_file)->summary(); }

void inspect(const std::string& file, const std::string& model_file) {
  require_model(file, model_file);
  const auto model = open_model(file, model_file);
  std::printf("%s: %s\nmodel '%s', %lld parameters\n", file.c_str(),
              saving::describe(saving::kind_of(file)).c_str(), model->name().c_str(),
              static_cast<long long>(model->count_params()));
  for (const PlacedLayer& placed : layers_of(*model)) {
    std::printf("%s (%s)%s\n", placed.path.c_str(), placed.class_name.c_str(),
                placed.layer->trainable() ? "" : ", frozen");
    for (const Variable& v : placed.layer->own_weights()) {
      const Statistics s = statistics_of(v.value());
      std::printf("  %-20s %s %-16s min %-11.4g max %-11.4g mean %-11.4g std %-10.4g%s%s\n",
                  v.name().c_str(), std::string(dtype_name(v.dtype())).c_str(),
                  v.shape().str().c_str(), s.least, s.most, s.mean, s.deviation,
                  v.trainable() ? "" : " not trained",
                  s.not_finite ? (" " + std::to_string(s.not_finite) + " not finite").c_str() : "");
    }
  }
}

}  // namespace cornu::cli
