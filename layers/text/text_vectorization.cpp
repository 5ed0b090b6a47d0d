// Texts to words to numbers.
#include "text_vectorization.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/integers.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/tensor/recorder.h"
#include "../tabular/encoding.h"

namespace cornu::layers {
namespace {

TextVectorizationConfig tidy(TextVectorizationConfig c) {
  c.output_mode = canonical_output_mode(c.output_mode);
  check_text_rules(c.standardize, c.split);
  if (c.ragged)
    throw UnsupportedError("ragged: ragged tensors are not supported; leave out ragged=True.");
  if (c.output_mode != "int" && c.output_sequence_length)
    throw ValueError(fmt::format(
        "output_sequence_length: only counts with output_mode 'int', found '{}'.", c.output_mode));
  if (c.output_sequence_length && *c.output_sequence_length < 0)
    throw ValueError("output_sequence_length: must not be negative.");
  if (c.ngrams)
    for (const int64_t n : c.ngrams->list())
      if (n < 1) throw ValueError(fmt::format("ngrams: must be positive, found {}.", n));
  return c;
}

StringLookupConfig lookup_config(const TextVectorizationConfig& c) {
  StringLookupConfig lookup;
  lookup.max_tokens = c.max_tokens;
  lookup.mask_token = "";
  lookup.vocabulary = c.vocabulary;
  lookup.idf_weights = c.idf_weights;
  lookup.output_mode = c.output_mode;
  lookup.pad_to_max_tokens = c.pad_to_max_tokens;
  lookup.sparse = c.sparse;
  lookup.encoding = c.encoding;
  lookup.vocabulary_size = c.vocabulary_size;
  return lookup;
}

// Widths of n-grams: the number 3 means 1, 2 and 3.
std::vector<int64_t> widths_of(const std::optional<Integers>& ngrams) {
  if (!ngrams) return {};
  if (!ngrams->single()) return ngrams->list();
  std::vector<int64_t> widths;
  for (int64_t n = 1; n <= ngrams->number(); ++n) widths.push_back(n);
  return widths;
}

// What makes rows of words of a string tensor; compiled functions keep a copy.
struct Preparation {
  TextStandardize standardize;
  TextSplit split;
  std::vector<int64_t> widths;

  bool splits() const { return !split.none(); }

  // The shape without the axis of the words.
  Shape rows(const Shape& x) const {
    if (!splits()) return x.rank() == 0 ? x : x.slice(0, x.rank() - 1);
    if (x.rank() < 2) return x;
    if (x.back() != 1)
      throw ShapeError(
          fmt::format("to split texts, their shape is (batch) or (batch, 1), found {}.", x.str()));
    return x.slice(0, x.rank() - 1);
  }

  // Words of an unsplit row.
  int64_t unsplit_length(const Shape& x) const {
    const int64_t n = x.rank() == 0 ? 1 : x.back();
    if (widths.empty() || n == Shape::unknown) return n;
    int64_t length = 0;
    for (const int64_t width : widths) length += std::max<int64_t>(n - width + 1, 0);
    return length;
  }

