// cuSOLVER's and cuBLAS's routines behind MatrixLibrary.
#include "cusolver_linalg.h"

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "../error.h"
#include "fallback.h"
#include "library_search.h"
#include "linalg_steps.h"

namespace cornu::backend::cuda {
namespace {

struct Functions {
  decltype(&cusolverGetVersion) version;
  decltype(&cusolverDnCreate) create;
  decltype(&cusolverDnDestroy) destroy;
  decltype(&cusolverDnSetStream) set_stream;
  decltype(&cusolverDnCreateParams) params_create;
  decltype(&cusolverDnDestroyParams) params_destroy;
  decltype(&cusolverDnXpotrf_bufferSize) potrf_size;
  decltype(&cusolverDnXpotrf) potrf;
  decltype(&cusolverDnXgetrf_bufferSize) getrf_size;
  decltype(&cusolverDnXgetrf) getrf;
  decltype(&cusolverDnXgetrs) getrs;
  decltype(&cusolverDnXgeqrf_bufferSize) geqrf_size;
  decltype(&cusolverDnXgeqrf) geqrf;
  decltype(&cusolverDnSorgqr_bufferSize) sorgqr_size;
  decltype(&cusolverDnSorgqr) sorgqr;
  decltype(&cusolverDnDorgqr_bufferSize) dorgqr_size;
  decltype(&cusolverDnDorgqr) dorgqr;
  decltype(&cusolverDnXsyevd_bufferSize) syevd_size;
  decltype(&cusolverDnXsyevd) syevd;
  decltype(&cusolverDnXgesvd_bufferSize) gesvd_size;
  decltype(&cusolverDnXgesvd) gesvd;
};

struct BlasFunctions {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasStrsm_v2_64) strsm;
  decltype(&cublasDtrsm_v2_64) dtrsm;
};

template <class F>
void get(const Library& library, F& to, const char* name) {
  to = library.function<std::remove_pointer_t<F>>(name);
}

/// Throws UnsupportedError when there is no cuSOLVER.
const Functions& functions() {
  static const Functions opened = [] {
    const Library library = Library::open("cusolver", {12, 11});
    Functions f;
    get(library, f.version, "cusolverGetVersion");
    get(library, f.create, "cusolverDnCreate");
    get(library, f.destroy, "cusolverDnDestroy");
    get(library, f.set_stream, "cusolverDnSetStream");
    get(library, f.params_create, "cusolverDnCreateParams");
    get(library, f.params_destroy, "cusolverDnDestroyParams");
    get(library, f.potrf_size, "cusolverDnXpotrf_bufferSize");
    get(library, f.potrf, "cusolverDnXpotrf");
    get(library, f.getrf_size, "cusolverDnXgetrf_bufferSize");
    get(library, f.getrf, "cusolverDnXgetrf");
    get(library, f.getrs, "cusolverDnXgetrs");
    get(library, f.geqrf_size, "cusolverDnXgeqrf_bufferSize");
    get(library, f.geqrf, "cusolverDnXgeqrf");
    get(library, f.sorgqr_size, "cusolverDnSorgqr_bufferSize");
    get(library, f.sorgqr, "cusolverDnSorgqr");
    get(library, f.dorgqr_size, "cusolverDnDorgqr_bufferSize");
    get(library, f.dorgqr, "cusolverDnDorgqr");
    get(library, f.syevd_size, "cusolverDnXsyevd_bufferSize");
    get(library, f.syevd, "cusolverDnXsyevd");
    get(library, f.gesvd_size, "cusolverDnXgesvd_bufferSize");
    get(library, f.gesvd, "cusolverDnXgesvd");
    return f;
  }();
  return opened;
}

/// Throws UnsupportedError when there is no cuBLAS.
const BlasFunctions& blas() {
  static const BlasFunctions opened = [] {
    const Library library = Library::open("cublas", {13, 12});
    BlasFunctions f;
    get(library, f.create, "cublasCreate_v2");
    get(library, f.destroy, "cublasDestroy_v2");
    get(library, f.set_stream, "cublasSetStream_v2");
    get(library, f.strsm, "cublasStrsm_v2_64");
    get(library, f.dtrsm, "cublasDtrsm_v2_64");
    return f;
  }();
  return opened;
}

/// What the libraries do not take, or did not do.
class Refusal : public StateError {
 public:
  using StateError::StateError;
};

void check(cusolverStatus_t status, const char* routine) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw Refusal(std::string("cuSOLVER ") + cusolver_version() + ": " + routine +
                  " failed with status " + std::to_string(static_cast<int>(status)) + ".");
}

