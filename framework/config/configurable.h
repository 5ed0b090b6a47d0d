// Configurable: what can be written to a file as {module, class_name, config, registered_name} and
// made again; the catalog of its classes; and the handles by which users hold such objects.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "../tensor/config.h"
#include "option.h"

namespace cornu {

class Initializer;

/// Base of layers, optimizers, losses, metrics, initializers, regularizers, constraints and
/// schedules.
class Configurable {
 public:
  virtual ~Configurable() = default;
  /// The options by name, enough to make an equal object. Throws StateError unless overridden: an
  /// object of a class without it can do all but be saved.
  virtual Value::Dict get_config() const;
  /// Takes over a config's options, for classes that have none of their own. Throws ValueError for
  /// unknown keys.
  virtual void configure(const Value::Dict& config);
  /// Whether this object stands for a function, which has no options; see register_function.
  virtual bool is_function() const { return false; }
  /// The name under which files know that function; empty where it has none, and for objects of
  /// classes.
  virtual std::string function_name() const { return {}; }
};

namespace detail {
/// A class whose from_config makes objects of it, not of one that it is derived from.
template <class T>
concept MadeFromConfig =
    std::convertible_to<decltype(T::from_config(Value::Dict())), std::shared_ptr<T>>;
}  // namespace detail

/// A class that files can name.
struct ClassInfo {
  std::string module;           ///< "keras.layers", or "" for a custom class
  std::string class_name;       ///< "Dense"
  std::string registered_name;  ///< "" for Keras's own, "package>Name" for a custom class
  std::shared_ptr<Configurable> (*make)(const Value::Dict& config);  ///< an object from its options
};

/// The classes that can be made by name. Keras's own are there; users add theirs with
/// CORNU_REGISTER.
class Catalog {
 public:
  /// Lists T, which has `static std::shared_ptr<T> from_config(const Value::Dict&)`, under a public
  /// Keras name such as "keras.layers.Dense".
  template <class T>
  void add(const std::string& keras_name) {
    const size_t dot = keras_name.rfind('.');
    insert(typeid(T),
           {keras_name.substr(0, dot), keras_name.substr(dot + 1), "", &make_from_config<T>});
  }
  /// Lists a custom class under "package>Name". Throws ValueError when the name is malformed or
  /// taken.
  template <class T>
  void add_custom(const std::string& registered_name) {
    if constexpr (requires(const Value::Dict& config) { T::from_config(config); }) {
      if constexpr (requires(const Value::Dict& config) { T::template read_as<T>(config); } &&
                    !detail::MadeFromConfig<T>) {
        insert_custom(typeid(T), registered_name, &make_read_as<T>);
      } else {
        static_assert(
            detail::MadeFromConfig<T>,
            "this class inherits another class's from_config, which does not make it. A class "
            "derived from Functional or Sequential needs the constructor by which it is made "
            "(using Functional::Functional, or using Sequential::Sequential) or, where it is made "
            "from options, to be derived from ModelOf<Class, Config, Functional>; others are "
            "derived from LayerOf<Class, Config>, or have a get_config and from_config of their "
            "own");
        insert_custom(typeid(T), registered_name, &make_from_config<T>);
      }
    } else {
      insert_custom(typeid(T), registered_name, &make_configured<T>);
    }
  }

  /// Lets `find_by_name` find Keras's class of a module under another name too:
  /// add_alias("keras.losses", "mse", "MeanSquaredError").
  void add_alias(const std::string& module, const std::string& alias,
                 const std::string& class_name);

