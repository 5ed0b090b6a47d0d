// Elementwise programs: whole tiles, split over threads when there are enough of them.
#include <algorithm>

#include "../compositions.h"
#include "interpreter.h"
#include "parallel.h"
#include "prepare.h"

namespace cornu::backend::cpu {
namespace {

int64_t tiles_of(const BoundProgram& program) {
  return (program.numel() + tile_size - 1) / tile_size;
}

// Tiles [begin, end) of a program.
void run_tiles(const BoundProgram& program, int64_t begin, int64_t end) {
  int64_t flat = begin * tile_size;
  const int64_t stop = std::min(end * tile_size, program.numel());
  if (flat >= stop) return;
  Frame& frame = program.start(std::min(tile_size, stop - flat));
  for (; flat < stop; flat += tile_size) {
    const int64_t n = std::min(tile_size, stop - flat);
    program.evaluate(frame, flat, n);
    program.store(frame, flat, n);
  }
}

void run_all(const BoundProgram& program) {
  // Tiles are independent, so any split over threads gives the same bits.
  const int64_t tiles = tiles_of(program);
  if (tiles <= 1) return run_tiles(program, 0, tiles);
  parallel_for(tiles, program.work(),
               [&](int64_t begin, int64_t end) { run_tiles(program, begin, end); });
}

class PreparedFused final : public Executable {
 public:
  PreparedFused(const Fused& kernel, Operands inputs, Operands outputs)
      : program_(kernel.program),
        bound_(*program_, kernel.compute, *outputs[0].shape, inputs, outputs, Binding::lasting) {}

  void run(void* const* data) override {
    // An executable is run by one thread at a time, so the binding may change in place.
    bound_.rebind(data);
    run_all(bound_);
  }

 private:
  const ProgramRef program_;
  BoundProgram bound_;
};

// Sets are small: each is one thread's.
class PreparedMultiTensor final : public Executable {
 public:
  PreparedMultiTensor(const MultiTensorFused& kernel, Operands inputs, Operands outputs)
      : program_(kernel.each.program),
        inputs_(inputs.size() / static_cast<size_t>(kernel.sets)),
        outputs_(outputs.size() / static_cast<size_t>(kernel.sets)),
        addresses_(inputs_ + outputs_) {
    for (size_t set = 0; set < static_cast<size_t>(kernel.sets); ++set) {
      const Operands out = outputs.subspan(set * outputs_, outputs_);
      programs_.push_back(std::make_unique<BoundProgram>(
          *program_, kernel.each.compute, *out[0].shape, inputs.subspan(set * inputs_, inputs_),
          out, Binding::lasting));
      work_ += programs_.back()->work();
    }
  }

  void run(void* const* data) override {
    void* const* results = data + inputs_ * programs_.size();
    for (const auto& program : programs_) {
      std::copy(results, results + outputs_, std::copy(data, data + inputs_, addresses_.begin()));
      program->rebind(addresses_.data());
      data += inputs_, results += outputs_;
    }
    parallel_for(static_cast<int64_t>(programs_.size()), work_, [&](int64_t begin, int64_t end) {
      for (int64_t set = begin; set < end; ++set) {
        const BoundProgram& program = *programs_[static_cast<size_t>(set)];
        run_tiles(program, 0, tiles_of(program));
      }
    });
  }

 private:
  const ProgramRef program_;
  const size_t inputs_, outputs_;  // of a set
  std::vector<std::unique_ptr<BoundProgram>> programs_;
  int64_t work_ = 0;
  std::vector<void*> addresses_;
};

}  // namespace

void run(const Fused& kernel, Operands inputs, Operands outputs) {
  if (outputs.empty()) return;
  run_all(BoundProgram(*kernel.program, kernel.compute, *outputs[0].shape, inputs, outputs));
}

void run(const MultiTensorFused& kernel, Operands inputs, Operands outputs) {
  composed(kernel, inputs, outputs, cpu_backend());
}

std::unique_ptr<Executable> prepare(const Fused& kernel, Operands inputs, Operands outputs) {
  if (outputs.empty()) return nullptr;
  return std::make_unique<PreparedFused>(kernel, inputs, outputs);
}

std::unique_ptr<Executable> prepare(const MultiTensorFused& kernel, Operands inputs,
                                    Operands outputs) {
  return std::make_unique<PreparedMultiTensor>(kernel, inputs, outputs);
}

}  // namespace cornu::backend::cpu
