// Copies of keys and values for each head, and sums of their gradients.
#include "grouped_attention.h"

#include <utility>
#include <vector>

#include "temporary_block.h"

namespace cornu::backend::cuda {
namespace {

class Repeated final : public Executable {
 public:
  Repeated(const Attention& attention, std::span<const Operand> inputs,
           std::span<const Operand> outputs, Context& context)
      : context_(context), backward_(attention.backward), inputs_(inputs.size()) {
    const Shape &q = *inputs[0].shape, &k = *inputs[1].shape;
    const DType dtype = inputs[1].dtype;
    Shape whole = k;
    whole[2] = q[2];
    bytes_ = static_cast<size_t>(whole.numel()) * size_of(dtype);

    const int64_t places = k[0] * k[1] * k[2], group = q[2] / k[2], d = k[3];
    const Shape sizes{places, group, d};
    Copy copy;
    copy.parts.push_back({sizes, View{0, {d, 0, 1}}, View{0, {group * d, d, 1}}});
    copy.shape = whole;
    const Operand given{&k, dtype, nullptr}, repeated{&whole, dtype, nullptr};
    repeat_ = context.prepare(copy, {&given, 1}, {&repeated, 1});
    if (backward_) {
      const ProgramRef same = Program::make(1, [](std::vector<Expr> x) { return x; });
      const Operand parts{&sizes, dtype, nullptr};
      const Shape rows{places, d};
      const Operand sums{&rows, dtype, nullptr};
      fold_ = context.prepare(Reduce{same, DType::float32, ReduceOp::sum, {1}, sizes}, {&parts, 1},
                              {&sums, 1});
    }

    std::vector<Operand> in(inputs.begin(), inputs.end()), out(outputs.begin(), outputs.end());
    in[1] = in[2] = repeated;
    if (backward_) out[1] = out[2] = repeated;
    attend_ = context.prepare(attention, in, out);
    context.set_path(context.path() + ", on keys and values repeated for each head");
  }

  void run(void* const* data) override {
    Allocator& allocator = context_.allocator();
    const TemporaryBlock k(allocator, bytes_), v(allocator, bytes_);
    std::vector<void*> all(data, data + inputs_ + (backward_ ? 3 : 2));
    repeat(all[1], k);
    repeat(all[2], v);
    if (!backward_) return attend_->run(all.data());
    const TemporaryBlock dk(allocator, bytes_), dv(allocator, bytes_);
    void* const sums[] = {std::exchange(all[inputs_ + 1], dk.data()),
                          std::exchange(all[inputs_ + 2], dv.data())};
    attend_->run(all.data());
    fold(dk, sums[0]);
    fold(dv, sums[1]);
  }

 private:
  void repeat(void*& operand, const TemporaryBlock& to) {
    void* const addresses[] = {operand, to.data()};
    repeat_->run(addresses);
    operand = to.data();
  }
  void fold(const TemporaryBlock& from, void* to) {
    void* const addresses[] = {from.data(), to};
    fold_->run(addresses);
  }

  Context& context_;
  bool backward_;
  size_t inputs_;
  size_t bytes_;  // of repeated keys
  std::unique_ptr<Executable> repeat_, fold_, attend_;
};

}  // namespace

std::unique_ptr<Executable> repeated_attention(const Attention& attention,
                                               std::span<const Operand> inputs,
                                               std::span<const Operand> outputs, Context& context) {
  return std::make_unique<Repeated>(attention, inputs, outputs, context);
}

}  // namespace cornu::backend::cuda
