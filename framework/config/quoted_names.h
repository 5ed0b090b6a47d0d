// Names that there are, for errors about one that there is not.
#pragma once
#include <string>
#include <vector>

namespace cornu::detail {

/// The names in quotes: "'loss', 'mae'"; of many the first ones and how many there are besides.
inline std::string quoted_names(const std::vector<std::string>& names) {
  constexpr size_t most = 20;
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i) text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace cornu::detail
