// Files of a StepReplay.
#include "step_replay.h"

#include <bit>
#include <map>

#include "../io/npy_tensor.h"
#include "../ops/core/cast.h"

namespace cornu {
namespace {

// Arrays of NumPy have no type for bfloat16 and the like: they are written as float32.
io::NpyArray array_of(const std::string& name, const Tensor& t) {
  const bool known = t.dtype() != DType::bfloat16;
  return io::array_of(name, known ? t : ops::cast(t, DType::float32));
}

}  // namespace

bool StepReplay::exact() const {
  return same_update && std::bit_cast<uint64_t>(recorded) == std::bit_cast<uint64_t>(repeated);
}

void StepReplay::save(const std::string& path) const {
  std::vector<io::NpyArray> arrays;
  std::map<std::string, int> taken;
  const auto add = [&](const std::string& name, const Tensor& t) {
    if (!t) return;
    const int again = taken[name]++;
    arrays.push_back(array_of(again ? name + "_" + std::to_string(again) : name, t));
  };
  const auto add_nest = [&](const std::string& name, const Nest& nest) {
    for (const Tensor& t : nest.flatten()) add(name, t);
  };
  add_nest("x", batch.x);
  add_nest("y", batch.y);
  add_nest("sample_weight", batch.sample_weight);
  add("loss", Tensor(static_cast<float>(loss)));
  for (const auto& [kind, list] :
       {std::pair("activations/", &activations), std::pair("gradients/", &gradients),
        std::pair("weights/", &weights), std::pair("updated/", &updated)})
    for (const auto& [name, tensor] : *list) add(kind + name, tensor);
  io::write_npz(path, arrays);
}

}  // namespace cornu
