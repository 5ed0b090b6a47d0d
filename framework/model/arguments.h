// What compile, fit, evaluate and predict take.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../base/callback.h"
#include "../base/loss.h"
#include "../base/metric.h"
#include "../base/optimizer.h"
#include "../data/dataset.h"

namespace cornu {

/// The loss option: a name, an object, a function of (y_true, y_pred), or one of these for each output, as a list or
/// by output name.
class LossOption {
 public:
  using List = std::vector<LossOption>;
  using Dict = std::vector<std::pair<std::string, LossOption>>;
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;

  LossOption() = default;
  LossOption(std::nullptr_t) {}
  LossOption(const char* name) : name_(name) {}
  LossOption(std::string name) : name_(std::move(name)) {}
  LossOption(std::shared_ptr<Loss> loss) : loss_(std::move(loss)) {}
  template <class T>
    requires std::derived_from<T, Loss>
  LossOption(const Ref<T>& loss) : loss_(loss.shared()) {}
  template <class F>
    requires std::is_invocable_r_v<Tensor, F&, const Tensor&, const Tensor&>
  LossOption(F function) : function_(std::move(function)) {}
  LossOption(List list) : list_(std::move(list)) {}
  LossOption(std::initializer_list<LossOption> list) : list_(list) {}
  LossOption(Dict dict) : dict_(std::move(dict)) {}

  bool empty() const { return name_.empty() && !loss_ && !function_ && list_.empty() && dict_.empty(); }
  const List& list() const { return list_; }
  const Dict& dict() const { return dict_; }
  /// The loss object of a single option. Throws ValueError with a did-you-mean for an unknown name.
  std::shared_ptr<Loss> make() const;
  /// As compile_config keeps it: names stay names.
  Value value() const;
  static LossOption from_value(const Value& v);

 private:
  std::string name_;
  std::shared_ptr<Loss> loss_;
  Function function_;
  List list_;
  Dict dict_;
};

/// The metrics option: a list of names, objects or functions for one output (or for each, when it
/// has several), a list of such lists, or lists by output name. The figure of a function is called
/// "lambda", as Keras calls that of a lambda; metrics::MeanMetricWrapper({.fn = function, .name =
/// "gap"}) gives it a name.
class MetricOption {
 public:
  using List = std::vector<MetricOption>;
  using Dict = std::vector<std::pair<std::string, MetricOption>>;
  using Function = LossOption::Function;

  MetricOption() = default;
  MetricOption(std::nullptr_t) {}
  MetricOption(const char* name) : name_(name) {}
  MetricOption(std::string name) : name_(std::move(name)) {}
  MetricOption(std::shared_ptr<Metric> metric) : metric_(std::move(metric)) {}
  template <class T>
    requires std::derived_from<T, Metric>
  MetricOption(const Ref<T>& metric) : metric_(metric.shared()) {}
  template <class F>
    requires std::is_invocable_r_v<Tensor, F&, const Tensor&, const Tensor&>
  MetricOption(F function) : function_(std::move(function)) {}
  MetricOption(List list) : list_(std::move(list)), is_list_(true) {}
  MetricOption(std::initializer_list<MetricOption> list) : list_(list), is_list_(true) {}
  MetricOption(Dict dict) : dict_(std::move(dict)) {}

  bool empty() const { return name_.empty() && !metric_ && !function_ && list_.empty() && dict_.empty(); }
  bool is_list() const { return is_list_; }
  const List& list() const { return list_; }
  const Dict& dict() const { return dict_; }
  const std::string& name() const { return name_; }
  const Function& function() const { return function_; }
  /// The metric of a single option whose name is not a short one ("accuracy", "crossentropy"): those depend on shapes.
  std::shared_ptr<Metric> make() const;
  Value value() const;
  static MetricOption from_value(const Value& v);

 private:
  std::string name_;
  std::shared_ptr<Metric> metric_;
  Function function_;
  List list_;
  Dict dict_;
  bool is_list_ = false;
};

/// Weights of the outputs' losses: a list, or by output name.
struct LossWeights {
  LossWeights() = default;
  LossWeights(std::initializer_list<double> values) : list(values) {}
  LossWeights(std::vector<double> values) : list(std::move(values)) {}
  LossWeights(std::vector<std::pair<std::string, double>> values) : dict(std::move(values)) {}
  std::vector<double> list;
  std::vector<std::pair<std::string, double>> dict;
  bool empty() const { return list.empty() && dict.empty(); }
};

/// Options of compile, in Keras's order.
struct CompileOptions {
  Choice<Optimizer> optimizer = "rmsprop";
  LossOption loss = {};
  LossWeights loss_weights = {};
  MetricOption metrics = {};
  MetricOption weighted_metrics = {};
  /// Runs every step operation by operation instead of recording and replaying it.
  bool run_eagerly = false;
  /// Batches between two calls of the batch hooks.
  int64_t steps_per_execution = 1;
  /// "auto", "true" or "false"; kept in files.
  std::string jit_compile = "auto";
  bool auto_scale_loss = true;
  /// Trains with less memory: a Functional or Sequential keeps what lies between sections of its graph for the
  /// gradient, and computes what lies inside again: about a third more time. Throws UnsupportedError for other models,
  /// which have remat(f). Not kept in files.
  bool remat = false;
};

/// `.validation_data = {x, y}` or `{x, y, sample_weight}`, or a Dataset.
struct ValidationData {
  ValidationData() = default;
  ValidationData(Nest x, Nest y, Nest sample_weight = {})
      : x(std::move(x)), y(std::move(y)), sample_weight(std::move(sample_weight)) {}
  ValidationData(std::shared_ptr<Dataset> dataset) : dataset(std::move(dataset)) {}
  Nest x, y, sample_weight;
  std::shared_ptr<Dataset> dataset;
  bool empty() const { return !dataset && x.empty(); }
};

/// How much fit, evaluate and predict print. `automatic` is `bar` on a terminal, else `lines`.
enum class Verbose : int { silent = 0, bar = 1, lines = 2, automatic = 3 };

using Callbacks = std::vector<std::shared_ptr<Callback>>;

/// Options of fit, in Keras's order.
struct FitOptions {
  std::optional<int64_t> batch_size = {};  ///< 32
  int64_t epochs = 1;
  Verbose verbose = Verbose::automatic;
  Callbacks callbacks = {};
  double validation_split = 0;  ///< share of the samples, from the end, that is not trained on
  ValidationData validation_data = {};
  bool shuffle = true;
  std::map<int64_t, double> class_weight = {};
  Nest sample_weight = {};
  int64_t initial_epoch = 0;
  std::optional<int64_t> steps_per_epoch = {};
  std::optional<int64_t> validation_steps = {};
  std::optional<int64_t> validation_batch_size = {};
  /// Every how many epochs to validate.
  int64_t validation_freq = 1;
};

struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};
  Verbose verbose = Verbose::automatic;
  Nest sample_weight = {};
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

struct PredictOptions {
  std::optional<int64_t> batch_size = {};
  Verbose verbose = Verbose::automatic;
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

/// What fit returns: for each epoch its number, and the figures of all epochs by name.
struct History {
  std::vector<int64_t> epoch;
  std::map<std::string, std::vector<double>> history;
  /// Of metrics with several figures, whose means `history` has: the arrays of the epochs.
  std::map<std::string, std::vector<Tensor>> arrays;
  /// The figures of one name. Throws ValueError with a did-you-mean.
  const std::vector<double>& operator[](const std::string& name) const;
};

}  // namespace cornu
