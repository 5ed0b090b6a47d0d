// Comparing arguments by kind.
#include "signature.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace cornu {
namespace {

bool same_tensor_kind(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  if (a.shape() != b.shape() || a.dtype() != b.dtype() || a.is_weak() != b.is_weak()) return false;
  if (!a.is_weak() && a.impl()->storage->backend != b.impl()->storage->backend) return false;
  // A C++ number is part of the signature: the recording holds it as a constant.
  if (a.is_weak() && std::memcmp(a.data(), b.data(), 8) != 0) return false;
  const bool masked = a.impl()->mask != nullptr;
  return masked == (b.impl()->mask != nullptr) && (!masked || a.mask().spec() == b.mask().spec());
}

}  // namespace

bool collect(const Nest& nest, TensorPointers& tensors) {
  if (nest.is_tensor()) {
    const Tensor& t = nest.tensor();
    if (!t) return true;
    if (!t.is_eager()) return false;
    tensors.push_back(&t);
    return true;
  }
  if (nest.is_list()) {
    for (const Nest& element : nest.list())
      if (!collect(element, tensors)) return false;
    return true;
  }
  for (const auto& [key, element] : nest.entries())
    if (!collect(element, tensors)) return false;
  return true;
}

bool same_kind(const Nest& a, const Nest& b) {
  if (a.is_tensor()) return b.is_tensor() && same_tensor_kind(a.tensor(), b.tensor());
  if (a.is_list()) {
    if (!b.is_list()) return false;
    return std::equal(a.list().begin(), a.list().end(), b.list().begin(), b.list().end(),
                      same_kind);
  }
  if (!b.is_dict()) return false;
  return std::equal(a.entries().begin(), a.entries().end(), b.entries().begin(), b.entries().end(),
                    [](const auto& mine, const auto& other) {
                      return mine.first == other.first && same_kind(mine.second, other.second);
                    });
}

Nest kind_of(const Nest& nest) {
  return nest.map([](const Tensor& t) {
    if (!t || t.is_weak()) return t;
    Tensor kind = Tensor::meta(t.shape(), t.dtype(), t.device().backend());
    if (t.mask()) kind.set_mask(Tensor::abstract(t.mask().shape(), t.mask().dtype()));
    return kind;
  });
}

std::string kind_difference(const Nest& before, const Nest& now,
                            const std::vector<std::string>& names) {
  const std::vector<Tensor> a = before.flatten(), b = now.flatten();
  if (!before.same_structure(now))
    return fmt::format("the arguments' structure changed from {} to {}", before.structure(),
                       now.structure());
  for (size_t i = 0; i < a.size(); ++i) {
    if (same_tensor_kind(a[i], b[i])) continue;
    const std::string name = i < names.size() ? names[i] : std::to_string(i);
    const auto text = [](const Tensor& t) {
      return !t ? std::string("nothing") : t.is_weak() ? "the number " + t.str() : t.spec().str();
    };
    if (a[i] && b[i] && a[i].device() != b[i].device())
      return fmt::format("argument '{}' moved from {} to {}", name, a[i].device().name(),
                         b[i].device().name());
    if (a[i] && b[i] && a[i].spec() == b[i].spec() && !a[i].is_weak())
      return fmt::format("the mask of argument '{}' changed", name);
    return fmt::format("argument '{}' changed from {} to {}", name, text(a[i]), text(b[i]));
  }
  return "a call outside of the kept signatures";
}

}  // namespace cornu
