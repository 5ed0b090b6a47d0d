// The tree of weights in memory: read whole, edited, written whole.
#include "file_editor.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "../../backend/error.h"
#include "../config/quoted_names.h"
#include "../io/archive.h"
#include "../io/h5_file.h"
#include "weights.h"

namespace cornu::saving {
namespace {

namespace fs = std::filesystem;
using Weights = KerasFileEditor::Weights;

constexpr const char* weights_member = "model.weights.h5";
constexpr const char* config_member = "config.json";
constexpr const char* metadata_member = "metadata.json";
constexpr uint64_t text_limit = uint64_t{64} << 20;
// Models nest a few levels deep; a made-up file could overflow the stack.
constexpr int most_levels = 64;
constexpr size_t most_objects = 1'000'000;

// A group of the file: its weights stand in the group "vars" inside it.
struct Object {
  std::string name;
  std::string label;      // the attribute "name", which Keras writes for people
  bool has_vars = false;  // also without weights
  Weights weights;
  std::vector<std::unique_ptr<Object>> children;

  Object* child(const std::string& child_name) const {
    for (const auto& c : children)
      if (c->name == child_name) return c.get();
    return nullptr;
  }
  bool empty() const { return weights.empty() && children.empty(); }
};

Weights::iterator weight_named(Object& object, const std::string& name) {
  return std::find_if(object.weights.begin(), object.weights.end(),
                      [&](const auto& w) { return w.first == name; });
}

// --- Reading ------------------------------------------------------------------------------------

class TreeReader {
 public:
  explicit TreeReader(const io::H5Reader& file) : file_(file) {}

  void read(Object& object, const std::string& path, int level = 0) {
    if (level > most_levels || ++objects_ > most_objects)
      throw FileError(fmt::format("{}: its groups are nested too deeply, or too many, at '/{}'.",
                                  file_.name(), path));
    for (const std::string& name : file_.children(path)) {
      const std::string inside = join(path, name);
      if (file_.is_dataset(inside)) {
        object.weights.emplace_back(name, tensor(inside));
      } else if (name == "vars") {
        object.has_vars = true;
        if (file_.has_attribute(inside, "name"))
          object.label = file_.string_attribute(inside, "name");
        for (const std::string& weight : file_.children(inside))
          object.weights.emplace_back(weight, tensor(join(inside, weight)));
      } else {
        auto& child = object.children.emplace_back(std::make_unique<Object>());
        child->name = name;
        read(*child, inside, level + 1);
      }
    }
  }

 private:
  Tensor tensor(const std::string& path) const {
    // What is compressed may expand to this much.
    constexpr uint64_t free_size = uint64_t{64} << 20, expansion = 200;
    const io::H5Info info = file_.info(path);
    const std::vector<std::byte> bytes =
        file_.read(path, free_size + std::min(info.stored, UINT64_MAX / 256) * expansion);
    return Tensor::copy_of(bytes.data(), info.shape, info.dtype);
  }

  const io::H5Reader& file_;
  size_t objects_ = 0;
};

// --- Writing ------------------------------------------------------------------------------------

uint64_t bytes_of(const Object& object) {
  uint64_t bytes = 1024;
  for (const auto& [name, tensor] : object.weights) bytes += 512 + tensor.bytes();
  for (const auto& child : object.children) bytes += bytes_of(*child);
  return bytes;
}

void write_tree(io::H5Writer& file, const Object& object, const std::string& path) {
  if (object.has_vars || !object.weights.empty()) {
    const std::string group = join(path, "vars");
    file.create_group(group);
    file.set_attribute(group, "name", object.label.empty() ? object.name : object.label);
    for (const auto& [name, tensor] : object.weights)
      file.write(join(group, name), tensor.dtype(), tensor.shape(), tensor.host_data());
  }
  for (const auto& child : object.children) {
    file.create_group(join(path, child->name));
    write_tree(file, *child, join(path, child->name));
  }
}

// --- Text ---------------------------------------------------------------------------------------

std::string size_text(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

void summarize(const Object& object, int level, std::string& text) {
  const std::string blanks(static_cast<size_t>(level) * 2, ' ');
  for (const auto& [name, tensor] : object.weights)
    text += fmt::format("{}{}: {} {} ({})\n", blanks, name, tensor.shape().str(),
                        dtype_name(tensor.dtype()), size_text(tensor.bytes()));
  for (const auto& child : object.children) {
    text += fmt::format("{}{}{}\n", blanks, child->name, child->empty() ? "" : "/");
    summarize(*child, level + 1, text);
  }
}

}  // namespace

struct KerasFileEditor::Impl {
  std::string path;
  bool archive = false;
  std::string config, metadata;
  Object root;

  /// Calls f(path, object, the object above it) for all objects, the root first.
  template <class F>
  void visit(F&& f) {
    const std::function<void(Object&, const std::string&, Object*)> walk =
        [&](Object& object, const std::string& at, Object* above) {
          f(at, object, above);
          for (const auto& child : object.children) walk(*child, join(at, child->name), &object);
        };
    walk(root, "", nullptr);
  }

  struct Found {
    Object* object;
    Object* above;
  };