  /// The entry of an object's class. Throws StateError that says how to register it.
  const ClassInfo& of(const Configurable& object) const;
  /// The same; null when the class is not registered.
  const ClassInfo* find_class(const Configurable& object) const;
  const ClassInfo* find_class(std::type_index type) const;  ///< the same by the class
  /// By "keras.layers" and "Dense"; null when there is none.
  const ClassInfo* find(const std::string& module, const std::string& class_name) const;
  /// By "package>Name"; null when there is none.
  const ClassInfo* find_registered(const std::string& registered_name) const;
  /// By Keras class name, its snake_case or an alias in a module: "glorot_uniform" in
  /// "keras.initializers"; null when none.
  const ClassInfo* find_by_name(const std::string& module, const std::string& name) const;
  /// Class names of a module, for did-you-mean.
  std::vector<std::string> names(const std::string& module) const;
  /// Other names of a module's classes, such as "mse".
  std::vector<std::string> aliases(const std::string& module) const;

 private:
  using Maker = std::shared_ptr<Configurable> (*)(const Value::Dict& config);
  template <class T>
  static std::shared_ptr<Configurable> make_from_config(const Value::Dict& config) {
    return T::from_config(config);
  }
  template <class T>
  static std::shared_ptr<Configurable> make_read_as(const Value::Dict& config) {
    return T::template read_as<T>(config);
  }
  template <class T>
  static std::shared_ptr<Configurable> make_configured(const Value::Dict& config) {
    auto object = std::make_shared<T>();
    object->configure(config);
    return object;
  }
  void insert(std::type_index type, ClassInfo info);
  void insert_custom(std::type_index type, const std::string& registered_name, Maker make);

