// What users hear when a library does not do its part, and how kernels of each kind run.
#include <cornu/backend/cuda/fallback.h>
#include <cornu/backend/cuda/sample_kernels.h>

#include <set>

#include "fake_bench.h"

namespace fallback_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

TEST_CASE("A library that does not run a kernel is named once, with its reason") {
  const Shape a{8, 4}, b{4, 2}, c{8, 2};
  const auto tell = [&](DType dtype, const std::string& library) {
    const Operand in[] = {{&a, dtype, nullptr}, {&b, dtype, nullptr}};
    const Operand out[] = {{&c, dtype, nullptr}};
    CHECK(cuda::fallback_text(Matmul{}, in, out, library, "It is asleep", "a generated kernel") ==
          library + " does not run a kernel matmul of " + std::string(dtype_name(dtype)) +
              " (8, 4) " + std::string(dtype_name(dtype)) + " (4, 2) -> " +
              std::string(dtype_name(dtype)) +
              " (8, 2): a generated kernel does, and perhaps for others like it. The reason: It is "
              "asleep. `cornu devices --check` tells how each kind of kernel runs.");
    return cuda::tell_fallback(Matmul{}, in, out, library, "It is asleep", "a generated kernel");
  };
  CHECK(tell(DType::float32, "test library 1"));
  CHECK_FALSE(tell(DType::float32, "test library 1"));
  CHECK(tell(DType::float16, "test library 1"));
  CHECK(tell(DType::float32, "test library 2"));
}

TEST_CASE("The sample has a kernel of each kind") {
  std::set<size_t> kinds;
  for (const cuda::SampleKernel& sample : cuda::sample_kernels()) {
    kinds.insert(sample.kernel.index());
    CHECK_FALSE(sample.outputs.empty());
  }
  CHECK(kinds.size() == std::variant_size_v<Kernel>);
}

TEST_CASE("A device says who runs each kind of kernel", "[cuda]") {
  Bench bench;
  bench.library = true;
  bool libraries = false, composed = false;
  for (const KernelPath& path : bench.backend().kernel_paths()) {
    INFO(path.kernel << ": " << path.path);
    CHECK(path.error.empty());
    CHECK_FALSE(path.path.empty());
    CHECK(path.path != "no kernel");
    libraries |= path.path == "a library";
    // The bench's library has all kernels but this one.
    if (path.kernel.starts_with("attention")) {
      composed = true;
      CHECK(path.path.starts_with("other kernels, one after another"));
    }
  }
  CHECK(libraries);
  CHECK(composed);

  bench.made.reset();
  bench.library = false;
  for (const KernelPath& path : bench.backend().kernel_paths()) {
    INFO(path.kernel << ": " << path.path);
    if (path.kernel.starts_with("linalg"))
      CHECK(path.path == "the CPU, by copies");
    else if (path.kernel.starts_with("conv") || path.kernel.starts_with("softmax"))
      CHECK(path.path.find("generated kernel") != std::string::npos);
  }
  bench.driver.faults["launch"] = 719;
  bool failed = false;
  for (const KernelPath& path : bench.backend().kernel_paths()) failed |= !path.error.empty();
  CHECK(failed);
}

}  // namespace fallback_test
