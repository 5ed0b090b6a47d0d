// From elements of stages to those of sources, and in words.
#include "ancestors.h"

#include <fmt/core.h>

#include <algorithm>

#include "stage.h"

namespace cornu::data::detail {
namespace {

// Sources of a pipeline, each once, in order.
void add_sources(const Stage& stage, std::vector<const Stage*>& found) {
  const auto before = stage.sources();
  for (const auto& one : before) add_sources(*one, found);
  if (before.empty() && std::find(found.begin(), found.end(), &stage) == found.end())
    found.push_back(&stage);
}

// The name of a source, with its number where others have the same.
std::string name_among(const Stage& source, const std::vector<const Stage*>& all) {
  const auto same = std::count_if(
      all.begin(), all.end(), [&](const Stage* other) { return other->name() == source.name(); });
  const auto place = std::find(all.begin(), all.end(), &source) - all.begin();
  return same < 2 ? fmt::format("'{}'", source.name())
                  : fmt::format("'{}' (source {} of {})", source.name(), place + 1, all.size());
}

// "3, 7 and 9"; runs as "4 to 7", and no more than so many pieces.
std::string list_of(const std::vector<int64_t>& numbers) {
  constexpr size_t most = 8;
  std::vector<std::string> pieces;
  size_t shown = 0;
  while (shown < numbers.size() && pieces.size() < most) {
    size_t end = shown + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    // Of two that follow each other both are as short.
    if (end - shown < 3) end = shown + 1;
    pieces.push_back(end - shown == 1 ? fmt::format("{}", numbers[shown])
                                      : fmt::format("{} to {}", numbers[shown], numbers[end - 1]));
    shown = end;
  }
  if (shown < numbers.size()) pieces.push_back(fmt::format("{} more", numbers.size() - shown));
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i)
    text += (i == 0 ? "" : i + 1 == pieces.size() ? " and " : ", ") + pieces[i];
  return text;
}

}  // namespace

void AncestorsOfEach::clear() {
  all_.clear();
  ends_.clear();
}

std::span<const Ancestor> AncestorsOfEach::operator[](size_t i) const {
  const size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::span(all_).subspan(begin, ends_[i] - begin);
}

void add_first(const Pass& pass, Ancestors& ancestors, Ancestors& first) {
  // The next one stands at the end.
  std::reverse(ancestors.begin(), ancestors.end());
  while (!ancestors.empty()) {
    Ancestor one = std::move(ancestors.back());
    ancestors.pop_back();
    if (const auto* part = std::get_if<PartOf>(&one)) {
      const auto [begin, end] = std::pair(part->begin, part->end);
      Ancestors several = first_ancestors(pass, part->all->ancestors);
      const bool rows = static_cast<int64_t>(several.size()) == part->all->rows;
      const auto from = several.begin() + (rows ? begin : 0);
      const auto to = rows ? several.begin() + end : several.end();
      first.insert(first.end(), std::move_iterator(from), std::move_iterator(to));
      continue;
    }
    const size_t count = ancestors.size();
    if (const auto* element = std::get_if<OfStage>(&one))
      element->stage->ancestors(pass, element->where, ancestors);
    if (ancestors.size() == count)
      first.push_back(std::move(one));
    else
      std::reverse(ancestors.begin() + static_cast<ptrdiff_t>(count), ancestors.end());
  }
}

Ancestors first_ancestors(const Pass& pass, std::span<const Ancestor> ancestors) {
  Ancestors left(ancestors.begin(), ancestors.end()), first;
  add_first(pass, left, first);
  return first;
}

namespace {

std::vector<const Stage*> sources_of(const Pass& pass) {
  std::vector<const Stage*> sources;
  add_sources(*pass.runtime().records().back().stage, sources);
  return sources;
}

}  // namespace

std::vector<SourceElement> source_elements(const Pass& pass,
                                           std::span<const Ancestor> ancestors) noexcept {
  try {
    const std::vector<const Stage*> sources = sources_of(pass);
    std::vector<SourceElement> elements;
    for (const Ancestor& one : first_ancestors(pass, ancestors)) {
      if (const auto* of = std::get_if<OfStage>(&one)) {
        elements.push_back({name_among(*of->stage, sources), of->stage->file_of(of->where),
                            of->where.epoch, of->where.index});
      } else {
        const auto& [source, where] = std::get<OfSource>(one);
        elements.push_back({source->source, source->file, where.epoch, where.index});
      }
    }
    return elements;
  } catch (...) {
    return {};
  }
}

void EndingSources::add(const Pass& pass, Ancestors& ancestors, Ancestors& out) noexcept {
  const size_t before = out.size();
  try {
    first_.clear();
    add_first(pass, ancestors, first_);
    if (names_.empty()) {
      const std::vector<const Stage*> sources = sources_of(pass);
      for (const Stage* one : sources)
        names_.emplace_back(
            one, std::make_shared<const SourceElement>(SourceElement{name_among(*one, sources)}));
    }
    for (Ancestor& one : first_) {
      const auto* of = std::get_if<OfStage>(&one);
      if (!of) {
        out.push_back(std::move(one));
        continue;
      }
      const auto& name = std::find_if(names_.begin(), names_.end(), [&](const auto& known) {
                           return known.first == of->stage;
                         })->second;
      std::string file = of->stage->file_of(of->where);
      if (!file.empty() && (!last_ || last_->file != file || last_->source != name->source))
        last_ = std::make_shared<const SourceElement>(SourceElement{name->source, file});
      out.push_back(OfSource{file.empty() ? name : last_, of->where});
    }
  } catch (...) {
    out.resize(before);
  }
}

std::string describe(const std::vector<SourceElement>& elements, int64_t epoch) {
  struct Group {
    const SourceElement* first;
    std::vector<int64_t> numbers;
  };
  std::vector<Group> groups;
  for (const SourceElement& one : elements) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.first->source == one.source && known.first->epoch == one.epoch;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {&one, {}});
    group->numbers.push_back(one.index);
  }
  std::string text;
  for (const Group& group : groups) {
    if (!text.empty()) text += ", ";
    text += fmt::format("element{} {} of ", group.numbers.size() == 1 ? "" : "s",
                        list_of(group.numbers));
    if (group.first->epoch != epoch) text += fmt::format("epoch {} of ", group.first->epoch);
    text += group.first->source;
  }
  return text;
}

std::string file_of(const std::vector<SourceElement>& elements) {
  return elements.size() == 1 ? elements[0].file : "";
}

}  // namespace cornu::data::detail
