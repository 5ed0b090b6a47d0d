// The cache of eager calls.
#include <bit>

#include "dispatch.h"

namespace cornu::backend::cuda {
namespace {

class Hasher {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) {
    if constexpr (std::is_floating_point_v<T>)
      // 0 and -0 are equal, and equal kernels must have equal hashes.
      mix(value == 0 ? 0 : std::bit_cast<uint64_t>(static_cast<double>(value)));
    else
      mix(static_cast<uint64_t>(value));
  }
  void add(const Shape& shape) {
    mix(static_cast<uint64_t>(shape.rank()));
    for (const int64_t size : shape) add(size);
  }
  template <class T, size_t N>
  void add(const InlineVector<T, N>& values) {
    mix(values.size());
    for (const T& value : values) add(value);
  }
  void add(const View& view) { all(view.offset, view.strides); }
  void all(const auto&... values) { (add(values), ...); }
  uint64_t value() const { return hash_; }

 private:
  void mix(uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }
  uint64_t hash_ = 0xcbf29ce484222325u;
};

void add(Hasher& h, const Fused& k) { h.all(k.program->hash(), k.compute); }
void add(Hasher& h, const MultiTensorFused& k) {
  add(h, k.each);
  h.add(k.sets);
}
void add(Hasher& h, const Reduce& k) {
  h.all(k.program->hash(), k.compute, k.op, k.axes, k.shape, k.scale);
}
void add(Hasher& h, const Matmul& k) {
  h.all(k.transpose_a, k.transpose_b, k.bias, k.relu, k.float8_a.has_value(),
        k.float8_a.value_or(DType::uint8), k.float8_b.value_or(DType::uint8));
}
void add(Hasher& h, const Pool& k) {
  h.all(k.maximum, k.backward, k.relu, k.window, k.strides, k.pad_low, k.pad_high, k.block);
}
void add(Hasher& h, const Conv& k) {
  h.all(k.pass, k.strides, k.dilation, k.pad_low, k.pad_high, k.groups, k.bias, k.relu, k.block_x,
        k.block_y, k.unpooled);
  if (k.pool) add(h, *k.pool);
}
void add(Hasher& h, const Softmax& k) { h.all(k.log, k.sums); }
void add(Hasher& h, const Copy& k) {
  for (const Copy::Part& part : k.parts) h.all(part.sizes, part.from, part.to);
  h.all(k.shape, k.fill, k.covers);
}
void add(Hasher& h, const Gather& k) { h.all(k.axis, k.along); }
void add(Hasher& h, const Scatter& k) { h.all(k.axis, k.along, k.op); }
void add(Hasher& h, const Sort& k) { h.all(k.descending, k.count); }
void add(Hasher& h, const Cumulative& k) { h.all(k.axis, k.product, k.reverse); }
void add(Hasher& h, const Random& k) { h.all(k.distribution, k.low, k.high); }
void add(Hasher& h, const Normalize& k) {
  h.all(k.channels, k.centered, k.scale, k.offset, k.backward, k.epsilon, k.block);
  for (const ProgramRef& program : {k.before, k.after}) h.add(program ? program->hash() : 0);
}
void add(Hasher& h, const Rnn& k) { h.all(k.cell, k.backward, k.bias, k.reverse); }
void add(Hasher& h, const Attention& k) { h.all(k.scale, k.causal, k.mask, k.backward); }
void add(Hasher& h, const Linalg& k) { h.all(k.op, k.complete, k.lower); }
void add(Hasher& h, const Fft& k) { h.add(k.inverse); }

Hasher hash_of(const Kernel& kernel) {
  Hasher hasher;
  hasher.add(kernel.index());
  std::visit([&](const auto& k) { add(hasher, k); }, kernel);
  return hasher;
}

}  // namespace

uint64_t kernel_hash(const Kernel& kernel) { return hash_of(kernel).value(); }

bool ExecutableCache::Entry::serves(const Kernel& wanted, std::span<const Operand> in,
                                    std::span<const Operand> out) const {
  if (inputs != in.size() || operands.size() != in.size() + out.size()) return false;
  size_t i = 0;
  for (const auto& list : {in, out})
    for (const Operand& operand : list) {
      const auto& [shape, dtype] = operands[i++];
      if (dtype != operand.dtype || !(shape == *operand.shape)) return false;
    }
  return kernel == wanted;
}

const std::shared_ptr<Executable>& ExecutableCache::get(const Kernel& kernel,
                                                        std::span<const Operand> inputs,
                                                        std::span<const Operand> outputs,
                                                        const Maker& make) {
  Hasher hasher = hash_of(kernel);
  for (const auto& list : {inputs, outputs})
    for (const Operand& operand : list) hasher.all(*operand.shape, operand.dtype);
  const uint64_t hash = hasher.value();
  const auto known = by_hash_.find(hash);
  // A hash alone is not trusted: two kernels may share one.
  if (known != by_hash_.end() && known->second->serves(kernel, inputs, outputs)) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return entries_.front().executable;
  }
  Entry entry{hash, kernel, inputs.size(), {}, make()};
  for (const auto& list : {inputs, outputs})
    for (const Operand& operand : list) entry.operands.emplace_back(*operand.shape, operand.dtype);
  // Looked up again: making it may have run other kernels, which come here too.
  if (const auto same = by_hash_.find(hash); same != by_hash_.end()) {
    entries_.erase(same->second);
    by_hash_.erase(same);
  }
  // Programs with ever new shapes would otherwise keep compiled code for all of them.
  while (entries_.size() >= most_) {
    by_hash_.erase(entries_.back().hash);
    entries_.pop_back();
  }
  entries_.push_front(std::move(entry));
  by_hash_[hash] = entries_.begin();
  return entries_.front().executable;
}

void ExecutableCache::clear() {
  by_hash_.clear();
  entries_.clear();
}

}  // namespace cornu::backend::cuda
