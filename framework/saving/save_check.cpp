// Loading without weights.
#include "save_check.h"

#include <fmt/core.h>

#include "../config/loading.h"
#include "../ops/random/seed.h"
#include "../tensor/recorder.h"

namespace cornu::saving {

void check_loads(const Model& model, const std::function<void()>& load) {
  std::vector<Tensor> weights;
  uint64_t bytes = 0;
  for (const Variable& v : model.weights()) {
    weights.push_back(v.stored());
    bytes += v.stored().bytes();
  }
  const auto refuse = [&](const char* why) {
    throw StateError(
        fmt::format("save: model '{}' is not written, because its file could not be loaded: {}",
                    model.name(), why));
  };
  // What is made here must leave no trace: not in what is being recorded, nor in the stream of
  // seeds.
  const PauseRecording pause;
  const random::StillScope still;
  const LoadingScope lent(2 * bytes + (uint64_t{1} << 20), weights);
  try {
    load();
  } catch (const std::exception& e) {
    refuse(e.what());
  }
}

}  // namespace cornu::saving
