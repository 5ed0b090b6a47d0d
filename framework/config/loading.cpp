// The scopes of a thread that reads or writes a file.
#include "loading.h"

#include <fmt/core.h>

#include "../../backend/error.h"

namespace cornu {

/// What the innermost scopes of this thread are.
struct LoadingState {
  LoadingScope* loading = nullptr;
  SharedObjectsScope* objects = nullptr;

  static LoadingState& current() {
    thread_local LoadingState state;
    return state;
  }

  static Tensor claim(const std::string& layer, const std::string& name, const Shape& shape,
                      DType dtype) {
    uint64_t bytes = size_of(dtype);
    for (int64_t size : shape)
      if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes) ||
          bytes > most_bytes)
        throw ShapeError(fmt::format("weight '{}' cannot have the shape {}: no memory holds it.",
                                     name, shape.str()));
    LoadingScope* scope = current().loading;
    if (!scope) return {};
    if (bytes > scope->limit_ - scope->used_)
      throw MemoryError(fmt::format(
          "weight '{}' has the shape {}, and with it the model's weights take more than "
          "the {} bytes that the file can hold. The config and the weights do not "
          "belong together, or the config is damaged.",
          name, shape.str(), scope->limit_));
    scope->used_ += bytes;
    const auto lent = scope->lent_.find({shape.str(), dtype});
    if (lent != scope->lent_.end()) return lent->second;
    scope->claims_.push_back({layer + "/" + name, Tensor::empty(shape, dtype)});
    return scope->claims_.back().room;
  }

  static std::shared_ptr<Configurable> find(int64_t number) {
    SharedObjectsScope* scope = current().objects;
    if (!scope || scope->mode_ != SharedObjectsScope::Mode::reading) return nullptr;
    const auto found = scope->objects_.find(number);
    return found == scope->objects_.end() ? nullptr : found->second;
  }

  static void remember(int64_t number, const std::shared_ptr<Configurable>& object) {
    SharedObjectsScope* scope = current().objects;
    if (scope && scope->mode_ == SharedObjectsScope::Mode::reading)
      scope->objects_.emplace(number, object);
  }

  static int64_t number(const Configurable& object) {
    SharedObjectsScope* scope = current().objects;
    if (!scope || scope->mode_ != SharedObjectsScope::Mode::writing) return 0;
    const auto next = static_cast<int64_t>(scope->numbers_.size()) + 1;
    return scope->numbers_.emplace(&object, next).first->second;
  }

  static constexpr uint64_t most_bytes = uint64_t{1} << 62;
};

LoadingScope::LoadingScope(uint64_t limit)
    : limit_(limit), outer_(LoadingState::current().loading) {
  LoadingState::current().loading = this;
}

LoadingScope::LoadingScope(uint64_t limit, const std::vector<Tensor>& lent) : LoadingScope(limit) {
  for (const Tensor& t : lent) lent_.emplace(std::pair(t.shape().str(), t.dtype()), t);
}

LoadingScope::~LoadingScope() { LoadingState::current().loading = outer_; }

SharedObjectsScope::SharedObjectsScope(Mode mode)
    : mode_(mode), outer_(LoadingState::current().objects) {
  LoadingState::current().objects = this;
}

SharedObjectsScope::~SharedObjectsScope() { LoadingState::current().objects = outer_; }

namespace detail {

Tensor claim_weight(const std::string& layer, const std::string& name, const Shape& shape,
                    DType dtype) {
  return LoadingState::claim(layer, name, shape, dtype);
}

std::shared_ptr<Configurable> shared_object(int64_t number) { return LoadingState::find(number); }

void remember_object(int64_t number, const std::shared_ptr<Configurable>& object) {
  LoadingState::remember(number, object);
}

int64_t number_object(const Configurable& object) { return LoadingState::number(object); }

}  // namespace detail
}  // namespace cornu
