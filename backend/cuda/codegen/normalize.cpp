// Normalization. Channels: blocks take sums over parts of the rows, a second kernel puts them
// together and makes coefficients for each channel, a third one writes. Rows: one kernel, up to a
// warp of threads for a row or a block for long ones, which read a row once where their registers
// hold it; backwards a warp also sums up the gradients of scale and offset over its rows, or where
// it cannot hold a row, these are sums as those of channels are.
//
// Sums of up to 32 elements are taken in the element's compute type, relative to the first of them
// or to their mean, and are put together in double. Their order depends on the sizes alone.
#include <bit>
#include <set>

#include "../../error.h"
#include "codegen.h"
#include "kernel_text.h"
#include "normalize_text.h"

namespace cornu::backend::cuda {
namespace {

// Blocks that share the rows: four for each multiprocessor of a large device, as many as fit there
// at once. Sums depend on it, so it is the same for all devices.
constexpr int64_t wanted_blocks = 512;

int64_t ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The smallest that is not less than n, but at most `most`.
int64_t power_of_two(int64_t n, int64_t most) {
  return std::min(
      most, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1)))));
}

/// What all kernels of a plan know.
class Planner {
 public:
  Planner(const Normalize& kernel, std::span<const Operand> inputs,
          std::span<const Operand> outputs, const PlanOptions& options)
      : kernel_(kernel), inputs_(inputs), outputs_(outputs), options_(options) {
    const Shape& x = *inputs[0].shape;
    numel_ = x.numel();
    columns_ = x.back();
    rows_ = 1;
    for (int i = 0; i + 1 < x.rank(); ++i) rows_ *= x[i];
    twice_ = inputs[0].dtype == DType::float64;
    workspace_ = static_cast<int>(inputs.size() + outputs.size());
    // One load of 16 bytes instead of four: bandwidth is what bounds these kernels.
    pack_ = std::max(std::clamp(options.alignment, 1, 16) / (twice_ ? 8 : 4), 1);
    while (columns_ % pack_ != 0) pack_ /= 2;
    // Packs of a block, and how many blocks share the rows.
    width_ = power_of_two(columns_ / pack_, 32);
    const int64_t blocks = ceil(std::max<int64_t>(columns_ / pack_, 1), width_);
    const int64_t lanes = 256 / width_;
    // By sizes alone, not by the device, so that sums have one order everywhere.
    const int64_t splits = std::clamp<int64_t>(
        std::min(ceil(wanted_blocks, blocks), rows_ / (lanes * 16)), 1, wanted_blocks);
    chunk_ = std::max<int64_t>(ceil(rows_, splits), 1);
    splits_ = std::max<int64_t>(ceil(rows_, chunk_), 1);
  }

  KernelPlan make() {
    if (kernel_.channels) {
      if (columns_ == 0) return plan_;
      kernel_.backward ? channels_backward() : channels_forward();
    } else if (kernel_.backward) {
      rows_backward();
    } else if (rows_ > 0) {
      rows_forward();
    }
    return std::move(plan_);
  }

 private:
  KernelText begin() const {
    KernelText text(std::max({numel_, columns_ * splits_ * 4, columns_ * 4}) + 4096);
    text.type("X", inputs_[0].dtype);
    text.type("Real", twice_ ? "double" : "float");
    text.constant("centered", kernel_.centered ? 1 : 0);
    text.constant("pack", pack_);
    text.number("epsilon", kernel_.epsilon);
    text.index("rows", rows_);
    text.index("columns", columns_);
    return text;
  }
  void input(KernelText& text, const std::string& name, const std::string& type, size_t i) const {
    text.type(type, inputs_[i].dtype);
    text.pointer(name, static_cast<int>(i), "const " + type);
  }
  void output(KernelText& text, const std::string& name, const std::string& type, size_t i) const {
    text.type(type, outputs_[i].dtype);
    text.pointer(name, static_cast<int>(inputs_.size() + i), type);
  }
  /// The expression of a vector's element, as a double, that may be missing.
  std::string vector(KernelText& text, const std::string& name, bool exists, size_t i,
                     const std::string& otherwise) const {
    if (!exists) return otherwise;
    text.pointer(name, static_cast<int>(i), "const " + type_text(inputs_[i].dtype));
    return "convert<double>(" + name + "[column])";
  }
  /// Where partial sums lie, and the coefficients after them.
  size_t partial_bytes() const {
    return (static_cast<size_t>(splits_ * columns_) * 24 + 15) / 16 * 16;
  }
  void reserve() {
    plan_.workspace_bytes =
        partial_bytes() + static_cast<size_t>(columns_) * 4 * (twice_ ? 8 : 4) + 16;
  }

