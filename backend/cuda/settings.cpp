// The settings and their defaults from the environment.
#include "settings.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "../error.h"
#include "context.h"

namespace cornu::backend::cuda {
namespace {

bool from_environment(const char* name, bool otherwise = false) {
  const char* const text = std::getenv(name);
  if (!text || !*text) return otherwise;
  const std::string_view value = text;
  if (value == "1" || value == "on" || value == "true") return true;
  if (value == "0" || value == "off" || value == "false") return false;
  throw ValueError("The environment variable " + std::string(name) + ": expected 1 or 0, found '" +
                   std::string(value) + "'.");
}

std::atomic<uint64_t> version{0};

std::atomic<bool>& allowed() {
  static std::atomic<bool> allowed{from_environment("CORNU_TF32")};
  return allowed;
}

}  // namespace

bool tf32() { return allowed().load(std::memory_order_relaxed); }

void set_tf32(bool value) {
  if (allowed().exchange(value) != value) ++version;
}

bool same_bits() {
  static const bool wanted = from_environment("CORNU_CUDA_SAME_BITS");
  return wanted;
}

bool exact_blocks() {
  static const bool wanted = from_environment("CORNU_CUDA_EXACT_BLOCKS");
  return wanted;
}

bool branches() {
  static const bool wanted = from_environment("CORNU_CUDA_BRANCHES", true);
  return wanted;
}

bool early_kernels() {
  static const bool wanted = from_environment("CORNU_CUDA_EARLY_KERNELS", true);
  return wanted;
}

bool peer_copies() {
  static const bool wanted = from_environment("CORNU_CUDA_PEERS", true);
  return wanted;
}

bool grouped_heads() {
  static const bool wanted = from_environment("CORNU_CUDA_GROUPED_HEADS", true);
  return wanted;
}

std::optional<bool> slow_doubles() {
  constexpr const char* name = "CORNU_CUDA_SLOW_DOUBLES";
  static const std::optional<bool> wanted = [&]() -> std::optional<bool> {
    const char* const text = std::getenv(name);
    if (!text || !*text) return {};
    return from_environment(name);
  }();
  return wanted;
}

uint64_t settings_version() { return version.load(std::memory_order_relaxed); }

}  // namespace cornu::backend::cuda
