// What the CPU's users of oneDNN 2 or 3 share: its engine, its threads, and how primitives are
// made.
//
// Only for .cpp files that call oneDNN. oneDNN takes its number of threads from OpenMP; it is set
// for the calling thread only, and put back.
#pragma once
#include <dnnl.h>
#include <omp.h>

#include <cstddef>
#include <dnnl.hpp>
#include <type_traits>

namespace cornu::backend::cpu::onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
inline constexpr auto float32 = dnnl::memory::data_type::f32;

/// Has oneDNN's calls of this thread run on it alone until the end of a scope: Cornu's own loops
/// share out pieces of a convolution or a product, so that there is one pool of threads, and sums
/// do not depend on how many oneDNN has.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }

 private:
  int before_;
};

/// The CPU's engine; never destroyed: threads may still end after the static variables are gone.
inline const dnnl::engine& engine() {
  static const dnnl::engine& cpu = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// Attributes of a primitive whose scratchpad the caller gives.
inline dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

/// Describes a primitive: versions 2 and 3 differ in how that is written. `hint` is the forward
/// pass's description for backward passes, and null for others.
template <class Primitive, class Hint, class... Arguments>
auto describe_with(const dnnl::primitive_attr& attributes, const Hint& hint,
                   const Arguments&... arguments) {
  using PrimitiveDesc = typename Primitive::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  if constexpr (std::is_null_pointer_v<Hint>)
    return PrimitiveDesc(engine(), arguments..., attributes);
  else
    return PrimitiveDesc(engine(), arguments..., hint, attributes);
#else
  const typename Primitive::desc description(arguments...);
  if constexpr (std::is_null_pointer_v<Hint>)
    return PrimitiveDesc(description, attributes, engine());
  else
    return PrimitiveDesc(description, attributes, engine(), hint);
#endif
}

/// The same for a primitive without other attributes than own_scratchpad().
template <class Primitive, class Hint, class... Arguments>
auto describe(const Hint& hint, const Arguments&... arguments) {
  return describe_with<Primitive>(own_scratchpad(), hint, arguments...);
}

/// A size rounded up to whole cache lines.
inline size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Memory of the caller's, as oneDNN sees it.
inline dnnl::memory wrap(const Desc& desc, const void* data) {
  return dnnl::memory(desc, engine(), const_cast<void*>(data));
}

}  // namespace cornu::backend::cpu::onednn
