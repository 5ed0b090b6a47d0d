// Copies around a product of 8-bit factors.
#include "eight_bit_product.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "temporary_block.h"

namespace cornu::backend::cuda {
namespace {

// Of rows in elements: of a factor's, and of the results' of integers and of floats.
constexpr int64_t whole_factors = 16, whole_integers = 4, whole_floats = 16;
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

class EightBitProduct final : public Executable {
 public:
  EightBitProduct(const Matmul& matmul, const EightBitForm& form,
                  std::unique_ptr<Executable> product, std::span<const Operand> inputs,
                  const Operand& out, Context& context)
      : context_(context), product_(std::move(product)), bias_(matmul.bias) {
    const auto prepare_copy = [&](const std::optional<Copy>& copy, const Operand& from,
                                  const Operand& to) {
      return copy ? context.prepare(*copy, {&from, 1}, {&to, 1}) : nullptr;
    };
    for (const size_t i : {0, 1}) {
      // Copies move bits.
      const Operand from{inputs[i].shape, DType::uint8, nullptr};
      const Operand to{i == 0 ? &form.a : &form.b, DType::uint8, nullptr};
      factors_[i].copy = prepare_copy(i == 0 ? form.copy_a : form.copy_b, from, to);
      factors_[i].bytes = to.bytes();
    }
    const Operand wide{&form.out, out.dtype, nullptr};
    copy_out_ = prepare_copy(form.copy_out, wide, out);
    out_bytes_ = wide.bytes();
    if (!copy_out_ || !(bias_ || matmul.relu)) return;
    // A bias has the columns of the result, not of what is copied to it.
    const ProgramRef program = Program::make(bias_ ? 2 : 1, [&](const std::vector<Expr>& x) {
      const Expr sum = bias_ ? x[0] + x[1] : x[0];
      return std::vector<Expr>{matmul.relu ? expr::relu(sum) : sum};
    });
    std::vector<Operand> operands{out};
    if (bias_) operands.push_back(inputs[2]);
    epilogue_ = context.prepare(Fused{program, out.dtype}, operands, {&out, 1});
  }
  ~EightBitProduct() override {
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
    if (!epilogue_) return;
    void* const with_bias[] = {out, bias, out};
    void* const alone[] = {out, out};
    epilogue_->run(bias_ ? with_bias : alone);
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
  std::unique_ptr<Executable> copy_out_, epilogue_;
  size_t out_bytes_ = 0;
};

}  // namespace

EightBitForm eight_bit_form(const Matmul& matmul, const Shape& a, const Shape& b,
                            const Shape& out) {
  const int64_t depth = matmul.transpose_a ? a[a.rank() - 2] : a.back();
  // A batch of a's alone makes rows, see matmul_layout.
  const bool one_b = b.numel() == depth * out.back();
  const int64_t height = out[out.rank() - 2], rows = one_b ? out.numel() / out.back() : height;
  const int64_t m = rows < least_rows ? least_rows : height,
                n = round_up(out.back(), matmul.float8_a ? whole_floats : whole_integers),
                k = round_up(depth, whole_factors);
  EightBitForm form{matrices(a, m, k), matrices(b, n, k), matrices(out, m, n), {}, {}, {}};
  form.copy_a = copy_of(a, matmul.transpose_a, form.a);
  form.copy_b = copy_of(b, !matmul.transpose_b, form.b);
  form.copy_out = copy_of(form.out, false, out);
  return form;
}

std::unique_ptr<Executable> eight_bit_product(const Matmul& matmul, const EightBitForm& form,
                                              std::span<const Operand> inputs,
                                              std::span<const Operand> outputs, Context& context,
                                              const MatmulMaker& make) {
  const bool bias = matmul.bias && !form.copy_out, relu = matmul.relu && !form.copy_out;
  std::vector<Operand> factors{{&form.a, inputs[0].dtype, nullptr},
                               {&form.b, inputs[1].dtype, nullptr}};
  if (bias) factors.push_back(inputs[2]);
  const Operand out{&form.out, outputs[0].dtype, nullptr};
  auto product = make(Matmul{.transpose_b = true,
                             .bias = bias,
                             .relu = relu,
                             .float8_a = matmul.float8_a,
                             .float8_b = matmul.float8_b},
                      factors, {&out, 1});
  if (!product) return nullptr;
  const std::string path = context.path();
  auto executable = std::make_unique<EightBitProduct>(matmul, form, std::move(product), inputs,
                                                      outputs[0], context);
  context.set_path(path + ", on copies in rows of whole 16 bytes");
  return executable;
}

}  // namespace cornu::backend::cuda
