// Text and tabular layers with options of all kinds against Keras: lookup, text
// and tabular of tests/data/option_*.json, which tools/goldens/option_table_goldens.py writes.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/golden_json.h"
#include "../../support/temporary.h"

namespace table_options_test {

using namespace cornu;
using test::entry;
using test::find_entry;

namespace {

Tensor tensor_of(const Value& v) {
  const Shape shape(detail::from_value<std::vector<int64_t>>(entry(v, "shape")));
  if (const Value* texts = find_entry(v, "strings"))
    return Tensor::strings(detail::from_value<std::vector<std::string>>(*texts), shape);
  const DType dtype = detail::from_value<DType>(entry(v, "dtype"));
  // Numbers that JSON does not have are words.
  if (const Value* words = find_entry(v, "words")) {
    std::vector<double> numbers;
    for (const std::string& word : detail::from_value<std::vector<std::string>>(*words))
      numbers.push_back(std::stod(word));
    return ops::cast(Tensor::from(numbers, shape), dtype);
  }
  if (is_float(dtype))
    return ops::cast(
        Tensor::from(detail::from_value<std::vector<double>>(entry(v, "values")), shape), dtype);
  return ops::cast(
      Tensor::from(detail::from_value<std::vector<int64_t>>(entry(v, "values")), shape), dtype);
}

std::vector<Tensor> tensors_of(const Value& list) {
  std::vector<Tensor> all;
  for (const Value& v : list.get<Value::List>()) all.push_back(tensor_of(v));
  return all;
}

// Shape, dtype and values; strings exactly.
void compare(const char* what, const Tensor& found, const Tensor& expected) {
  INFO(what << ": expected " << expected.str() << "\nfound " << found.str());
  REQUIRE(found.shape() == expected.shape());
  REQUIRE(found.dtype() == expected.dtype());
  if (expected.dtype() == DType::string)
    CHECK(found.to_strings() == expected.to_strings());
  else
    CHECK(test::difference(found, expected) < 1e-5);
}

std::shared_ptr<Layer> learned(const Value& recorded) {
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  if (const Value* batches = find_entry(recorded, "adapt")) {
    const std::vector<Tensor> parts = tensors_of(*batches);
    const auto adaptable = std::dynamic_pointer_cast<Adaptable>(layer);
    REQUIRE(adaptable);
    if (parts.size() == 1) {
      adaptable->adapt(parts[0]);
    } else {
      adaptable->reset_state();
      for (const Tensor& part : parts) adaptable->update_state(part);
      adaptable->finalize_state();
    }
  }
  return layer;
}

Nest inputs_of(const Value& recorded) {
  const std::vector<Tensor> all = tensors_of(entry(recorded, "inputs"));
  if (find_entry(recorded, "single")) return Nest(all[0]);
  return Nest(Nest::List(all.begin(), all.end()));
}

template <class L>
void compare_vocabulary(const Value& recorded, Layer& layer) {
  if (auto* table = dynamic_cast<L*>(&layer))
    compare("vocabulary", Tensor(table->get_vocabulary()),
            tensor_of(entry(recorded, "vocabulary")));
}

void check(const Value& recorded) {
  const Nest inputs = inputs_of(recorded);
  if (find_entry(recorded, "refused")) {
    const std::string error = test::error_of([&] { (*learned(recorded))(inputs); });
    INFO(error);
    CHECK(error != "no error");
    CHECK(error.size() > 20);
    return;
  }
  const auto layer = learned(recorded);
  const Tensor expected = tensor_of(entry(recorded, "output"));
  compare("output", (*layer)(inputs).tensor(), expected);
  if (find_entry(recorded, "vocabulary")) {
    compare_vocabulary<layers::StringLookupLayer>(recorded, *layer);
    compare_vocabulary<layers::IntegerLookupLayer>(recorded, *layer);
    compare_vocabulary<layers::TextVectorizationLayer>(recorded, *layer);
  }

  // From its config alone, where it has learned nothing.
  if (!find_entry(recorded, "adapt")) {
    const auto copy = test::remade(*layer);
    compare("output of the copy", (*copy)(inputs).tensor(), expected);
  }

  // Behind inputs of unknown batch, and through a file.
  const std::vector<Tensor> given = inputs.flatten();
  if (given[0].rank() == 0) return;
  Nest::List symbols;
  for (const Tensor& x : given)
    symbols.push_back(Input({.shape = x.shape().slice(1), .dtype = x.dtype()}));
  Functional model(Nest(symbols),
                   (*layer)(find_entry(recorded, "single") ? symbols[0] : Nest(symbols)));
  const Tensor spec = model.outputs().flatten().at(0);
  CHECK(spec.dtype() == expected.dtype());
  const Nest all(Nest::List(given.begin(), given.end()));
  compare("output of a model", model(all).flatten().at(0), expected);
  const test::TemporaryFolder folder;
  if (const Value* words = find_entry(recorded, "vocabulary"))
    if (const Tensor known = tensor_of(*words); known.dtype() == DType::string) {
      // Keras, too, leaves out empty tokens at the end of a vocabulary's file.
      const std::vector<std::string> texts = known.to_strings();
      if (texts.back().empty()) return;
      // A line cannot hold the end of one. Keras writes tokens in two, and does not read them.
      if (std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
            return text.find('\n') != std::string::npos;
          })) {
        CHECK(test::has(test::error_of([&] { model.save((folder / "m.keras").string()); }),
                        "the end of a line"));
        return;
      }
    }
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  compare("output of a loaded model", (*loaded)(all).flatten().at(0), expected);
}

