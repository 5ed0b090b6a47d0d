// Matrix products by cuBLASLt: the choice of an algorithm, and runs.
#include "cublas_matmul.h"

#include <optional>
#include <utility>
#include <vector>

#include "../error.h"
#include "bounded_cache.h"
#include "codegen/codegen.h"
#include "cublas_product.h"
#include "eight_bit_product.h"
#include "fallback.h"
#include "library_checks.h"
#include "matmul_layout.h"
#include "measuring.h"
#include "operands_text.h"

namespace cornu::backend::cuda {
namespace {

using namespace cublas;

struct Algorithm {
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace = 0;
  Epilogue epilogue = Epilogue::none;
};

/// What is kept for a device.
struct Handle {
  explicit Handle(Context&) {
    try {
      const cublasStatus_t status = functions().create(&handle);
      if (status == CUBLAS_STATUS_SUCCESS) return;
      handle = nullptr;
      why = "Expected a device to use, found " + describe(status) +
            ". Check that the driver is as new as the library.";
    } catch (const UnsupportedError& error) {
      why = error.what();
    }
  }
  ~Handle() {
    if (handle != nullptr) functions().destroy(handle);
  }
  Handle(const Handle&) = delete;

  cublasLtHandle_t handle = nullptr;
  std::string why;  ///< there is no handle
  BoundedCache<std::optional<Algorithm>> algorithms{2048};
};

class CublasMatmul : public Executable {
 public:
  CublasMatmul(Context& context, cublasLtHandle_t handle, MatmulLayout layout, const Types& types,
               size_t factor_bytes, size_t result_bytes, const Algorithm& algorithm)
      : context_(context),
        handle_(handle),
        layout_(std::move(layout)),
        product_(layout_, types, algorithm.epilogue),
        algorithm_(algorithm),
        factor_bytes_(factor_bytes),
        result_bytes_(result_bytes),
        scale_(types.scale) {}

  /// For what the algorithm leaves out, by a kernel over the output and the bias, if there is one.
  void set_epilogue(std::unique_ptr<Executable> epilogue, bool bias) {
    epilogue_ = std::move(epilogue);
    epilogue_bias_ = bias;
  }
  /// Takes another algorithm, to be measured.
  void use(const cublasLtMatmulHeuristicResult_t& candidate) {
    algorithm_.algorithm = candidate.algo;
    algorithm_.workspace = candidate.workspaceSize;
  }

  void run(void* const* data) override {
    const bool adds = algorithm_.epilogue == Epilogue::bias;
    void* const bias = adds || epilogue_bias_ ? data[2] : nullptr;
    void* const out = data[bias != nullptr ? 3 : 2];
    const cublasStatus_t status = launch(data[0], data[1], adds ? bias : nullptr, out);
    if (status != CUBLAS_STATUS_SUCCESS)
      throw StateError("cuBLASLt " + cublas_version() + ": a product of " +
                       std::to_string(layout_.result.columns) + " x " +
                       std::to_string(layout_.depth) + " by " + std::to_string(layout_.depth) +
                       " x " + std::to_string(layout_.result.rows) +
                       " failed: " + describe(status) +
                       ". Run again with CUBLASLT_LOG_LEVEL=5 for the library's own words.");
    if (!epilogue_) return;
    void* const with_bias[] = {out, bias, out};
    void* const alone[] = {out, out};
    epilogue_->run(epilogue_bias_ ? with_bias : alone);
  }

  /// `bias` is read with Epilogue::bias.
  cublasStatus_t launch(const void* a, const void* b, const void* bias, void* out) {
    // Shared with products that run before or after this one.
    void* const workspace = context_.workspace(algorithm_.workspace);
    // The library reads the address when it is called, not when the descriptor is made.
    if (bias != nullptr) product_.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    const auto [alpha, beta] = one_and_zero();
    for (const MatmulOffsets& at : layout_.calls) {
      // cuBLAS counts columns first: c = a b row by row is c' = b' a' column by column, so b comes
      // first and nothing is transposed.
      const char* first = static_cast<const char*>(b) + bytes(at.first, factor_bytes_);
      const char* second = static_cast<const char*>(a) + bytes(at.second, factor_bytes_);
      char* result = static_cast<char*>(out) + bytes(at.result, result_bytes_);
      const cublasStatus_t status = functions().matmul(
          handle_, product_.product.get(), alpha, first, product_.first.get(), second,
          product_.second.get(), beta, result, product_.result.get(), result, product_.result.get(),
          &algorithm_.algorithm, workspace, algorithm_.workspace, context_.stream());
      if (status != CUBLAS_STATUS_SUCCESS) return status;
    }
    return CUBLAS_STATUS_SUCCESS;
  }

