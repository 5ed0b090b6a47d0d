// Tensors and nests in streams, as NumPy prints arrays.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <ostream>

#include "complex.h"
#include "nest.h"
#include "plain_nan.h"

namespace cornu {
namespace {

// Beyond these many elements only the first and last few of each axis are shown.
constexpr int64_t most_elements = 1000;
constexpr int64_t edge = 3;

std::vector<std::string> element_texts(const Tensor& x) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(x.size()));
  if (x.dtype() == DType::string) {
    for (const std::string& s : x.to_strings()) texts.push_back('"' + s + '"');
  } else if (x.dtype() == DType::boolean) {
    for (const bool b : x.to_vector<bool>()) texts.push_back(b ? "true" : "false");
  } else if (is_complex(x.dtype())) {
    for (const auto& z : x.to_vector<std::complex<double>>())
      texts.push_back(
          fmt::format("{:.6g}{:+.6g}j", detail::plain_nan(z.real()), detail::plain_nan(z.imag())));
  } else if (is_float(x.dtype())) {
    for (const double v : x.to_vector<double>())
      texts.push_back(fmt::format("{:.6g}", detail::plain_nan(v)));
  } else if (x.dtype() == DType::uint64) {
    for (const uint64_t v : x.values<uint64_t>()) texts.push_back(fmt::format("{}", v));
  } else {
    for (const int64_t v : x.to_vector<int64_t>()) texts.push_back(fmt::format("{}", v));
  }
  return texts;
}

// The first and last elements of each long axis: of a large tensor no others are looked at.
Tensor edges_of(const Tensor& x) {
  const Shape& shape = x.shape();
  Shape kept = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) kept[axis] = std::min(kept[axis], 2 * edge);
  const bool strings = x.dtype() == DType::string;
  const size_t bytes = strings ? sizeof(int32_t) : size_of(x.dtype());
  const auto* from = static_cast<const std::byte*>(x.host_data());
  std::vector<std::byte> values(static_cast<size_t>(kept.numel()) * bytes);
  for (int64_t i = 0; i < kept.numel(); ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const int64_t at = rest % kept[axis];
      rest /= kept[axis];
      place += stride * (at < edge ? at : shape[axis] - kept[axis] + at);
      stride *= shape[axis];
    }
    std::memcpy(values.data() + static_cast<size_t>(i) * bytes,
                from + static_cast<size_t>(place) * bytes, bytes);
  }
  if (!strings) return Tensor::copy_of(values.data(), kept, x.dtype());
  std::vector<int32_t> indices(static_cast<size_t>(kept.numel()));
  std::memcpy(indices.data(), values.data(), values.size());
  return Tensor::strings(x.string_table(), indices, kept);
}

struct Printer {
  std::ostream& out;
  const Shape& shape;  // of what is printed
  const Shape& whole;  // of the tensor
  std::vector<std::string> texts;
  size_t width;

  // The elements from `first` on, of the axes from `axis` on.
  void print(int axis, int64_t first) const {
    if (axis == shape.rank()) {
      const std::string& text = texts[static_cast<size_t>(first)];
      out << std::string(width - text.size(), ' ') << text;
      return;
    }
    int64_t stride = 1;
    for (int i = axis + 1; i < shape.rank(); ++i) stride *= shape[i];
    out << "[";
    for (int64_t i = 0; i < shape[axis]; ++i) {
      if (i > 0) separate(axis);
      if (i == edge && shape[axis] < whole[axis]) {
        out << "...";
        separate(axis);
      }
      print(axis + 1, first + i * stride);
    }
    out << "]";
  }

  // Rows stand below each other, matrices with an empty line between.
  void separate(int axis) const {
    const int inner = shape.rank() - axis - 1;
    if (inner == 0)
      out << ", ";
    else
      out << "," << std::string(static_cast<size_t>(inner), '\n')
          << std::string(static_cast<size_t>(axis + 1), ' ');
  }
};

void print(std::ostream& out, const Nest& nest, const std::string& indent) {
  if (nest.is_tensor()) {
    out << nest.tensor();
    return;
  }
  const std::string further = indent + "  ";
  const auto print_all = [&](const auto& elements, const auto& print_one) {
    for (size_t i = 0; i < elements.size(); ++i) {
      out << (i ? ",\n" : "\n") << further;
      print_one(elements[i]);
    }
  };
  out << (nest.is_list() ? "[" : "{");
  if (nest.is_list())
    print_all(nest.list(), [&](const Nest& element) { print(out, element, further); });
  else
    print_all(nest.entries(), [&](const auto& entry) {
      out << "'" << entry.first << "': ";
      print(out, entry.second, further);
    });
  out << (nest.is_list() ? "]" : "}");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& x) {
  if (!x || !x.is_eager() || x.is_meta()) return out << x.str();
  const Tensor shown = x.size() > most_elements ? edges_of(x) : x;
  std::vector<std::string> texts = element_texts(shown);
  size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  Printer{out, shown.shape(), x.shape(), std::move(texts), width}.print(0, 0);
  return out << fmt::format(" {} {}", dtype_name(x.dtype()), x.shape().str());
}

std::ostream& operator<<(std::ostream& out, const Nest& nest) {
  print(out, nest, "");
  return out;
}

}  // namespace cornu
