// Margins: how much to add or take away at both ends of each spatial axis.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "../layer_options.h"

namespace cornu::layers {

/// The two ends of an axis: one number for both, or {before, after}.
struct Ends {
  int64_t before = 0;  ///< places at the beginning
  int64_t after = 0;   ///< places at the end
  Ends() = default;
  /// The same at both ends.
  template <std::integral T>
  Ends(T both) : before(both), after(both) {}
  /// One number for each end.
  template <std::integral T, std::integral U>
  Ends(T first, U last) : before(first), after(last) {}
};

/// Ends of `rank` axes: one number for all, one for both ends of each axis, or {before, after} for
/// each:
/// `.padding = 1`, `{1, 2}` or `{{1, 0}, {2, 2}}`.
template <size_t rank>
struct Margins {
  std::array<Ends, rank> axes{};  ///< ends of each spatial axis, in order
  Margins() = default;
  /// The same at both ends of all axes.
  template <std::integral T>
  Margins(T all) {
    axes.fill(all);
  }
  /// Ends of each axis in turn. Throws ValueError unless there are `rank` of them.
  Margins(std::initializer_list<Ends> each) {
    if (each.size() != rank)
      throw ValueError("expected ends of " + std::to_string(rank) + " axes, found " +
                       std::to_string(each.size()));
    std::copy(each.begin(), each.end(), axes.begin());
  }
};

/// Position of the channel axis as an option behind margins: "channels_last" or "channels_first".
/// Unlike std::string it is not made from numbers in braces, so that `{{1, 1}, {2, 2}}` is never
/// margins and a text.
class DataFormat : public std::string {
 public:
  /// The text, which the layer checks.
  template <cornu::detail::Name Text>
  DataFormat(const Text& text) : std::string(std::string_view(text)) {}
};

/// Throws ValueError unless all ends are 0 or more.
void check_margins(const char* option, std::span<const Ends> margins);
/// x (batch, spatial..., channels), or with `first` (batch, channels, spatial...), with zeros
/// around its spatial axes.
Tensor pad_spatial(const Tensor& x, std::span<const Ends> margins, bool first);
/// x without its margins. Throws ShapeError when nothing would be left.
Tensor crop_spatial(const Tensor& x, std::span<const Ends> margins, bool first);
/// Each place of a spatial axis as many times in a row as `times` says.
Tensor repeat_spatial(const Tensor& x, const std::vector<int64_t>& times, bool first);

}  // namespace cornu::layers

namespace cornu::detail {

template <>
struct OptionCodec<layers::DataFormat> {
  static Value encode(const layers::DataFormat& v) { return std::string(v); }
  static layers::DataFormat decode(const Value& v) { return from_value<std::string>(v); }
};

Value encode_margins(std::span<const layers::Ends> margins);
/// Fills `margins` from a number, a list of numbers or a list of pairs. Throws ValueError for
/// anything else.
void decode_margins(const Value& v, std::span<layers::Ends> margins);

template <size_t rank>
struct OptionCodec<layers::Margins<rank>> {
  static Value encode(const layers::Margins<rank>& v) { return encode_margins(v.axes); }
  static layers::Margins<rank> decode(const Value& v) {
    layers::Margins<rank> margins;
    decode_margins(v, margins.axes);
    return margins;
  }
};

}  // namespace cornu::detail