void check(cublasStatus_t status, const char* routine) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Refusal(std::string("cuBLAS: ") + routine + " failed with status " +
                  std::to_string(static_cast<int>(status)) + ".");
}

/// What is kept for a device. Without handles: there is no library, or it cannot use the device.
struct Solver {
  explicit Solver(Context& context) {
    try {
      check(functions().create(&handle), "cusolverDnCreate");
      check(functions().set_stream(handle, context.stream()), "cusolverDnSetStream");
      check(functions().params_create(&params), "cusolverDnCreateParams");
    } catch (const UnsupportedError& error) {
      why = error.what();
    } catch (const Refusal& refusal) {
      why = refusal.what();
      drop();
    }
  }
  ~Solver() { drop(); }
  Solver(const Solver&) = delete;
  void drop() {
    if (params != nullptr) functions().params_destroy(params);
    if (handle != nullptr) functions().destroy(handle);
    params = nullptr;
    handle = nullptr;
  }

  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  std::string why;  // there is no handle
};

struct Blas {
  explicit Blas(Context& context) {
    try {
      check(blas().create(&handle), "cublasCreate");
      check(blas().set_stream(handle, context.stream()), "cublasSetStream");
    } catch (const UnsupportedError& error) {
      why = error.what();
    } catch (const Refusal& refusal) {
      why = refusal.what();
      drop();
    }
  }
  ~Blas() { drop(); }
  Blas(const Blas&) = delete;
  void drop() {
    if (handle != nullptr) blas().destroy(handle);
    handle = nullptr;
  }

  cublasHandle_t handle = nullptr;
  std::string why;  // there is no handle
};

cudaDataType_t type_of(DType dtype) { return dtype == DType::float64 ? CUDA_R_64F : CUDA_R_32F; }

/// A routine of the 64-bit interface with the sizes of its two workspaces. The host's is the
/// work's own, and one call at a time uses it.
template <class Size, class Run>
MatrixWork with_workspaces(const char* name, Size size, Run run) {
  size_t device = 0, host = 0;
  check(size(&device, &host), name);
  auto memory = std::make_shared<std::vector<char>>(host);
  return {device, [=](void* const* data, void* workspace) {
            check(run(data, workspace, device, memory->data(), host), name);
          }};
}

MatrixWork potrf(const Solver& solver, const MatrixCall& c) {
  const cudaDataType_t type = type_of(c.dtype);
  const auto handle = solver.handle;
  const auto params = solver.params;
  constexpr cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER;
  return with_workspaces(
      "cusolverDnXpotrf",
      [&](size_t* device, size_t* host) {
        return functions().potrf_size(handle, params, upper, c.rows, type, nullptr, c.rows, type,
                                      device, host);
      },
      [=](void* const* data, void* work, size_t bytes, void* host, size_t host_bytes) {
        return functions().potrf(handle, params, upper, c.rows, type, data[0], c.rows, type, work,
                                 bytes, host, host_bytes, static_cast<int*>(data[1]));
      });
}

