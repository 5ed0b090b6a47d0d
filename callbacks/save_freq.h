// SaveFreq: how often ModelCheckpoint and BackupAndRestore save.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace cornu::callbacks {

/// When a callback saves: "epoch", or every so many batches.
class SaveFreq {
 public:
  /// The same for a literal.
  SaveFreq(const char* text) : SaveFreq(std::string(text)) {}
  /// Throws ValueError unless the text is "epoch".
  SaveFreq(const std::string& text);
  /// Throws ValueError unless it is at least 1.
  template <std::integral T>
  SaveFreq(T batches) : SaveFreq(static_cast<int64_t>(batches), true) {}
  /// Nothing for "epoch".
  std::optional<int64_t> batches() const { return batches_; }

 private:
  SaveFreq(int64_t batches, bool);
  std::optional<int64_t> batches_;
};

}  // namespace cornu::callbacks
