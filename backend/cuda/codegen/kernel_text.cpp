// Named arguments as text, and what all such kernels share.
#include "kernel_text.h"

#include "prelude.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* common = R"text(
/// A number to divide by, with the constants that the host made.
struct Divisor { Index size; uint32 multiplier, shift; };
CORNU_DEVICE Index divide(Index n, const Divisor& d) {
  if constexpr (sizeof(Index) == 4) return quotient(n, d.multiplier, d.shift);
  else return n / d.size;
}
CORNU_DEVICE Index rest(Index n, const Divisor& d) { return n - divide(n, d) * d.size; }

/// Values that a thread keeps from one part to the next. A host runs the threads of a part one
/// after another, so there all of them have a place.
template <class T, int n> struct Private {
#ifdef CORNU_HOST
  T all[256][n];
  CORNU_METHOD T* own() { return all[threadIdx.x]; }
#else
  T all[n];
  CORNU_METHOD T* own() { return all; }
#endif
};
)text";

}  // namespace

const char* const fold_lanes = R"text(
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    @BARRIER@
    CORNU_EACH_THREAD {
      if (threadIdx.x % lanes < step)
        shared[threadIdx.x] = together(shared[threadIdx.x], shared[threadIdx.x + step]);
    }
  }
  @BARRIER@
)text";

const char* const fold_columns = R"text(
  for (uint32 step = lanes / 2; step > 0; step /= 2) {
    CORNU_BLOCK_BARRIER
    CORNU_EACH_THREAD {
      if (threadIdx.x < step * width)
        for (int e = 0; e < pack; ++e)
          shared[e][threadIdx.x] += shared[e][threadIdx.x + step * width];
    }
  }
  CORNU_BLOCK_BARRIER
)text";

const char* const loop_begin =
    R"text(  CORNU_EACH_THREAD {
    const Index stride = static_cast<Index>(gridDim.x) * blockDim.x;
    const Index first_of_all = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (Index i = first_of_all; i < count; i += stride) {
)text";
const char* const loop_end = "    }\n  }\n";

std::vector<BoxAxis> merged(std::span<const BoxAxis> axes) {
  std::vector<BoxAxis> result;
  for (const BoxAxis& axis : axes) {
    if (axis.size == 1) continue;
    bool merges = !result.empty();
    for (size_t k = 0; merges && k < axis.strides.size(); ++k)
      merges = result.back().strides[k] == axis.strides[k] * axis.size;
    if (merges)
      result.back() = {result.back().size * axis.size, axis.strides};
    else
      result.push_back(axis);
  }
  return result;
}

std::vector<int64_t> broadcast_strides(const Shape& own, const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 0);
  int64_t stride = 1;
  for (int k = own.rank() - 1; k >= 0; --k) {
    const int axis = k + shape.rank() - own.rank();
    if (own[k] != 1 && axis >= 0) strides[static_cast<size_t>(axis)] = stride;
    stride *= own[k];
  }
  return strides;
}

void KernelText::type(const std::string& name, const std::string& is) {
  if (name != is) types_ += "typedef " + is + " " + name + ";\n";
}

void KernelText::constant(const std::string& name, int64_t value) {
  types_ += "constexpr int " + name + " = " + std::to_string(value) + ";\n";
}

void KernelText::pointer(const std::string& name, int operand, const std::string& type,
                         size_t offset) {
  std::string from = arguments_.pointer(operand, offset == 0 ? type : "char");
  if (offset != 0)
    from =
        "reinterpret_cast<" + type + "*>(" + from + " + " + arguments_.word(offset, "uint64") + ")";
  names_ += "  " + type + "* const " + name + " = " + from + ";\n";
}

void KernelText::index(const std::string& name, int64_t value) {
  names_ += "  const Index " + name + " = " +
            arguments_.word(static_cast<uint64_t>(value), "Index") + ";\n";
}

void KernelText::offset(const std::string& name, int64_t value) {
  names_ += "  const Offset " + name + " = " +
            arguments_.word(static_cast<uint64_t>(value), "Offset") + ";\n";
}

