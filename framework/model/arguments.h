// What compile, fit, evaluate and predict take.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "../base/callbacks.h"
#include "../base/loss.h"
#include "../base/metric.h"
#include "../base/optimizer.h"
#include "../data/dataset.h"
#include "class_weights.h"
#include "journal_options.h"
#include "run_time.h"

namespace cornu {

namespace detail {
/// "Accuracy" or "Crossentropy" for a name that means the one which fits the shapes: "accuracy" or
/// "acc", "crossentropy" or "ce", in any case; else null.
const char* fitting_kind(const std::string& name);
/// The class of that kind for these targets and outputs, such as "SparseCategoricalAccuracy".
std::string fitting_class(const char* kind, const Tensor& y, const Tensor& y_pred);
}  // namespace detail

/// The loss option: a name, an object, a function of (y_true, y_pred), or one of these for each
/// output, as a list or by output name.
class LossOption {
 public:
  using List = std::vector<LossOption>;                          ///< one for each output, in order
  using Dict = std::vector<std::pair<std::string, LossOption>>;  ///< by output name
  /// (y_true, y_pred) to a value for each sample.
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;

  LossOption() = default;
  LossOption(std::nullptr_t) {}  ///< no loss
  /// Such as "mse", or "crossentropy" for the one that fits the shapes; looked up by make().
  LossOption(const char* name) : name_(name) {}
  LossOption(std::string name) : name_(std::move(name)) {}  ///< the same
  /// A function of Keras's, which is its name: losses::mean_squared_error. Its options are default.
  LossOption(const char* (*function)(FunctionName)) : name_(function({})) {}
  LossOption(std::shared_ptr<Loss> loss) : loss_(std::move(loss)) {}  ///< an object
  /// The same for an object of a class of one's own: `= std::make_shared<MyLoss>()`, or of
  /// `make<MyLoss>()`.
  template <class T>
  requires(std::derived_from<T, Loss> && !std::same_as<T, Loss>) LossOption(std::shared_ptr<T> loss)
      : loss_(std::move(loss)) {}
  /// A handle, such as losses::Huber().
  template <class T>
  requires std::derived_from<T, Loss> LossOption(const Ref<T>& loss) : loss_(loss.shared()) {}
  /// A function of (y_true, y_pred); the model cannot be saved with it.
  template <class F>
  requires(std::is_invocable_r_v<Tensor, F&, const Tensor&, const Tensor&> &&
           !std::convertible_to<F, std::shared_ptr<Loss>>) LossOption(F function)
      : function_(std::move(function)) {}
  /// One option for each output.
  LossOption(List list) : list_(std::move(list)) {}
  /// The same in braces: `{"mse", "mae"}`; or by output name: `{{"price", "mse"}, {"kind",
  /// "bce"}}`.
  LossOption(std::initializer_list<LossOption> list);
  /// Options by output name; nullptr for an output without a loss.
  LossOption(Dict dict) : dict_(std::move(dict)) {}

  /// whether there is no loss
  bool empty() const {
    return name_.empty() && !loss_ && !function_ && list_.empty() && dict_.empty();
  }
  const std::string& name() const { return name_; }  ///< empty unless made from one
  const List& list() const { return list_; }         ///< empty unless made from a list
  const Dict& dict() const { return dict_; }         ///< empty unless made by names
  /// The loss object of a single option. Throws ValueError with a did-you-mean for an unknown name.
  std::shared_ptr<Loss> make() const;
  /// As compile_config keeps it: names stay names.
  Value value() const;
  /// The option that compile_config holds. Throws ValueError for an unknown name.
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
  using List = std::vector<MetricOption>;  ///< one for each output, or several for one
  using Dict = std::vector<std::pair<std::string, MetricOption>>;  ///< by output name
  using Function = LossOption::Function;  ///< its mean over the samples is the metric

