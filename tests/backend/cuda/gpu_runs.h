// Runs kernels on the GPUs of this machine, and compares what they give with the CPU.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen_cases.h"

namespace cornu::backend::testing {

/// All devices whose memory the host cannot read. Warns when there are none.
std::vector<Backend*> gpus();

/// An operand's memory on a device.
class Remote {
 public:
  Remote(Backend& device, Array& array);
  Remote(const Remote&) = delete;
  ~Remote() { device_.allocator().deallocate(data_, bytes_); }

  /// Kernels see 8-bit floats as their bits.
  Operand operand() const { return {&shape_, is_float8(dtype_) ? DType::uint8 : dtype_, data_}; }
  Array fetch() const;

 private:
  Backend& device_;
  Shape shape_;
  DType dtype_;
  size_t bytes_;
  void* data_;
};

CodegenCase case_of(std::string name, Kernel kernel, std::vector<Array> inputs,
                    std::vector<Array> outputs);

/// Runs a prepared kernel twice; the second run has to give the same bits of the first `repeated`
/// outputs, unless it reads what the first has written over.
std::vector<Array> run_on(Backend& device, CodegenCase c, size_t repeated = SIZE_MAX);

/// The outputs of a kernel on the CPU.
std::vector<Array> run_on_cpu(CodegenCase c);

/// The first element that differs by more than the case allows, or -1.
int64_t first_difference(const Array& got, const Array& expected, const CodegenCase& allows);

/// Compares each case's outputs on each GPU with the CPU's.
void check_all(const std::vector<CodegenCase>& cases);

/// The relative error that a type's rounding explains.
double allowed(DType dtype);

}  // namespace cornu::backend::testing