MatrixWork getrf(const Solver& solver, const MatrixCall& c) {
  const cudaDataType_t type = type_of(c.dtype);
  const auto handle = solver.handle;
  const auto params = solver.params;
  return with_workspaces(
      "cusolverDnXgetrf",
      [&](size_t* device, size_t* host) {
        return functions().getrf_size(handle, params, c.rows, c.columns, type, nullptr, c.rows,
                                      type, device, host);
      },
      [=](void* const* data, void* work, size_t bytes, void* host, size_t host_bytes) {
        return functions().getrf(handle, params, c.rows, c.columns, type, data[0], c.rows,
                                 static_cast<int64_t*>(data[1]), type, work, bytes, host,
                                 host_bytes, static_cast<int*>(data[2]));
      });
}

MatrixWork getrs(const Solver& solver, const MatrixCall& c) {
  const cudaDataType_t type = type_of(c.dtype);
  return {0, [=, handle = solver.handle, params = solver.params](void* const* data, void*) {
            check(functions().getrs(handle, params, CUBLAS_OP_T, c.rows, c.count, type, data[0],
                                    c.rows, static_cast<const int64_t*>(data[1]), type, data[2],
                                    c.rows, static_cast<int*>(data[3])),
                  "cusolverDnXgetrs");
          }};
}

MatrixWork geqrf(const Solver& solver, const MatrixCall& c) {
  const cudaDataType_t type = type_of(c.dtype);
  const auto handle = solver.handle;
  const auto params = solver.params;
  return with_workspaces(
      "cusolverDnXgeqrf",
      [&](size_t* device, size_t* host) {
        return functions().geqrf_size(handle, params, c.rows, c.columns, type, nullptr, c.rows,
                                      type, nullptr, type, device, host);
      },
      [=](void* const* data, void* work, size_t bytes, void* host, size_t host_bytes) {
        return functions().geqrf(handle, params, c.rows, c.columns, type, data[0], c.rows, type,
                                 data[1], type, work, bytes, host, host_bytes,
                                 static_cast<int*>(data[2]));
      });
}

/// There is no 64-bit interface to it.
template <class T, class Size, class Run>
MatrixWork orgqr(const Solver& solver, const MatrixCall& c, Size size, Run run) {
  const auto handle = solver.handle;
  const int m = static_cast<int>(c.rows), n = static_cast<int>(c.columns);
  const int k = static_cast<int>(c.count);
  int count = 0;
  check(size(handle, m, n, k, nullptr, m, nullptr, &count), "cusolverDn<t>orgqr_bufferSize");
  return {static_cast<size_t>(count) * sizeof(T), [=](void* const* data, void* work) {
            check(run(handle, m, n, k, static_cast<T*>(data[0]), m, static_cast<const T*>(data[1]),
                      static_cast<T*>(work), count, static_cast<int*>(data[2])),
                  "cusolverDn<t>orgqr");
          }};
}

MatrixWork syevd(const Solver& solver, const MatrixCall& c) {
  const cudaDataType_t type = type_of(c.dtype);
  const auto handle = solver.handle;
  const auto params = solver.params;
  constexpr cublasFillMode_t upper = CUBLAS_FILL_MODE_UPPER;
  constexpr cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
  return with_workspaces(
      "cusolverDnXsyevd",
      [&](size_t* device, size_t* host) {
        return functions().syevd_size(handle, params, vectors, upper, c.rows, type, nullptr, c.rows,
                                      type, nullptr, type, device, host);
      },
      [=](void* const* data, void* work, size_t bytes, void* host, size_t host_bytes) {
        return functions().syevd(handle, params, vectors, upper, c.rows, type, data[0], c.rows,
                                 type, data[1], type, work, bytes, host, host_bytes,
                                 static_cast<int*>(data[2]));
      });
}