  // How elements come through the program in front and go through the one behind: lines that define
  // streamed(e), element `e` of pack i of what is normalized or differentiated, and finished(value,
  // e), what becomes of a result there; and the functions that they call.
  struct Streams {
    std::string functions;
    std::string loads, lambdas;            // for streamed
    std::string more_loads, more_lambdas;  // for finished
    std::string reading() const { return loads + lambdas; }
    std::string writing() const { return loads + more_loads + lambdas + more_lambdas; }
  };

  Streams streams(KernelText& text, bool writes) const {
    Streams made;
    std::set<Opcode> defined;
    const std::string in = kernel_.backward ? "dy" : "x";
    auto place = static_cast<size_t>(kernel_.own_inputs());
    made.loads = load(in);
    made.lambdas = lambda(made, made.loads, text, "streamed = [&](int e)", kernel_.before.get(),
                          "before", place, "convert<Real>(" + in + "s.v[e])", defined);
    if (!writes) return made;
    const std::string stored = kernel_.backward ? "Dx" : "Y";
    made.more_lambdas =
        lambda(made, made.more_loads, text, "finished = [&](Real value, int e)",
               kernel_.after.get(), "after", place,
               kernel_.after ? "convert<Real>(convert<" + stored + ">(value))" : "value", defined);
    return made;
  }
  static std::string load(const std::string& name) {
    return "      const auto " + name + "s = load_pack<pack>(" + name + " + i * pack);\n";
  }
  // `first`: the expression of the program's first input; the others are the operands from number
  // `place` on, which moves behind them.
  std::string lambda(Streams& made, std::string& loads, KernelText& text, const std::string& head,
                     const Program* program, const std::string& name, size_t& place,
                     const std::string& first, std::set<Opcode>& defined) const {
    std::string lines = "      const auto " + head + " -> Real {\n", result = first;
    if (program) {
      std::vector<std::string> values = {first};
      for (int k = 1; k < program->inputs(); ++k, ++place) {
        const std::string operand = name + std::to_string(k);
        text.pointer(operand, static_cast<int>(place), "const " + type_text(inputs_[place].dtype));
        const bool one = inputs_[place].shape->numel() == 1 && numel_ != 1;
        if (!one) loads += load(operand);
        values.push_back("convert<Real>(" + operand + (one ? "[0])" : "s.v[e])"));
      }
      const DType compute = twice_ ? DType::float64 : DType::float32;
      const ProgramText code = program_text(*program, compute, values, "        ", &defined);
      made.functions += code.functions;
      lines += code.statements;
      result = code.results[0];
    }
    return lines + "        return " + result + ";\n      };\n";
  }

  void sums_stage(bool backward, bool by_rows) {
    KernelText text = begin();
    text.constant("width", width_);
    text.constant("lanes", 256 / width_);
    text.index("chunk", chunk_);
    text.index("packs", columns_ / pack_);
    input(text, "x", "X", 0);
    text.pointer("partial", workspace_, backward ? "Products" : "Moments");
    text.constant("by_rows", by_rows ? 1 : 0);
    if (backward) {
      input(text, "mean", "Mean", 1);
      input(text, "variance", "Variance", 2);
      input(text, "dy", "Dy", 3);
    }
    const Streams made = streams(text, false);
    const std::string collect =
        with(backward ? normalize_text::collect_products : normalize_text::collect_moments,
             "@PACKS@", made.reading());
    const std::string body = with(normalize_text::column_sums, "@COLLECT@", collect);
    plan_.stages.push_back(text.stage(backward ? "normalize_products" : "normalize_moments",
                                      normalize_text::functions + made.functions,
                                      with(body, "@SUMS@", backward ? "Products" : "Moments"),
                                      ceil(columns_ / pack_, width_), splits_));
  }

  void finish_stage(bool backward, const std::string& finish, KernelText& text) {
    // Few columns a block: many threads then share the parts of each.
    const int64_t width = power_of_two(columns_, 4);
    text.constant("width", width);
    text.constant("lanes", 256 / width);
    text.index("splits", splits_);
    const std::string sums = backward ? "Products" : "Moments";
    text.pointer("partial", workspace_, "const " + sums);
    text.pointer("coefficients", workspace_, "Real", partial_bytes());
    const std::string body = with(normalize_text::column_finish, "@FINISH@", finish);
    plan_.stages.push_back(text.stage("normalize_finish", normalize_text::functions,
                                      with(body, "@SUMS@", sums), ceil(columns_, width)));
  }

