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

Ancestors first_ancestors(const Pass& pass, const Ancestors& ancestors) {
  Ancestors first;
  for (const Ancestor& one : ancestors) {
    Ancestors before;
    if (one.stage)
      one.stage->ancestors(pass, one.where, before);
    else if (one.several)
      before = *one.several;
    if (before.empty()) {
      if (!one.several) first.push_back(one);
      continue;
    }
    for (Ancestor& further : first_ancestors(pass, before)) first.push_back(std::move(further));
  }
  return first;
}

std::vector<SourceElement> source_elements(const Pass& pass, const Ancestors& ancestors) noexcept {
  try {
    std::vector<const Stage*> sources;
    add_sources(*pass.runtime().records().back().stage, sources);
    std::vector<SourceElement> elements;
    for (Ancestor& one : first_ancestors(pass, ancestors))
      elements.push_back(one.stage ? SourceElement{name_among(*one.stage, sources),
                                                   one.stage->file_of(one.where), one.where.epoch,
                                                   one.where.index}
                                   : *one.element);
    return elements;
  } catch (...) {
    return {};
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
