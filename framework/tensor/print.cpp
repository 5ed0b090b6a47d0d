// Tensors and nests in streams, as NumPy prints arrays.
#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "complex.h"
#include "nest.h"

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
      texts.push_back(fmt::format("{:.6g}{:+.6g}j", z.real(), z.imag()));
  } else if (is_float(x.dtype())) {
    for (const double v : x.to_vector<double>()) texts.push_back(fmt::format("{:.6g}", v));
  } else {
    for (const int64_t v : x.to_vector<int64_t>()) texts.push_back(fmt::format("{}", v));
  }
  return texts;
}

struct Printer {
  std::ostream& out;
  const Shape& shape;
  std::vector<std::string> texts;
  size_t width;
  bool shortened;

  // The elements from `first` on, of the axes from `axis` on.
  void print(int axis, int64_t first) const {
    if (axis == shape.rank()) {
      const std::string& text = texts[static_cast<size_t>(first)];
      out << std::string(width - text.size(), ' ') << text;
      return;
    }
    int64_t stride = 1;
    for (int i = axis + 1; i < shape.rank(); ++i) stride *= shape[i];
    const int64_t count = shape[axis];
    const bool cut = shortened && count > 2 * edge;
    out << "[";
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) separate(axis);
      if (cut && i == edge) {
        out << "...";
        i = count - edge - 1;
        continue;
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
  std::vector<std::string> texts = element_texts(x);
  size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  const Shape& shape = x.shape();
  Printer{out, shape, std::move(texts), width, x.size() > most_elements}.print(0, 0);
  return out << fmt::format(" {} {}", dtype_name(x.dtype()), shape.str());
}

std::ostream& operator<<(std::ostream& out, const Nest& nest) {
  print(out, nest, "");
  return out;
}

}  // namespace cornu
