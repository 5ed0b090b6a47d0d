// Eigenvalues of matrices that are not symmetric, in the host's memory.
#pragma once
#include <complex>
#include <cstdint>

namespace cornu::backend {

/// Eigenvalues (n) and eigenvectors (n, n), in columns of length 1, of a row-major matrix (n, n),
/// in the order of LAPACK's geev. Where it finds none, or a number of the matrix is not finite, all
/// are NaN. Throws UnsupportedError when LAPACK is not installed.
void eigen(const double* matrix, int64_t n, std::complex<double>* values,
           std::complex<double>* vectors);
/// The same for a complex matrix.
void eigen(const std::complex<double>* matrix, int64_t n, std::complex<double>* values,
           std::complex<double>* vectors);

}  // namespace cornu::backend