MatrixWork gesvd(const Solver& solver, const MatrixCall& c) {
  const cudaDataType_t type = type_of(c.dtype);
  const auto handle = solver.handle;
  const auto params = solver.params;
  const signed char job = c.full ? 'A' : 'S';
  return with_workspaces(
      "cusolverDnXgesvd",
      [&](size_t* device, size_t* host) {
        return functions().gesvd_size(handle, params, job, job, c.rows, c.columns, type, nullptr,
                                      c.rows, type, nullptr, type, nullptr, c.rows, type, nullptr,
                                      c.columns, type, device, host);
      },
      [=](void* const* data, void* work, size_t bytes, void* host, size_t host_bytes) {
        return functions().gesvd(handle, params, job, job, c.rows, c.columns, type, data[0], c.rows,
                                 type, data[1], type, data[2], c.rows, type, data[3], c.columns,
                                 type, work, bytes, host, host_bytes, static_cast<int*>(data[4]));
      });
}

template <class T, class Run>
MatrixWork trsm(const Blas& device, const MatrixCall& c, Run run) {
  const cublasFillMode_t fill = c.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  return {0, [=, handle = device.handle](void* const* data, void*) {
            const T one = 1;
            check(run(handle, CUBLAS_SIDE_RIGHT, fill, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, c.count,
                      c.columns, &one, static_cast<const T*>(data[0]), c.columns,
                      static_cast<T*>(data[1]), c.count),
                  "cublas<t>trsm");
          }};
}

/// Throws Refusal for what the libraries do not take.
MatrixWork work_of(const MatrixCall& c, Context& context) {
  const bool wide = c.dtype == DType::float64;
  if (c.routine == MatrixRoutine::trsm) {
    const Blas& device = context.part<Blas>();
    return wide ? trsm<double>(device, c, blas().dtrsm) : trsm<float>(device, c, blas().strsm);
  }
  const Solver& solver = context.part<Solver>();
  switch (c.routine) {
    case MatrixRoutine::potrf:
      return potrf(solver, c);
    case MatrixRoutine::getrf:
      return getrf(solver, c);
    case MatrixRoutine::getrs:
      return getrs(solver, c);
    case MatrixRoutine::geqrf:
      return geqrf(solver, c);
    case MatrixRoutine::orgqr:
      return wide ? orgqr<double>(solver, c, functions().dorgqr_size, functions().dorgqr)
                  : orgqr<float>(solver, c, functions().sorgqr_size, functions().sorgqr);
    case MatrixRoutine::syevd:
      return syevd(solver, c);
    default:
      return gesvd(solver, c);
  }
}

// Null where the library is there and takes the device.
const std::string* why_not(LinalgOp op, Context& context) {
  const auto why = [](const auto& part) { return part.handle ? nullptr : &part.why; };
  return op == LinalgOp::solve_triangular ? why(context.part<Blas>()) : why(context.part<Solver>());
}

}  // namespace

std::unique_ptr<Executable> cusolver_linalg(const Linalg& kernel, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs, Context& context) {
  for (const Operand& operand : inputs) {
    if (operand.dtype != DType::float32 && operand.dtype != DType::float64) return nullptr;
    for (const int64_t size : *operand.shape)
      if (size > std::numeric_limits<int>::max()) return nullptr;
  }
  const std::string library = kernel.op == LinalgOp::solve_triangular ? "cuBLAS" : "cuSOLVER";
  const auto lost = [&](const std::string& why) {
    tell_fallback(kernel, inputs, outputs, library, why,
                  "the CPU, on copies for which the program waits,");
    return nullptr;
  };
  if (const std::string* why = why_not(kernel.op, context)) return lost(*why);
  try {
    auto executable = linalg_steps(kernel, inputs, outputs, context,
                                   [&](const MatrixCall& call) { return work_of(call, context); });
    context.set_path(library);
    return executable;
  } catch (const Refusal& refusal) {
    return lost(refusal.what());
  }
}

std::string cusolver_version(std::string* why) {
  try {
    int v = 0;
    if (functions().version(&v) != CUSOLVER_STATUS_SUCCESS) return "of an unknown version";
    return std::to_string(v / 1000) + "." + std::to_string(v / 100 % 10) + "." +
           std::to_string(v % 100);
  } catch (const UnsupportedError& error) {
    if (why != nullptr) *why = error.what();
    return "";
  }
}

}  // namespace cornu::backend::cuda