  Found find(const std::string& who, const std::string& name) {
    std::vector<std::string> all, paths;
    Found found{nullptr, nullptr};
    visit([&](const std::string& at, Object& object, Object* above) {
      all.push_back(at);
      if (at == name) {
        found = {&object, above};
        paths = {at};
        return;
      }
      if (above) all.push_back(object.name);
      if (found.object && paths.front() == name) return;
      if (above && object.name == name) {
        found = {&object, above};
        paths.push_back(at);
      }
    });
    if (!found.object)
      throw ValueError(fmt::format("{}: '{}' has no object '{}'.{} summary() lists all of them.",
                                   who, path, name, did_you_mean(name, all)));
    // A short name is a convenience; two objects of that name would make it a guess.
    if (paths.size() > 1)
      throw ValueError(fmt::format("{}: '{}' is the name of {} objects. Give the path: {}.", who,
                                   name, paths.size(), detail::quoted_names(paths)));
    return found;
  }

  Found find_inner(const std::string& who, const std::string& name) {
    const Found found = find(who, name);
    if (!found.above)
      throw ValueError(fmt::format("{}: the model itself ('') can only be given weights.", who));
    return found;
  }
};

KerasFileEditor::~KerasFileEditor() = default;
KerasFileEditor::KerasFileEditor(KerasFileEditor&&) noexcept = default;
KerasFileEditor& KerasFileEditor::operator=(KerasFileEditor&&) noexcept = default;

KerasFileEditor::KerasFileEditor(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  if (path.ends_with(".keras")) {
    impl_->archive = true;
    io::ArchiveReader archive{fs::path(path)};
    for (const char* member : {weights_member, config_member})
      if (!archive.has(member))
        throw FileError(
            fmt::format("{}: the archive has no '{}', so it is no Keras model.", path, member));
    const auto text = [&](const char* member) {
      if (!archive.has(member)) return std::string();
      const std::vector<std::byte> bytes = archive.read(member, text_limit);
      return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    impl_->config = text(config_member);
    impl_->metadata = text(metadata_member);
    const io::H5Reader file(archive.map(weights_member), path);
    TreeReader(file).read(impl_->root, "");
  } else if (path.ends_with(".weights.h5")) {
    const io::H5Reader file{fs::path(path)};
    TreeReader(file).read(impl_->root, "");
  } else {
    throw ValueError(
        fmt::format("KerasFileEditor: '{}' must end in \".weights.h5\" or \".keras\".", path));
  }
}

std::string KerasFileEditor::summary() const {
  std::string text = fmt::format("Weights of '{}'\n", impl_->path);
  summarize(impl_->root, 1, text);
  return text;
}

std::vector<std::string> KerasFileEditor::objects() const {
  std::vector<std::string> result;
  impl_->visit([&](const std::string& at, Object& object, Object*) {
    if (!object.weights.empty()) result.push_back(at);
  });
  return result;
}

Weights KerasFileEditor::weights(const std::string& object) const {
  return impl_->find("weights", object).object->weights;
}

const std::string& KerasFileEditor::config() const { return impl_->config; }
const std::string& KerasFileEditor::metadata() const { return impl_->metadata; }

KerasFileEditor::Comparison KerasFileEditor::compare(Model& reference) const {
  if (!reference.built())
    throw StateError(fmt::format("compare: model '{}' has no weights yet. Call it on data first.",
                                 reference.name()));
  struct Array {
    std::string name, label;
    Shape shape;
  };
  std::map<std::string, std::vector<Array>> expected;
  std::vector<std::string> order;
  for_each_kept(reference, [&](const std::string& path, const std::string&,
                               const VariableStore& store, const std::vector<Variable>& variables) {
    std::vector<Array> arrays;
    for (const std::string& name : store.keys()) {
      // Numbers say less than the names of the variables.
      const size_t i = arrays.size();
      const bool numbered = name == std::to_string(i) && i < variables.size();
      arrays.push_back({name, numbered ? variables[i].name() : name, store.get(name).shape()});
    }
    if (!arrays.empty() && expected.emplace(path, std::move(arrays)).second) order.push_back(path);
  });

  std::map<std::string, const Object*> found;
  impl_->visit([&](const std::string& at, Object& object, Object*) {
    if (!object.weights.empty()) found.emplace(at, &object);
  });

  Comparison result;
  const auto shown = [](const std::string& path) { return path.empty() ? "/" : path; };
  for (const std::string& path : order) {
    const std::vector<Array>& arrays = expected.at(path);
    const auto object = found.find(path);
    if (object == found.end()) {
      result.errors.push_back(
          fmt::format("object '{}' ({} weights) is in the model and missing from the file",
                      shown(path), arrays.size()));
      continue;
    }
    std::set<std::string> names;
    for (const auto& [name, label, shape] : arrays) {
      names.insert(name);
      const Weights& weights = object->second->weights;
      const auto weight = std::find_if(weights.begin(), weights.end(),
                                       [&, &key = name](const auto& w) { return w.first == key; });
      if (weight == weights.end())
        result.errors.push_back(
            fmt::format("weight '{}' ({} {}) is in the model and missing from the file",
                        join(path, name), label, shape.str()));
      else if (weight->second.shape() != shape)
        result.errors.push_back(fmt::format("weight '{}' is {} in the model and {} in the file",
                                            join(path, name), shape.str(),
                                            weight->second.shape().str()));
      else
        ++result.match_count;
    }
    for (const auto& [name, tensor] : object->second->weights)
      if (!names.count(name))
        result.errors.push_back(
            fmt::format("weight '{}' ({}) is in the file and missing from the model",
                        join(path, name), tensor.shape().str()));
  }
  for (const auto& [path, object] : found)
    if (!expected.count(path))
      result.errors.push_back(
          fmt::format("object '{}' ({} weights) is in the file and missing from the model",
                      shown(path), object->weights.size()));
  return result;
}

void KerasFileEditor::rename_object(const std::string& object, const std::string& new_name) {
  const Impl::Found found = impl_->find_inner("rename_object", object);
  if (new_name.empty() || new_name.find('/') != new_name.npos || new_name == "vars" ||
      new_name == "." || new_name == "..")
    throw ValueError(fmt::format(
        "rename_object: '{}' must be a last name alone, not a path, and not \"vars\".", new_name));
  if (new_name == found.object->name) return;
  if (found.above->child(new_name))
    throw ValueError(fmt::format("rename_object: there is an object '{}' beside '{}' already.",
                                 new_name, object));
  found.object->name = new_name;
}

void KerasFileEditor::delete_object(const std::string& object) {
  const Impl::Found found = impl_->find_inner("delete_object", object);
  std::erase_if(found.above->children, [&](const auto& c) { return c.get() == found.object; });
}

void KerasFileEditor::add_object(const std::string& path, const Weights& weights) {
  const size_t slash = path.rfind('/');
  const std::string above = slash == path.npos ? "" : path.substr(0, slash);
  const std::string name = slash == path.npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "vars" || name == "." || name == "..")
    throw ValueError(fmt::format("add_object: '{}' is no path of an object.", path));
  Object& parent = *impl_->find("add_object", above).object;
  if (parent.child(name))
    throw ValueError(
        fmt::format("add_object: there is an object '{}' already. add_weights adds to it.", path));
  auto object = std::make_unique<Object>();
  object->name = name;
  object->has_vars = true;
  Object& added = *object;
  parent.children.push_back(std::move(object));
  try {
    add_weights(path, weights);
  } catch (...) {
    // A weight that is refused leaves the file as it was.
    std::erase_if(parent.children, [&](const auto& c) { return c.get() == &added; });
    throw;
  }
}

void KerasFileEditor::delete_weight(const std::string& object, const std::string& weight) {
  Object& found = *impl_->find("delete_weight", object).object;
  const auto at = weight_named(found, weight);
  if (at == found.weights.end()) {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : found.weights) names.push_back(name);
    throw ValueError(fmt::format("delete_weight: '{}' has no weight '{}'; it has {}.{}", object,
                                 weight, names.empty() ? "none" : detail::quoted_names(names),
                                 did_you_mean(weight, names)));
  }
  found.weights.erase(at);
}

void KerasFileEditor::add_weights(const std::string& object, const Weights& weights) {
  Object& found = *impl_->find("add_weights", object).object;
  for (const auto& [name, tensor] : weights) {
    if (name.empty() || name.find('/') != name.npos || name == "." || name == "..")
      throw ValueError(fmt::format(
          "add_weights: '{}' is no name of a weight; these are \"0\", \"1\", ...", name));
    if (!tensor) throw ValueError(fmt::format("add_weights: the weight '{}' has no value.", name));
  }
  // After all names have been checked, so that an error changes nothing.
  found.has_vars = true;
  for (const auto& [name, tensor] : weights) {
    const auto at = weight_named(found, name);
    if (at == found.weights.end())
      found.weights.emplace_back(name, tensor);
    else
      at->second = tensor;
  }
}

void KerasFileEditor::save(const std::string& path) const {
  const uint64_t expected = bytes_of(impl_->root);
  if (path.ends_with(".weights.h5")) {
    io::H5Writer file(fs::path(path), expected);
    write_tree(file, impl_->root, "");
    file.finish();
    return;
  }
  if (!path.ends_with(".keras"))
    throw ValueError(fmt::format("save: '{}' must end in \".weights.h5\"{}.", path,
                                 impl_->archive ? " or \".keras\"" : ""));
  if (!impl_->archive)
    throw ValueError(fmt::format(
        "save: '{}' holds weights alone, so no \".keras\" can be made of it. Give a name that ends "
        "in \".weights.h5\".",
        impl_->path));
  io::H5Writer file(expected);
  write_tree(file, impl_->root, "");
  io::ArchiveReader from{fs::path(impl_->path)};
  io::ArchiveWriter to{fs::path(path)};
  for (const io::ArchiveMember& member : from.members()) {
    if (member.name == weights_member)
      to.add(member.name, file.finish());
    else if (!member.name.ends_with('/'))
      to.add(member.name, from.map(member.name));
  }
  to.finish();
}

}  // namespace cornu::saving
