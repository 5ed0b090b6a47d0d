// NaNTracer: sees the operations of a step, and traces what is not finite back to its source.
#pragma once
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "../compile/function.h"
#include "../tensor/recorder.h"
#include "locate_nan.h"

namespace cornu::detail {

/// Watches this thread while it lives.
class NaNTracer : public Tracer {
 public:
  NaNTracer();
  ~NaNTracer() override;

  void step(const Step& step) override;
  void read(const Variable&) override {}
  Tensor assign(const Variable& variable, const Tensor& value) override;
  void host_read(const Tensor&, const SourceLine&) override {}
  void give_up(const std::string&) override {}

  /// The source of what is not finite in the variables that were assigned; none when all are.
  std::optional<NaNReport> report() const;

 private:
  // A step with a result that is not finite.
  struct Bad {
    std::optional<backend::Kernel> kernel;
    std::string text;
    Tensors inputs, outputs;
    std::string layer, phase;
    std::string forward;  // of a derivative: the operations that it is of
  };
  // An elementwise step, whose derivative may come.
  struct Elementwise {
    backend::ProgramRef program;
    std::vector<uint64_t> values;
  };
  std::string phase() const;
  std::string forward_of(const Step& step) const;
  std::optional<size_t> source_of(const Tensor& tensor) const;
  NaNReport describe(const Bad& bad) const;

  Tracer* outer_;
  std::vector<Bad> bad_;
  std::unordered_map<uint64_t, size_t> makers_;  // by the identity of values
  std::vector<Elementwise> elementwise_;
  AssignmentList assigned_;  // with the latest value
  bool reported_ = false, differentiated_ = false;
};

}  // namespace cornu::detail
