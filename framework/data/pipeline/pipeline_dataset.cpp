// A pipeline in the place of a Dataset: batches by number, on streams that are opened where needed.
#include <fmt/core.h>

#include "../pipeline.h"
#include "explain.h"

namespace cornu::data::detail {
namespace {

class PipelineDataset final : public Dataset {
 public:
  explicit PipelineDataset(const Pipeline<Batch>& pipeline) : pipeline_(pipeline) {}

  bool has_own_order() const override { return true; }
  int64_t size() const override { return pipeline_.size(); }

  Batch batch(int64_t index) override {
    std::optional<Batch> found = next(index);
    if (found) return std::move(*found);
    throw ValueError(fmt::format("batch {} does not exist; the data ended before it.", index));
  }

  std::optional<Batch> next(int64_t index) override {
    if (index < 0)
      throw ValueError(fmt::format("batch {} does not exist; they are counted from 0.", index));
    seek(index);
    std::optional<Batch> found = stream_->next();
    if (!found) return {};
    before_ = std::exchange(here_, stream_->position());
    ++at_;
    return found;
  }

  void on_epoch_begin(int64_t epoch) override {
    stream_.reset();
    // What set_state gave is of the pass that begins now.
    if (epoch != epoch_ || !resumed_) {
      known_ = false;
      at_ = 0;
    }
    resumed_ = false;
    epoch_ = epoch;
  }

  void on_epoch_end(int64_t) override {
    stream_.reset();
    known_ = false;
  }

  // The places before and behind the batch that came last: the run may have fetched it ahead.
  Value::Dict get_state() const override {
    Value::Dict state{{"seed", pipeline_.options().seed}};
    if (!known_) return state;
    state.emplace_back("epoch", epoch_);
    state.emplace_back("index", at_);
    state.emplace_back("before", before_);
    state.emplace_back("here", here_);
    return state;
  }

  void set_state(const Value::Dict& state) override {
    PipelineOptions options = pipeline_.options();
    options.seed = number(state, "seed").value_or(options.seed);
    if (options.seed != pipeline_.options().seed) pipeline_ = pipeline_.with(options);
    const std::optional<int64_t> epoch = number(state, "epoch"), index = number(state, "index");
    if (!epoch || !index) return;
    epoch_ = *epoch;
    at_ = *index;
    before_ = position(state, "before");
    here_ = position(state, "here");
    known_ = resumed_ = true;
  }

  std::string advice(double waited, double total) const override {
    const std::string what = bottleneck(*pipeline_.runtime());
    if (what.empty() || total <= 0) return "";
    return fmt::format("waited {:.0f}% of the time for data: {}", 100 * waited / total, what);
  }

 private:
  // Makes the next batch of the stream that of `index`.
  void seek(int64_t index) {
    if (stream_ && index == at_) return;
    stream_.reset();
    Position from;
    int64_t at = 0;
    if (pipeline_.node()->indexed()) {
      // What is asked for behind the end is the end.
      const int64_t size = pipeline_.size();
      from = {size >= 0 ? std::min(index, size) : index};
      at = index;
    } else if (known_ && index >= at_ && !here_.empty()) {
      from = here_;
      at = at_;
    } else if (known_ && index == at_ - 1 && !before_.empty()) {
      from = before_;
      at = index;
    }
    stream_ = pipeline_.open(epoch_, from);
    // What nobody kept a place of is found by going there.
    for (; at < index; ++at)
      if (!stream_->next()) break;
    at_ = index;
    here_ = stream_->position();
    known_ = true;
  }

  static std::optional<int64_t> number(const Value::Dict& state, std::string_view key) {
    for (const auto& [name, value] : state)
      if (name == key && value.is<int64_t>()) return value.get<int64_t>();
    return {};
  }
  static Position position(const Value::Dict& state, std::string_view key) {
    Position found;
    for (const auto& [name, value] : state)
      if (name == key && value.is<Value::List>())
        for (const Value& one : value.get<Value::List>())
          if (one.is<int64_t>()) found.push_back(one.get<int64_t>());
    return found;
  }

  Pipeline<Batch> pipeline_;
  std::unique_ptr<Stream<Batch>> stream_;
  int64_t epoch_ = 0;
  int64_t at_ = 0;          // of the next batch
  Position before_, here_;  // before and behind the last one
  bool known_ = false;      // whether they are of this pass
  bool resumed_ = false;    // whether they are of the pass that begins next
};

}  // namespace

std::shared_ptr<Dataset> dataset_of(const Pipeline<Batch>& pipeline) {
  if (!pipeline.node()->batched())
    throw ValueError(
        fmt::format("The elements of this pipeline (last stage: '{}') are single samples. A model "
                    "takes batches: add .batch(32).",
                    pipeline.node()->name()));
  return std::make_shared<PipelineDataset>(pipeline);
}

}  // namespace cornu::data::detail
