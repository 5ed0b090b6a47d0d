// Elementwise programs: whole tiles, split over threads when there are enough of them.
#include "interpreter.h"
#include "parallel.h"

namespace cornu::backend::cpu {

void run(const Fused& kernel, Operands inputs, Operands outputs) {
  if (outputs.empty()) return;
  const BoundProgram program(*kernel.program, kernel.compute, *outputs[0].shape, inputs, outputs);
  const int64_t numel = program.numel();
  if (numel == 0) return;
  const auto run_range = [&](int64_t begin, int64_t end) {
    Frame& frame = thread_frame();
    program.start(frame, std::min(tile_size, end - begin));
    for (int64_t flat = begin; flat < end; flat += tile_size) {
      const int64_t n = std::min(tile_size, end - flat);
      program.evaluate(frame, flat, n);
      program.store(frame, flat, n);
    }
  };
  if (numel <= tile_size) return run_range(0, numel);
  const int64_t tiles = (numel + tile_size - 1) / tile_size;
  parallel_for(tiles, program.work(), [&](int64_t begin, int64_t end) {
    run_range(begin * tile_size, std::min(end * tile_size, numel));
  });
}

}  // namespace cornu::backend::cpu
