// Names of policies, and their form in files.
#include "dtype_policy.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <deque>
#include <mutex>
#include <optional>

#include "../config/configurable.h"
#include "../tensor/config.h"
#include "dtype_policy_map.h"

namespace cornu {

namespace {

constexpr const char* from = "_from_";

// The block size of "int4/128".
int64_t block_size_of(const std::string& mode) {
  int64_t size = 0;
  const char* end = mode.data() + mode.size();
  const auto [rest, error] = std::from_chars(mode.data() + 5, end, size);
  if (error != std::errc() || rest != end || size < -1 || size == 0)
    throw ValueError(
        "dtype policy: expected 'int4/<block size>' with a positive number or -1, found '" + mode +
        "'.");
  return size;
}

// The bits and the size of groups of "gptq/4/128".
std::pair<int64_t, int64_t> groups_of(const std::string& mode) {
  int64_t bits = 0, size = 0;
  const size_t first = mode.find('/'), second = mode.find('/', first + 1);
  const bool two = second != std::string::npos;
  const auto read = [&](size_t begin, size_t end, int64_t& number) {
    const auto [rest, error] = std::from_chars(mode.data() + begin, mode.data() + end, number);
    return error == std::errc() && rest == mode.data() + end;
  };
  const std::string base = mode.substr(0, first);
  if (!two || !read(first + 1, second, bits) || !read(second + 1, mode.size(), size) || size < -1 ||
      size == 0)
    throw ValueError(
        fmt::format("dtype policy: expected '{}/<weight bits>/<group size>' with a size that is "
                    "positive or -1, "
                    "found '{}'.",
                    base, mode));
  const bool known = base == "awq" ? bits == 4 : bits == 2 || bits == 3 || bits == 4 || bits == 8;
  if (!known)
    throw ValueError(fmt::format("dtype policy '{}': {} has weights of {} bits, found {}.", mode,
                                 base, base == "awq" ? "4" : "2, 3, 4 or 8", bits));
  return {bits, size};
}

bool is_calibrated(const std::string& mode) {
  return mode.starts_with("gptq/") || mode.starts_with("awq/");
}

// Of the innermost PolicyScope of this thread.
std::optional<DTypePolicy>& current() {
  thread_local std::optional<DTypePolicy> policy;
  return policy;
}

// The process's policy. Those before stay, as somebody may hold a reference.
struct Global {
  std::mutex mutex;
  std::deque<DTypePolicy> all;
  std::atomic<const DTypePolicy*> policy = nullptr;
};

Global& global() {
  static auto* global = new Global;
  return *global;
}

const DTypePolicy& policy_of(DType dtype) {
  static const DTypePolicy float32, float16("float16"), bfloat16("bfloat16"), float64("float64");
  switch (dtype) {
    case DType::float16:
      return float16;
    case DType::bfloat16:
      return bfloat16;
    case DType::float64:
      return float64;
    default:
      return float32;
  }
}

}  // namespace

DTypePolicy::DTypePolicy(const std::string& name) : name_(name) {
  if (const size_t split = name.find(from); split != std::string::npos) {
    *this = quantized(name.substr(0, split), DTypePolicy(name.substr(split + 6)));
  } else if (name.starts_with("mixed_")) {
    if (name != "mixed_float16" && name != "mixed_bfloat16")
      throw ValueError("dtype policy '" + name + "' is not known." +
                       did_you_mean(name, {"mixed_float16", "mixed_bfloat16"}));
    compute_ = dtype_of(name.substr(6));
  } else {
    variable_ = compute_ = dtype_of(name);
  }
}

DTypePolicy DTypePolicy::quantized(const std::string& mode, const DTypePolicy& source,
                                   int64_t amax_history_length) {
  const std::string base = mode.substr(0, mode.find('/'));
  const bool plain = base == mode && (base == "int8" || base == "float8" || base == "int4");
  if (!plain && base != "int4" && base != "gptq" && base != "awq")
    throw ValueError("dtype policy: the quantization mode '" + mode + "' is not known." +
                     did_you_mean(mode, {"int8", "int4", "float8", "gptq/4/128", "awq/4/128"}));
  if (source.is_map())
    throw ValueError("dtype policy: '" + mode + from +
                     "...' needs the policy of one layer, found a DTypePolicyMap.");
  if (source.is_quantized())
    throw ValueError("dtype policy '" + mode + from + source.name() +
                     "' quantizes what is quantized already.");
  if (base == "int8" && source.compute_ == DType::float16)
    throw ValueError("dtype policy '" + mode + from + source.name() +
                     "': int8 does not go with computation in float16, whose range is too small. "
                     "Use mixed_bfloat16.");
  if (amax_history_length < 1 || amax_history_length > INT32_MAX)
    throw ValueError("dtype policy: amax_history_length must be positive.");
  if (base == "gptq" || base == "awq")
    groups_of(mode);
  else if (mode != base)
    block_size_of(mode);
  DTypePolicy policy = source;
  policy.name_ = mode + from + source.name();
  policy.amax_history_length_ = static_cast<int32_t>(amax_history_length);
  return policy;
}

std::string DTypePolicy::quantization_mode() const {
  if (is_map()) return for_path("").quantization_mode();
  return is_quantized() ? name_.substr(0, std::min(name_.find('/'), name_.find(from))) : "";
}

std::optional<int64_t> DTypePolicy::block_size() const {
  if (is_map()) return for_path("").block_size();
  if (!name_.starts_with("int4/")) return {};
  const int64_t size = block_size_of(name_.substr(0, name_.find(from)));
  return size > 0 ? std::optional(size) : std::nullopt;
}

int64_t DTypePolicy::weight_bits() const {
  if (is_map()) return for_path("").weight_bits();
  if (!is_calibrated(name_))
    throw StateError("dtype policy '" + name_ + "': gptq and awq alone have weight_bits.");
  return groups_of(name_.substr(0, name_.find(from))).first;
}

int64_t DTypePolicy::group_size() const {
  if (is_map()) return for_path("").group_size();
  if (!is_calibrated(name_))
    throw StateError("dtype policy '" + name_ + "': gptq and awq alone have a group_size.");
  return groups_of(name_.substr(0, name_.find(from))).second;
}

const DTypePolicy& default_policy() {
  if (const auto& policy = current()) return *policy;
  if (const DTypePolicy* policy = global().policy) return *policy;
  return policy_of(config::default_dtype());
}

void config::set_dtype_policy(const DTypePolicy& policy) {
  Global& g = global();
  const std::lock_guard lock(g.mutex);
  g.policy = &g.all.emplace_back(policy);
}

void config::forget_dtype_policy() {
  Global& g = global();
  const std::lock_guard lock(g.mutex);
  g.policy = nullptr;
}

DTypePolicy config::dtype_policy() { return default_policy(); }

PolicyScope::PolicyScope(const DTypePolicy& policy) : previous_(current()) { current() = policy; }
PolicyScope::~PolicyScope() { current() = previous_; }

namespace detail {

Value serialized_policy(const char* module, const char* class_name, Value::Dict config) {
  return Value::Dict{{"module", module},
                     {"class_name", class_name},
                     {"config", std::move(config)},
                     {"registered_name", Value()}};
}

namespace {

const std::string* text(const Value::Dict& dict, const char* key) {
  const Value* value = find(dict, key);
  return value && value->is<std::string>() ? &value->get<std::string>() : nullptr;
}

}  // namespace

Value OptionCodec<DTypePolicy>::encode(const DTypePolicy& v) {
  if (v.is_map()) return encode_policy_map(v);
  if (!v.is_quantized()) return serialized_policy("keras", "DTypePolicy", {{"name", v.name()}});
  const size_t split = v.name().find(from);
  const std::string mode = v.name().substr(0, split);
  Value::Dict config = {{"mode", mode}, {"source_name", v.name().substr(split + 6)}};
  if (mode == "float8") config.emplace_back("amax_history_length", v.amax_history_length());
  return serialized_policy("keras.dtype_policies",
                           mode == "float8"            ? "QuantizedFloat8DTypePolicy"
                           : mode.starts_with("int4/") ? "Int4DTypePolicy"
                           : mode.starts_with("gptq")  ? "GPTQDTypePolicy"
                           : mode.starts_with("awq")   ? "AWQDTypePolicy"
                                                       : "QuantizedDTypePolicy",
                           std::move(config));
}

DTypePolicy OptionCodec<DTypePolicy>::decode(const Value& v) {
  if (v.is_null()) return default_policy();
  if (v.is<std::string>()) return DTypePolicy(v.get<std::string>());
  if (v.is<Value::Dict>()) {
    const std::string* class_name = text(v.get<Value::Dict>(), "class_name");
    const Value* config = find(v.get<Value::Dict>(), "config");
    const bool whole = class_name && config && config->is<Value::Dict>();
    if (whole && (*class_name == "DTypePolicy" || *class_name == "FloatDTypePolicy" ||
                  *class_name == "Policy"))
      if (const Value* name = find(config->get<Value::Dict>(), "name"))
        if (name->is_null() || name->is<std::string>()) return decode(*name);
    if (whole && *class_name == "DTypePolicyMap")
      return decode_policy_map(config->get<Value::Dict>());
    if (whole && (*class_name == "QuantizedDTypePolicy" ||
                  *class_name == "QuantizedFloat8DTypePolicy" || *class_name == "Int4DTypePolicy" ||
                  *class_name == "GPTQDTypePolicy" || *class_name == "AWQDTypePolicy")) {
      const auto& options = config->get<Value::Dict>();
      const std::string* source = text(options, "source_name");
      const Value* length = find(options, "amax_history_length");
      if (const std::string* mode = text(options, "mode"))
        return DTypePolicy::quantized(*mode,
                                      source ? DTypePolicy(*source) : default_policy().for_path(""),
                                      length ? from_value<int64_t>(*length) : 1024);
    }
    if (class_name && *class_name != "DTypePolicy")
      throw UnsupportedError("dtype policy " + *class_name + " is not supported.");
  }
  throw ValueError("expected a dtype policy, found " + v.kind());
}

}  // namespace detail
template struct detail::ErasedOption<std::optional<DTypePolicy>>;

}  // namespace cornu
