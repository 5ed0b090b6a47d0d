// Functions of the configs of this thread, by number.
#include "copy_scope.h"

namespace cornu::detail {
namespace {

constexpr const char* marker = "__copied_function__";

thread_local std::vector<std::any>* kept = nullptr;

}  // namespace

CopyScope::CopyScope() : outermost_(!kept) {
  if (outermost_) kept = new std::vector<std::any>;
}

CopyScope::~CopyScope() {
  if (outermost_) delete std::exchange(kept, nullptr);
}

std::optional<Value> describe_copied(std::any function) {
  if (!kept) return std::nullopt;
  kept->push_back(std::move(function));
  return Value::Dict{{"class_name", marker}, {"config", kept->size() - 1}};
}

std::any copied_function(const Value& value) {
  if (!kept || !value.is<Value::Dict>()) return {};
  const auto& dict = value.get<Value::Dict>();
  const Value* name = dict.find("class_name");
  const Value* number = dict.find("config");
  if (!name || !name->is<std::string>() || name->get<std::string>() != marker || !number ||
      !number->is<int64_t>())
    return {};
  return kept->at(static_cast<size_t>(number->get<int64_t>()));
}

}  // namespace cornu::detail
