// Floats below the normal range: zero inside kernels, on every thread, and as before outside.
#include <cornu/backend/denormals.h>
#include <cornu/cornu.h>

#include <cmath>

#include "catch.h"

namespace denormals_test {

using namespace cornu;

namespace {

volatile float tiny = 1e-40f;  // read at run time, so that no compiler multiplies

bool counts_as_zero() { return tiny * 1e10f == 0; }

}  // namespace

TEST_CASE("Denormals are zero inside the scope, and the caller's setting comes back") {
  CHECK_FALSE(counts_as_zero());
  {
    const backend::DenormalsAsZero outer;
    CHECK(counts_as_zero());
    {
      const backend::DenormalsAsZero inner;
      CHECK(counts_as_zero());
    }
    CHECK(counts_as_zero());
  }
  CHECK_FALSE(counts_as_zero());
}

// GPUs keep them, at full speed.
bool on_gpu() {
  if (default_device().is_cpu()) return false;
  WARN("Not tested: only the CPU takes denormals as zero");
  return true;
}

TEST_CASE("Kernels take denormals as zero on all threads, and change no caller's setting") {
  if (on_gpu()) return;
  // Enough for several threads.
  const int64_t count = 1 << 20;
  const Tensor x = ops::full({count}, 1e-40);
  REQUIRE(x.to_vector<float>()[count - 1] > 0);
  const Tensor y = x * Tensor(1e10f);
  CHECK(ops::max(y).item() == 0);
  CHECK_FALSE(counts_as_zero());
}

TEST_CASE("A compiled function gives the bits of its operations for denormals too") {
  if (on_gpu()) return;
  Function step([](const Nest& x) { return Nest(ops::sqrt(x.tensor()) * Tensor(0.5f)); });
  const Tensor x = ops::array({1e-40f, 1e-38f, 2e-38f, 1.0f});
  const std::vector<float> eager = (ops::sqrt(x) * Tensor(0.5f)).to_vector<float>();
  for (int i = 0; i < 3; ++i) CHECK(step(x).tensor().to_vector<float>() == eager);
  CHECK(eager[0] == 0);
  CHECK(eager[2] > 0);
  CHECK_FALSE(counts_as_zero());
}

}  // namespace denormals_test
