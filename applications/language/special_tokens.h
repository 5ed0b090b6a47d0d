// Cutting a text at the special tokens in it, which no tokenizer takes apart.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cornu::tokenizers {

/// Calls `visit` with each special token in the text, and with what lies between them, in order.
/// Of several that begin at one place the longest counts.
inline void split_at_special_tokens(std::string_view text, const std::vector<std::string>& tokens,
                                    const std::function<void(std::string_view, bool)>& visit) {
  while (!text.empty()) {
    size_t place = text.size(), length = 0;
    for (const std::string& token : tokens) {
      const size_t found = text.find(token);
      if (token.empty() || found == std::string_view::npos) continue;
      if (found < place || (found == place && token.size() > length)) {
        place = found;
        length = token.size();
      }
    }
    if (place > 0) visit(text.substr(0, place), false);
    if (length > 0) visit(text.substr(place, length), true);
    text.remove_prefix(place + length);
  }
}

}  // namespace cornu::tokenizers
