// Reading the object arrays of imdb.npz and reuters.npz.
#include "texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../../../backend/error.h"
#include "../../io/archive.h"
#include "../../io/atomic_file.h"
#include "../../io/pickle.h"
#include "../random_state.h"
#include "cache.h"

namespace cornu::datasets {
namespace {

namespace fs = std::filesystem;
using Sequences = std::vector<std::vector<int64_t>>;

// Where the values of a .npy file begin, whatever they are.
size_t header_size(std::span<const std::byte> bytes, const std::string& source) {
  const auto byte = [&](size_t i) { return std::to_integer<size_t>(bytes[i]); };
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    throw FileError(fmt::format("'{}' is no NumPy array.", source));
  const size_t size = byte(6) == 1 ? 10 + byte(8) + (byte(9) << 8)
                                   : 12 + byte(8) + (byte(9) << 8) + (byte(10) << 16);
  if (size > bytes.size()) throw FileError(fmt::format("'{}' ends early.", source));
  return size;
}

// An array of objects that are lists of whole numbers.
Sequences read_sequences(const fs::path& file, const std::string& name) {
  io::ArchiveReader archive(file);
  const std::string member = name + ".npy", source = file.string() + ": " + name;
  if (!archive.has(member))
    throw FileError(fmt::format("'{}' has no array '{}'.", file.string(), name));
  const io::Bytes bytes = archive.map(member);
  const io::Pickle pickle(bytes.span().subspan(header_size(bytes.span(), source)), source);
  const io::PickleNode& array =
      pickle.expect(pickle.root(), io::PickleValue::Kind::array, "an array of lists");
  if (!array.objects) throw FileError(fmt::format("'{}' has no array of lists.", source));
  Sequences result;
  result.reserve(array.objects->values.size());
  size_t total = 0;
  for (const io::PickleValue& list : array.objects->values) {
    result.push_back(pickle.integers(list));
    // A file may name one long list any number of times.
    total += result.back().size();
    if (total > bytes.size()) throw FileError(fmt::format("'{}' has one list many times.", source));
  }
  return result;
}

// Texts with labels while they are worked on.
struct Texts {
  Sequences x;
  std::vector<int64_t> y;

  void shuffle(data::MersenneTwister& twister) {
    const auto order = data::numpy_shuffle(static_cast<int64_t>(x.size()), twister);
    x = data::reordered(x, order);
    y = data::reordered(y, order);
  }

  template <class Options>
  void number_words(const Options& options) {
    for (auto& text : x) {
      for (int64_t& word : text) word += options.index_from;
      if (options.start_char) text.insert(text.begin(), *options.start_char);
    }
  }

  template <class Options>
  void drop_long(const Options& options) {
    if (!options.maxlen || *options.maxlen == 0) return;
    Texts kept;
    for (size_t i = 0; i < x.size(); ++i) {
      if (static_cast<int64_t>(x[i].size()) >= *options.maxlen) continue;
      kept.x.push_back(std::move(x[i]));
      kept.y.push_back(y[i]);
    }
    *this = std::move(kept);
    if (x.empty())
      throw ValueError(fmt::format(
          "option 'maxlen': no text is shorter than {} words, with the start's.", *options.maxlen));
  }

  int64_t largest() const {
    int64_t most = 0;
    for (const auto& text : x)
      for (const int64_t word : text) most = std::max(most, word);
    return most;
  }

  // As in Keras, the number `end` itself is cut out, also when it is the largest there is.
  template <class Options>
  void cut_words(int64_t end, const Options& options) {
    const auto cut = [&](int64_t word) { return word < options.skip_top || word >= end; };
    for (auto& text : x) {
      if (options.oov_char)
        std::replace_if(text.begin(), text.end(), cut, *options.oov_char);
      else
        std::erase_if(text, cut);
    }
  }

