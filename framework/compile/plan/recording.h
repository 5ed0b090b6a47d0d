// Recording: sees a function run, and writes down what it computes.
#pragma once
#include <optional>
#include <span>
#include <unordered_map>

#include "graph.h"

namespace cornu::plan {

/// What becomes of the values that a recorded function assigns to variables.
enum class AssignedValues : uint8_t { commit, discard };

/// Traces this thread from its construction until `finish`. Values are known by their storage: a
/// reshaped tensor and one without gradient are the same value. Other threads see nothing of it:
/// variables get their new values when it stops.
class Recording : public Tracer {
 public:
  /// The arguments must have storages of their own (see Tensor::fresh_alias).
  explicit Recording(std::span<const Tensor> arguments,
                     AssignedValues assigned = AssignedValues::commit);
  ~Recording() override;
  Recording(const Recording&) = delete;

  /// Ends the recording; what is assigned after is not seen. Also done by `finish`.
  void stop();
  /// The recorded graph, without steps that nothing needs.
  Graph finish(std::span<const Tensor> outputs);

  /// Where the function did what no replay can do, such as looking at a value; empty when it did
  /// not.
  const std::string& host_read() const { return host_read_; }

 protected:
  void step(const cornu::Step& step) override;
  void read(const Variable& variable) override;
  Tensor assign(const Variable& variable, const Tensor& value) override;
  void host_read(const Tensor& tensor, const SourceLine& at) override;
  void give_up(const std::string& where) override;
  /// The value of a tensor that nobody has seen before: a constant.
  virtual int outside(const Tensor& tensor);

  /// The number of a tensor's value, known or from outside. `wide`: of a step's operand, else of a
  /// result.
  int value_of(const Tensor& tensor, bool wide);
  /// whether its storage is a value already
  bool knows(const Tensor& tensor) const { return ids_.count(tensor.impl()->storage->id) > 0; }
  /// Takes a tensor's storage for this value from now on.
  void know(const Tensor& tensor, int value);

  Graph graph_;    ///< what was seen so far
  Tracer* outer_;  ///< the recording around this one, or null

 private:
  int index_of(const Variable& variable);

  std::unordered_map<uint64_t, int> ids_;  // by storage
  std::unordered_map<uint64_t, int> variables_;
  std::vector<int> assigned_;  // for each variable its new value, or -1
  // For each variable what it held, and the identity that stands for it meanwhile.
  std::vector<std::pair<Tensor, uint64_t>> originals_;
  std::optional<VariableOverlay> overlay_;
  AssignedValues assigned_values_;
  std::string host_read_;
  bool open_ = true;
};

/// The recording of a part of a function that may run or not, or several times. What comes from
/// outside of the part, variables included, are its arguments, after the given ones; variables get
/// their old values back when it stops.
class PartRecording final : public Recording {
 public:
  /// Begins the recording of a part inside the one under way.
  explicit PartRecording(std::span<const Tensor> arguments);
  ~PartRecording() override { stop(); }

  /// Ends the recording and undoes assignments.
  void stop();
  /// What came from outside, in the order of the arguments after the given ones.
  const std::vector<Tensor>& captured() const { return captured_; }

  /// The variables whose values it read.
  const std::vector<Variable>& variables() const { return variables_; }

  /// A variable that the part assigned.
  struct Changed {
    Variable variable;  ///< the variable
    /// @{
    /// Its values around the part.
    Tensor before, after;
    /// @}
  };
  /// The variables that the part assigned to.
  const std::vector<Changed>& changed() const { return changed_; }
  /// The part cannot be replayed.
  using Recording::give_up;

 private:
  void step(const cornu::Step& step) override;
  void read(const Variable& variable) override;
  Tensor assign(const Variable& variable, const Tensor& value) override;
  int outside(const Tensor& tensor) override;

  int given_;
  bool undone_ = false;
  std::vector<Tensor> captured_;
  std::vector<Variable> variables_;
  std::vector<Changed> changed_;
};

/// The path of the layer that is being called, or that is being differentiated.
std::string current_place();

}  // namespace cornu::plan