 private:
  static size_t bytes(int64_t elements, size_t element) {
    return static_cast<size_t>(elements) * element;
  }

  // The library reads them as numbers of the type that scales products.
  std::pair<const void*, const void*> one_and_zero() const {
    static constexpr float floats[] = {1, 0};
    static constexpr double doubles[] = {1, 0};
    static constexpr int32_t integers[] = {1, 0};
    if (scale_ == CUDA_R_64F) return {&doubles[0], &doubles[1]};
    if (scale_ == CUDA_R_32I) return {&integers[0], &integers[1]};
    return {&floats[0], &floats[1]};
  }

  Context& context_;
  cublasLtHandle_t handle_;
  MatmulLayout layout_;
  Product product_;
  Algorithm algorithm_;
  size_t factor_bytes_, result_bytes_;
  cudaDataType_t scale_;
  std::unique_ptr<Executable> epilogue_;
  bool epilogue_bias_ = false;
};

// A generated kernel is faster then, and needs none behind it for relu: the library's makes zeros
// of NaN.
bool is_tiny(const MatmulLayout& layout) {
  return layout.result.rows * layout.result.columns * layout.depth * layout.batch <= tiny_product &&
         layout.calls.size() == 1;
}

/// The index of the fastest of `found`.
size_t fastest_of(const std::string& key, const std::vector<cublasLtMatmulHeuristicResult_t>& found,
                  CublasMatmul& product, Epilogue epilogue, std::span<const Operand> inputs,
                  std::span<const Operand> outputs, Context& context) {
  // CORNU_CUDA_MEASURE=0 leaves the choice to the heuristic, which takes no time.
  if (found.size() < 2 || !may_measure()) return 0;
  // Its heuristic gives the same list to all who ask the same version about the same device.
  const std::string ways = "cuBLASLt " + cublas_version() + "\nproduct " + key + "\nepilogue " +
                           std::to_string(static_cast<int>(epilogue));
  std::optional<TrialOperands> operands;
  return fastest(ways, context, found.size(), [&](size_t i) {
    if (!operands) operands.emplace(context, inputs, outputs);
    const std::vector<void*>& at = operands->addresses();
    if (at.empty()) return false;
    void* const bias = epilogue == Epilogue::bias ? at[2] : nullptr;
    product.use(found[i]);
    return product.launch(at[0], at[1], bias, at[inputs.size()]) == CUBLAS_STATUS_SUCCESS;
  });
}

std::optional<Algorithm> choose(Handle& handle, const MatmulLayout& layout, const Types& types,
                                const Matmul& matmul, std::span<const Operand> inputs,
                                std::span<const Operand> outputs, Context& context,
                                const std::string& key, std::string& why) {
  const size_t factor = size_of(inputs[0].dtype), result = size_of(outputs[0].dtype);
  const int alignment = matmul_alignment(layout, factor, result);
  // Some types and versions have no algorithm that adds a bias: then a kernel adds it. The library
  // adds none to int32, and to products of 8-bit floats only one of 16 bits.
  std::vector<Epilogue> ways{Epilogue::none};
  if (matmul.bias && factor > 1) ways = {Epilogue::bias, Epilogue::none};
  for (const Epilogue epilogue : ways) {
    try {
      const Product product(layout, types, epilogue);
      const auto found = candidates(handle.handle, product, alignment);
      if (!found.empty()) {
        Algorithm algorithm{found[0].algo, found[0].workspaceSize, epilogue};
        CublasMatmul trial(context, handle.handle, layout, types, factor, result, algorithm);
        const size_t best =
            fastest_of(key, found, trial, epilogue,
                       epilogue == Epilogue::bias ? inputs : inputs.first(2), outputs, context);
        return Algorithm{found[best].algo, found[best].workspaceSize, epilogue};
      }
      why = "It has no algorithm for this product.";
    } catch (const Refusal& refusal) {
      why = refusal.what();  // without the bias, or not at all
    }
  }
  return std::nullopt;
}

// Of factors that are 8-bit floats, as bits.
std::string float8_text(std::optional<DType> dtype) {
  return dtype ? std::string(dtype_name(*dtype)) + " " : "";
}

}  // namespace

std::string cublas_version(std::string* why) {
  try {
    const size_t v = functions().version();
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
  } catch (const UnsupportedError& error) {
    if (why != nullptr) *why = error.what();
    return "";
  }
}

std::string try_matmul(const Matmul& matmul, const Operand& a, const Operand& b,
                       const Operand& out) {
  std::string why;
  if (cublas_version(&why).empty()) return "absent: " + why;
  const std::optional<Types> types = types_of(matmul.float8_a.value_or(a.dtype),
                                              matmul.float8_b.value_or(b.dtype), out.dtype, false);
  std::optional<MatmulLayout> layout = matmul_layout(matmul, *a.shape, *b.shape, *out.shape);
  if (!types || !layout) return "refused: no layout";
  if (size_of(a.dtype) == 1) {
    const EightBitForm form = eight_bit_form(matmul, *a.shape, *b.shape, *out.shape);
    layout = matmul_layout({.transpose_b = true}, form.a, form.b, form.out);
  }
  try {
    const bool bias = matmul.bias && size_of(a.dtype) > 1;
    const Product product(*layout, *types, bias ? Epilogue::bias : Epilogue::none);
    return "descriptors made";
  } catch (const Refusal& refusal) {
    return std::string("refused: ") + refusal.what();
  }
}

std::unique_ptr<Executable> cublas_matmul(const Matmul& matmul, std::span<const Operand> inputs,
                                          std::span<const Operand> outputs, Context& context) {
  const Operand& out = outputs[0];
  const bool exact = !tf32();
  const DType factor = inputs[0].dtype;
  const std::optional<Types> types =
      types_of(matmul.float8_a.value_or(factor), matmul.float8_b.value_or(inputs[1].dtype),
               out.dtype, !exact);
  if (!types) return nullptr;
  if (matmul.bias && inputs[2].dtype != out.dtype) return nullptr;
  const std::optional<MatmulLayout> layout =
      matmul_layout(matmul, *inputs[0].shape, *inputs[1].shape, *out.shape);
  const auto lost = [&](const std::string& why) {
    tell_fallback(matmul, inputs, outputs, "cuBLASLt " + cublas_version(), why,
                  "a generated kernel without tensor cores");
    return nullptr;
  };
  if (!layout) {
    // Empty products are no loss.
    if (out.shape->numel() == 0 || inputs[0].shape->numel() == 0) return nullptr;
    return lost("Its batches are too many, or broadcast in too many pieces.");
  }
  Handle& handle = context.part<Handle>();
  if (handle.handle == nullptr) return lost(handle.why);
  if (is_tiny(*layout)) return nullptr;
  if (size_of(factor) == 1)
    if (const EightBitForm form =
            eight_bit_form(matmul, *inputs[0].shape, *inputs[1].shape, *out.shape);
        form.copies())
      return eight_bit_product(matmul, form, inputs, outputs, context,
                               [&](const Matmul& product, std::span<const Operand> factors,
                                   std::span<const Operand> result) {
                                 return cublas_matmul(product, factors, result, context);
                               });
  const std::string key = std::string(matmul.transpose_a ? "ta " : "") +
                          (matmul.transpose_b ? "tb " : "") + (exact ? "" : "tf32 ") +
                          float8_text(matmul.float8_a) + float8_text(matmul.float8_b) +
                          operands_text(inputs, outputs);
  const std::optional<Algorithm> algorithm = handle.algorithms.get(key, [&] {
    std::string why;
    auto chosen = choose(handle, *layout, *types, matmul, inputs, outputs, context, key, why);
    if (!chosen) lost(why);
    return chosen;
  });
  if (!algorithm) return nullptr;
  auto executable = std::make_unique<CublasMatmul>(context, handle.handle, *layout, *types,
                                                   size_of(factor), size_of(out.dtype), *algorithm);
  const bool adds_bias = matmul.bias && algorithm->epilogue != Epilogue::bias;
  if (adds_bias || matmul.relu) {
    ProgramBuilder builder(adds_bias ? 2 : 1);
    Expr value = builder.input(0);
    if (adds_bias) value = value + builder.input(1);
    if (matmul.relu) value = expr::relu(value);
    const DType compute = size_of(out.dtype) < 4 ? DType::float32 : out.dtype;
    std::vector<Operand> operands{out};
    if (adds_bias) operands.push_back(inputs[2]);
    executable->set_epilogue(
        context.prepare(Fused{builder.finish({value}), compute}, operands, outputs), adds_bias);
  }
  context.set_path("cuBLASLt " + cublas_version());
  return executable;
}

}  // namespace cornu::backend::cuda