  TextData part(size_t begin, size_t end) const {
    const auto at = [](size_t i) { return static_cast<std::ptrdiff_t>(i); };
    return {Sequences(x.begin() + at(begin), x.begin() + at(end)),
            Tensor::from(std::vector<int64_t>(y.begin() + at(begin), y.begin() + at(end)),
                         {static_cast<int64_t>(end - begin)})};
  }
};

Texts read_texts(const fs::path& file, const std::string& x, const std::string& y) {
  Texts texts{read_sequences(file, x), npz_array(file, y).to_vector<int64_t>()};
  if (texts.x.size() != texts.y.size())
    throw FileError(fmt::format("'{}' has {} texts and {} labels.", file.string(), texts.x.size(),
                                texts.y.size()));
  return texts;
}

std::map<std::string, int64_t> read_index(const KnownFile& known, const std::string& path) {
  const fs::path file = find_dataset_file(known, path);
  const std::vector<std::byte> bytes = io::read_file(file, uint64_t{1} << 28);
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  const auto json = nlohmann::json::parse(begin, begin + bytes.size(), nullptr, false);
  std::map<std::string, int64_t> index;
  const bool numbers = json.is_object() && std::all_of(json.begin(), json.end(), [](const auto& v) {
                         return v.is_number_integer();
                       });
  if (!numbers)
    throw FileError(
        fmt::format("'{}' is no JSON dictionary of words with their numbers.", file.string()));
  for (const auto& [word, number] : json.items()) index[word] = number.template get<int64_t>();
  return index;
}

}  // namespace

TextSplit imdb::load_data(const ImdbOptions& options) {
  const fs::path file = find_dataset_file({"imdb.npz", google_origin + "imdb.npz"}, options.path);
  Texts train = read_texts(file, "x_train", "y_train"), test = read_texts(file, "x_test", "y_test");
  data::MersenneTwister twister = data::MersenneTwister::numpy(options.seed);
  for (Texts* texts : {&train, &test}) texts->shuffle(twister);
  for (Texts* texts : {&train, &test}) {
    texts->number_words(options);
    texts->drop_long(options);
  }
  const int64_t end = options.num_words.value_or(0) != 0
                          ? *options.num_words
                          : std::max(train.largest(), test.largest());
  for (Texts* texts : {&train, &test}) texts->cut_words(end, options);
  return {train.part(0, train.x.size()), test.part(0, test.x.size())};
}

std::map<std::string, int64_t> imdb::get_word_index(const std::string& path) {
  return read_index({"imdb_word_index.json", google_origin + "imdb_word_index.json"}, path);
}

TextSplit reuters::load_data(const ReutersOptions& options) {
  const double test_split = options.test_split;
  if (!(test_split >= 0 && test_split <= 1))
    throw ValueError(
        fmt::format("reuters: test_split must be between 0 and 1, found {}.", test_split));
  const fs::path file =
      find_dataset_file({"reuters.npz", google_origin + "reuters.npz"}, options.path);
  Texts texts = read_texts(file, "x", "y");
  data::MersenneTwister twister = data::MersenneTwister::numpy(options.seed);
  texts.shuffle(twister);
  texts.number_words(options);
  texts.drop_long(options);
  texts.cut_words(options.num_words.value_or(0) != 0 ? *options.num_words : texts.largest(),
                  options);
  const auto cut = static_cast<size_t>(static_cast<double>(texts.x.size()) * (1 - test_split));
  return {texts.part(0, cut), texts.part(cut, texts.x.size())};
}

std::map<std::string, int64_t> reuters::get_word_index(const std::string& path) {
  return read_index({"reuters_word_index.json", google_origin + "reuters_word_index.json"}, path);
}

const std::vector<std::string>& reuters::get_label_names() {
  static const std::vector<std::string> names = {
      "cocoa",        "grain",   "veg-oil",   "earn",
      "acq",          "wheat",   "copper",    "housing",
      "money-supply", "coffee",  "sugar",     "trade",
      "reserves",     "ship",    "cotton",    "carcass",
      "crude",        "nat-gas", "cpi",       "money-fx",
      "interest",     "gnp",     "meal-feed", "alum",
      "oilseed",      "gold",    "tin",       "strategic-metal",
      "livestock",    "retail",  "ipi",       "iron-steel",
      "rubber",       "heat",    "jobs",      "lei",
      "bop",          "zinc",    "orange",    "pet-chem",
      "dlr",          "gas",     "silver",    "wpi",
      "hog",          "lead"};
  return names;
}

}  // namespace cornu::datasets
