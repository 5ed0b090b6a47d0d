// The catalog, and making objects from it.
#include "configurable.h"

#include <fmt/core.h>

#include <cctype>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "../ops/catalog.h"
#include "../ops/operators.h"
#include "class_name.h"
#include "copy_scope.h"
#include "description_scope.h"
#include "loading.h"
#include "registration.h"

namespace cornu {
namespace {

// Models are read by several threads at once, while libraries that are loaded later may register
// classes.
std::shared_mutex& catalog_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

std::string key(const std::string& module, const std::string& name) { return module + "." + name; }

// The entry under a key, or null.
template <class Key>
const ClassInfo* find_in(const std::unordered_map<Key, const ClassInfo*>& entries, const Key& key) {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : found->second;
}

}  // namespace

Value::Dict Configurable::get_config() const {
  throw StateError(
      fmt::format("An object of class '{}' cannot be saved: the class has no get_config, which "
                  "gives the options to make it again. Derive it from RegularizerOf<Class, Config> "
                  "or its like, or override get_config and configure.",
                  detail::class_name(typeid(*this))));
}

void Configurable::configure(const Value::Dict& config) {
  for (const auto& [key, value] : config) detail::unknown_key(key, {});
}

void Catalog::insert(std::type_index type, ClassInfo info) {
  // A deque: the tables point to its entries, which never move.
  const ClassInfo& entry = classes_.emplace_back(std::move(info));
  by_type_.emplace(type, &entry);
  by_class_.emplace(key(entry.module, entry.class_name), &entry);
  by_snake_case_.emplace(key(entry.module, to_snake_case(entry.class_name)), &entry);
  if (!entry.registered_name.empty()) by_registered_name_.emplace(entry.registered_name, &entry);
}

void Catalog::insert_custom(std::type_index type, const std::string& registered_name, Maker make) {
  const size_t arrow = registered_name.find('>');
  if (arrow == std::string::npos || arrow == 0 || arrow + 1 == registered_name.size())
    throw ValueError(
        fmt::format("CORNU_REGISTER: '{}' is not of the form \"package>Name\".", registered_name));
  const std::lock_guard lock(catalog_mutex());
  if (const ClassInfo* known = find_in(by_registered_name_, registered_name)) {
    // A header that registers its class may be part of several sources.
    if (find_in(by_type_, type) == known) return;
    throw ValueError(fmt::format("CORNU_REGISTER: '{}' is registered for another class already.",
                                 registered_name));
  }
  insert(type, {"", registered_name.substr(arrow + 1), registered_name, make});
}

void Catalog::add_alias(const std::string& module, const std::string& alias,
                        const std::string& class_name) {
  const std::lock_guard lock(catalog_mutex());
  aliases_.emplace(key(module, alias), key(module, class_name));
}

const ClassInfo* Catalog::find_class(const Configurable& object) const {
  return find_class(std::type_index(typeid(object)));
}

const ClassInfo* Catalog::find_class(std::type_index type) const {
  const std::shared_lock lock(catalog_mutex());
  return find_in(by_type_, type);
}

const ClassInfo& Catalog::of(const Configurable& object) const {
  if (const ClassInfo* info = find_class(object)) return *info;
  throw StateError(
      fmt::format("The class {} is not registered, so it cannot be saved. Put "
                  "CORNU_REGISTER(\"my_package>Name\", Class) after its definition.",
                  detail::class_name(typeid(object))));
}

const ClassInfo* Catalog::find(const std::string& module, const std::string& class_name) const {
  const std::shared_lock lock(catalog_mutex());
  return find_in(by_class_, key(module, class_name));
}

const ClassInfo* Catalog::find_registered(const std::string& registered_name) const {
  const std::shared_lock lock(catalog_mutex());
  return find_in(by_registered_name_, registered_name);
}

const ClassInfo* Catalog::find_by_name(const std::string& module, const std::string& name) const {
  const std::shared_lock lock(catalog_mutex());
  const std::string full = key(module, name);
  if (const ClassInfo* info = find_in(by_class_, full)) return info;
  if (const ClassInfo* info = find_in(by_snake_case_, full)) return info;
  if (const ClassInfo* info = find_in(by_registered_name_, name)) return info;
  const auto alias = aliases_.find(full);
  return alias == aliases_.end() ? nullptr : find_in(by_class_, alias->second);
}

std::vector<std::string> Catalog::names(const std::string& module) const {
  const std::shared_lock lock(catalog_mutex());
  std::vector<std::string> result;
  for (const ClassInfo& info : classes_)
    if (info.module == module) result.push_back(info.class_name);
  return result;
}

std::vector<std::string> Catalog::aliases(const std::string& module) const {
  const std::shared_lock lock(catalog_mutex());
  const std::string prefix = key(module, "");
  std::vector<std::string> result;
  for (const auto& [alias, name] : aliases_)
    if (alias.starts_with(prefix)) result.push_back(alias.substr(prefix.size()));
  return result;
}

Catalog& catalog() {
  // Never destroyed: objects with static storage may be saved at the end of the program.
  static Catalog* instance = [] {
    auto* c = new Catalog;
    register_builtins(*c);
    return c;
  }();
  return *instance;
}

namespace {

// Objects of functions, by "module/package>name".
struct Functions {
  std::mutex mutex;
  std::map<std::string, std::function<std::shared_ptr<Configurable>()>> makers;
};

Functions& functions() {
  static auto* table = new Functions;
  return *table;
}

std::shared_ptr<Configurable> object_of_function(const std::string& module,
                                                 const std::string& name) {
  Functions& table = functions();
  const std::lock_guard lock(table.mutex);
  const auto found = table.makers.find(module + "/" + name);
  return found == table.makers.end() ? nullptr : found->second();
}

}  // namespace

void register_function(const std::string& module, const std::string& registered_name,
                       std::function<std::shared_ptr<Configurable>()> make) {
  const size_t arrow = registered_name.find('>');
  if (arrow == std::string::npos || arrow == 0 || arrow + 1 == registered_name.size())
    throw ValueError(fmt::format("register_function: '{}' is not of the form \"package>name\".",
                                 registered_name));
  Functions& table = functions();
  const std::lock_guard lock(table.mutex);
  table.makers[module + "/" + registered_name] = std::move(make);
}

Value detail::serialize_shared(std::shared_ptr<Configurable> object) {
  if (object->is_function() && object->function_name().empty())
    if (auto value = detail::describe_copied(object)) return *std::move(value);
  return serialize(*object);
}

Value serialize(const Configurable& object) {
  if (object.is_function()) {
    const std::string name = object.function_name();
    // Its config says why it cannot be saved.
    return name.empty() ? Value(object.get_config()) : detail::function_value(name);
  }
  const ClassInfo& info = catalog().of(object);
  // Keras names what has no public name by its private module, and its class again.
  const bool hidden = info.module.starts_with("keras.src.");
  const std::string& registered = hidden ? info.class_name : info.registered_name;
  Value::Dict dict{{"module", info.module.empty() ? Value() : Value(info.module)},
                   {"class_name", info.class_name},
                   {"config", object.get_config()},
                   {"registered_name", registered.empty() ? Value() : Value(registered)}};
  if (const int64_t number = detail::number_object(object))
    dict.emplace_back("shared_object_id", number);
  return dict;
}

namespace {

// Initializers alone ask whether they are: what they hold themselves is made in a scope of its own.
std::shared_ptr<Configurable> make_described(const ClassInfo& info, const Value::Dict& config) {
  const detail::DescriptionScope scope(info.module == "keras.initializers");
  return info.make(config);
}

}  // namespace

std::shared_ptr<Configurable> make_by_name(const std::string& module, const std::string& name) {
  if (auto object = object_of_function(module, name)) return object;
  const ClassInfo* info = catalog().find_by_name(module, name);
  // Keras looks for a function in all its modules: one that is a loss and no metric is a metric.
  const bool loss_alone =
      !info && module == "keras.metrics" && catalog().find_by_name("keras.losses", name);
  // A program that selects its catalog may leave the wrapper out.
  const ClassInfo* wrapper = loss_alone ? catalog().find(module, "MeanMetricWrapper") : nullptr;
  if (wrapper) return make_described(*wrapper, {{"fn", name}, {"name", name}});
  if (!info) {
    std::vector<std::string> known = catalog().aliases(module);
    for (const std::string& n : catalog().names(module)) {
      known.push_back(to_snake_case(n));
      if (name != to_snake_case(name)) known.push_back(n);
    }
    throw ValueError(fmt::format("'{}' is not known in {}.{}{}", name, module,
                                 did_you_mean(name, known), catalog_note()));
  }
  return make_described(*info, {});
}

namespace {

std::string text(const Value::Dict& dict, const char* key) {
  const Value* v = detail::find(dict, key);
  if (!v || v->is_null()) return {};
  if (!v->is<std::string>()) detail::bad_key(key, "expected text, found " + v->kind());
  return v->get<std::string>();
}

const ClassInfo& lookup(const std::string& module, const std::string& class_name,
                        const std::string& registered) {
  Catalog& c = catalog();
  // Keras writes the class name here for its own private classes.
  if (!registered.empty() && registered != class_name) {
    if (const ClassInfo* info = c.find_registered(registered)) return *info;
    throw ValueError(
        fmt::format("The class '{}' is not registered. Register its C++ equivalent with "
                    "CORNU_REGISTER(\"{}\", Class).",
                    registered, registered));
  }
  if (const ClassInfo* info = c.find(module, class_name)) return *info;
  std::vector<std::string> known = c.names(module);
  throw ValueError(
      fmt::format("Cornu has no class '{}' in '{}'.{} A class of your own must be registered with "
                  "CORNU_REGISTER.",
                  class_name, module, did_you_mean(class_name, known)));
}

}  // namespace

std::shared_ptr<Configurable> deserialize(const Value& value, const std::string& module) {
  if (!value.is<Value::Dict>())
    throw ValueError("Expected an object with class_name and config, found " + value.kind());
  const auto& dict = value.get<Value::Dict>();
  if (const std::any function = detail::copied_function(value); function.has_value())
    return std::any_cast<std::shared_ptr<Configurable>>(function);
  if (const std::string* name = detail::function_name(value); name && !module.empty())
    return make_by_name(module, *name);
  const std::string class_name = text(dict, "class_name");
  if (class_name.empty())
    throw ValueError("Expected an object with class_name and config; class_name is missing.");
  const Value* config = detail::find(dict, "config");
  if (!config || !config->is<Value::Dict>())
    throw ValueError(fmt::format("{}: 'config' is not a dictionary.", class_name));
  const Value* id = detail::find(dict, "shared_object_id");
  const bool numbered = id && id->is<int64_t>();
  if (numbered)
    // The object that several layers share must be one object again.
    if (auto object = detail::shared_object(id->get<int64_t>())) return object;
  const ClassInfo& info = lookup(text(dict, "module"), class_name, text(dict, "registered_name"));
  try {
    auto object = make_described(info, config->get<Value::Dict>());
    if (numbered) detail::remember_object(id->get<int64_t>(), object);
    return object;
  } catch (const ValueError& e) {
    const std::string prefix = class_name + ": ";
    if (std::string(e.what()).starts_with(prefix)) throw;
    throw ValueError(prefix + e.what());
  }
}

namespace detail {

const Value* find(const Value::Dict& dict, const std::string& key) { return dict.find(key); }

const std::string* function_name(const Value& value) {
  if (!value.is<Value::Dict>()) return nullptr;
  const Value* kind = find(value.get<Value::Dict>(), "class_name");
  const Value* name = find(value.get<Value::Dict>(), "config");
  const bool is_function =
      kind && kind->is<std::string>() && kind->get<std::string>() == "function";
  return is_function && name && name->is<std::string>() ? &name->get<std::string>() : nullptr;
}

Value function_value(const std::string& name) {
  return Value::Dict{{"module", "builtins"},
                     {"class_name", "function"},
                     {"config", name},
                     {"registered_name", "function"}};
}

void throw_nameless(const std::string& module) {
  throw StateError(
      fmt::format("A function without a name cannot be saved. Name it with {}::register_function("
                  "\"package>name\", function), and give that name.",
                  module.substr(module.rfind('.') + 1)));
}

void unknown_key(const std::string& key, const std::vector<std::string>& known) {
  throw ValueError(fmt::format("unknown option '{}'.{}", key, did_you_mean(key, known)));
}

void missing_key(const std::string& key) {
  throw ValueError(fmt::format("option '{}' is missing.", key));
}

void bad_key(const std::string& key, const std::string& why) {
  throw ValueError(fmt::format("option '{}': {}", key, why));
}

std::shared_ptr<Configurable> made_of(const Value& description, const char* module) {
  if (description.is_null()) return nullptr;
  if (description.is<std::string>()) return make_by_name(module, description.get<std::string>());
  if (!description.is<Value::Dict>() || description.get<Value::Dict>().contains("module"))
    return deserialize(description, module);
  Value::Dict whole = description.get<Value::Dict>();
  whole.set("module", module);
  return deserialize(whole, module);
}

void throw_none(const char* module) {
  throw StateError(fmt::format("There is no object of {} here: it is None.", module));
}

void wrong_kind(const char* wanted, const Configurable& found) {
  throw ValueError(
      fmt::format("expected an object of {}, found {}.", wanted, catalog().of(found).class_name));
}

namespace {

// Whether a message begins as "Dense: ..." or "Layer 'net/dense' ..." do.
bool says_who(std::string_view text) {
  size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  const std::string_view rest = text.substr(end);
  return end > 0 && std::isupper(static_cast<unsigned char>(text[0])) &&
         (rest.starts_with(": ") || rest.starts_with(" '"));
}

}  // namespace

void name_class(Error& error, const std::type_info& type) {
  if (says_who(error.what())) return;
  const ClassInfo* info = catalog().find_class(std::type_index(type));
  // A handle's name is its class's without the kind.
  const std::string layer = handle_name(type, "Layer"), callback = handle_name(type, "Callback");
  error.prepend(info ? info->class_name : layer.size() < callback.size() ? layer : callback);
}

bool registered(const std::function<void(Catalog&)>& add) {
  add(catalog());
  return true;
}

}  // namespace detail
}  // namespace cornu
