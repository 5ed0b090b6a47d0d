// Interleave: elements of several pipelines in turn, given or made of elements.
#pragma once
#include "map.h"

namespace cornu::data {

template <class T>
class Pipeline;

/// Options of interleave.
struct InterleaveOptions {
  int64_t cycle = 4;  ///< pipelines that take turns at a time; the member function's alone
  int64_t block = 1;  ///< elements of one before it is the next one's turn
  std::string name = "interleave";  ///< in errors, warnings and statistics
};

namespace detail {

/// Elements of several pipelines in turn, until all have ended.
template <class T>
class InterleaveStage final : public Node<T> {
 public:
  InterleaveStage(std::vector<NodePtr<T>> sources, InterleaveOptions options)
      : sources_(std::move(sources)), options_(std::move(options)) {}
  std::string name() const override { return options_.name; }
  std::vector<std::shared_ptr<const Stage>> sources() const override {
    return {sources_.begin(), sources_.end()};
  }
  int64_t size() const override {
    int64_t sum = 0;
    bool unknown = false;
    for (const auto& source : sources_) {
      const int64_t size = source->size();
      if (size == Dataset::endless) return size;
      unknown |= size < 0;
      sum += size;
    }
    return unknown ? Dataset::unknown : sum;
  }
  CursorPtr<T> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    const int64_t turn = from.take(), given = from.take();
    std::vector<CursorPtr<T>> cursors;
    std::vector<bool> ended;
    for (const auto& source : sources_) {
      ended.push_back(from.take() != 0);
      cursors.push_back(source->open(pass, epoch, from));
    }
    return std::make_unique<TurnCursor>(std::move(cursors), std::move(ended), turn, given,
                                        options_.block);
  }

 private:
  class TurnCursor final : public Cursor<T> {
   public:
    TurnCursor(std::vector<CursorPtr<T>> cursors, std::vector<bool> ended, int64_t turn,
               int64_t given, int64_t block)
        : cursors_(std::move(cursors)),
          ended_(std::move(ended)),
          turn_(turn),
          given_(given),
          block_(block) {}
    std::optional<T> next() override {
      const size_t count = cursors_.size();
      for (size_t looked = 0; looked < count;) {
        const size_t mine = static_cast<size_t>(turn_);
        if (!ended_[mine] && given_ < block_) {
          if (std::optional<T> element = cursors_[mine]->next()) {
            ++given_;
            return element;
          }
          ended_[mine] = true;
        }
        // Of a pipeline whose block is full, others come first, and perhaps it itself again.
        looked = ended_[mine] ? looked + 1 : 0;
        turn_ = static_cast<int64_t>((mine + 1) % count);
        given_ = 0;
      }
      return {};
    }
    void save(Position& out) const override {
      out.push_back(turn_);
      out.push_back(given_);
      for (size_t i = 0; i < cursors_.size(); ++i) {
        out.push_back(ended_[i]);
        cursors_[i]->save(out);
      }
    }
    void ancestors(Ancestors& out) const override {
      cursors_[static_cast<size_t>(turn_)]->ancestors(out);
    }

   private:
    std::vector<CursorPtr<T>> cursors_;
    std::vector<bool> ended_;
    int64_t turn_, given_, block_;
  };

  std::vector<NodePtr<T>> sources_;
  InterleaveOptions options_;
};

/// Elements of the pipelines that a function makes of a source's elements, some of them in turn.
template <class T, class U>
class FlatStage final : public Node<U> {
 public:
  using Call = ElementCall<Pipeline<U>, T&&>;  ///< makes the pipeline of an element

  /// With `rows`, the pipeline of an element gives what the element was made of, one by one.
  FlatStage(NodePtr<T> source, Call f, InterleaveOptions options, bool rows = false)
      : source_(std::move(source)), f_(std::move(f)), options_(std::move(options)), rows_(rows) {}
  std::string name() const override { return options_.name; }
  std::vector<std::shared_ptr<const Stage>> sources() const override { return {source_}; }
  int64_t size() const override {
    const int64_t size = source_->size();
    return size > 0 ? Dataset::unknown : size;
  }
  bool calls_user() const override { return true; }

  CursorPtr<U> open(const PassPtr& pass, int64_t epoch, PositionReader& from) const override {
    return std::make_unique<FlatCursor>(*this, pass, epoch, from);
  }

 private:
  // A pipeline that takes turns: where its element is in the source, and what it gives.
  struct Open {
    Position before;                         // of the source, where its element is the next one
    int64_t number;                          // of the element
    std::shared_ptr<const Several> made_of;  // the element
    mutable Ancestors rows = {};             // those in sources, once they were asked for
    mutable EndingSources sources = {};
    NodePtr<U> node;
    PassPtr pass;
    CursorPtr<U> cursor;
    // It ends when the pass around it does.
    std::unique_ptr<std::stop_callback<std::function<void()>>> chained;
  };