  MetricOption() = default;
  MetricOption(std::nullptr_t) {}  ///< no metric
  /// Such as "mae"; "accuracy" and "crossentropy", in any case, are those that fit the shapes.
  MetricOption(const char* name) : name_(name) {}
  MetricOption(std::string name) : name_(std::move(name)) {}  ///< the same
  /// A function of Keras's, which is its name: metrics::binary_accuracy. Its options are default.
  MetricOption(const char* (*function)(FunctionName)) : name_(function({})) {}
  MetricOption(std::shared_ptr<Metric> metric) : metric_(std::move(metric)) {}  ///< an object
  /// The same for an object of a class of one's own: `= std::make_shared<MyMetric>()`, or of
  /// `make<MyMetric>()`.
  template <class T>
  requires(std::derived_from<T, Metric> && !std::same_as<T, Metric>)
      MetricOption(std::shared_ptr<T> metric)
      : metric_(std::move(metric)) {}
  /// A handle, such as metrics::AUC().
  template <class T>
  requires std::derived_from<T, Metric> MetricOption(const Ref<T>& metric)
      : metric_(metric.shared()) {}
  /// A function of (y_true, y_pred); the model cannot be saved with it.
  template <class F>
  requires(std::is_invocable_r_v<Tensor, F&, const Tensor&, const Tensor&> &&
           !std::convertible_to<F, std::shared_ptr<Metric>>) MetricOption(F function)
      : function_(std::move(function)) {}
  /// Several options.
  MetricOption(List list) : list_(std::move(list)), is_list_(true) {}
  /// The same in braces: `{"mae", "mse"}`; or by output name: `{{"price", {"mae"}}, {"kind",
  /// {"accuracy", "AUC"}}}`, also with a single metric without braces of its own.
  MetricOption(std::initializer_list<MetricOption> list);
  /// Options by output name.
  MetricOption(Dict dict) : dict_(std::move(dict)) {}

  /// whether there is no metric
  bool empty() const {
    return name_.empty() && !metric_ && !function_ && list_.empty() && dict_.empty();
  }
  bool is_list() const { return is_list_; }               ///< also of an empty list
  const List& list() const { return list_; }              ///< empty unless made from a list
  const Dict& dict() const { return dict_; }              ///< empty unless made by names
  const std::string& name() const { return name_; }       ///< empty unless made from one
  const Function& function() const { return function_; }  ///< empty unless made from one
  /// The same option, or its entries by name where all of them are pairs of an output's name and
  /// metrics: `{{"price", "mae"}, {"kind", "accuracy"}}` could also be two lists of two metrics.
  /// Names that are no metrics are those of outputs, which a model that returns a dictionary tells
  /// later.
  MetricOption by_name(const std::vector<std::string>& output_names) const;
  /// The metric of a single option whose name is not a short one ("accuracy", "crossentropy"):
  /// those depend on shapes.
  std::shared_ptr<Metric> make() const;
  /// As compile_config keeps it: names stay names.
  Value value() const;
  /// The option that compile_config holds. Throws ValueError for an unknown name.
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
  /// Of the one loss, which may be that of several outputs: `.loss_weights = 0.5`.
  template <class T>
  requires std::is_arithmetic_v<T> LossWeights(T weight) : list{static_cast<double>(weight)} {}
  LossWeights(std::initializer_list<double> values)
      : list(values) {}  ///< in the order of the outputs
  LossWeights(std::vector<double> values) : list(std::move(values)) {}  ///< the same
  /// By output name, for each of them: `{{"price", 0.5}, {"kind", 2}}`.
  LossWeights(std::initializer_list<std::pair<std::string, double>> values) : dict(values) {}
  /// The same.
  LossWeights(std::vector<std::pair<std::string, double>> values) : dict(std::move(values)) {}
  /// The same.
  LossWeights(const std::map<std::string, double>& values) : dict(values.begin(), values.end()) {}
  std::vector<double> list;                                    ///< by position
  std::vector<std::pair<std::string, double>> dict;            ///< by name
  bool empty() const { return list.empty() && dict.empty(); }  ///< whether all weights are 1
};

/// `.jit_compile = true`, `false` or `"auto"`.
class JitOption {
 public:
  template <std::same_as<bool> B>
  JitOption(B jit) : text_(jit ? "true" : "false") {}      ///< whether to compile by XLA
  JitOption(const char* text) : text_(text) {}             ///< "auto", "true" or "false"
  JitOption(std::string text) : text_(std::move(text)) {}  ///< the same
  operator const std::string&() const { return text_; }    ///< "auto", "true" or "false"

