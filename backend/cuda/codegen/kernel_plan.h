// What the generator makes of a kernel: source texts, and how to launch them on given operands.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cornu::backend::cuda {

/// The text of one __global__ function. Texts that differ in a character have different names.
struct Source {
  std::string name;     ///< of the function, with a hash of all its text: the key of caches
  std::string body;     ///< what follows the prelude
  bool random = false;  ///< the body needs random_prelude() too

  /// The whole text, for NVRTC.
  std::string text() const;
};

/// The text of many kernels as one program; equal kernels are written once.
std::string batch_text(std::span<const std::shared_ptr<const Source>> sources);

/// A name of 32 hexadecimal digits for a text, the same on every machine and in every run.
std::string text_hash(std::string_view text);

/// One launch. The function has a single argument by value: `arguments()` as a block of 8-byte
/// words, first the pointers, then `words`. So
///
///   std::vector<uint64_t> block = stage.arguments();
///   stage.bind(data, workspace, block.data());
///   void* parameters[] = {block.data()};
///   cuLaunchKernel(function, stage.grid_x, stage.grid_y, 1, Stage::block, 1, 1, 0, stream,
///                  parameters, nullptr);
struct Stage {
  static constexpr uint32_t block = 256;  ///< threads

  std::shared_ptr<const Source> source;
  uint32_t grid_x = 1, grid_y = 1;
  /// Which operand each pointer is: first the inputs, then the outputs; their number means the
  /// workspace.
  std::vector<int> pointers;
  std::vector<uint64_t> words;

  /// The argument block, with null pointers.
  std::vector<uint64_t> arguments() const;
  /// Writes addresses into a block. `data` has those of all inputs, then of all outputs.
  /// in all outputs.
  void bind(std::span<void* const> data, void* workspace, uint64_t* block) const;
};

/// The stages run in order on one stream. Without stages there is nothing to do.
struct KernelPlan {
  std::vector<Stage> stages;
  size_t workspace_bytes = 0;  ///< device memory that the stages share, aligned to 16
};

}  // namespace cornu::backend::cuda
