// The host's side of generated texts: definitions that stand in for CUDA's, and the loops.
#include "host_form.h"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace cornu::backend::testing {

std::string host_definitions(HostOrder order) {
  const std::string each_thread =
      order == HostOrder::ascending
          ? "for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)"
          : "for (threadIdx.x = blockDim.x; threadIdx.x-- > 0;)";
  return R"text(
#include <math.h>
#define CORNU_HOST
#define CORNU_DEVICE static inline
#define CORNU_METHOD inline
#define CORNU_KERNEL extern "C" void
#define CORNU_SHARED
#define CORNU_BLOCK_BARRIER
#define CORNU_WARP_BARRIER
struct Dim3 { unsigned x, y, z; };
static Dim3 threadIdx, blockIdx, blockDim, gridDim;
#define CORNU_EACH_THREAD )text" +
         each_thread + "\n";
}

std::string host_loops(const std::string& name, HostOrder order) {
  const std::string space = "cornu_device::text_" + name.substr(name.rfind('_') + 1) + "::";
  const auto loop = [&](const std::string& axis) {
    const std::string index = "blockIdx." + axis, end = "grid_" + axis;
    return order == HostOrder::ascending
               ? "  for (" + index + " = 0; " + index + " < " + end + "; ++" + index + ")\n"
               : "  for (" + index + " = " + end + "; " + index + "-- > 0;)\n";
  };
  return "extern \"C\" {\n"
         "void run_" +
         name +
         "(const void* words, unsigned grid_x, unsigned grid_y, unsigned threads) {\n"
         "  gridDim = {grid_x, grid_y, 1};\n  blockDim = {threads, 1, 1};\n" +
         loop("y") + loop("x") + "    " + space + name + "(*static_cast<const " + space +
         "Arguments*>(words));\n}\n"
         "extern const unsigned words_" +
         name + ";\nconst unsigned words_" + name + " = sizeof(" + space + "Arguments) / 8;\n}\n";
}

std::string host_compiler() {
  const char* const chosen = std::getenv("CXX");
  return chosen ? chosen : "c++";
}

TemporaryFolder::TemporaryFolder() {
  std::random_device random;
  path_ = std::filesystem::temp_directory_path() /
          ("cornu_codegen_" + std::to_string(random()) + std::to_string(random()));
  std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

HostKernels::HostKernels(const std::vector<std::shared_ptr<const cuda::Source>>& sources) {
  const auto source = folder_.path() / "kernels.cpp", library = folder_.path() / "kernels.so",
             log = folder_.path() / "log";
  {
    std::ofstream file(source);
    file << host_definitions(HostOrder::ascending) << cuda::batch_text(sources);
    std::map<std::string, bool> done;
    for (const auto& each : sources)
      if (!std::exchange(done[each->name], true))
        file << host_loops(each->name, HostOrder::ascending);
  }
  const std::string command = host_compiler() + " " + host_flags + " -O0 -o '" + library.string() +
                              "' '" + source.string() + "' -lm > '" + log.string() + "' 2>&1";
  const int status = std::system(command.c_str());
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  log_ = text.str();
  if (status == 0) library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (status == 0 && library_ == nullptr) log_ = dlerror();
}

HostKernels::~HostKernels() {
  if (library_ != nullptr) dlclose(library_);
}

void HostKernels::run(const cuda::KernelPlan& plan, const std::vector<void*>& data) const {
  struct alignas(16) Unit {
    char bytes[16];
  };
  std::vector<Unit> workspace(plan.workspace_bytes / sizeof(Unit) + 1);
  for (const cuda::Stage& stage : plan.stages) {
    const auto run =
        reinterpret_cast<HostRun*>(dlsym(library_, ("run_" + stage.source->name).c_str()));
    if (run == nullptr) throw std::runtime_error("no kernel " + stage.source->name);
    std::vector<uint64_t> block = stage.arguments();
    stage.bind(data, workspace.data(), block.data());
    run(block.data(), stage.grid_x, stage.grid_y, cuda::Stage::block);
  }
}

}  // namespace cornu::backend::testing
