// The command check: does a file load, and if not, what is in the way and what helps?
#include <cornu/framework/config/json.h>
#include <cornu/framework/io/archive.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/model/model.h>
#include <cornu/framework/saving/keras_file.h>

#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "models.h"

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;
using saving::FileKind;

std::string metadata_of(const std::string& json) {
  const Value metadata = cornu::parse_json(json, "metadata.json");
  if (!metadata.is<Value::Dict>()) return "written by an unknown version: its metadata.json is odd";
  auto text = [&](const char* key) {
    const Value* value = detail::find(metadata.get<Value::Dict>(), key);
    return value && value->is<std::string>() ? value->get<std::string>() : std::string("unknown");
  };
  return "file format of Keras " + text("keras_version") + ", saved " + text("date_saved");
}

// Which Keras wrote the file, as part of a sentence. It is for people only.
std::string origin(const std::string& path, FileKind kind) {
  try {
    if (kind == FileKind::archive) {
      io::ArchiveReader archive{fs::path(path)};
      if (!archive.has("metadata.json"))
        return "written by an unknown version: it has no metadata.json";
      const auto bytes = archive.read("metadata.json", 1 << 20);
      return metadata_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    if (kind == FileKind::folder) return metadata_of(read_text(path + "/metadata.json"));
    if (kind == FileKind::legacy_model || kind == FileKind::legacy_weights) {
      const io::H5Reader file{fs::path(path)};
      for (const char* group : {"", "model_weights"})
        if (file.is_group(group) && file.has_attribute(group, "keras_version"))
          return "written by Keras " + file.string_attribute(group, "keras_version");
    }
  } catch (const Error&) {
  }
  return "";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

// What helps against an error of this text.
std::string advice(const std::string& error) {
  struct Row {
    const char* part;
    const char* advice;
  };
  static constexpr Row rows[] = {
      {"compile_config cannot be used",
       "load it with load_model(path, false) and compile it in C++."},
      {"is not registered",
       "write the class in C++ and register it with CORNU_REGISTER, in the program that loads the "
       "file. (This command knows Keras's own classes only.)"},
      {"Python code", "name the function in Python and register the same name in C++."},
      {"Cornu has no class",
       "replace the layer in Python by one that Cornu has, or write it in C++ and register it."},
      {"is not supported", "replace that layer or option in Python, and save the model again."},
      {"unknown option",
       "the file is newer than Cornu, or was edited. Take the option out of the config."},
      {"CRC-32", "the file was damaged on its way. Copy it again."},
      {"truncated", "the file is not complete. Copy it again, or save it again."},
      {"weights of", "the config and the weights are not of the same model. Save the model again."},
      {"refused",
       "the file is built in a way that could do harm, and Keras does not write such files. Do not "
       "use it."},
  };
  for (const Row& row : rows)
    if (contains(error, row.part)) return row.advice;
  return "";
}

bool report(const std::string& error) {
  std::printf("does not load: %s\n", error.c_str());
  if (const std::string text = advice(error); !text.empty())
    std::printf("what to do: %s\n", text.c_str());
  return false;
}

void print_loaded(const Model& model, const char* how = "") {
  std::printf("loads%s: model '%s', %lld parameters in %zu weights, %s\n", how,
              model.name().c_str(), static_cast<long long>(model.count_params()),
              model.weights().size(), model.compiled() ? "compiled" : "not compiled");
}

}  // namespace

bool check(const std::string& file, const std::string& model_file) {
  const FileKind kind = saving::kind_of(file);
  std::printf("%s: %s\n", file.c_str(), saving::describe(kind).c_str());
  if (const std::string from = origin(file, kind); !from.empty())
    std::printf("%s: %s\n", file.c_str(), from.c_str());
  try {
    if (!model_file.empty()) {
      const auto model =
          kind == FileKind::model_json || saving::kind_of(model_file) != FileKind::model_json
              ? load_model(model_file, false)
              : model_from_json(read_text(model_file));
      model->load_weights(file);
      print_loaded(*model);
      return true;
    }
    if (holds_weights_alone(kind)) {
      std::printf("holds weights alone: give the model with --model to see whether they fit.\n");
      if (kind == FileKind::shard_map) return true;
      const io::H5Reader reader{fs::path(file)};
      return true;
    }
    if (kind == FileKind::model_json) {
      print_loaded(*model_from_json(read_text(file)));
      return true;
    }
  } catch (const Error& e) {
    return report(e.what());
  }
  try {
    print_loaded(*load_model(file));
    return true;
  } catch (const Error& e) {
    const std::string error = e.what();
    if (contains(error, "compile_config cannot be used")) {
      try {
        print_loaded(*load_model(file, false), " without compile");
      } catch (const Error&) {
      }
    }
    return report(error);
  }
}

}  // namespace cornu::cli