void check_class(const std::string& file, const std::string& prefix, int count) {
  int found = 0;
  const Value all = test::golden_file(file);
  for (const Value& recorded : all.get<Value::List>()) {
    const std::string name = entry(recorded, "name").get<std::string>();
    if (!name.starts_with(prefix)) continue;
    DYNAMIC_SECTION(++found << " " << name) { check(recorded); }
  }
  CHECK(found >= count);
}

}  // namespace

TEST_CASE("StringLookup with all of its options gives what Keras gives") {
  check_class("option_lookup.json", "StringLookup", 60);
}

TEST_CASE("IntegerLookup with all of its options gives what Keras gives") {
  check_class("option_lookup.json", "IntegerLookup", 20);
}

TEST_CASE("TextVectorization with all of its options gives what Keras gives") {
  check_class("option_text.json", "TextVectorization", 40);
}

TEST_CASE("Hashing and HashedCrossing with all of their options give what Keras gives") {
  check_class("option_tabular.json", "Hash", 25);
}

TEST_CASE("CategoryEncoding and Discretization with all of their options give what Keras gives") {
  check_class("option_tabular.json", "CategoryEncoding", 12);
  check_class("option_tabular.json", "Discretization", 20);
}

TEST_CASE("Discretization takes boundaries or a number of bins, and both from its config alone") {
  CHECK(test::has(test::error_of([] {
                    layers::Discretization(
                        {.bin_boundaries = std::vector<double>{0.5}, .num_bins = 3});
                  }),
                  "bin_boundaries and num_bins are both given"));
  const layers::Discretization learned({.num_bins = 2});
  learned->adapt(Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {4}));
  const auto copy = test::remade(*learned);
  CHECK(copy->bin_boundaries() == learned->bin_boundaries());
  CHECK(copy->config.num_bins == 2);
  // The copy may learn others.
  copy->adapt(Tensor::from({10.0f, 20.0f, 30.0f, 40.0f}, {4}));
  CHECK(copy->bin_boundaries() != learned->bin_boundaries());
}

TEST_CASE("Normalization with all of its options gives what Keras gives") {
  check_class("option_tabular.json", "Normalization", 20);
}

}  // namespace table_options_test
