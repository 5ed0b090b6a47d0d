// Logging: one logger, each text once.
#include "log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

namespace cornu {
namespace {
std::atomic<bool> shown{true};
}  // namespace

void show_warnings(bool show) { shown = show; }

void warn_once(const std::string& text) {
  if (!shown) return;
  static std::mutex mutex;
  static auto* said = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  // A bounded memory: texts may name shapes and paths without end.
  if (said->size() > 10'000) said->clear();
  if (!said->insert(text).second) return;
  static const auto logger = [] {
    auto existing = spdlog::get("cornu");
    if (existing) return existing;
    auto made = spdlog::stderr_color_mt("cornu");
    made->set_pattern("cornu %l: %v");
    const char* level = std::getenv("CORNU_LOG");
    made->set_level(level ? spdlog::level::from_str(level) : spdlog::level::warn);
    return made;
  }();
  logger->warn(text);
}

}  // namespace cornu