  // Of several classes with one name or type the first is found.
  std::deque<ClassInfo> classes_;
  std::unordered_map<std::type_index, const ClassInfo*> by_type_;
  std::unordered_map<std::string, const ClassInfo*> by_class_;       // "keras.layers.Dense"
  std::unordered_map<std::string, const ClassInfo*> by_snake_case_;  // "keras.layers.dense"
  std::unordered_map<std::string, const ClassInfo*> by_registered_name_;
  std::unordered_map<std::string, std::string>
      aliases_;  // "keras.losses.mse" to "keras.losses.MeanSquaredError"
};

/// The process's catalog, filled at its first use. Safe from all threads.
Catalog& catalog();

/// The object as {module, class_name, config, registered_name}. Throws StateError for an object of
/// a class that is not registered, or of a function without a name.
Value serialize(const Configurable& object);
/// The object that such a value describes. Throws ValueError naming the class when it is not known
/// (with a did-you-mean), or its config is not right. `module` is where names of functions are
/// looked up.
std::shared_ptr<Configurable> deserialize(const Value& value, const std::string& module = "");
/// An object from its name ("adam"), or from a serialized value; `module` is where names are looked
/// up.
std::shared_ptr<Configurable> make_by_name(const std::string& module, const std::string& name);

/// Makes a function known under "package>name", in options of this module ("keras.losses") and in
/// files: `make` gives the object that stands for it. A later function of that name takes its
/// place. Throws ValueError for a name of another form. Users call losses::register_function and
/// its like.
void register_function(const std::string& module, const std::string& registered_name,
                       std::function<std::shared_ptr<Configurable>()> make);

namespace detail {

const Value* find(const Value::Dict& dict, const std::string& key);
/// The name in what a file holds of a function; null for anything else.
const std::string* function_name(const Value& value);
/// As serialize; inside a CopyScope a function without a name too, which is shared then.
Value serialize_shared(std::shared_ptr<Configurable> object);
/// What a file holds of the function of this name.
Value function_value(const std::string& name);
/// Throws StateError: a function without a name cannot be saved as an object of this module.
[[noreturn]] void throw_nameless(const std::string& module);
[[noreturn]] void unknown_key(const std::string& key, const std::vector<std::string>& known);
[[noreturn]] void missing_key(const std::string& key);
[[noreturn]] void bad_key(const std::string& key, const std::string& why);
/// The object that a value describes: null, a name, or what serialize gives, with or without its
/// module. Throws ValueError.
std::shared_ptr<Configurable> made_of(const Value& description, const char* module);
[[noreturn]] void throw_none(const char* module);
[[noreturn]] void wrong_kind(const char* wanted, const Configurable& found);

/// What refers to an object of kind Base as a pointer does.
template <class R, class Base>
concept Referring = requires(const R& reference) {
  reference.get();
  { *reference } -> std::convertible_to<const Base&>;
};
/// What it refers to. Throws StateError for nothing.
template <class Base, Referring<Base> R>
const Base& referred(const R& reference) {
  if (!reference.get()) {
    if constexpr (requires { Base::module; })
      throw_none(Base::module);
    else
      throw_none("keras");
  }
  return *reference;
}

bool registered(const std::function<void(Catalog&)>& add);

/// Initializer, or a class of initializers.
template <class T>
concept OfInitializer = std::is_base_of_v<Initializer, T>;

/// Whether C is what every layer may be told, and Options, the options of one layer's calls,
/// become.
template <class C, class Options>
inline constexpr bool is_general_call =
    !std::same_as<C, Options> && std::convertible_to<Options, C> && requires(const C& c) {
  c.extra;
};

/// Whether calls of a layer take a query and a value.
template <class C>
concept TakesValue = requires {
  requires C::takes_value;
};
template <class T>
inline constexpr bool never = false;

/// Whether the options say themselves what these arguments mean by their places.
template <class C, class... A>
concept Positional = sizeof...(A) > 0 && requires(A... arguments) {
  C::positional(arguments...);
};

/// Whether a T's first options, in their order, which is Keras's, may be these. (A test compares
/// the first four.)
template <class T, class C, class First, class... More>
concept FirstOptions = sizeof...(More) < 4 && !std::same_as<First, std::nullptr_t> &&
                       !std::convertible_to<First, C> &&
                       !std::convertible_to<First, std::shared_ptr<T>> && !requires {
  &C::positional;
}
&&requires(First first, More... more) { C{std::move(first), std::move(more)...}; };

/// Sizes in braces.
using Sizes = std::initializer_list<int64_t>;

/// Puts the class's name in front of an error of its constructor, unless the error says already who
/// it comes from.
void name_class(Error& error, const std::type_info& type);

/// A T made from its options. Errors name the class.
template <class T>
std::shared_ptr<T> construct(typename T::Config config) {
  try {
    return std::make_shared<T>(std::move(config));
  } catch (Error& error) {
    name_class(error, typeid(T));
    throw;
  }
}

}  // namespace detail

/// A shared handle of T, made from T's options: `Dense({.units = 4})`. Copies share the object.
template <class T>
class Ref {
 public:
  /// The options from which the object is made.
  using Config = typename T::Config;
  using Object = T;  ///< what it refers to
  /// Makes an object. Throws what its constructor throws. (Compilers show the comment behind it
  /// with the error of a call that fits nothing, such as `Dense("32")`.)
  Ref(Config config)  // options stand in braces with their names: Dense({.units = 32})
      : object_(detail::construct<T>(std::move(config))) {}
  Ref()
      /// Makes an object with default options, where all have defaults.
      requires std::default_initializable<Config> : object_(detail::construct<T>(Config{})) {}
  Ref() requires(!std::default_initializable<Config>) = delete;  // an option has no default
  /// With options by their places, where T's options say themselves what these mean:
  /// `regularizers::L2(0.1)`.
  template <class... A>
  requires detail::Positional<Config, A...>
  explicit Ref(A... arguments) : Ref(Config::positional(arguments...)) {}
  /// With up to four options in Keras's order: `Dense(64, "relu")`, `Dropout(0.5)`, `Adam(1e-3)`.
  template <class First, class... More>
  requires detail::FirstOptions<T, Config, First, More...>
  explicit Ref(First first, More... more) : Ref(Config{std::move(first), std::move(more)...}) {}
  /// @{
  /// The same with lists of numbers among them: `Conv2D(32, {3, 3}, 2)`, `MaxPooling2D({2, 2}, 2)`.
  template <class First, class... More>
  requires(detail::FirstOptions<T, Config, First, detail::Sizes, More...>) explicit Ref(
      First first, detail::Sizes second, More... more)
      : Ref(Config{std::move(first), second, std::move(more)...}) {}
  /// The same.
  template <class First, class... More>
  requires(detail::FirstOptions<T, Config, First, detail::Sizes, detail::Sizes,
                                More...>) explicit Ref(First first, detail::Sizes second,
                                                       detail::Sizes third, More... more)
      : Ref(Config{std::move(first), second, third, std::move(more)...}) {}
  /// The same.
  template <class First, class Second, class... More>
  requires(detail::FirstOptions<T, Config, First, Second, detail::Sizes, More...>) explicit Ref(
      First first, Second second, detail::Sizes third, More... more)
      : Ref(Config{std::move(first), std::move(second), third, std::move(more)...}) {}
  /// The same.
  template <class Second, class... More>
  requires(detail::FirstOptions<T, Config, detail::Sizes, Second, More...>) explicit Ref(
      detail::Sizes first, Second second, More... more)
      : Ref(Config{first, std::move(second), std::move(more)...}) {}
  /// The same.
  template <class... More>
  requires(detail::FirstOptions<T, Config, detail::Sizes, detail::Sizes, More...>) explicit Ref(
      detail::Sizes first, detail::Sizes second, More... more)
      : Ref(Config{first, second, std::move(more)...}) {}
  /// @}
  /// @{
  /// Not both: `Dense({.units = 64, .activation = "relu"})` or `Dense(64, "relu")`.
  template <class First>
  Ref(First, Config) = delete;  // options stand in braces, all with their names, or all without
  /// The same.
  template <class First, class Second>
  Ref(First, Second, Config) = delete;  // options stand in braces, all with names, or all without
  /// @}
  /// No object yet, for members that build() makes.
  template <std::same_as<std::nullptr_t> N>
  Ref(N) {}
  /// A handle of an object that there is.
  explicit Ref(std::shared_ptr<T> object) : object_(std::move(object)) {}

