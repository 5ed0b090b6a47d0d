// Numbers that are too small for a float's normal form.
#pragma once
#include <cstdint>

namespace cornu::backend {

/// While one lives, denormal floats (in float32 those below 1.2e-38) count as zero on the calling
/// thread, as operands and as results, as in XLA and TensorFlow. Kernels and plans run in one:
/// processors take a hundred times longer for such numbers, and the averages of an optimizer that
/// has converged are full of them. Scopes nest; the thread's own setting comes back at the end.
/// Does nothing on processors other than x86-64 and 64-bit ARM.
class DenormalsAsZero {
 public:
  DenormalsAsZero() : before_(read()) {
    if ((before_ & flags) != flags) write(before_ | flags);
  }
  ~DenormalsAsZero() {
    if ((before_ & flags) != flags) write(before_);
  }
  DenormalsAsZero(const DenormalsAsZero&) = delete;

 private:
#if defined(__x86_64__)
  using Word = uint32_t;
  static constexpr Word flags = 0x8040;  // MXCSR: flush to zero, denormals are zero
  static Word read() { return __builtin_ia32_stmxcsr(); }
  static void write(Word word) { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word flags = uint64_t{1} << 24;  // FPCR: flush to zero
  static Word read() {
    Word word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
  using Word = uint32_t;
  static constexpr Word flags = 0;
  static Word read() { return 0; }
  static void write(Word) {}
#endif
  Word before_;
};

}  // namespace cornu::backend
