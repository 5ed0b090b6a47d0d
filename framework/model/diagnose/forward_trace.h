// ForwardTrace: which layers a call went through, and what made its result.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../base/call_scope.h"
#include "../../tensor/recorder.h"

namespace cornu::diagnose {

/// The last function that was applied to an output.
enum class OutputForm : uint8_t { linear, softmax, log_softmax, sigmoid, tanh, relu, other };

/// One call of a layer.
struct LayerCall {
  Layer* layer;        ///< which the model owns
  std::string path;    ///< "model/dense"
  std::string kind;    ///< the class's name; see class_of
  Value::Dict config;  ///< empty for layers that have none
  bool leaf;           ///< whether no layer was called inside of it
  int depth;           ///< of the calls around it; 0 for the model itself
  Tensor input;        ///< the first one
  bool raw;            ///< whether no weight has touched the input yet
  bool masked;         ///< whether the input has a mask
  Tensor mask;         ///< that mask
  Tensor output;       ///< the first one
  /// An option's text, such as the name of an activation; empty for another kind of option.
  std::string option(const char* name) const;
  /// A weight of the layer's, or of a cell inside of it, by its name; none without one.
  Tensor weight(const char* name) const;
  /// Whether it looks rows of a table up.
  bool is_lookup() const { return kind.find("Embedding") != std::string::npos; }
  /// Whether it multiplies by a kernel: weights of two axes or more, and no lookup.
  bool has_kernel() const;
};

/// A result of an op that a model called itself, between its layers, or a Lambda.
struct BareOp {
  std::string after;  ///< path of the layer whose output it took
  Tensor input;       ///< the first one
  Tensor output;      ///< the first one
};

/// Sees the layers' calls and the steps of its thread while it lives.
class ForwardTrace : public LayerObserver, private Recorder {
 public:
  /// `inputs` are what the model is called on.
  explicit ForwardTrace(const Nest& inputs);
  ~ForwardTrace() override;
  ForwardTrace(const ForwardTrace&) = delete;

  void stop();  ///< ends the watch; what was seen stays

  void before(Layer& layer, const Nest& inputs) override;
  void after(Layer& layer, const Nest& outputs) override;

  const std::vector<LayerCall>& calls() const { return calls_; }  ///< by their ends
  OutputForm form_of(const Tensor& output) const;                 ///< of a tensor that was computed
  /// The path of the layer whose output this is, the innermost one; empty for none.
  std::string maker_of(const Tensor& output) const;
  /// Whether this tensor is a softmax of what is a softmax, or a sigmoid of a sigmoid, with nothing
  /// but shapes in between.
  bool applied_twice(const Tensor& output) const;
  /// The last layer that draws numbers, such as a Dropout, when nothing follows it on the way to
  /// this output; null for none.
  const LayerCall* random_end(const Tensor& output) const;
  const std::vector<BareOp>& bare_relus() const {
    return bare_relus_;
  }  ///< relus that are no layer
  /// The ops that took an input with a mask, and gave a result without; none where the model looks
  /// at masks itself.
  std::vector<BareOp> bare_maskings() const;
  /// The first float16 result that is not finite although all that it came from is: the layer.
  const std::optional<std::string>& half_overflow() const { return half_overflow_; }

 private:
  struct Origin {
    OutputForm form;
    bool passes;  // the same numbers in another shape or type
    uint64_t from;
  };
  void record(const Step& step) override;
  void record_bare(const Step& step);
  void check_half(const Step& step);
  const Origin* origin_of(uint64_t key) const;

  bool watching_ = true;
  LayerObserver* outer_;
  std::vector<LayerCall> open_, calls_;
  std::unordered_map<uint64_t, Origin> origins_;
  std::set<uint64_t> raw_;
  std::vector<BareOp> bare_relus_, bare_maskings_;
  bool handles_masks_ = false;
  std::optional<std::string> half_overflow_;
};

}  // namespace cornu::diagnose