  T* operator->() const { return object_.get(); }                ///< null for no object
  T& operator*() const { return *object_; }                      ///< there must be an object
  T* get() const { return object_.get(); }                       ///< null for no object
  explicit operator bool() const { return object_ != nullptr; }  ///< whether there is one
  const std::shared_ptr<T>& shared() const { return object_; }   ///< keeps the object alive
  /// The object as one of its bases.
  template <class Base>
  requires std::derived_from<T, Base>
  operator std::shared_ptr<Base>() const { return object_; }
  /// An object from what get_config gave. Throws ValueError for missing, unknown or wrong options.
  static Ref from_config(const Value::Dict& config) { return Ref(T::from_config(config)); }

  /// Calls a layer: `dense(x)`, `dropout(x, {.training = true})`, `add({a, b})`.
  template <class U = T>
  Tensor operator()(const Tensor& x, const typename U::CallOptions& call = {}) const {
    return (*object_)(x, call);
  }
  /// The same for the numbers or strings of a vector or span.
  template <detail::Listing V, class U = T>
  Tensor operator()(const V& values, const typename U::CallOptions& call = {}) const {
    return (*object_)(Tensor(values), call);
  }
  /// The same for texts in braces: `vectorize({"a b", "c"})`.
  template <std::same_as<const char*> S, class U = T>
  Tensor operator()(std::initializer_list<S> texts,
                    const typename U::CallOptions& call = {}) const {
    return (*object_)(Tensor(std::vector<std::string>(texts.begin(), texts.end())), call);
  }
  /// The same for several inputs or results.
  template <class U = T>
  Nest operator()(const Nest& inputs, const typename U::CallOptions& call = {}) const {
    return (*object_)(inputs, call);
  }
  /// The same for inputs in braces.
  template <class U = T>
  Nest operator()(std::initializer_list<Nest> inputs,
                  const typename U::CallOptions& call = {}) const {
    return (*object_)(Nest(inputs), call);
  }
  /// @{
  /// The same with what any layer is told, as a layer hands on its own call to one whose
  /// CallOptions have more.
  template <class C, class U = T>
  requires(detail::is_general_call<C, typename U::CallOptions>) Tensor operator()(
      const Tensor& x, const C& call) const {
    return (*object_)(x, call);
  }
  template <class C, class U = T>
  requires(detail::is_general_call<C, typename U::CallOptions>) Nest operator()(
      const Nest& inputs, const C& call) const {
    return (*object_)(inputs, call);
  }  ///< the same
  template <class C, class U = T>
  requires(detail::is_general_call<C, typename U::CallOptions>) Nest operator()(
      std::initializer_list<Nest> inputs, const C& call) const {
    return (*object_)(Nest(inputs), call);
  }  ///< the same
  /// @}
  /// Calls a layer whose CallOptions say that it takes a query and a value:
  /// `attention(query, value, {.key = key})`.
  template <class U = T>
  requires(U::CallOptions::takes_value) Nest operator()(
      const Tensor& query, const Tensor& value, const typename U::CallOptions& call = {}) const {
    return (*object_)(Nest{query, value}, call);
  }
  /// The same with what any layer is told.
  template <class C, class U = T>
  requires(U::CallOptions::takes_value&& detail::is_general_call<C, typename U::CallOptions>) Nest
  operator()(const Tensor& query, const Tensor& value, const C& call) const {
    return (*object_)(Nest{query, value}, call);
  }
  /// With the key behind the value, as in Keras: `attention(query, value, key)`.
  template <class K, class U = T>
  requires(U::CallOptions::takes_value&& std::derived_from<K, Tensor>) Nest operator()(
      const Tensor& query, const Tensor& value, const K& key,
      typename U::CallOptions call = {}) const {
    call.key = key;
    return (*object_)(Nest{query, value}, call);
  }
  /// Calls a layer that gives a list of N tensors, to be taken apart:
  /// `const auto [y, h, c] = lstm.unpack<3>(x, {.initial_state = {h0, c0}});`.
  template <size_t N, class U = T>
  auto unpack(const Nest& inputs, const typename U::CallOptions& call = {}) const {
    return object_->template unpack<N>(inputs, call);
  }
  /// The same for one that takes a query and a value:
  /// `const auto [y, scores] = mha.unpack<2>(q, v, {.return_attention_scores = true});`.
  template <size_t N, class U = T>
  requires(U::CallOptions::takes_value) auto unpack(
      const Tensor& query, const Tensor& value, const typename U::CallOptions& call = {}) const {
    return object_->template unpack<N>(Nest{query, value}, call);
  }
  /// For a text that explains: `dense(a, b)` does not compile.
  template <class B, class U = T>
  requires(std::convertible_to<B, Tensor> && !std::convertible_to<B, typename U::CallOptions> &&
           !detail::TakesValue<typename U::CallOptions>) Nest
  operator()(const Tensor&, const B&) const {
    static_assert(
        detail::never<B>,
        "a layer takes its inputs as one argument, in braces: layer({a, b}); what else it "
        "is told stands in braces too: layer(x, {.mask = mask})");
    return {};
  }
  /// Calls an initializer: `zeros({2, 3})`, `zeros({2, 3}, "float16")`; without a dtype
  /// config::floatx.
  template <detail::OfInitializer U = T>
  Tensor operator()(const Shape& shape, OptionalDType dtype = {}) const {
    return (*object_)(shape, dtype.value_or(config::default_dtype()));
  }
  /// Calls anything else: a loss on y_true and y_pred, a schedule on a step, ...
  template <class... A>
  auto operator()(const A&... arguments) const requires(
      !requires { typename T::CallOptions; } && requires(T & t) { t(arguments...); }) {
    return (*object_)(arguments...);
  }

