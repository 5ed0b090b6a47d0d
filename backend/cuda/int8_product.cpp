// Copies around a product of int8.
#include "int8_product.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "temporary_block.h"

namespace cornu::backend::cuda {
namespace {

// Of a factor's rows in elements, and of the results' in elements of 4 bytes.
constexpr int64_t whole_factors = 16, whole_results = 4;
// cuBLASLt has no kernel for the fewest rows. Up to these a product takes as long as its reading of
// the other factor, so more rows cost little.
constexpr int64_t least_rows = 32;

int64_t round_up(int64_t size, int64_t step) { return (size + step - 1) / step * step; }

Shape matrices(const Shape& shape, int64_t rows, int64_t columns) {
  Shape result = shape;
  result[shape.rank() - 2] = rows;
  result[shape.rank() - 1] = columns;
  return result;
}

// Matrices of `from`, transposed if `turned`, in the first rows and columns of those of `to`, or
// the first rows and columns of `from` where `to` has fewer. None where all stays as it is.
std::optional<Copy> copy_of(const Shape& from, bool turned, const Shape& to) {
  if (!turned && from == to) return std::nullopt;
  const int64_t from_rows = from[from.rank() - 2], from_columns = from.back();
  const int64_t to_rows = to[to.rank() - 2], to_columns = to.back();
  const int64_t rows = std::min(turned ? from_columns : from_rows, to_rows),
                columns = std::min(turned ? from_rows : from_columns, to_columns);
  const int64_t batch = to.slice(0, to.rank() - 2).numel();
  Copy copy;
  copy.parts.push_back(
      {Shape{batch, rows, columns},
       View{0, {from_rows * from_columns, turned ? 1 : from_columns, turned ? from_columns : 1}},
       View{0, {to_rows * to_columns, to_columns, 1}}});
  copy.shape = to;
  copy.covers = rows == to_rows && columns == to_columns;
  return copy;
}

void run_copy(Executable& copy, void* from, void* to) {
  void* const data[] = {from, to};
  copy.run(data);
}

class Int8Product final : public Executable {
 public:
  Int8Product(const Int8Form& form, std::unique_ptr<Executable> product,
              std::span<const Operand> inputs, const Operand& out, Context& context)
      : context_(context), product_(std::move(product)), bias_(inputs.size() > 2) {
    const auto prepare_copy = [&](const std::optional<Copy>& copy, const Operand& from,
                                  const Operand& to) {
      return copy ? context.prepare(*copy, {&from, 1}, {&to, 1}) : nullptr;
    };
    for (const size_t i : {0, 1}) {
      const Operand to{i == 0 ? &form.a : &form.b, inputs[i].dtype, nullptr};
      factors_[i].copy = prepare_copy(i == 0 ? form.copy_a : form.copy_b, inputs[i], to);
      factors_[i].bytes = static_cast<size_t>(to.shape->numel()) * size_of(to.dtype);
    }
    const Operand wide{&form.out, out.dtype, nullptr};
    copy_out_ = prepare_copy(form.copy_out, wide, out);
    out_bytes_ = static_cast<size_t>(form.out.numel()) * size_of(out.dtype);
    if (!copy_out_ || !bias_) return;
    const ProgramRef sum =
        Program::make(2, [](const std::vector<Expr>& x) { return std::vector<Expr>{x[0] + x[1]}; });
    const Operand terms[] = {out, inputs[2]};
    add_bias_ = context.prepare(Fused{sum, out.dtype}, terms, {&out, 1});
  }
  ~Int8Product() override {
    for (const Factor& factor : factors_)
      if (factor.kept != nullptr) context_.allocator().deallocate(factor.kept, factor.bytes);
  }

