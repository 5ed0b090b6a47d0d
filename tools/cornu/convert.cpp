// The command convert: a model in another of Keras's forms.
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/saving/keras_file.h>

#include <cstdio>
#include <filesystem>
#include <span>

#include "commands.h"
#include "models.h"

namespace cornu::cli {

void convert(const std::string& in, const std::string& out, double shard_size) {
  const auto model = open_model(in, "", true);
  const std::string extension = std::filesystem::path(out).extension().string();
  if (out.ends_with(".weights.h5")) {
    saving::save_weights(*model, out);
  } else if (out.ends_with(".weights.json")) {
    saving::save_weights(*model, out, {.max_shard_size = shard_size > 0 ? shard_size : 5.0});
  } else if (out.ends_with(".json")) {
    const std::string json = model->to_json();
    io::write_file(out, std::as_bytes(std::span(json.data(), json.size())));
  } else if (out.ends_with("/") || extension.empty()) {
    saving::save_model(*model, out, {.zipped = false});
  } else {
    saving::save_model(*model, out);
  }
  std::printf("wrote %s: %s\n", out.c_str(), saving::describe(saving::kind_of(out)).c_str());
}

}  // namespace cornu::cli
