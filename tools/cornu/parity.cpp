// The command parity: a model's layers here and in Python's Keras, one after the other.
#include <cornu/framework/base/call_scope.h>
#include <cornu/framework/config/json.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "arrays.h"
#include "commands.h"
#include "models.h"
#include "parity_script.h"

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

// One call of a layer: its place among the models, and what it returned.
struct LayerCall {
  std::string path;
  std::string class_name;
  std::vector<Tensor> outputs;
};

// Keeps the outputs of all layers that models call. What layers call inside themselves (a cell, a
// wrapped layer) is their own affair.
class CallRecorder : public LayerObserver {
 public:
  CallRecorder() { call_context().observer = this; }
  ~CallRecorder() override { call_context().observer = nullptr; }
  CallRecorder(const CallRecorder&) = delete;
  CallRecorder& operator=(const CallRecorder&) = delete;

  void after(Layer& layer, const Nest& outputs) override {
    std::string path;
    const auto& stack = call_context().stack;
    size_t count = stack.size();
    if (count > 0 && stack[count - 1] == &layer) --count;
    for (size_t i = 0; i < count; ++i) {
      if (!dynamic_cast<const Model*>(stack[i])) return;
      if (i > 0) path += stack[i]->name() + "/";
    }
    path += layer.name();
    if (const int calls = ++calls_[path]; calls > 1) path += "#" + std::to_string(calls);
    this->calls.push_back({path, layer.base_name(), outputs.flatten()});
  }

  std::vector<LayerCall> calls;

 private:
  std::map<std::string, int> calls_;
};

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "cornu-parity-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw FileError("No temporary folder can be made at " + pattern + ".");
    path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  fs::path path;
};

// For the shell, as one word.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

// How the tensors are nested, with their numbers in place of them.
Value structure_of(const Nest& nest, Arrays& arrays) {
  if (nest.is_dict()) {
    Value::Dict dict;
    for (const auto& [key, inside] : nest.entries())
      dict.emplace_back(key, structure_of(inside, arrays));
    return dict;
  }
  if (nest.is_list()) {
    Value::List list;
    for (const Nest& inside : nest.list()) list.push_back(structure_of(inside, arrays));
    return list;
  }
  arrays.emplace_back(std::to_string(arrays.size()), nest.tensor());
  return static_cast<int64_t>(arrays.size() - 1);
}

// The end of a program's output, for errors.
std::string last_lines(const std::string& text) {
  constexpr size_t most = 1500;
  std::string tail = text.size() > most ? "..." + text.substr(text.size() - most) : text;
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  return tail;
}

void run_python(const std::string& python, const std::string& model_file,
                const TemporaryFolder& folder) {
  std::ofstream(folder / "parity.py") << parity_script;
  const std::string log = folder / "log";
  const std::string command =
      quoted(python) + " " + quoted(folder / "parity.py") + " " + quoted(folder.path.string()) +
      " " + quoted(fs::absolute(model_file).string()) + " >" + quoted(log) + " 2>&1 </dev/null";
  const int outcome = std::system(command.c_str());
  const int status = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
  if (status == 0) return;
  const std::string text = last_lines(read_text(log));
  if (status == 126 || status == 127)
    throw FileError("'" + python + "' cannot be run. Give a Python that has Keras 3 by --python.");
  if (status == 3) throw FileError("'" + python + "' is no Python with Keras 3: " + text);
  throw StateError("Keras in '" + python + "' cannot run '" + model_file + "':\n" + text);
}

std::vector<LayerCall> keras_calls(const TemporaryFolder& folder, std::string& version) {
  const Value report = cornu::parse_json(read_text(folder / "layers.json"), "layers.json");
  const auto& dict = report.get<Value::Dict>();
  version = detail::find(dict, "keras")->get<std::string>() + " on " +
            detail::find(dict, "backend")->get<std::string>();
  const Arrays arrays = read_arrays(folder / "outputs.npz");
  std::vector<LayerCall> calls;
  for (const Value& entry : detail::find(dict, "layers")->get<Value::List>()) {
    const auto& layer = entry.get<Value::Dict>();
    LayerCall call{detail::find(layer, "path")->get<std::string>(),
                   detail::find(layer, "class_name")->get<std::string>(),
                   {}};
    const int64_t outputs = detail::find(layer, "outputs")->get<int64_t>();
    for (int64_t i = 0; i < outputs; ++i)
      call.outputs.push_back(*find(arrays, std::to_string(calls.size()) + "_" + std::to_string(i)));
    calls.push_back(std::move(call));
  }
  return calls;
}

// The largest error of a call's outputs, and the same relative to the largest value expected; or
// what makes them incomparable.
struct Divergence {
  double error = 0, relative = 0;
  std::string reason;
};

