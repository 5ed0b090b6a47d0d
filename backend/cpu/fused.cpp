// Elementwise programs: whole tiles, split over threads when there are enough of them.
#include "interpreter.h"
#include "parallel.h"
#include "prepare.h"

namespace cornu::backend::cpu {
namespace {

void run_all(const BoundProgram& program) {
  const int64_t numel = program.numel();
  if (numel == 0) return;
  const auto run_range = [&](int64_t begin, int64_t end) {
    Frame& frame = program.start(std::min(tile_size, end - begin));
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

class PreparedFused final : public Executable {
 public:
  PreparedFused(const Fused& kernel, Operands inputs, Operands outputs)
      : program_(kernel.program),
        bound_(*program_, kernel.compute, *outputs[0].shape, inputs, outputs, Binding::lasting) {}

  void run(void* const* data) override {
    bound_.rebind(data);
    run_all(bound_);
  }

 private:
  const ProgramRef program_;
  BoundProgram bound_;
};

}  // namespace

void run(const Fused& kernel, Operands inputs, Operands outputs) {
  if (outputs.empty()) return;
  run_all(BoundProgram(*kernel.program, kernel.compute, *outputs[0].shape, inputs, outputs));
}

std::unique_ptr<Executable> prepare(const Fused& kernel, Operands inputs, Operands outputs) {
  if (outputs.empty()) return nullptr;
  return std::make_unique<PreparedFused>(kernel, inputs, outputs);
}

}  // namespace cornu::backend::cpu