void KernelText::bits(const std::string& name, uint64_t value) {
  names_ += "  const uint64 " + name + " = " + arguments_.word(value, "uint64") + ";\n";
}

void KernelText::number(const std::string& name, double value) {
  names_ += "  const double " + name + " = " + arguments_.number(value) + ";\n";
}

void KernelText::divisor(const std::string& name, int64_t value) {
  value = std::max<int64_t>(value, 1);
  const Divider divider = wide_ ? Divider{0, 0} : divider_of(static_cast<uint32_t>(value));
  names_ += "  const Divisor " + name + " = {" +
            arguments_.word(static_cast<uint64_t>(value), "Index") + ", " +
            arguments_.word(divider.multiplier, "uint32") + ", " +
            arguments_.word(divider.shift, "uint32") + "};\n";
}

std::string KernelText::walk(std::span<const BoxAxis> axes, const std::string& flat,
                             const std::vector<std::string>& names) {
  const std::string prefix = "w" + std::to_string(walks_++) + "_";
  std::vector<std::string> sums(names.size());
  std::string text, left = flat;
  for (size_t a = axes.size(); a-- > 0;) {
    const std::string at = prefix + std::to_string(a);
    std::string coordinate = left;
    if (a > 0) {
      divisor(at + "_size", axes[a].size);
      text += "const Index " + at + "_q = divide(" + left + ", " + at + "_size);\n";
      coordinate = "(" + left + " - " + at + "_q * " + at + "_size.size)";
      left = at + "_q";
    }
    text += "const Offset " + at + " = static_cast<Offset>(" + coordinate + ");\n";
    for (size_t k = 0; k < names.size(); ++k) {
      const int64_t stride = axes[a].strides[k];
      if (stride == 0) continue;
      if (!sums[k].empty()) sums[k] += " + ";
      sums[k] += at;
      if (stride == 1 && a + 1 == axes.size()) continue;
      offset(at + "_" + std::to_string(k), stride);
      sums[k] += " * " + at + "_" + std::to_string(k);
    }
  }
  for (size_t k = 0; k < names.size(); ++k)
    text += "const Offset " + names[k] + " = " + (sums[k].empty() ? "0" : sums[k]) + ";\n";
  return text;
}

Stage KernelText::stage(const std::string& kind, const std::string& functions,
                        const std::string& body, int64_t grid_x, int64_t grid_y) const {
  const std::string index = wide_ ? "uint64" : "uint32", offset = wide_ ? "int64" : "int";
  Stage stage;
  stage.source = make_source(kind, "namespace cornu_device { namespace @SPACE@ {\ntypedef " +
                                       index + " Index;\ntypedef " + offset + " Offset;\n" +
                                       arguments_.declaration() + common + types_ + functions +
                                       kernel_head() + names_ + body + "}\n} }\n");
  stage.grid_x = static_cast<uint32_t>(std::clamp<int64_t>(grid_x, 1, 0x7FFFFFFF));
  stage.grid_y = static_cast<uint32_t>(std::clamp<int64_t>(grid_y, 1, 65535));
  stage.pointers = arguments_.pointers();
  stage.words = arguments_.words();
  return stage;
}

DType product_type(std::span<const Operand> operands, const Operand& output) {
  bool real = is_float(output.dtype), twice = output.dtype == DType::float64;
  for (const Operand& operand : operands) {
    real |= is_float(operand.dtype);
    twice |= operand.dtype == DType::float64;
  }
  if (twice) return DType::float64;
  if (real) return DType::float32;
  return size_of(output.dtype) == 8 ? DType::uint64 : DType::uint32;
}

int64_t loop_blocks(int64_t items, int multiprocessors) {
  return blocks_for(items, Stage::block, int64_t{32} * multiprocessors);
}

std::string unit_text(size_t bytes) {
  switch (bytes) {
    case 1:
      return "uint8";
    case 2:
      return "uint16";
    case 4:
      return "uint32";
    case 8:
      return "uint64";
    default:
      return "Pack<uint64, 2>";
  }
}

}  // namespace cornu::backend::cuda