 private:
  std::string text_;
};

/// Options of compile, in Keras's order.
struct CompileOptions {
  Choice<Optimizer> optimizer = "rmsprop";  ///< an object or a name
  LossOption loss = {};                     ///< may stay empty where layers add losses
  LossWeights loss_weights = {};            ///< factors of the outputs' losses; default 1
  MetricOption metrics = {};                ///< reported by name; sample weights do not count
  MetricOption weighted_metrics = {};       ///< the same, weighted by sample and class weights
  /// Runs every step operation by operation instead of recording and replaying it.
  bool run_eagerly = false;
  /// Batches between two calls of the batch hooks.
  int64_t steps_per_execution = 1;
  /// true, false or "auto"; kept in files for Keras, and without effect here.
  JitOption jit_compile = "auto";
  /// Puts a LossScaling around the optimizer of a model whose policy is "mixed_float16".
  bool auto_scale_loss = true;
  /// Trains with less memory: a Functional or Sequential keeps what lies between sections of its
  /// graph for the gradient, and computes what lies inside again: about a third more time. Throws
  /// UnsupportedError for other models, which have remat(f). Not kept in files.
  bool remat = false;
};

/// `.validation_data = {x, y}` or `{x, y, sample_weight}`, or a Dataset.
struct ValidationData {
  ValidationData() = default;
  /// Tensors; batches have FitOptions::validation_batch_size samples.
  ValidationData(Nest x, Nest y, Nest sample_weight = {})
      : x(std::move(x)), y(std::move(y)), sample_weight(std::move(sample_weight)) {}
  /// The same from what a function gives: {x, y}, or {x, y, sample_weight}.
  template <std::convertible_to<Nest> X, std::convertible_to<Nest> Y>
  ValidationData(const std::pair<X, Y>& data)
      : ValidationData(Nest(data.first), Nest(data.second)) {}
  /// The same.
  template <std::convertible_to<Nest> X, std::convertible_to<Nest> Y, std::convertible_to<Nest> W>
  ValidationData(const std::tuple<X, Y, W>& data)
      : ValidationData(Nest(std::get<0>(data)), Nest(std::get<1>(data)), Nest(std::get<2>(data))) {}
  /// A dataset with batches of its own, or what becomes one, such as a data::Pipeline<Batch>.
  template <class D>
  requires(std::convertible_to<D, AnyDataset> &&
           !std::same_as<std::remove_cvref_t<D>, ValidationData>) ValidationData(D&& data)
      : dataset(AnyDataset(std::forward<D>(data)).shared()) {}
  /// @{
  /// Empty for a dataset.
  Nest x, y, sample_weight;
  /// @}
  std::shared_ptr<Dataset> dataset;                     ///< null for tensors
  bool empty() const { return !dataset && x.empty(); }  ///< whether there is nothing to validate on
};

/// How much fit, evaluate and predict print. `automatic` is `bar` on a terminal, else `lines`.
enum class Verbose : int { silent = 0, bar = 1, lines = 2, automatic = 3 };

/// The same as Keras writes it: `.verbose = 0`, `.verbose = "auto"`.
class VerboseOption {
 public:
  VerboseOption(Verbose verbose) : verbose_(verbose) {}  ///< by name
  /// 0, 1 or 2. Throws ValueError for another number.
  template <std::integral T>
  VerboseOption(T number) : VerboseOption(of_number(static_cast<int64_t>(number))) {}
  /// "auto". Throws ValueError for another text.
  VerboseOption(const char* text);
  operator Verbose() const { return verbose_; }  ///< what was given

 private:
  static Verbose of_number(int64_t number);
  Verbose verbose_;
};

/// `.validation_freq = 2`: after every second epoch; `= {1, 5}`: after these, counted from 1.
class ValidationFreq {
 public:
  /// After epochs whose number divides by this one.
  template <std::integral T>
  ValidationFreq(T every) : every_(static_cast<int64_t>(every)) {}
  ValidationFreq(std::vector<int64_t> epochs) : epochs_(std::move(epochs)) {}  ///< after these
  ValidationFreq(std::initializer_list<int64_t> epochs) : epochs_(epochs) {}   ///< the same
  /// Whether there is a validation after this epoch, counted from 0.
  bool due(int64_t epoch) const;
  bool valid() const { return every_ > 0; }  ///< false for a number below 1

