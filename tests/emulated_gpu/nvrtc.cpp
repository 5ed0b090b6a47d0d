// NVRTC of the emulated GPU: kernels are compiled for the host, by the system's C++ compiler. The
// functions are those of nvrtc.h that Cornu calls, with the same types.
#include <cornu/backend/cuda/codegen/prelude.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "../backend/cuda/host_form.h"
#include "image.h"

using namespace cornu::backend;
using namespace cornu::backend::testing;

/// nvrtcProgram, of which nvrtc.h tells no more.
struct OpaqueProgram {
  std::string text, name, image, log;
};

namespace {

constexpr int success = 0, compilation_error = 6;

// The other order is that of HostKernels.
constexpr HostOrder order = HostOrder::descending;

std::string flags() { return std::string(host_flags) + " -O0 -pipe"; }

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Runs the compiler; `log` gets what it says.
bool compile(const std::string& arguments, const std::filesystem::path& folder, std::string& log) {
  const std::filesystem::path said = folder / "log";
  const std::string command =
      host_compiler() + " " + flags() + " " + arguments + " > '" + said.string() + "' 2>&1";
  const int status = std::system(command.c_str());
  log = content(said);
  return status == 0;
}

/// What all kernels start with, compiled once in a process: alone it takes longer than most
/// kernels.
class CompiledPrelude {
 public:
  CompiledPrelude() : header_((folder_.path() / "prelude.h").string()) {
    std::ofstream(header_) << host_definitions(order) << cuda::prelude() << cuda::random_prelude();
    compile("-x c++-header -o '" + header_ + ".gch' '" + header_ + "'", folder_.path(), log_);
  }
  const std::string& header() const { return header_; }

 private:
  TemporaryFolder folder_;
  std::string header_, log_;
};

const CompiledPrelude& compiled_prelude() {
  static const CompiledPrelude prelude;
  return prelude;
}

/// Takes `start` away from the front of `text`, if it is there.
bool drop(std::string& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.erase(0, start.size());
  return true;
}

/// The number of a version for the way that kernels are compiled here, so that a cache gives none
/// that was compiled in another way.
int version() {
  const std::string way = host_compiler() + flags() + host_definitions(order) +
                          host_loops("kernel_0", order) + std::string(emulated_image_mark);
  return std::stoi(cuda::text_hash(way).substr(0, 7), nullptr, 16);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 0;  // as no NVRTC
  *minor = version();
  return success;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return success;
}
int nvrtcGetSupportedArchs(int* architectures) {
  architectures[0] = 90;
  return success;
}
const char* nvrtcGetErrorString(int) { return "the compiler of the host failed"; }

int nvrtcCreateProgram(OpaqueProgram** program, const char* text, const char* file, int,
                       const char* const*, const char* const*) {
  *program = new OpaqueProgram{text, std::filesystem::path(file).stem().string(), {}, {}};
  return success;
}
int nvrtcDestroyProgram(OpaqueProgram** program) {
  delete std::exchange(*program, nullptr);
  return success;
}
int nvrtcCompileProgram(OpaqueProgram* program, int, const char* const*) {
  std::string text = program->text;
  if (!drop(text, cuda::prelude())) {
    program->log = "the text does not start with the prelude of this build";
    return compilation_error;
  }
  drop(text, cuda::random_prelude());
  const TemporaryFolder folder;
  const auto source = folder.path() / "kernel.cpp", library = folder.path() / "kernel.so";
  std::ofstream(source) << text << host_loops(program->name, order);
  if (!compile("-include '" + compiled_prelude().header() + "' -o '" + library.string() + "' '" +
                   source.string() + "' -lm",
               folder.path(), program->log))
    return compilation_error;
  program->image = write_image({program->name, content(library)});
  return success;
}

int nvrtcGetProgramLogSize(OpaqueProgram* program, size_t* size) {
  *size = program->log.size() + 1;
  return success;
}
int nvrtcGetProgramLog(OpaqueProgram* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return success;
}
int nvrtcGetCUBINSize(OpaqueProgram* program, size_t* size) {
  *size = program->image.size();
  return success;
}
int nvrtcGetCUBIN(OpaqueProgram* program, char* image) {
  std::memcpy(image, program->image.data(), program->image.size());
  return success;
}
// PTX is for devices newer than the compiler; this device is not.
int nvrtcGetPTXSize(OpaqueProgram*, size_t*) { return compilation_error; }
int nvrtcGetPTX(OpaqueProgram*, char*) { return compilation_error; }

}  // extern "C"
#pragma GCC visibility pop