Divergence compare(const LayerCall& here, const LayerCall& there) {
  Divergence result;
  if (here.outputs.size() != there.outputs.size()) {
    result.reason = std::to_string(here.outputs.size()) + " outputs here, " +
                    std::to_string(there.outputs.size()) + " in Keras";
    return result;
  }
  for (size_t i = 0; i < here.outputs.size(); ++i) {
    if (here.outputs[i].shape() != there.outputs[i].shape()) {
      result.reason = "shape " + here.outputs[i].shape().str() + " here, " +
                      there.outputs[i].shape().str() + " in Keras";
      return result;
    }
    if (here.outputs[i].dtype() == DType::string || there.outputs[i].dtype() == DType::string) {
      if (here.outputs[i].dtype() != there.outputs[i].dtype() ||
          here.outputs[i].to_strings() != there.outputs[i].to_strings())
        result.error = result.relative = HUGE_VAL;
      continue;
    }
    const std::vector<double> x = here.outputs[i].to_vector<double>(),
                              y = there.outputs[i].to_vector<double>();
    double error = 0, scale = 0;
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k]))) {
        if (std::isfinite(y[k])) scale = std::max(scale, std::abs(y[k]));
        continue;
      }
      const double d = std::abs(x[k] - y[k]);
      error = std::isfinite(d) ? std::max(error, d) : HUGE_VAL;
      if (std::isfinite(y[k])) scale = std::max(scale, std::abs(y[k]));
    }
    result.error = std::max(result.error, error);
    result.relative = std::max(result.relative, error == 0 ? 0 : scale > 0 ? error / scale : error);
  }
  return result;
}

}  // namespace

bool parity(const std::string& model_file, const ParityOptions& options) {
  const auto model = load_model(model_file, false);
  if (model->input_spec().empty())
    throw ValueError("'" + model_file + "' does not say the shapes of its inputs.");
  const Nest inputs = probe_inputs(*model, options.batch_size, options.seed);
  const TemporaryFolder folder;
  Arrays arrays;
  std::ofstream(folder / "structure.json") << cornu::to_json(structure_of(inputs, arrays));
  write_arrays(folder / "inputs.npz", arrays);
  run_python(options.python, model_file, folder);
  std::string version;
  const std::vector<LayerCall> there = keras_calls(folder, version);
  std::vector<LayerCall> here;
  {
    CallRecorder recorder;
    (void)(*model)(inputs, {.training = false});
    here = std::move(recorder.calls);
  }

  size_t width = 5;
  for (const LayerCall& call : here) width = std::max(width, call.path.size());
  width = std::min<size_t>(width, 60);
  const auto row = [&](const std::string& path, const std::string& shape, const std::string& text) {
    std::printf("  %-*s  %-20s  %s\n", static_cast<int>(width), path.c_str(), shape.c_str(),
                text.c_str());
  };
  std::printf("%s here and in Keras %s, on a probe of %lld samples (seed %llu)\n",
              model_file.c_str(), version.c_str(), static_cast<long long>(options.batch_size),
              static_cast<unsigned long long>(options.seed));
  row("layer", "shape", "largest error (relative to the largest value)");
  std::string first;
  size_t diverging = 0;
  const auto diverges = [&](const std::string& path, const std::string& text) {
    ++diverging;
    if (first.empty()) first = "'" + path + "': " + text;
  };
  for (const LayerCall& call : here) {
    const std::string shape = call.outputs.empty() ? "" : call.outputs[0].shape().str();
    const auto other = std::find_if(there.begin(), there.end(),
                                    [&](const LayerCall& c) { return c.path == call.path; });
    if (other == there.end()) {
      row(call.path, shape, "Keras calls no such layer");
      diverges(call.path, "Keras calls no such layer");
      continue;
    }
    const Divergence d = compare(call, *other);
    char text[120];
    std::snprintf(text, sizeof text, "%.3g (%.3g)", d.error, d.relative);
    const bool equal = d.reason.empty() && d.relative <= options.tolerance;
    const std::string what = d.reason.empty() ? text : d.reason;
    row(call.path, shape, what + (equal ? "" : "  DIVERGES"));
    if (!equal)
      diverges(call.path,
               (d.reason.empty() ? "largest error " : "") + what + ", layer " + other->class_name);
  }
  for (const LayerCall& call : there)
    if (std::none_of(here.begin(), here.end(),
                     [&](const LayerCall& c) { return c.path == call.path; })) {
      row(call.path, "", "only Keras calls it");
      diverges(call.path, "only Keras calls it");
    }
  if (diverging == 0)
    std::printf("equal: %zu calls of layers\n", here.size());
  else
    std::printf("%zu of %zu diverge, the first is %s\n", diverging, here.size(), first.c_str());
  return diverging == 0;
}

}  // namespace cornu::cli