 private:
  int64_t every_ = 1;
  std::optional<std::vector<int64_t>> epochs_;
};

/// Options of fit, in Keras's order.
struct FitOptions {
  std::optional<int64_t> batch_size = {};      ///< 32; a Dataset's batches stay as they are
  int64_t epochs = 1;                          ///< number of the last epoch, counted from 1
  VerboseOption verbose = Verbose::automatic;  ///< what to print
  Callbacks callbacks = {};                    ///< beside the progress bar and History
  double validation_split = 0;  ///< fraction of the samples, from the end, that is not trained on
  ValidationData validation_data = {};  ///< evaluated after epochs; goes before validation_split
  /// A new order in each epoch: of the samples, or of a Dataset's batches, unless these have an
  /// order of their own as a pipeline's have.
  bool shuffle = true;
  ClassWeights class_weight = {};                ///< weight of a class's samples, by its number
  Nest sample_weight = {};                       ///< weights of the samples' losses
  int64_t initial_epoch = 0;                     ///< first epoch, from 0; for training that goes on
  std::optional<int64_t> steps_per_epoch = {};   ///< batches of an epoch; default: all
  std::optional<int64_t> validation_steps = {};  ///< batches of a validation; default: all
  std::optional<int64_t> validation_batch_size = {};  ///< default: batch_size
  /// Every how many epochs to validate, or after which.
  ValidationFreq validation_freq = 1;
  /// A folder in which the run keeps its state, or all of BackupOptions. When the folder has a
  /// state of an earlier run of this program, training goes on behind it and gives the same bits as
  /// if it had never ended; when that run was complete, fit returns at once what it returned.
  Resume resume = {};
  /// A folder in which the run notes the loss of each step and, now and then, its state, so that
  /// Model::replay can repeat any step; or all of JournalOptions. Works beside `resume`.
  JournalOption journal = {};
};

/// Options of evaluate, in Keras's order.
struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};      ///< 32; a Dataset's batches stay as they are
  VerboseOption verbose = Verbose::automatic;  ///< what to print
  Nest sample_weight = {};                     ///< weights of the samples' losses
  std::optional<int64_t> steps = {};           ///< batches to evaluate; default: all
  Callbacks callbacks = {};                    ///< their on_test hooks are called
  bool return_dict = true;                     ///< ignored: figures are by name
};

/// Options of train_on_batch, in Keras's order.
struct BatchOptions {
  Nest sample_weight = {};         ///< weights of the samples' losses
  ClassWeights class_weight = {};  ///< weight of a class's samples, by its number
  bool return_dict = true;         ///< ignored: figures are by name
};

/// Options of test_on_batch, in Keras's order.
struct TestBatchOptions {
  Nest sample_weight = {};  ///< weights of the samples' losses
  bool return_dict = true;  ///< ignored: figures are by name
};

/// Options of predict, in Keras's order.
struct PredictOptions {
  std::optional<int64_t> batch_size = {};      ///< 32; a Dataset's batches stay as they are
  VerboseOption verbose = Verbose::automatic;  ///< what to print
  std::optional<int64_t> steps = {};           ///< batches to predict; default: all
  Callbacks callbacks = {};                    ///< their on_predict hooks are called
};

/// What predict returns: the outputs for all samples.
class Prediction : public Nest {
 public:
  Prediction() = default;                           ///< nothing
  Prediction(Nest nest) : Nest(std::move(nest)) {}  ///< the same outputs
  using Nest::operator[];                           ///< by name
  /// Of a model with one output what it gives for a sample, such as `predict(x)[0]`, of which
  /// `predict(x)[0][2]` is an element; of a list or dictionary an output. Throws ShapeError or
  /// ValueError when there is none.
  template <std::integral I>
  Prediction operator[](I index) const {
    return is_tensor() ? Nest(tensor()[index]) : Nest::operator[](index);
  }
};

/// What fit returns: for each epoch its number, and the figures of all epochs by name.
struct History {
  std::vector<int64_t> epoch;                          ///< numbers of the epochs, from 0
  std::map<std::string, std::vector<double>> history;  ///< a value per epoch
  /// Of metrics with several figures, whose means `history` has: the arrays of the epochs.
  std::map<std::string, std::vector<Tensor>> arrays;
  bool interrupted = false;  ///< whether Ctrl-C ended the run
  RunTime time;              ///< where the time of this call went
  /// What the data say when the run waited for them for a twentieth of its time or more: "fit
  /// waited 38% of the time for data: stage 'decode' is the bottleneck, 3 more workers would help".
  std::string advice = {};
  std::vector<int64_t> validated = {};  ///< the epochs, from 0, after which there was a validation
  /// The figures of one name. Throws ValueError with a did-you-mean and the names that there are.
  const std::vector<double>& operator[](const std::string& name) const;
  /// Figures have names, and no order.
  template <std::integral I>
  const std::vector<double>& operator[](I) const = delete;  // figures have names: ["loss"]
  /// The epochs, from 0, of the figures of one name: all of them, or those after which there was a
  /// validation. Throws ValueError with a did-you-mean.
  std::vector<int64_t> epochs(const std::string& name) const;
  /// Draws the figures of all epochs into an SVG file: a panel for the loss and one for each
  /// metric, where training and validation stand together. Throws ValueError when there is no
  /// figure or the path does not end in ".svg", FileError when it cannot be written.
  void plot(const std::string& path) const;
};

}  // namespace cornu