  void run(void* const* data) override {
    // Not scratch memory, which the product may take.
    std::optional<TemporaryBlock> blocks[3];
    void* at[4];
    for (const size_t i : {0, 1}) {
      Factor& factor = factors_[i];
      at[i] = factor.copy ? factor.kept : data[i];
      if (at[i] != nullptr) continue;
      at[i] = blocks[i].emplace(context_.allocator(), factor.bytes).data();
      run_copy(*factor.copy, data[i], at[i]);
    }
    void* const bias = bias_ ? data[2] : nullptr;
    void* const out = data[bias_ ? 3 : 2];
    if (!copy_out_) {
      at[2] = bias_ ? bias : out;
      at[3] = out;
      return product_->run(at);
    }
    at[2] = blocks[2].emplace(context_.allocator(), out_bytes_).data();
    product_->run(at);
    run_copy(*copy_out_, at[2], out);
    void* const terms[] = {out, bias, out};
    if (add_bias_) add_bias_->run(terms);
  }

  uint32_t inputs_to_prepack(uint32_t stable) override {
    uint32_t kept = 0;
    for (const size_t i : {0, 1}) {
      factors_[i].stable = factors_[i].copy && (stable >> i & 1u) != 0;
      if (factors_[i].stable) kept |= 1u << i;
    }
    return kept;
  }
  void keep(void* const* data) override {
    for (const size_t i : {0, 1}) {
      Factor& factor = factors_[i];
      if (!factor.stable) continue;
      if (factor.kept == nullptr) factor.kept = context_.allocator().allocate(factor.bytes);
      run_copy(*factor.copy, data[i], factor.kept);
    }
  }

 private:
  struct Factor {
    std::unique_ptr<Executable> copy;  // null: taken as it is
    size_t bytes = 0;                  // of the copy
    bool stable = false;
    void* kept = nullptr;
  };

  Context& context_;
  std::unique_ptr<Executable> product_;
  bool bias_;
  std::array<Factor, 2> factors_;
  std::unique_ptr<Executable> copy_out_, add_bias_;
  size_t out_bytes_ = 0;
};

}  // namespace

Int8Form int8_form(const Matmul& matmul, const Shape& a, const Shape& b, const Shape& out) {
  const int64_t depth = matmul.transpose_a ? a[a.rank() - 2] : a.back();
  // A batch of a's alone makes rows, see matmul_layout.
  const bool one_b = b.numel() == depth * out.back();
  const int64_t height = out[out.rank() - 2], rows = one_b ? out.numel() / out.back() : height;
  const int64_t m = rows < least_rows ? least_rows : height,
                n = round_up(out.back(), whole_results), k = round_up(depth, whole_factors);
  Int8Form form{matrices(a, m, k), matrices(b, n, k), matrices(out, m, n), {}, {}, {}};
  form.copy_a = copy_of(a, matmul.transpose_a, form.a);
  form.copy_b = copy_of(b, !matmul.transpose_b, form.b);
  form.copy_out = copy_of(form.out, false, out);
  return form;
}

std::unique_ptr<Executable> int8_product(const Matmul& matmul, const Int8Form& form,
                                         std::span<const Operand> inputs,
                                         std::span<const Operand> outputs, Context& context,
                                         const MatmulMaker& make) {
  if (matmul.relu) return nullptr;  // plans have none behind integers
  // A bias has the columns of the result, and is added to that.
  const bool bias = matmul.bias && !form.copy_out;
  std::vector<Operand> factors{{&form.a, inputs[0].dtype, nullptr},
                               {&form.b, inputs[1].dtype, nullptr}};
  if (bias) factors.push_back(inputs[2]);
  const Operand out{&form.out, outputs[0].dtype, nullptr};
  auto product = make(Matmul{.transpose_b = true, .bias = bias}, factors, {&out, 1});
  if (!product) return nullptr;
  const std::string path = context.path();
  auto executable =
      std::make_unique<Int8Product>(form, std::move(product), inputs, outputs[0], context);
  context.set_path(path + ", on copies in rows of whole 16 bytes");
  return executable;
}

}  // namespace cornu::backend::cuda
