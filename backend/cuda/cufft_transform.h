// Discrete Fourier transforms by cuFFT.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "context.h"

namespace cornu::backend::cuda {

/// The functions of libcufft that are used, as cufft.h has them (plans are cufftHandle, results are
/// cufftResult), so that no header of it is needed. Tests fill one with functions of the host.
struct Cufft {
  int (*version)(int*) = nullptr;
  int (*create)(int*) = nullptr;
  int (*destroy)(int) = nullptr;
  int (*set_stream)(int, CUstream_st*) = nullptr;
  int (*set_auto_allocation)(int, int) = nullptr;
  int (*set_work_area)(int, void*) = nullptr;
  int (*make_plan)(int, int, long long*, long long*, long long, long long, long long*, long long,
                   long long, int, long long, size_t*) = nullptr;
  int (*c2c)(int, void*, void*, int) = nullptr;
  int (*z2z)(int, void*, void*, int) = nullptr;
  int (*r2c)(int, void*, void*) = nullptr;
  int (*d2z)(int, void*, void*) = nullptr;

  /// The library of this machine, opened by the first call. Throws UnsupportedError when there is
  /// none.
  static const Cufft& get();
};

/// A transform of float32 or float64 rows. Real rows of which at most half of the terms are wanted
/// go in as they are; all others as interleaved complex numbers, in scratch memory, where cuFFT
/// transforms them in place. Null when cuFFT does not have it or is not there.
std::unique_ptr<Executable> cufft_transform(const Fft& fft, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs, Context& context);
/// The same by other functions, for tests.
std::unique_ptr<Executable> cufft_transform(const Fft& fft, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs, Context& context,
                                            const Cufft& library);

/// "12.0.0"; "" and the reason in `why` when there is none.
std::string cufft_version(std::string* why = nullptr);

}  // namespace cornu::backend::cuda