  class FlatCursor final : public Cursor<U> {
   public:
    FlatCursor(const FlatStage& stage, PassPtr pass, int64_t epoch, PositionReader& from)
        : stage_(stage), pass_(std::move(pass)), epoch_(epoch) {
      turn_ = from.take();
      given_ = from.take();
      number_ = from.take();
      const int64_t open = from.take();
      for (int64_t i = 0; i < open; ++i) {
        Position before(static_cast<size_t>(from.take()));
        for (int64_t& one : before) one = from.take();
        const int64_t number = from.take();
        PositionReader source(before);
        CursorPtr<T> at = stage_.source_->open(pass_, epoch_, source);
        std::optional<T> element = at->next();
        if (!element)
          throw StateError("The data have fewer elements than when the position was taken.");
        open_.push_back(
            make(std::move(before), number, std::move(*element), last_ancestors(*at), from));
      }
      source_ = stage_.source_->open(pass_, epoch_, from);
    }

    std::optional<U> next() override {
      Search search(*pass_, stage_, number_);
      while (true) {
        while (!exhausted_ && static_cast<int64_t>(open_.size()) < stage_.options_.cycle) {
          Position before;
          source_->save(before);
          if (std::optional<T> element = source_->next()) {
            const Position start;
            PositionReader from(start);
            open_.push_back(make(std::move(before), number_++, std::move(*element),
                                 last_ancestors(*source_), from));
          } else {
            exhausted_ = true;
          }
        }
        if (open_.empty()) return {};
        if (turn_ >= static_cast<int64_t>(open_.size())) turn_ = 0;
        if (given_ == stage_.options_.block) {
          given_ = 0;
          turn_ = (turn_ + 1) % static_cast<int64_t>(open_.size());
        }
        const auto mine = open_.begin() + turn_;
        if (std::optional<U> element = next_of(*mine)) {
          ++given_;
          return element;
        }
        open_.erase(mine);
        given_ = 0;
        search.missed();
      }
    }

    void save(Position& out) const override {
      out.insert(out.end(), {turn_, given_, number_, static_cast<int64_t>(open_.size())});
      for (const Open& one : open_) {
        out.push_back(static_cast<int64_t>(one.before.size()));
        out.insert(out.end(), one.before.begin(), one.before.end());
        out.push_back(one.number);
        one.cursor->save(out);
      }
      source_->save(out);
    }

    void ancestors(Ancestors& out) const override {
      const Open& mine = open_[static_cast<size_t>(turn_)];
      own_.clear();
      mine.cursor->ancestors(own_);
      const auto* row = own_.size() == 1 ? std::get_if<OfStage>(&own_[0]) : nullptr;
      if (stage_.rows_ && row) {
        if (mine.rows.empty()) mine.rows = first_ancestors(*pass_, mine.made_of->ancestors);
        if (static_cast<int64_t>(mine.rows.size()) == mine.node->size()) {
          out.push_back(mine.rows.at(static_cast<size_t>(row->where.index)));
          return;
        }
      }
      out.push_back(PartOf{mine.made_of});
      // The pipeline may be gone when somebody asks further.
      mine.sources.add(*mine.pass, own_, out);
    }

   private:
    std::optional<U> next_of(Open& one) {
      try {
        return one.cursor->next();
      } catch (const DataError& error) {
        const Where where{epoch_, one.number};
        throw_inside({stage_, where, "", source_elements(*pass_, one.made_of->ancestors)}, error);
      }
    }
    Open make(Position before, int64_t number, T element, Ancestors made_of, PositionReader& from) {
      StageRecord& record = pass_->runtime().record(&stage_);
      const Where where{epoch_, number};
      const std::string source = source_of(element);
      try {
        NodePtr<U> node;
        {
          const Work work(record, number);
          node = stage_.f_(std::move(element), *pass_, record, where).node();
        }
        // A pipeline of its own, with seeds that follow from the place.
        PipelineOptions options = pass_->runtime().options;
        options.seed =
            static_cast<int64_t>(Place{record.seed, epoch_, number}.random().bits() >> 1);
        auto pass = std::make_shared<Pass>(std::make_shared<Runtime>(node, options), epoch_, pass_);
        CursorPtr<U> cursor = node->open(pass, epoch_, from);
        auto chained = std::make_unique<std::stop_callback<std::function<void()>>>(
            pass_->token(), [pass] { pass->stop(); });
        return {.before = std::move(before),
                .number = number,
                .made_of = std::make_shared<const Several>(std::move(made_of)),
                .node = std::move(node),
                .pass = std::move(pass),
                .cursor = std::move(cursor),
                .chained = std::move(chained)};
      } catch (...) {
        throw_data_error({stage_, where, source, source_elements(*pass_, made_of)});
      }
    }

    const FlatStage& stage_;
    PassPtr pass_;
    int64_t epoch_;
    int64_t turn_ = 0, given_ = 0, number_ = 0;
    std::vector<Open> open_;
    CursorPtr<T> source_;
    mutable Ancestors own_;  // memory for those of an element in its pipeline
    bool exhausted_ = false;
  };

  NodePtr<T> source_;
  Call f_;
  InterleaveOptions options_;
  bool rows_;
};

}  // namespace detail
}  // namespace cornu::data
