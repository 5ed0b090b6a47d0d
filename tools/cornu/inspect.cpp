// The commands that look at a file: summary and check.
#include <cornu/framework/model/model.h>
#include <cornu/framework/saving/archive.h>
#include <cornu/framework/saving/json.h>

#include <cstdio>

#include "commands.h"

namespace cornu::cli {
namespace {

// What metadata.json says, as a sentence's part: "written by Keras 3.15.1 on 2026-01-31". It is for
// people only.
std::string origin(const std::string& path) {
  try {
    saving::ArchiveReader archive{std::filesystem::path(path)};
    if (!archive.has("metadata.json"))
      return "written by an unknown version: it has no metadata.json";
    const auto bytes = archive.read("metadata.json", 1 << 20);
    const std::string json(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Value metadata = saving::parse_json(json, "metadata.json");
    if (!metadata.is<Value::Dict>())
      return "written by an unknown version: its metadata.json is odd";
    auto text = [&](const char* key) {
      const Value* value = detail::find(metadata.get<Value::Dict>(), key);
      return value && value->is<std::string>() ? value->get<std::string>() : std::string("unknown");
    };
    return "file format of Keras " + text("keras_version") + ", saved " + text("date_saved");
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

void summary(const std::string& model_file) {
  std::fputs(load_model(model_file, false)->summary().c_str(), stdout);
}

bool check(const std::string& model_file) {
  const std::string from = origin(model_file);
  if (!from.empty()) std::printf("%s: %s\n", model_file.c_str(), from.c_str());
  try {
    const auto model = load_model(model_file);
    std::printf("loads: model '%s', %lld parameters in %zu weights, %s\n", model->name().c_str(),
                static_cast<long long>(model->count_params()), model->weights().size(),
                model->compiled() ? "compiled" : "not compiled");
    return true;
  } catch (const Error& e) {
    std::printf("does not load: %s\n", e.what());
    return false;
  }
}

}  // namespace cornu::cli