  void write_stage(const char* code, KernelText& text) {
    text.pointer("coefficients", workspace_, "const Real", partial_bytes());
    text.divisor("packs", columns_ / pack_);
    text.index("count", numel_ / pack_);
    const Streams made = streams(text, true);
    plan_.stages.push_back(text.stage("normalize_write", made.functions,
                                      loop_begin + with(code, "@PACKS@", made.writing()) + loop_end,
                                      loop_blocks(numel_ / pack_, options_.multiprocessors)));
  }

  void channels_forward() {
    reserve();
    sums_stage(false, false);
    KernelText text = begin();
    output(text, "mean", "Mean", 1);
    output(text, "variance", "Variance", 2);
    const std::string scale = vector(text, "scale", kernel_.scale, 1, "1.0");
    const std::string offset = vector(text, "offset", kernel_.offset, kernel_.scale ? 2 : 1, "0.0");
    finish_stage(false,
                 with(with(normalize_text::finish_moments, "@SCALE@", scale), "@OFFSET@", offset),
                 text);
    if (numel_ == 0) return;
    KernelText write = begin();
    input(write, "x", "X", 0);
    output(write, "y", "Y", 0);
    write_stage(normalize_text::transform, write);
  }

  /// Stages for dscale and doffset, and the coefficients of dx of channels.
  void products(bool by_rows) {
    reserve();
    sums_stage(true, by_rows);
    finish_products(by_rows);
  }

  void finish_products(bool by_rows) {
    KernelText text = begin();
    if (!by_rows) {
      input(text, "mean", "Mean", 1);
      input(text, "variance", "Variance", 2);
    }
    std::string finish;
    if (!by_rows) {
      const std::string scale = vector(text, "scale", kernel_.scale, 4, "1.0");
      finish = with(normalize_text::finish_products, "@SCALE@", scale);
    }
    if (kernel_.scale) {
      output(text, "dscale", "Dscale", 1);
      finish += "dscale[column] = convert<Dscale>(total.product);\n";
    }
    if (kernel_.offset) {
      output(text, "doffset", "Doffset", kernel_.scale ? 2 : 1);
      finish += "doffset[column] = convert<Doffset>(total.sum);\n";
    }
    finish_stage(true, finish, text);
  }

  void channels_backward() {
    products(false);
    if (numel_ == 0) return;
    KernelText write = begin();
    input(write, "x", "X", 0);
    input(write, "dy", "Dy", 3);
    output(write, "dx", "Dx", 0);
    write_stage(normalize_text::derive, write);
  }

  /// Threads of a row.
  KernelText begin_rows(int64_t& lanes) const {
    // A block per row where rows are long or few, a warp or less where there are many short ones.
    const bool long_rows = columns_ > 1024 || (columns_ > 256 && rows_ < 1024);
    lanes = long_rows ? 256 : power_of_two(columns_ / pack_, 32);
    KernelText text = begin();
    text.constant("lanes", lanes);
    text.index("packs", columns_ / pack_);
    input(text, "x", "X", 0);
    return text;
  }

  // The same in kernels of rows, whose packs `loads` loads.
  std::string row_vector(KernelText& text, const std::string& name, bool exists, size_t i,
                         const std::string& otherwise, std::string& loads) const {
    if (!exists) return otherwise;
    text.pointer(name, static_cast<int>(i), "const " + type_text(inputs_[i].dtype));
    loads += "      const auto " + name + "s = load_pack<pack>(" + name + " + place * pack);\n";
    return "convert<Real>(" + name + "s.v[e])";
  }

  // Whether `lanes` threads hold a row in registers.
  bool holds_rows(int64_t lanes) const {
    const int64_t packs = columns_ / pack_, most = twice_ ? 16 : 32;
    return packs > 0 && packs % lanes == 0 && packs / lanes * pack_ <= most;
  }

  // `first` and `second`: lines for the two loops over a row.
  void rows_stage(const char* kind, const std::string& code, const Streams& made,
                  const std::string& first, const std::string& second, KernelText& text,
                  int64_t lanes) {
    const std::string body =
        with(with(with(code, "@FOLD@", fold_lanes), "@PACKS@", first), "@PACKS_WRITTEN@", second);
    plan_.stages.push_back(text.stage(
        kind, normalize_text::functions + made.functions,
        with(body, "@BARRIER@", lanes > 32 ? "CORNU_BLOCK_BARRIER" : "CORNU_WARP_BARRIER"),
        ceil(rows_, 256 / lanes)));
  }

