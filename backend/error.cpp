// Where errors happened, and the name suggestion that their texts share.
#include "error.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace cornu {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Edit distance (Damerau's optimal string alignment: insert, erase, replace, swap neighbors),
/// where a difference of case only costs nothing.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

}  // namespace

void Error::prepend(const std::string& text) { text_ = text + ": " + what(); }

void Error::replace(const std::string& text) { text_ = text; }

void Error::append(const std::string& sentence) {
  const std::string text = what();
  if (text.find(sentence) == std::string::npos) text_ = text + " " + sentence;
}

void Error::set_place(const std::string& place) {
  if (placed_) return;
  prepend(place);
  placed_ = true;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  // Names come from files too, so a name of megabytes must not cost a quadratic comparison.
  constexpr size_t longest = 200;
  if (name.empty() || name.size() > longest) return "";
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate == name || candidate.size() > longest) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? "" : " Did you mean '" + *best + "'?";
}

}  // namespace cornu
