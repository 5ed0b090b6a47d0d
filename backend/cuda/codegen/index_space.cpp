// Merging of axes, and index arithmetic as text.
#include "index_space.h"

#include <algorithm>
#include <bit>

namespace cornu::backend::cuda {
namespace {

std::vector<int64_t> strides_in(const Shape& shape, const Shape& own) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 0);
  int64_t stride = 1;
  for (int k = own.rank() - 1; k >= 0; --k) {
    const int axis = k + shape.rank() - own.rank();
    if (own[k] != 1) strides[static_cast<size_t>(axis)] = stride;
    stride *= own[k];
  }
  return strides;
}

}  // namespace

Divider divider_of(uint32_t divisor) {
  const uint32_t shift = static_cast<uint32_t>(std::bit_width(divisor - 1));
  const uint64_t power = uint64_t{1} << shift;
  const uint64_t multiplier = ((power - divisor) << 32) / divisor + 1;
  return {static_cast<uint32_t>(multiplier), shift};
}

IndexSpace::IndexSpace(const Shape& shape, const Program& program, std::span<const Operand> inputs,
                       std::span<const int> reduced_axes)
    : numel(shape.numel()) {
  std::vector<std::vector<int64_t>> strides;
  for (size_t i = 0; i < inputs.size(); ++i)
    strides.push_back(program.reads(static_cast<int>(i))
                          ? strides_in(shape, *inputs[i].shape)
                          : std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0));
  for (int a = 0; a < shape.rank(); ++a) {
    if (shape[a] == 1) continue;
    SpaceAxis axis;
    axis.size = shape[a];
    for (int reduced : reduced_axes) axis.reduced |= reduced == a || reduced + shape.rank() == a;
    bool merges = !axes.empty() && axes.back().reduced == axis.reduced;
    for (size_t i = 0; i < inputs.size(); ++i) {
      axis.strides.push_back(strides[i][static_cast<size_t>(a)]);
      merges = merges && axes.back().strides[i] == axis.strides[i] * axis.size;
    }
    if (merges) {
      axes.back().size *= axis.size;
      axes.back().strides = axis.strides;
    } else {
      axes.push_back(axis);
    }
  }
}

bool IndexSpace::scalar(size_t i) const {
  return std::all_of(axes.begin(), axes.end(),
                     [i](const SpaceAxis& axis) { return axis.strides[i] == 0; });
}

bool IndexSpace::dense(size_t i) const {
  return std::none_of(axes.begin(), axes.end(),
                      [i](const SpaceAxis& axis) { return axis.strides[i] == 0; });
}

std::string ArgumentList::pointer(int operand, const std::string& type) {
  const auto at = std::find(pointers_.begin(), pointers_.end(), operand);
  const auto index = at - pointers_.begin();
  if (at == pointers_.end()) pointers_.push_back(operand);
  return "static_cast<" + type + "*>(args.data[" + std::to_string(index) + "])";
}

std::string ArgumentList::word(uint64_t value, const std::string& type) {
  words_.push_back(value);
  return "static_cast<" + type + ">(args.word[" + std::to_string(words_.size() - 1) + "])";
}

std::string ArgumentList::number(double value) {
  words_.push_back(std::bit_cast<uint64_t>(value));
  return "bits_as<double>(args.word[" + std::to_string(words_.size() - 1) + "])";
}

std::string ArgumentList::declaration() const {
  std::string text = "struct Arguments {\n";
  if (!pointers_.empty()) text += "  void* data[" + std::to_string(pointers_.size()) + "];\n";
  if (!words_.empty()) text += "  uint64 word[" + std::to_string(words_.size()) + "];\n";
  return text + "};\n";
}

std::string coordinates(const IndexSpace& space, std::span<const int> axes, const std::string& flat,
                        int64_t last_unit, const std::string& indent, ArgumentList& arguments) {
  const int last = static_cast<int>(space.axes.size()) - 1;
  std::string text, rest = flat;
  for (size_t k = axes.size(); k-- > 0;) {
    const std::string axis = std::to_string(axes[k]);
    if (k == 0) {
      text += indent + "const Index c" + axis + " = " + rest + ";\n";
      break;
    }
    const int64_t size =
        space.axes[static_cast<size_t>(axes[k])].size / (axes[k] == last ? last_unit : 1);
    const std::string size_word = arguments.word(static_cast<uint64_t>(size), "Index");
    text += indent + "const Index q" + axis + " = ";
    if (is_wide(space.numel)) {
      text += rest + " / " + size_word;
    } else {
      const Divider divider = divider_of(static_cast<uint32_t>(size));
      text += "quotient(" + rest + ", " + arguments.word(divider.multiplier, "uint32") + ", " +
              arguments.word(divider.shift, "uint32") + ")";
    }
    text += ";\n" + indent + "const Index c" + axis + " = " + rest + " - q" + axis + " * " +
            size_word + ";\n";
    rest = "q" + axis;
  }
  return text;
}

std::string offset(const IndexSpace& space, size_t i, std::span<const int> axes, int64_t last_unit,
                   ArgumentList& arguments) {
  const int last = static_cast<int>(space.axes.size()) - 1;
  std::string text;
  for (int axis : axes) {
    const int64_t stride = space.axes[static_cast<size_t>(axis)].strides[i];
    if (stride == 0) continue;
    if (!text.empty()) text += " + ";
    text += "c" + std::to_string(axis);
    if (axis == last && stride == 1) {
      if (last_unit != 1) text += " * " + std::to_string(last_unit);
    } else {
      text += " * " + arguments.word(static_cast<uint64_t>(stride), "Index");
    }
  }
  return text;
}

uint32_t blocks_for(int64_t items, int64_t threads, int64_t most) {
  return static_cast<uint32_t>(
      std::clamp<int64_t>((items + threads - 1) / threads, 1, std::max<int64_t>(most, 1)));
}

}  // namespace cornu::backend::cuda
