// The switch for attention in blocks.
#include "flash_attention.h"

#include <atomic>

namespace cornu::config {
namespace {

std::atomic<bool> enabled = true;

}  // namespace

void enable_flash_attention() { enabled = true; }
void disable_flash_attention() { enabled = false; }
bool is_flash_attention_enabled() { return enabled; }

}  // namespace cornu::config