 private:
  std::shared_ptr<T> object_;
};

namespace detail {
/// The functions that objects of a kind may be; void for kinds without.
template <class Base, class = void>
struct FunctionOf {
  using type = void;
};
template <class Base>
struct FunctionOf<Base, std::void_t<typename Base::Function>> {
  using type = typename Base::Function;
};
/// A function that may stand for an object of kind Base, and is no handle of one.
template <class F, class Base>
concept FunctionFor = !std::convertible_to<F, std::shared_ptr<Base>> && !requires {
  typename F::Object;
}
&&std::constructible_from<typename FunctionOf<Base>::type, F>;
}  // namespace detail

/// An option that is an object of kind Base or the name of one: `.kernel_initializer =
/// "he_normal"`. Base has `static constexpr const char* module`, where names are looked up. Without
/// a value it is empty.
template <class Base>
class Choice {
 public:
  Choice() = default;
  Choice(std::nullopt_t) {}  ///< none
  Choice(std::nullptr_t) {}  ///< none
  /// By name. Throws ValueError with a did-you-mean when there is no such class.
  Choice(const char* name) : Choice(std::string(name)) {}
  /// The same for a string.
  Choice(const std::string& name) : Choice(make_by_name(Base::module, name)) {}
  Choice(std::shared_ptr<Base> object) : object_(std::move(object)) {}  ///< shares the object
  /// The same for an object of a class of one's own: `= std::make_shared<MyRegularizer>()`.
  template <class T>
  requires(std::derived_from<T, Base> && !std::same_as<T, Base>) Choice(std::shared_ptr<T> object)
      : object_(std::move(object)) {}
  /// Shares the handle's object.
  template <class T>
  requires std::derived_from<T, Base> Choice(const Ref<T>& ref) : object_(ref.shared()) {}
  /// A function, where the kind of object may be one: `[](const Shape& shape, DType dtype) {...}`
  /// for an initializer. To be saved it is to be named by register_function.
  template <detail::FunctionFor<Base> F>
  Choice(F function) : object_(Base::of_function(std::move(function))) {}
  /// What serialize gave of an object, or as much of it as {class_name, config}. Throws ValueError
  /// for what describes none.
  template <class V>
  requires(std::same_as<V, Value> || std::same_as<V, Value::Dict>) Choice(const V& description)
      : Choice(detail::made_of(description, Base::module)) {}
  /// What deserialize made. Throws ValueError when it is of another kind.
  explicit Choice(const std::shared_ptr<Configurable>& object)
      : object_(std::dynamic_pointer_cast<Base>(object)) {
    if (object && !object_) detail::wrong_kind(Base::module, *object);
  }

