// Batches of other sizes, and the order of a window's batches.
#include "batch.h"

namespace cornu::data::detail {

std::vector<std::vector<size_t>> bucket_window(const std::vector<int64_t>& lengths, int64_t count,
                                               bool drop_remainder, int64_t seed, int64_t epoch,
                                               int64_t first) {
  std::vector<size_t> sorted(lengths.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](size_t a, size_t b) { return lengths[a] < lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  for (size_t begin = 0; begin < sorted.size(); begin += static_cast<size_t>(count)) {
    const size_t end = std::min(begin + static_cast<size_t>(count), sorted.size());
    if (drop_remainder && end - begin < static_cast<size_t>(count)) break;
    batches.emplace_back(sorted.begin() + static_cast<ptrdiff_t>(begin),
                         sorted.begin() + static_cast<ptrdiff_t>(end));
  }
  if (batches.empty()) return batches;
  const int64_t all = static_cast<int64_t>(batches.size());
  const RandomOrder order(all, window_seed(seed, first), epoch);
  std::vector<std::vector<size_t>> shuffled;
  for (int64_t i = 0; i < all; ++i)
    shuffled.push_back(std::move(batches[static_cast<size_t>(order[i])]));
  return shuffled;
}

// A position is that of the batch that is cut, and how many of its samples are gone.
class RebatchStage::RebatchCursor final : public Cursor<Batch> {
 public:
  RebatchCursor(const RebatchStage& stage, PassPtr pass, int64_t epoch, int64_t count,
                int64_t offset, CursorPtr<Batch> source)
      : stage_(stage),
        pass_(std::move(pass)),
        where_{epoch, count},
        source_(std::move(source)),
        offset_(offset) {
    source_->save(before_);
  }

  std::optional<Batch> next() override {
    Search search(*pass_, stage_, where_.index);
    std::vector<Batch> parts;
    parts_made_of_.clear();
    int64_t missing = stage_.count_;
    while (missing > 0) {
      if (!has_rest() && !pull(search)) break;
      const int64_t end = std::min(offset_ + missing, samples_);
      missing -= end - offset_;
      parts.push_back(rows_of(*rest_, offset_, end));
      parts_made_of_.push_back(PartOf{rest_made_of_, offset_, end});
      offset_ = end;
    }
    if (parts.empty() || (missing > 0 && stage_.drop_)) return {};
    StageRecord& record = pass_->runtime().record(&stage_);
    const Where where = where_;
    ++where_.index;
    try {
      const Work work(record, where.index);
      Batch made = parts.size() == 1 ? std::move(parts[0]) : concatenate(parts);
      record.items.fetch_add(1, std::memory_order_relaxed);
      return made;
    } catch (const RowsDiffer& error) {
      throw_rows_differ({stage_, where}, error, [&](size_t part) {
        return Failed{stage_, where, "",
                      source_elements(*pass_, std::span(&parts_made_of_[part], 1))};
      });
    } catch (...) {
      throw_data_error({stage_, where, "", source_elements(*pass_, last_ancestors(*this))});
    }
  }

  void save(Position& out) const override {
    out.push_back(where_.index);
    out.push_back(offset_);
    out.insert(out.end(), before_.begin(), before_.end());
  }
  void ancestors(Ancestors& out) const override {
    out.insert(out.end(), parts_made_of_.begin(), parts_made_of_.end());
  }

 private:
  bool has_rest() const { return rest_ && offset_ < samples_; }
  bool pull(Search& search) {
    while (true) {
      // The first batch of a walk that goes on is one of which a part is gone.
      if (std::exchange(started_, true)) {
        rest_.reset();
        offset_ = 0;
        before_.clear();
        source_->save(before_);
      }
      std::optional<Batch> batch = source_->next();
      if (!batch) return false;
      samples_ = samples_of(*batch);
      rest_made_of_ = std::make_shared<const Several>(Several{last_ancestors(*source_), samples_});
      rest_ = std::move(batch);
      if (has_rest()) return true;
      search.missed();
    }
  }

  const RebatchStage& stage_;
  PassPtr pass_;
  Where where_;
  CursorPtr<Batch> source_;
  std::optional<Batch> rest_;                    // the batch that is being cut
  std::shared_ptr<const Several> rest_made_of_;  // what it was made of
  Ancestors parts_made_of_;                      // the same of the parts of the last batch
  int64_t samples_ = 0;                          // of it
  bool started_ = false;                         // whether a batch was asked for
  int64_t offset_;                               // of the first one that is left
  Position before_;                              // of that batch in the source
};

RebatchStage::RebatchStage(NodePtr<Batch> source, int64_t count, bool drop_remainder)
    : source_(std::move(source)), count_(count), drop_(drop_remainder) {}

int64_t RebatchStage::size() const {
  const int64_t size = source_->size();
  return size > 0 ? Dataset::unknown : size;
}

CursorPtr<Batch> RebatchStage::open(const PassPtr& pass, int64_t epoch,
                                    PositionReader& from) const {
  const int64_t count = from.take(), offset = from.take();
  return std::make_unique<RebatchCursor>(*this, pass, epoch, count, offset,
                                         source_->open(pass, epoch, from));
}

}  // namespace cornu::data::detail
