// NVRTC compiles what the generator makes, and the kernel cache keeps it. Without NVRTC on this
// machine the tests say so and pass.
#include <cornu/backend/cuda/library_search.h>
#include <cornu/backend/cuda/nvrtc_cache.h>
#include <cornu/backend/error.h>

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <span>
#include <thread>

#include "catch.h"
#include "codegen_cases.h"
#include "host_form.h"

namespace nvrtc_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

namespace fs = std::filesystem;

const cuda::Nvrtc* nvrtc() {
  try {
    return &cuda::Nvrtc::get();
  } catch (const UnsupportedError& error) {
    WARN("Not tested: " << error.what());
    return nullptr;
  }
}

std::shared_ptr<const cuda::Source> small_source(double constant) {
  static const Shape shape({8});
  const Operand in[] = {{&shape, DType::float32, nullptr}};
  const ProgramRef program =
      Program::make(1, [&](std::vector<Expr> x) { return std::vector<Expr>{x[0] * constant}; });
  return cuda::plan(Fused{program}, in, in).stages.at(0).source;
}

/// The file of a library that this process has loaded, by a part of its name; "" for none.
std::string loaded_file(const std::string& name) {
  std::pair<std::string, std::string> search{name, ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& [wanted, found] = *static_cast<std::pair<std::string, std::string>*>(data);
        if (found.empty() && std::string(info->dlpi_name).find(wanted) != std::string::npos)
          found = info->dlpi_name;
        return 0;
      },
      &search);
  return search.second;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("NVRTC compiles every generated kernel for compute capability 8.0 and 9.0") {
  const cuda::Nvrtc* compiler = nvrtc();
  if (compiler == nullptr) return;
  std::vector<std::shared_ptr<const cuda::Source>> sources;
  for (CodegenCase each : codegen_cases())
    for (const cuda::Stage& stage : each.plan().stages) sources.push_back(stage.source);
  // Some kernels at a time: the prelude is then read rarely, and the parts run side by side.
  constexpr size_t part = 24;
  const size_t parts = (sources.size() + part - 1) / part;
  std::atomic<size_t> next = 0;
  std::vector<std::string> errors(2 * parts);
  const auto work = [&] {
    for (size_t k; (k = next++) < errors.size();) {
      const size_t begin = k / 2 * part, end = std::min(begin + part, sources.size());
      const std::span some(sources.data() + begin, end - begin);
      try {
        const std::string image =
            compiler->compile(cuda::batch_text(some), "part", k % 2 ? 90 : 80);
        if (image.substr(1, 3) != "ELF") errors[k] = "no machine code";
        for (const auto& source : some)
          if (image.find(source->name) == std::string::npos) errors[k] = "no " + source->name;
      } catch (const std::exception& error) {
        errors[k] = error.what();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1u, 4u); ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors) CHECK(error.substr(0, 4000) == "");
}

TEST_CASE("errors of the compiler carry its log") {
  const cuda::Nvrtc* compiler = nvrtc();
  if (compiler == nullptr) return;
  CHECK_THROWS_WITH(compiler->compile("__global__ void f() { missing(); }", "wrong", 80),
                    Catch::Matchers::Contains("missing") && Catch::Matchers::Contains("'wrong'"));
  CHECK_THROWS_AS(compiler->compile("", "old", 10), UnsupportedError);
  // A device of the future gets PTX.
  CHECK(compiler->gives_ptx(999));
  CHECK_FALSE(compiler->gives_ptx(90));
  const std::string ptx = compiler->compile("extern \"C\" __global__ void f() {}", "new", 999);
  CHECK(ptx.find(".entry f") != std::string::npos);
}

TEST_CASE("compiled kernels are kept in memory and on disk") {
  if (nvrtc() == nullptr) return;
  const TemporaryFolder folder;
  const fs::path kept = folder.path() / "kernels";
  const auto source = small_source(3);
  cuda::NvrtcCache::Image first;
  {
    cuda::NvrtcCache cache({.folder = kept});
    std::vector<std::thread> threads;
    std::vector<cuda::NvrtcCache::Image> images(4);
    for (auto& image : images) threads.emplace_back([&] { image = cache.image(*source, 80); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& image : images) CHECK(image == images[0]);
    first = images[0];
    CHECK(cache.counts().compiled == 1);
    CHECK(cache.counts().from_memory == 3);
  }
  REQUIRE(files_in(kept).size() == 1);
  {
    cuda::NvrtcCache cache({.folder = kept});
    CHECK(*cache.image(*source, 80) == *first);
    CHECK(cache.counts().from_disk == 1);
  }
  {  // A damaged file is made again.
    std::fstream file(files_in(kept)[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200);
    file.put('!').put('?').put('!');
  }
  cuda::NvrtcCache again({.folder = kept});
  CHECK(*again.image(*source, 80) == *first);
  CHECK(again.counts().compiled == 1);

  // Without a folder, in memory alone; a text that does not compile is not kept.
  cuda::NvrtcCache memory({.folder = ""});
  memory.image(*source, 80);
  CHECK(memory.counts().compiled == 1);
  cuda::Source wrong = *source;
  wrong.name = "wrong";
  wrong.body = "nonsense";
  CHECK_THROWS_AS(again.image(wrong, 80), StateError);
  CHECK_THROWS_AS(again.image(wrong, 80), StateError);
  CHECK(files_in(kept).size() == 1);
}

TEST_CASE("kernels are compiled beside other work, and together") {
  if (nvrtc() == nullptr) return;
  const TemporaryFolder folder;
  const fs::path kept = folder.path() / "kernels";
  cuda::NvrtcCache cache({.folder = kept, .batch = 4});
  for (int i = 10; i < 16; ++i) {
    const auto source = small_source(i);
    cache.prefetch(source, 80);
    cache.prefetch(source, 80);
  }
  for (int i = 10; i < 16; ++i) CHECK(cache.image(*small_source(i), 80)->substr(1, 3) == "ELF");
  CHECK(cache.counts().compiled == 6);
  CHECK(cache.counts().from_memory == 6);

  const auto wrong = std::make_shared<cuda::Source>();
  wrong->name = "wrong";
  wrong->body = "nonsense";
  // Kernels of the same program as one that does not compile are none the worse for it.
  for (int i = 16; i < 18; ++i) cache.prefetch(small_source(i), 80);
  cache.prefetch(wrong, 80);
  cache.prefetch(small_source(18), 80);
  CHECK_THROWS_AS(cache.image(*wrong, 80), StateError);
  CHECK_THROWS_AS(cache.image(*wrong, 80), StateError);
  for (int i = 16; i < 19; ++i) CHECK(cache.image(*small_source(i), 80)->substr(1, 3) == "ELF");
  CHECK(cache.counts().compiled == 9);

  cuda::NvrtcCache again({.folder = kept});
  for (int i = 10; i < 19; ++i) again.prefetch(small_source(i), 80);
  for (int i = 10; i < 19; ++i) {
    // Its function is in it, with others or alone.
    const auto source = small_source(i);
    CHECK(again.image(*source, 80)->find(source->name) != std::string::npos);
  }
  CHECK(again.counts().from_disk == 9);
  CHECK(again.counts().compiled == 0);

  // What was not begun is begun by whoever wants it.
  for (int i = 20; i < 60; ++i) cache.prefetch(small_source(i), 80);
  cache.stop();
  CHECK(cache.counts().compiled < 49);
  CHECK(cache.image(*small_source(59), 80)->substr(1, 3) == "ELF");
}

TEST_CASE("the folder of kernels stays below its limit") {
  if (nvrtc() == nullptr) return;
  const TemporaryFolder folder;
  const fs::path kept = folder.path() / "kernels";
  cuda::NvrtcCache cache({.folder = kept, .max_bytes = 1});
  cache.image(*small_source(5), 80);
  CHECK(files_in(kept).empty());
  CHECK(cache.counts().compiled == 1);
}

TEST_CASE("libraries that are newer than the driver are passed over") {
  const TemporaryFolder folder;
  setenv("CORNU_CUDA_LIBRARIES", folder.path().c_str(), 1);
  setenv("CORNU_CUDA_SEARCH", "0", 1);
  struct AsBefore {
    ~AsBefore() {
      cuda::Library::fit_driver(13);
      unsetenv("CORNU_CUDA_SEARCH");
      unsetenv("CORNU_CUDA_LIBRARIES");
    }
  } const as_before;
  const auto opened = [](std::initializer_list<int> majors) {
    return fs::path(cuda::Library::open("some", majors).path()).filename().string();
  };
  for (const char* name : {"libsome.so.5", "libsome.so.4"})
    fs::create_symlink(fs::canonical(loaded_file("libc.so.6")), folder.path() / name);
  CHECK(opened({5, 4}) == "libsome.so.5");
  cuda::Library::fit_driver(12);
  CHECK(opened({5, 4}) == "libsome.so.4");
  CHECK(opened({5}) == "libsome.so.5");
  fs::remove(folder.path() / "libsome.so.4");
  CHECK_THROWS_WITH(opened({5, 4}), Catch::Matchers::Contains("libsome.so.4") &&
                                        Catch::Matchers::Contains("driver is for CUDA 12"));
  cuda::Library::fit_driver(14);
  CHECK(opened({5, 4}) == "libsome.so.5");
  CHECK_THROWS_WITH(cuda::Library::fit_driver(11), Catch::Matchers::Contains("Update the driver"));
}

TEST_CASE("libraries of one CUDA are taken, that of the first") {
  const TemporaryFolder folder;
  setenv("CORNU_CUDA_LIBRARIES", folder.path().c_str(), 1);
  setenv("CORNU_CUDA_SEARCH", "0", 1);
  struct AsBefore {
    ~AsBefore() {
      cuda::Library::fit_driver(13);
      unsetenv("CORNU_CUDA_SEARCH");
      unsetenv("CORNU_CUDA_LIBRARIES");
    }
  } const as_before;
  for (const char* name :
       {"libfirst.so.12", "libsecond.so.13", "libsecond.so.12", "libthird.so.13", "libthird.so.9"})
    fs::create_symlink(fs::canonical(loaded_file("libc.so.6")), folder.path() / name);
  const auto opened = [](const char* stem, std::initializer_list<int> majors) {
    return cuda::Library::open(stem, majors);
  };
  cuda::Library::fit_driver(13);
  CHECK(fs::path(opened("first", {13, 12}).path()).filename() == "libfirst.so.12");
  CHECK(fs::path(opened("second", {13, 12}).path()).filename() == "libsecond.so.12");
  CHECK_THROWS_WITH(
      opened("third", {13, 12}),
      Catch::Matchers::Contains("expected libthird.so.12, found none in") &&
          Catch::Matchers::Contains("libfirst.so.12 of CUDA 12 is in use, so libthird.so.13 is "
                                    "passed over"));
  const cuda::Library nameless = opened("third", {9});
  nameless.join(12);
  CHECK_THROWS_WITH(nameless.join(13), Catch::Matchers::Contains(" for CUDA 13 beside ") &&
                                           Catch::Matchers::Contains(" of CUDA 12. Install both"));
  // A library without a major in its name may be the first as well.
  cuda::Library::fit_driver(13);
  nameless.join(12);
  CHECK_THROWS_AS(opened("third", {13, 12}), UnsupportedError);
  cuda::Library::fit_driver(12);
  CHECK_THROWS_WITH(nameless.join(13), Catch::Matchers::Contains("a driver for CUDA 12"));
}

TEST_CASE("NVRTC's second library comes from the folder of the first") {
  const cuda::Nvrtc* compiler = nvrtc();
  if (compiler == nullptr) return;
  compiler->compile("extern \"C\" __global__ void nothing() {}", "nothing", 80);
  const std::string first = loaded_file("libnvrtc.so"), second = loaded_file("libnvrtc-builtins");
  INFO(first << ", " << second);
  REQUIRE_FALSE(second.empty());
  CHECK(fs::canonical(first).parent_path() == fs::canonical(second).parent_path());
}

TEST_CASE("libraries are looked for in the folders that the user names, and errors say where") {
  const TemporaryFolder folder;
  const fs::path packages = folder.path() / "lib/python3.11/site-packages";
  fs::create_directories(packages / "nvidia/cudnn/lib");
  fs::create_directories(packages / "nvidia/cu13/lib");
  fs::create_directories(packages / "nvidia/empty");
  CHECK(cuda::python_package_folders(packages).size() == 2);
  CHECK(cuda::python_package_folders(folder.path() / "none").empty());
  setenv("CORNU_CUDA_LIBRARIES", (folder.path().string() + ":/no/such/folder").c_str(), 1);
  const auto folders = cuda::library_folders();
  REQUIRE_FALSE(folders.empty());
  CHECK(folders[0] == fs::weakly_canonical(folder.path()));
  CHECK_THROWS_WITH(cuda::Library::open("cornu_none", {7, 6}),
                    Catch::Matchers::Contains("libcornu_none.so.7 or libcornu_none.so.6") &&
                        Catch::Matchers::Contains(folders[0].string()));
  // In them alone, if that is wanted.
  setenv("CORNU_CUDA_SEARCH", "0", 1);
  CHECK(cuda::library_folders().size() == 1);
  CHECK_THROWS_WITH(cuda::Library::open("c", {6}),
                    Catch::Matchers::Contains("found none in: " + folders[0].string()) &&
                        Catch::Matchers::Contains("CORNU_CUDA_SEARCH"));
  unsetenv("CORNU_CUDA_SEARCH");
  unsetenv("CORNU_CUDA_LIBRARIES");
  const cuda::Library c = cuda::Library::open("c", {6});
  CHECK(c.function<int(int)>("abs")(-3) == 3);
  CHECK(c.find("no_such_function") == nullptr);
  CHECK_THROWS_AS(c.function<void()>("no_such_function"), UnsupportedError);
}

}  // namespace nvrtc_test
