// A graph's sections: what each takes from those before it, and leaves to those after it.
#include <set>

#include "../base/remat_scope.h"
#include "checkpoint_segments.h"
#include "functional.h"

namespace cornu {
namespace {

// Of one sample; what a shape leaves open counts once.
double bytes_of(const Tensor& t) {
  double bytes = static_cast<double>(size_of(t.dtype()));
  for (const int64_t size : t.shape()) bytes *= static_cast<double>(std::max<int64_t>(size, 1));
  return bytes;
}

}  // namespace

void Functional::find_sections() {
  const size_t n = steps_.size();
  // By place: its size, the step that makes it, and the last that reads it (n: it is a result).
  const auto places = static_cast<size_t>(value_count_);
  std::vector<double> bytes(places);
  std::vector<size_t> made_by(places), last(places, 0);
  std::vector<char> given(places, 0);
  std::vector<detail::StepSize> sizes(n);
  for (size_t i = 0; i < n; ++i) {
    const std::vector<Tensor> outputs = steps_[i].node->outputs.flatten();
    for (size_t k = 0; k < outputs.size(); ++k) {
      const size_t p = static_cast<size_t>(steps_[i].first_output) + k;
      bytes[p] = bytes_of(outputs[k]);
      made_by[p] = i;
      given[p] = steps_[i].given;
      if (!given[p]) sizes[i].made += bytes[p];
    }
    for (const int p : steps_[i].finished) last[static_cast<size_t>(p)] = i;
  }
  for (const Tensor& t : outputs_.flatten()) last[static_cast<size_t>(place(t))] = n;
  for (size_t i = 0; i < n; ++i) {
    // What a cut behind step i keeps: all that was made up to there and is read behind it. Inputs
    // do not count, as the caller holds them anyway.
    sizes[i].across = 0;
    for (size_t p = 0; p < places; ++p)
      if (!given[p] && made_by[p] <= i && last[p] > i) sizes[i].across += bytes[p];
  }

  size_t begin = 0;
  for (const size_t end : detail::segment_ends(sizes)) {
    Section section{begin, end, {}, {}};
    std::set<int> reads;
    for (size_t i = begin; i < end; ++i) {
      for (const Tensor& t : steps_[i].node->arguments.tensors())
        if (const int p = t.is_symbolic() ? place(t) : -1;
            p >= 0 && (given[static_cast<size_t>(p)] || made_by[static_cast<size_t>(p)] < begin))
          reads.insert(p);
    }
    section.reads.assign(reads.begin(), reads.end());
    for (size_t p = 0; p < places; ++p)
      if (!given[p] && made_by[p] >= begin && made_by[p] < end && last[p] >= end)
        section.writes.push_back(static_cast<int>(p));
    sections_.push_back(std::move(section));
    begin = end;
  }
}

void Functional::run_in_sections(std::vector<Tensor>& values) {
  if (sections_.empty()) find_sections();
  for (const Section& section : sections_) {
    // The gradient of the last begins when it ends: it would be computed again at once.
    if (section.end == steps_.size()) {
      run(values, section.begin, section.end);
      continue;
    }
    Nest::List taken;
    for (const int p : section.reads) taken.push_back(values[static_cast<size_t>(p)]);
    // Only what later segments read leaves a segment; the rest is recomputed from `taken`.
    const Nest left = detail::run_rematerialized(*this, taken, [this, &section](const Nest& in) {
      std::vector<Tensor> inside(static_cast<size_t>(value_count_));
      for (size_t i = 0; i < section.reads.size(); ++i)
        inside[static_cast<size_t>(section.reads[i])] = in[i];
      run(inside, section.begin, section.end);
      Nest::List results;
      for (const int p : section.writes) results.push_back(inside[static_cast<size_t>(p)]);
      return Nest(std::move(results));
    });
    for (size_t i = section.begin; i < section.end; ++i)
      for (const int done : steps_[i].finished) values[static_cast<size_t>(done)] = {};
    for (size_t i = 0; i < section.writes.size(); ++i)
      values[static_cast<size_t>(section.writes[i])] = left[i];
  }
}

}  // namespace cornu
