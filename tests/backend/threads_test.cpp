// Threads of the CPU's kernels: how many are started, callers beside each other, and fork().
#include <catch.h>
#include <cornu/backend/backend.h>
#include <cornu/backend/error.h>
#include <cornu/backend/thread_scope.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <thread>

#include "array.h"

#if defined(__linux__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace threads_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// Rows of a few sizes: some loops are for two threads, some for all.
Array softmax_of(int64_t rows) {
  Array x(DType::float32, {rows, 64}), y(DType::float32, {rows, 64});
  for (int64_t i = 0; i < x.numel(); ++i) x.set(i, static_cast<double>(i * 37 % 101) / 25);
  run(Softmax{}, {&x}, {&y});
  return y;
}

// A decomposition, which calls LAPACK.
Array triangles_of(int64_t size) {
  Array a(DType::float32, {size, size}), l(DType::float32, {size, size});
  for (int64_t i = 0; i < a.numel(); ++i)
    a.set(i,
          i % (size + 1) == 0 ? static_cast<double>(size) : static_cast<double>(i * 31 % 17) / 20);
  Linalg cholesky;
  cholesky.op = LinalgOp::cholesky;
  run(cholesky, {&a}, {&l});
  return l;
}

// A convolution and a product, which call oneDNN.
void use_library(int64_t size) {
  Array a(DType::float32, {size, 96}), b(DType::float32, {96, 80}), c(DType::float32, {size, 80});
  run(Matmul{}, {&a, &b}, {&c});
  Array x(DType::float32, {2, size / 8, 16, 8}), w(DType::float32, {3, 3, 8, 16});
  Array y(DType::float32, {2, size / 8 - 2, 14, 16});
  Conv conv;
  conv.strides = conv.dilation = {1, 1};
  conv.pad_low = conv.pad_high = {0, 0};
  run(conv, {&x, &w}, {&y});
}

#if defined(__linux__)
// Ids of the process's threads. One that ends and one that starts have different ids.
void note_threads(std::set<std::string>& seen) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    seen.insert(task.path().filename());
}
#endif

}  // namespace

TEST_CASE("set_threads and ThreadScope refuse less than one thread") {
  CHECK(threads() >= 1);
  CHECK_THROWS_AS(set_threads(0), ValueError);
  CHECK_THROWS_AS(ThreadScope(0), ValueError);
}

TEST_CASE("each caller has its number of threads") {
  const ThreadsScope all(4);
  CHECK(threads() == 4);
  {
    const ThreadScope mine(2);
    CHECK(threads() == 2);
    {
      const ThreadScope inner(3);
      CHECK(threads() == 3);
    }
    CHECK(threads() == 2);
    CHECK(std::async(std::launch::async, [] { return threads(); }).get() == 4);
    set_threads(8);
    CHECK(threads() == 2);
  }
  CHECK(threads() == 8);
}

TEST_CASE("callers beside each other get what they would get alone") {
  const ThreadsScope all(4);
  const Array alone = softmax_of(512);
  std::vector<std::future<bool>> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.push_back(std::async(std::launch::async, [&alone, caller] {
      const ThreadScope mine(1 + caller);
      bool same = true;
      for (int i = 0; i < 20; ++i) same &= softmax_of(512) == alone;
      return same;
    }));
  for (auto& caller : callers) CHECK(caller.get());
}

#if defined(__linux__)
TEST_CASE("loops of all sizes are run by the same threads") {
  const ThreadsScope eight(8);
  std::set<std::string> others, before, after;
  note_threads(others);  // a GPU's driver has some
  // The pool fills when there is work, not at once.
  for (int i = 0; i < 50; ++i) softmax_of(4096);
  note_threads(before);
  for (int i = 0; i < 100; ++i) {
    const ThreadsScope varying(i % 3 == 0 ? 4 : 8);
    softmax_of(64 << i % 6);
    use_library(64 << i % 4);
    note_threads(after);
  }
  after.insert(before.begin(), before.end());
  INFO(before.size() << " threads before, " << after.size() << " seen in all");
  CHECK(after.size() <= std::max<size_t>(before.size(), others.size() + 7));
}

TEST_CASE("a child of fork() computes") {
  const ThreadsScope four(4);
  const Array expected = softmax_of(4096), factors = triangles_of(300);
  use_library(256);
  const pid_t child = fork();
  if (child == 0) {
    const bool same =
        softmax_of(4096) == expected && triangles_of(300) == factors && threads() == 1;
    use_library(256);
    _exit(same ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = -1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      FAIL("The child hangs.");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(threads() == 4);
}
#endif

}  // namespace threads_test
