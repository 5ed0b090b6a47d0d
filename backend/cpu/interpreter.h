// Runs elementwise programs tile by tile: each instruction is one loop over a tile, and the values
// in between stay in the cache. Used by the Fused and Reduce kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "../inline_vector.h"
#include "kernels.h"
#include "tile_convert.h"
#include "tile_kernels.h"

namespace cornu::backend::cpu {

/// Elements of a tile.
inline constexpr int64_t tile_size = 512;

/// How an input yields the tile that starts at some flat index of the iteration space.
enum class Access : uint8_t {
  unused,    ///< the program does not read it
  scalar,    ///< one element: splatted once
  direct,    ///< dense and of the compute type: read in place
  dense,     ///< dense, converted tile by tile
  periodic,  ///< repeats after at most a tile: unrolled once, then read in place
  window,  ///< repeats after more than a tile, of the compute type: read in place where it does not
           ///< wrap
  general,  ///< anything else: gathered in runs
};

struct BoundInput {
  Access access = Access::unused;
  uint8_t element_bytes = 0;
  bool passed = false;  ///< some output is this input
  bool staged = false;  ///< `direct`, but copied to a tile since an output overwrites it
  int groups = 0;       ///< of axes, neighbors merged, outermost first
  const char* data = nullptr;
  ConvertTile convert = nullptr;
  int64_t slot = 0;    ///< byte offset of its tile in the scratch memory
  int64_t period = 0;  ///< of `periodic` and `window`, in elements
  int64_t sizes[Shape::max_rank];
  int64_t strides[Shape::max_rank];  ///< in elements; 0 where the input is broadcast
};

struct BoundOutput {
  char* data = nullptr;
  ConvertTile convert = nullptr;
  ConvertTile store = nullptr;  ///< null: the last instruction writes straight into the output
  uint8_t element_bytes = 0;
  bool computed = false;  ///< by an instruction, in the output's type
  /// Which of the first 64 inputs lie at the output's address.
  uint64_t overwrites = 0;
};

/// One loop over a tile: an instruction, or a chain of them.
struct BoundStep {
  ElementwiseTile kernel = nullptr;  ///< both null: done by conversion to another type
  ChainTile chain = nullptr;
  uint16_t instruction = 0;  ///< whose result it writes
  uint16_t operands[4] = {0, 0, 0, 0};
  int16_t output = -1;  ///< that it writes straight into, or -1
};

/// Memory and pointers of one thread. Grows to the largest program run so far and is kept.
struct Frame {
  char* scratch = nullptr;
  size_t scratch_bytes = 0;
  InlineVector<char*, 64> values;  ///< where the tile of each value of the program is

  Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();
  void reserve(size_t bytes);
};

/// This thread's frame. One program at a time uses it.
Frame& thread_frame();

/// Whether a program is bound for one run, or for many with other addresses.
enum class Binding : uint8_t { once, lasting };

/// A program with its operands. Shared by all threads that run parts of it.
class BoundProgram {
 public:
  /// `shape` is the iteration space, to which the inputs broadcast. Without outputs, `evaluate`
  /// gives the tile of the program's first output. A lasting binding looks at no address before
  /// `rebind`; when it is small it keeps a frame of its own, and one thread at a time may run it.
  BoundProgram(const Program& program, DType compute, const Shape& shape, Operands inputs,
               Operands outputs = {}, Binding binding = Binding::once);

  /// Takes the operands at these addresses from now on: the inputs, then the outputs.
  void rebind(void* const* data);

  int64_t numel() const { return numel_; }
  /// Scalar operations for all elements, weighted by what instructions cost.
  int64_t work() const { return numel_ * cost_; }

  /// A frame of this thread, ready for tiles of up to `n` elements.
  Frame& start(int64_t n) const;
  /// Prepares a frame for tiles of up to `n` elements.
  void start(Frame& frame, int64_t n) const;
  /// Computes the tile [flat, flat + n); returns the values of the first output.
  const void* evaluate(Frame& frame, int64_t flat, int64_t n) const;
  /// Writes what `evaluate` did not write into the outputs itself.
  void store(Frame& frame, int64_t flat, int64_t n) const;

 private:
  void bind_input(BoundInput& bound, const Operand& operand, const Shape& shape);
  void bind_steps();
  /// Decides what the instructions write into the outputs themselves; depends on which outputs lie
  /// over which inputs.
  void place_outputs();
  /// Whether output `k` lies over the address of input `i`.
  bool overlaps(size_t k, size_t i) const { return outputs_[k].data == inputs_[i].data; }
  int64_t register_bytes() const;
  void start_lasting(Frame& frame, int64_t n) const;
  void load_inputs(Frame& frame, int64_t n) const;
  void evaluate_by_conversion(Frame& frame, size_t instruction, int64_t n) const;

  const Program& program_;
  const TileKernels& kernels_;
  DType compute_;
  int64_t element_bytes_;
  int64_t numel_;
  int64_t slot_elements_;  ///< that a tile's slot has room for
  int64_t cost_ = 0;
  int64_t scratch_bytes_ = 0;
  int64_t first_constant_slot_ = 0, first_register_slot_ = 0, conversion_slot_ = 0;
  bool has_general_ = false, prefetches_ = false, placed_ = false;
  InlineVector<BoundInput, 6> inputs_;
  InlineVector<BoundOutput, 4> outputs_;
  InlineVector<BoundStep, 12> steps_;
  std::unique_ptr<Frame> own_;  ///< constants and registers are set up; null: the thread's
};

}  // namespace cornu::backend::cpu
