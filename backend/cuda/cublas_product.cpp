// Opening cuBLASLt, and describing products to it.
#include "cublas_product.h"

#include "library_search.h"

namespace cornu::backend::cuda::cublas {
namespace {

// What NVIDIA recommends for Hopper; algorithms that split k need it.
constexpr size_t workspace_bytes = size_t{32} << 20;
// Each is measured once for a new shape. The first few are not always the fastest, beyond these it
// hardly pays.
constexpr int most_candidates = 24;

Functions open() {
  const Library library = Library::open("cublasLt", {13, 12});
  const auto get = [&]<class F>(F& to, const char* name) {
    to = library.function<std::remove_pointer_t<F>>(name);
  };
  Functions f;
  get(f.version, "cublasLtGetVersion");
  get(f.status_name, "cublasLtGetStatusName");
  get(f.status_text, "cublasLtGetStatusString");
  get(f.create, "cublasLtCreate");
  get(f.destroy, "cublasLtDestroy");
  get(f.matmul, "cublasLtMatmul");
  get(f.product_create, "cublasLtMatmulDescCreate");
  get(f.product_destroy, "cublasLtMatmulDescDestroy");
  get(f.product_set, "cublasLtMatmulDescSetAttribute");
  get(f.layout_create, "cublasLtMatrixLayoutCreate");
  get(f.layout_destroy, "cublasLtMatrixLayoutDestroy");
  get(f.layout_set, "cublasLtMatrixLayoutSetAttribute");
  get(f.preference_create, "cublasLtMatmulPreferenceCreate");
  get(f.preference_destroy, "cublasLtMatmulPreferenceDestroy");
  get(f.preference_set, "cublasLtMatmulPreferenceSetAttribute");
  get(f.heuristic, "cublasLtMatmulAlgoGetHeuristic");
  return f;
}

LayoutRef make_layout(const ColumnMatrix& matrix, int64_t batch, cudaDataType_t type) {
  cublasLtMatrixLayout_t raw;
  check(functions().layout_create(&raw, type, static_cast<uint64_t>(matrix.rows),
                                  static_cast<uint64_t>(matrix.columns), matrix.leading),
        "cublasLtMatrixLayoutCreate");
  LayoutRef layout(raw);
  const auto count = static_cast<int32_t>(batch);
  check(functions().layout_set(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
        "cublasLtMatrixLayoutSetAttribute");
  check(functions().layout_set(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                               &matrix.batch_stride, sizeof(matrix.batch_stride)),
        "cublasLtMatrixLayoutSetAttribute");
  return layout;
}

}  // namespace

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

std::string describe(cublasStatus_t status) {
  return std::string(functions().status_name(status)) + " (" + functions().status_text(status) +
         ")";
}

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Refusal(std::string(what) + ": " + describe(status));
}

std::optional<Types> types_of(DType a, DType b, DType result, bool tf32) {
  const auto alike = [](cudaDataType_t type, cudaDataType_t result, cublasComputeType_t compute) {
    return Types{type, type, result, CUDA_R_32F, compute};
  };
  const auto sums_in_float32 = [&](cudaDataType_t type) -> std::optional<Types> {
    if (result == a) return alike(type, type, CUBLAS_COMPUTE_32F);
    if (result == DType::float32) return alike(type, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    return std::nullopt;
  };
  if (is_float8(a) && is_float8(b)) {
    // The library has no kernels for two factors of e5m2.
    if (result != DType::float32 || (a == b && a == DType::float8_e5m2)) return std::nullopt;
    const auto type = [](DType dtype) {
      return dtype == DType::float8_e4m3fn ? CUDA_R_8F_E4M3 : CUDA_R_8F_E5M2;
    };
    return Types{type(b), type(a), CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  }
  if (a != b) return std::nullopt;
  switch (a) {
    case DType::int8:
      if (result != DType::int32) return std::nullopt;
      return Types{CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I};
    case DType::float16:
      return sums_in_float32(CUDA_R_16F);
    case DType::bfloat16:
      return sums_in_float32(CUDA_R_16BF);
    case DType::float32:
      if (result != DType::float32) return std::nullopt;
      return alike(CUDA_R_32F, CUDA_R_32F,
                   tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F);
    case DType::float64:
      if (result != DType::float64) return std::nullopt;
      return Types{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
    default:
      return std::nullopt;
  }
}

Product::Product(const MatmulLayout& layout, const Types& types, Epilogue epilogue) {
  cublasLtMatmulDesc_t raw;
  check(functions().product_create(&raw, types.compute, types.scale), "cublasLtMatmulDescCreate");
  product.reset(raw);
  const cublasOperation_t first_op = layout.first.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t second_op = layout.second.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  set(CUBLASLT_MATMUL_DESC_TRANSA, first_op);
  set(CUBLASLT_MATMUL_DESC_TRANSB, second_op);
  // The first factor, column by column, is the operand b.
  set(CUBLASLT_MATMUL_DESC_EPILOGUE,
      epilogue == Epilogue::bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT);
  if (epilogue != Epilogue::none) {
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, types.result);
    // Some versions have no algorithm for a null address; runs set the real one.
    alignas(16) static constexpr char somewhere[16] = {};
    const void* const address = somewhere;
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address);
  }
  first = make_layout(layout.first, layout.batch, types.first);
  second = make_layout(layout.second, layout.batch, types.second);
  result = make_layout(layout.result, layout.batch, types.result);
}

std::vector<cublasLtMatmulHeuristicResult_t> candidates(cublasLtHandle_t handle,
                                                        const Product& product, int alignment) {
  cublasLtMatmulPreference_t raw;
  check(functions().preference_create(&raw), "cublasLtMatmulPreferenceCreate");
  const Owned<cublasLtMatmulPreference_t, DestroyPreference> preference(raw);
  const auto set = [&]<class T>(cublasLtMatmulPreferenceAttributes_t name, const T& value) {
    check(functions().preference_set(raw, name, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  const uint64_t bytes = workspace_bytes;
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, bytes);
  // Sums of parts in the type of the sums, not in that of the result.
  const uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions);
  const auto least = static_cast<uint32_t>(alignment);
  for (auto name :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(name, least);
  std::vector<cublasLtMatmulHeuristicResult_t> found(most_candidates);
  int count = 0;
  check(functions().heuristic(handle, product.product.get(), product.first.get(),
                              product.second.get(), product.result.get(), product.result.get(), raw,
                              most_candidates, found.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  found.resize(static_cast<size_t>(count));
  std::erase_if(found, [](const auto& one) { return one.state != CUBLAS_STATUS_SUCCESS; });
  return found;
}

}  // namespace cornu::backend::cuda::cublas
