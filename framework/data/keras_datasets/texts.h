// keras.datasets of texts as lists of words' numbers: imdb and reuters.
#pragma once
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../tensor/tensor.h"

namespace cornu::datasets {

/// Texts and their labels.
struct TextData {
  std::vector<std::vector<int64_t>> x;  ///< of each text its words' numbers; for pad_sequences
  Tensor y;                             ///< labels (n), int64
};

/// Texts cut in two.
struct TextSplit {
  TextData train;  ///< to fit
  TextData test;   ///< to evaluate
};

/// Options of imdb::load_data. Words are numbered by how frequent they are.
struct ImdbOptions {
  std::string path = "imdb.npz";  ///< the file's name in Keras's cache, or a path with a folder
  std::optional<int64_t> num_words = {};  ///< words from this number on become oov_char
  int64_t skip_top = 0;                   ///< words below this number become oov_char
  std::optional<int64_t> maxlen = {};     ///< texts of this length or longer are left out
  int64_t seed = 113;                     ///< of the shuffle, by NumPy's RandomState
  std::optional<int64_t> start_char = 1;  ///< put in front of each text; none: nothing
  std::optional<int64_t> oov_char = 2;    ///< in place of words that are cut out; none: nothing
  int64_t index_from = 3;                 ///< added to the numbers of words
};

/// Options of reuters::load_data. Words are numbered by how frequent they are.
struct ReutersOptions {
  std::string path = "reuters.npz";  ///< the file's name in Keras's cache, or a path with a folder
  std::optional<int64_t> num_words = {};  ///< words from this number on become oov_char
  int64_t skip_top = 0;                   ///< words below this number become oov_char
  std::optional<int64_t> maxlen = {};     ///< texts of this length or longer are left out
  double test_split = 0.2;                ///< fraction of the texts for testing
  int64_t seed = 113;                     ///< of the shuffle, by NumPy's RandomState
  std::optional<int64_t> start_char = 1;  ///< put in front of each text; none: nothing
  std::optional<int64_t> oov_char = 2;    ///< in place of words that are cut out; none: nothing
  int64_t index_from = 3;                 ///< added to the numbers of words
};

// Each reads the files that Keras leaves in its cache (see find_dataset_file in cache.h) and throws
// FileError where they are missing or damaged, ValueError where no text is short enough.

namespace imdb {
/// 25,000 film reviews to train with and 25,000 to test with; the label is 1 for praise.
TextSplit load_data(const ImdbOptions& options = {});
/// The same by a path. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
TextSplit load_data(const Name& path) {
  return load_data({.path = std::string(path)});
}
/// The number of each word, from 1 on, before index_from is added.
std::map<std::string, int64_t> get_word_index(const std::string& path = "imdb_word_index.json");
}  // namespace imdb

namespace reuters {
/// 11,228 newswires of 46 topics, shuffled; the last share `test_split` of them is for testing.
/// Throws ValueError unless 0 <= test_split <= 1.
TextSplit load_data(const ReutersOptions& options = {});
/// The same by a path. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
TextSplit load_data(const Name& path) {
  return load_data({.path = std::string(path)});
}
/// The number of each word, from 1 on, before index_from is added.
std::map<std::string, int64_t> get_word_index(const std::string& path = "reuters_word_index.json");
/// The names of the topics in the order of their labels.
const std::vector<std::string>& get_label_names();
}  // namespace reuters

}  // namespace cornu::datasets