  void rows_forward() {
    int64_t lanes;
    KernelText text = begin_rows(lanes);
    output(text, "y", "Y", 0);
    output(text, "mean", "Mean", 1);
    output(text, "variance", "Variance", 2);
    std::string loads;
    const std::string scale =
        row_vector(text, "scale", kernel_.scale, 1, "static_cast<Real>(1)", loads);
    const std::string offset = row_vector(text, "offset", kernel_.offset, kernel_.scale ? 2 : 1,
                                          "static_cast<Real>(0)", loads);
    const bool held = holds_rows(lanes);
    if (held) text.constant("each", columns_ / pack_ / lanes);
    const Streams made = streams(text, true);
    const char* const code =
        held ? normalize_text::rows_forward_held : normalize_text::rows_forward;
    rows_stage(held ? "normalize_held_rows" : "normalize_rows",
               with(with(code, "@SCALE@", scale), "@OFFSET@", offset), made, made.reading(),
               (held ? made.more_loads + made.more_lambdas : made.writing()) + loads, text, lanes);
  }

  void rows_backward_with_sums() {
    constexpr int64_t blocks = 264;  // two for each multiprocessor of a large device
    // A warp adds up every eighth row of them in the compute type.
    chunk_ = std::min<int64_t>((ceil(rows_, blocks) + 7) / 8 * 8, 256);
    splits_ = ceil(rows_, chunk_);
    reserve();
    KernelText text = begin();
    text.constant("lanes", 32);
    text.constant("each", columns_ / pack_ / 32);
    text.index("packs", columns_ / pack_);
    text.index("chunk", chunk_);
    input(text, "x", "X", 0);
    input(text, "mean", "Mean", 1);
    input(text, "variance", "Variance", 2);
    input(text, "dy", "Dy", 3);
    output(text, "dx", "Dx", 0);
    text.pointer("partial", workspace_, "Products");
    std::string loads;
    const std::string scale =
        row_vector(text, "scale", kernel_.scale, 4, "static_cast<Real>(1)", loads);
    const Streams made = streams(text, true);
    const std::string fold = with(fold_lanes, "@BARRIER@", "CORNU_WARP_BARRIER");
    const std::string code =
        with(with(normalize_text::rows_backward_with_sums, "@SCALE@", scale), "@FOLD@", fold);
    plan_.stages.push_back(
        text.stage("normalize_rows_with_sums", normalize_text::functions + made.functions,
                   with(with(code, "@PACKS@", made.reading() + loads), "@PACKS_WRITTEN@",
                        made.more_loads + made.more_lambdas + loads),
                   splits_));
    finish_products(true);
  }

  void rows_backward() {
    // A warp also holds the sums of its columns.
    if (numel_ > 0 && (kernel_.scale || kernel_.offset) && !twice_ && holds_rows(32))
      return rows_backward_with_sums();
    if (columns_ > 0 && (kernel_.scale || kernel_.offset)) products(true);
    if (numel_ == 0) return;
    int64_t lanes;
    KernelText text = begin_rows(lanes);
    input(text, "mean", "Mean", 1);
    input(text, "variance", "Variance", 2);
    input(text, "dy", "Dy", 3);
    output(text, "dx", "Dx", 0);
    std::string loads;
    const std::string scale =
        row_vector(text, "scale", kernel_.scale, 4, "static_cast<Real>(1)", loads);
    const Streams made = streams(text, true);
    rows_stage("normalize_rows_backward", with(normalize_text::rows_backward, "@SCALE@", scale),
               made, made.reading() + loads, made.writing() + loads, text, lanes);
  }

  const Normalize& kernel_;
  std::span<const Operand> inputs_, outputs_;
  const PlanOptions& options_;
  int64_t numel_ = 0, rows_ = 0, columns_ = 0, pack_ = 1, width_ = 1, splits_ = 1, chunk_ = 1;
  bool twice_ = false;
  int workspace_ = 0;
  KernelPlan plan_;
};

}  // namespace

KernelPlan plan(const Normalize& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options) {
  if (kernel.block != 0)
    throw UnsupportedError(
        "Normalize: channels in blocks are not for CUDA devices. Plan with channel_block() 0.");
  return Planner(kernel, inputs, outputs, options).make();
}

}  // namespace cornu::backend::cuda