  // The words of each row.
  std::vector<std::vector<std::string>> operator()(const Tensor& x) const {
    const std::vector<std::string>& strings = *x.string_table();
    const auto* index = static_cast<const int32_t*>(x.data());
    const auto text = [&](int64_t i) {
      return standardized(strings[static_cast<size_t>(index[i])], standardize);
    };
    const int64_t row = splits() || x.rank() == 0 ? 1 : x.shape().back();
    const int64_t count = splits() ? x.size() : rows(x.shape()).numel();
    std::vector<std::vector<std::string>> result;
    for (int64_t r = 0; r < count; ++r) {
      std::vector<std::string> words;
      if (splits()) words = split_text(text(r), split);
      for (int64_t i = 0; !splits() && i < row; ++i) words.push_back(text(r * row + i));
      result.push_back(widths.empty() ? std::move(words) : ngrams_of(words, widths));
    }
    return result;
  }
};

Preparation preparation_of(const TextVectorizationConfig& c) {
  return {c.standardize, c.split, widths_of(c.ngrams)};
}

using Table = std::shared_ptr<LookupTable<std::string>>;

// Numbers of words, each row cut or padded by `padding` to `length`.
Tensor padded_numbers(const Table& table, const Preparation& prepare, const Tensor& x,
                      const Shape& shape, int64_t padding) {
  const TensorSpec spec{shape, DType::int64};
  return apply_host(
      [table, prepare, padding](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto rows = prepare(in[0]);
        auto* number = out[0].mutable_data<int64_t>();
        const size_t length = rows.empty() ? 0 : static_cast<size_t>(out[0].size()) / rows.size();
        for (const std::vector<std::string>& row : rows)
          for (size_t i = 0; i < length; ++i)
            *number++ = i < row.size() ? table->number_of(row[i]) : padding;
      },
      {&x, 1}, {&spec, 1}, "look up words")[0];
}

// How often each number occurs in each row, or whether it does.
Tensor occurrences(const Table& table, const Preparation& prepare, const Tensor& x,
                   const Shape& shape, bool whether) {
  const TensorSpec spec{shape, DType::int64};
  return apply_host(
      [table, prepare, whether](std::span<const Tensor> in, std::span<const Tensor> out) {
        auto* count = out[0].mutable_data<int64_t>();
        std::fill_n(count, out[0].size(), int64_t{0});
        const int64_t depth = out[0].shape().back();
        for (const std::vector<std::string>& row : prepare(in[0])) {
          for (const std::string& word : row)
            if (const int64_t n = table->number_of(word); n >= 0 && n < depth)
              count[n] = whether ? 1 : count[n] + 1;
          count += depth;
        }
      },
      {&x, 1}, {&spec, 1}, whether ? "find words" : "count words")[0];
}

// A size that shape inference finds to be unknown.
int64_t unknown_size() {
  if (inference_pass() == InferencePass::first) return 83;
  return inference_pass() == InferencePass::second ? 89 : Shape::unknown;
}

}  // namespace

TextVectorizationLayer::TextVectorizationLayer(TextVectorizationConfig c)
    : LayerOf(tidy(std::move(c))) {
  lookup_ = track("_lookup_layer", std::make_shared<StringLookupLayer>(lookup_config(config)));
  autocast_ = false;
}

Tensor TextVectorizationLayer::call(const Tensor& x, const Call&) {
  if (x.dtype() != DType::string)
    throw ValueError(
        fmt::format("expected strings, found {} {}.", dtype_name(x.dtype()), x.shape().str()));
  const Preparation prepare = preparation_of(config);
  const Table& table = lookup_->table();
  Shape shape = prepare.rows(x.shape());
  const auto with = [&](int64_t size) {
    Shape result = shape;
    result.push_back(size);
    return result;
  };
  if (config.output_mode != "int") {
    const int64_t depth = table->depth();
    if (config.output_mode == "one_hot" && !prepare.splits()) {
      const Shape words = x.rank() == 0 ? x.shape() : with(prepare.unsplit_length(x.shape()));
      return encode_categories(padded_numbers(table, prepare, x, words, -1), "one_hot", depth,
                               DType::int64);
    }
    if (config.output_mode == "one_hot")
      throw ValueError(
          "output_mode 'one_hot' needs texts of equal numbers of words: give split = nullopt, or "
          "use 'multi_hot'.");
    const Tensor counts =
        occurrences(table, prepare, x, with(depth), config.output_mode == "multi_hot");
    if (config.output_mode != "tf_idf") return counts;
    const Tensor weighted = ops::cast(counts, DType::float32);
    if (table->idf_weights) return weighted * Tensor(table->idf_weights);
    // A file's model is put together before the weights are read.
    if (!x.is_eager()) return weighted;
    throw StateError("output_mode 'tf_idf' needs idf_weights: give them, or call adapt(data).");
  }
  std::optional<int64_t> length = config.output_sequence_length;
  if (!x.is_eager()) {
    // Keras infers (batch, length) for inputs of any rank.
    const int64_t size = length ? *length : unknown_size();
    return Tensor::abstract(x.rank() == 0 ? Shape{size} : Shape{x.shape()[0], size}, DType::int64);
  }
  if (!length && !prepare.splits()) {
    if (x.rank() == 0) return padded_numbers(table, prepare, x, x.shape(), 0);
    length = prepare.unsplit_length(x.shape());
  }
  if (!length) {
    // The longest text decides on the shape.
    if (Tracer* tracer = graph_context().tracer)
      tracer->give_up("TextVectorization without output_sequence_length");
    length = 0;
    for (const auto& row : prepare(x)) length = std::max(*length, static_cast<int64_t>(row.size()));
  }
  return padded_numbers(table, prepare, x, with(*length), 0);
}

Nest TextVectorizationLayer::call_many(const Nest& inputs, const Call& call) {
  return this->call(stacked(inputs), call);
}

Value::Dict TextVectorizationLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  for (auto& [key, value] : dict)
    if (key == "vocabulary_size") value = Value(lookup_->config.vocabulary_size);
  return dict;
}

std::vector<std::string> TextVectorizationLayer::get_vocabulary(bool include_special) const {
  return lookup_->get_vocabulary(include_special);
}

void TextVectorizationLayer::set_vocabulary(const Vocabulary<std::string>& vocabulary,
                                            const std::optional<std::vector<double>>& idf_weights) {
  lookup_->set_vocabulary(vocabulary, idf_weights);
}

int64_t TextVectorizationLayer::vocabulary_size() const { return lookup_->vocabulary_size(); }

void TextVectorizationLayer::adapt(const Tensor& data) {
  Adaptable::adapt(data.rank() == 1 ? ops::expand_dims(data, {-1}) : data);
}

void TextVectorizationLayer::reset_state() { lookup_->reset_state(); }

void TextVectorizationLayer::update_state(const Tensor& batch) {
  if (config.vocabulary.given())
    throw StateError("adapt: the vocabulary is an option of this layer, so there is none to find.");
  if (batch.dtype() != DType::string)
    throw ValueError(fmt::format("adapt: expected strings, found {} {}.", dtype_name(batch.dtype()),
                                 batch.shape().str()));
  const Preparation prepare = preparation_of(config);
  prepare.rows(batch.shape());
  for (const std::vector<std::string>& row : prepare(batch)) lookup_->table()->count(row);
}

void TextVectorizationLayer::finalize_state() { lookup_->finalize_state(); }

std::vector<Tensor> TextVectorizationLayer::statistics() const { return lookup_->statistics(); }

void TextVectorizationLayer::save_assets(AssetStore& store) const { lookup_->save_assets(store); }

void TextVectorizationLayer::load_assets(const AssetStore& store) { lookup_->load_assets(store); }

void TextVectorizationLayer::save_own_variables(VariableStore& store) const {
  lookup_->save_own_variables(store);
}

std::vector<Variable> TextVectorizationLayer::weights_to_write() const {
  return lookup_->weights_to_write();
}

void register_text_vectorization(Catalog& c) {
  c.add<TextVectorizationLayer>("keras.layers.TextVectorization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::TextVectorizationLayer,
                              cornu::layers::TextVectorizationConfig>;
