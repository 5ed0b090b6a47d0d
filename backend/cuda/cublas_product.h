// cuBLASLt as it is opened at run time, and the descriptors of products. For the sources of this
// folder only.
#pragma once
#include <cublasLt.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../dtype.h"
#include "../error.h"
#include "matmul_layout.h"

namespace cornu::backend::cuda::cublas {

/// The functions of cuBLASLt that are called.
struct Functions {
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtGetStatusName) status_name;
  decltype(&cublasLtGetStatusString) status_text;
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulDescCreate) product_create;
  decltype(&cublasLtMatmulDescDestroy) product_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) product_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
};

/// Throws UnsupportedError when there is no cuBLASLt.
const Functions& functions();

/// "CUBLAS_STATUS_NOT_SUPPORTED (what cuBLAS says about it)".
std::string describe(cublasStatus_t status);

/// What cuBLASLt does not take.
class Refusal : public StateError {
 public:
  using StateError::StateError;
};
/// Throws Refusal unless `status` is success.
void check(cublasStatus_t status, const char* what);

/// What the elements of a product are, the numbers that scale it, and its sums.
struct Types {
  cudaDataType_t first, second, result, scale;
  cublasComputeType_t compute;
};
/// For a Matmul's factors; a bias is of the result's dtype. Empty for what it does not multiply.
std::optional<Types> types_of(DType a, DType b, DType result, bool tf32);

struct DestroyProduct {
  void operator()(cublasLtMatmulDesc_t d) const { functions().product_destroy(d); }
};
struct DestroyLayout {
  void operator()(cublasLtMatrixLayout_t d) const { functions().layout_destroy(d); }
};
struct DestroyPreference {
  void operator()(cublasLtMatmulPreference_t d) const { functions().preference_destroy(d); }
};
template <class T, class Destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Destroy>;
using LayoutRef = Owned<cublasLtMatrixLayout_t, DestroyLayout>;

/// What the library does besides a product. (Its relu would turn NaN into 0.)
enum class Epilogue { none, bias };

/// The descriptors of a product.
struct Product {
  Owned<cublasLtMatmulDesc_t, DestroyProduct> product;
  LayoutRef first, second, result;

  Product(const MatmulLayout& layout, const Types& types, Epilogue epilogue);
  template <class T>
  void set(cublasLtMatmulDescAttributes_t name, const T& value) {
    check(functions().product_set(product.get(), name, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
  }
};

/// Algorithms for a product, the heuristic's first choice first.
std::vector<cublasLtMatmulHeuristicResult_t> candidates(cublasLtHandle_t handle,
                                                        const Product& product, int alignment);

}  // namespace cornu::backend::cuda::cublas