  Base* operator->() const { return object_.get(); }               ///< null for none
  Base& operator*() const { return *object_; }                     ///< there must be one
  Base* get() const { return object_.get(); }                      ///< null for none
  explicit operator bool() const { return object_ != nullptr; }    ///< whether there is one
  const std::shared_ptr<Base>& shared() const { return object_; }  ///< keeps the object alive
  /// The same, where a shared pointer is asked for.
  operator const std::shared_ptr<Base>&() const { return object_; }
  /// Whether it is none.
  friend bool operator==(const Choice& a, std::nullptr_t) { return !a.object_; }

  /// Calls the object, as `losses::get("mse")(y_true, y_pred)`. Throws StateError for none.
  template <class... A>
  requires(requires(Base& b, const A&... a) { b(a...); }) auto operator()(
      const A&... arguments) const {
    return existing()(arguments...);
  }
  /// Calls an initializer: `initializers::get("zeros")({2, 3})`; without a dtype config::floatx.
  template <detail::OfInitializer B = Base>
  Tensor operator()(const Shape& shape, OptionalDType dtype = {}) const {
    return existing()(shape, dtype.value_or(config::default_dtype()));
  }

 private:
  Base& existing() const {
    if (!object_) detail::throw_none(Base::module);
    return *object_;
  }

  std::shared_ptr<Base> object_;
};

namespace detail {

template <class Base>
struct OptionCodec<Choice<Base>> {
  static Value encode(const Choice<Base>& v) { return v ? serialize_shared(v.shared()) : Value(); }
  static Choice<Base> decode(const Value& v) {
    if (v.is_null()) return {};
    if (v.is<std::string>()) return Choice<Base>(v.get<std::string>());
    return Choice<Base>(deserialize(v, Base::module));
  }
};

}  // namespace detail
}  // namespace cornu
