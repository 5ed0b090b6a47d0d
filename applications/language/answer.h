// Answer: what generate writes behind one prompt, as one text or as beams.
#pragma once
#include <random>

#include "causal_lm.h"

namespace cornu::applications {

/// One prompt, and the texts that begin with it: one, or as many as a beam search keeps.
class Answer {
 public:
  /// `length` is the most tokens that a text may have.
  Answer(const std::vector<int64_t>& prompt, const GenerateOptions& options, size_t length,
         int64_t seed);

  /// The token of a text at a place; behind the text's end 0, which nothing depends on.
  int64_t token(size_t text, size_t place) const;
  size_t prompt_length() const { return prompt_length_; }  ///< in tokens
  size_t texts() const { return texts_.size(); }           ///< the same all the time
  bool done() const;                                       ///< whether all texts have ended
  /// Writes a token behind each text, given the logits of its last one. Returns the number of the
  /// text that each goes on from.
  std::vector<size_t> advance(std::span<const std::vector<double>> logits);
  /// The likeliest text, up to its end.
  std::vector<int64_t> result() const;

 private:
  struct Text {
    std::vector<int64_t> ids;
    float log_probability = 0;  // float32, as KerasHub has it: equal sums tie in both
    size_t end = 0;             // the length with which it first came to an end; 0: not yet
  };
  void append(Text& text, int64_t id) const;
  bool ends(const std::vector<int64_t>& ids) const;
  std::vector<size_t> advance_beams(std::span<const std::vector<double>> logits);

  const GenerateOptions& options_;
  size_t prompt_length_, length_;
  std::mt19937_64 generator_;
  std::vector<Text> texts_;
};

}  // namespace cornu::applications
