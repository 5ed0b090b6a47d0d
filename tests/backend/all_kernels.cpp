// All kernels of the CPU are part of this program: its tests run them by themselves, file by file.
#include <cornu/backend/optional_kernels.h>

namespace {

[[maybe_unused]] const bool all_kernels = [] {
  cornu::backend::use_rnn_kernel();
  cornu::backend::use_attention_kernel();
  return true;
}();

}  // namespace
