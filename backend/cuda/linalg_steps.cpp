// The steps of each decomposition. A row-major matrix is its transpose to the library, which suits
// symmetric matrices and systems; others are turned before and after.
#include "linalg_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "../composer.h"

namespace cornu::backend::cuda {
namespace {

/// An operand of the kernel, or a place in scratch memory.
struct Array {
  Shape shape;
  DType dtype = DType::float32;
  int operand = -1;
  size_t offset = 0;

  Array as(const Shape& other) const { return {other, dtype, operand, offset}; }
};

/// Scratch memory of one run. Work that still reads it may have been begun but not done.
class Block {
 public:
  Block(Allocator& allocator, size_t bytes)
      : allocator_(allocator), bytes_(bytes), data_(bytes ? allocator.allocate(bytes) : nullptr) {}
  ~Block() {
    if (data_ != nullptr) allocator_.deallocate(data_, bytes_);
  }
  Block(const Block&) = delete;
  void* at(size_t offset) const { return static_cast<char*>(data_) + offset; }

 private:
  Allocator& allocator_;
  size_t bytes_;
  void* data_;
};

/// Kernels and calls in order. The last has to be a kernel when there is scratch memory: the device
/// counts kernels to know when memory is free.
class Steps final : public Executable {
 public:
  explicit Steps(Context& context) : context_(context) {}

  Array scratch(const Shape& shape, DType dtype) {
    const Array array{shape, dtype, -1, bytes_};
    bytes_ += padded(static_cast<size_t>(shape.numel()) * size_of(dtype));
    return array;
  }

  void kernel(const Kernel& kernel, const std::vector<Array>& inputs,
              const std::vector<Array>& outputs) {
    std::vector<Operand> operands;
    for (const auto* list : {&inputs, &outputs})
      for (const Array& array : *list) operands.push_back({&array.shape, array.dtype, nullptr});
    const std::span<const Operand> all(operands);
    Step& step = steps_.emplace_back();
    step.kernel = context_.prepare(kernel, all.first(inputs.size()), all.subspan(inputs.size()));
    for (const auto* list : {&inputs, &outputs})
      for (const Array& array : *list) step.places.push_back({array.operand, array.offset, 0});
  }

  /// For each part of the arrays' first axis.
  void call(MatrixWork work, const std::vector<Array>& arrays) {
    Step& step = steps_.emplace_back();
    step.call = std::move(work.run);
    step.count = arrays[0].shape[0];
    for (const Array& array : arrays)
      step.places.push_back(
          {array.operand, array.offset,
           static_cast<size_t>(array.shape.slice(1).numel()) * size_of(array.dtype)});
    workspace_ = std::max(workspace_, work.workspace);
  }

  void run(void* const* data) override {
    const Block block(context_.allocator(), bytes_ + workspace_);
    std::vector<void*> addresses;
    for (const Step& step : steps_) {
      addresses.clear();
      for (const Place& place : step.places)
        addresses.push_back(place.operand >= 0 ? data[place.operand] : block.at(place.offset));
      if (step.kernel) step.kernel->run(addresses.data());
      for (int64_t i = 0; i < step.count; ++i) {
        step.call(addresses.data(), workspace_ ? block.at(bytes_) : nullptr);
        for (size_t k = 0; k < addresses.size(); ++k)
          addresses[k] = static_cast<char*>(addresses[k]) + step.places[k].stride;
      }
    }
  }

 private:
  struct Place {
    int operand;
    size_t offset, stride;
  };
  struct Step {
    std::unique_ptr<Executable> kernel;
    std::function<void(void* const*, void*)> call;
    int64_t count = 0;  // of calls
    std::vector<Place> places;
  };

  static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

  Context& context_;
  std::vector<Step> steps_;
  size_t bytes_ = 0, workspace_ = 0;
};

ProgramRef program(int inputs, Expr (*f)(const std::vector<Expr>&)) {
  return Program::make(inputs, [f](std::vector<Expr> x) { return std::vector<Expr>{f(x)}; });
}

/// Writes the steps of one kernel.
class Writer {
 public:
  Writer(const Linalg& kernel, std::span<const Operand> inputs, std::span<const Operand> outputs,
         Context& context, const MatrixLibrary& library)
      : kernel_(kernel),
        dtype_(inputs[0].dtype),
        batch_(inputs[0].shape->slice(0, inputs[0].shape->rank() - 2).numel()),
        library_(library),
        steps_(std::make_unique<Steps>(context)) {
    int number = 0;
    for (const auto& list : {inputs, outputs})
      for (const Operand& operand : list) {
        // All batch axes as one.
        const int batch_axes = inputs[0].shape->rank() - 2;
        Shape shape = operand.shape->slice(batch_axes);
        shape.insert(0, batch_);
        operands_.push_back({shape, operand.dtype, number++, 0});
      }
    m_ = operands_[0].shape[1];
    n_ = operands_[0].shape[2];
    results_ = operands_.data() + inputs.size();
    if (kernel.op != LinalgOp::solve_triangular) info_ = steps_->scratch({batch_}, DType::int32);
  }

  std::unique_ptr<Executable> write() {
    switch (kernel_.op) {
      case LinalgOp::cholesky:
        cholesky();
        break;
      case LinalgOp::lu:
        lu();
        break;
      case LinalgOp::qr:
        qr();
        break;
      case LinalgOp::eigh:
        eigh();
        break;
      case LinalgOp::svd:
        svd();
        break;
      case LinalgOp::solve:
        solve();
        break;
      case LinalgOp::solve_triangular:
        solve_triangular();
        break;
    }
    return std::move(steps_);
  }

 private:
  const Array& a() const { return operands_[0]; }

  Array matrices(int64_t rows, int64_t columns) {
    return steps_->scratch({batch_, rows, columns}, dtype_);
  }
  void fused(const ProgramRef& program, const std::vector<Array>& inputs, const Array& output) {
    steps_->kernel(Fused{program, dtype_}, inputs, {output});
  }
  /// Copies the transposed matrices; zeros where `to` has more rows than `from` has columns.
  void turn(const Array& from, const Array& to) {
    const int64_t rows = std::min(to.shape[1], from.shape[2]);
    const Copy::Part part = part_of({batch_, rows, to.shape[2]}, from.shape, {0, 2, 1}, to.shape);
    steps_->kernel(Copy{{part}, to.shape, 0, rows == to.shape[1]}, {from}, {to});
  }
  void call(MatrixRoutine routine, int64_t rows, int64_t columns, int64_t count,
            const std::vector<Array>& arrays) {
    steps_->call(library_({routine, dtype_, rows, columns, count, kernel_.complete, kernel_.lower}),
                 arrays);
  }

  /// 1, 2, ... up to n.
  Array counts(int64_t n) {
    const Array all = steps_->scratch({n}, DType::int32);
    const Array ones = steps_->scratch({n}, DType::int32);
    steps_->kernel(Copy{{}, Shape{n}, 1, false}, {}, {ones});
    steps_->kernel(Cumulative{}, {ones}, {all});
    return all;
  }
  /// Zeros above or below the diagonal.
  void cut(const Array& from, bool above, const Array& to) {
    static const ProgramRef lower =
        program(3, [](const auto& x) { return expr::select(x[2] <= x[1], x[0], 0.0); });
    static const ProgramRef upper =
        program(3, [](const auto& x) { return expr::select(x[2] >= x[1], x[0], 0.0); });
    const int64_t rows = to.shape[1], columns = to.shape[2];
    if (counts_.shape.empty()) counts_ = counts(std::max(rows, columns));
    fused(above ? lower : upper, {from, counts_.as({rows, 1}), counts_.as({columns})}, to);
  }

  /// By matrix: NaN if it has one, else 0. The matrix itself is 0 then.
  Array take_nan(const Array& x) {
    static const ProgramRef nan =
        program(1, [](const auto& x) { return expr::select(expr::isnan(x[0]), x[0], 0.0); });
    static const ProgramRef clean =
        program(2, [](const auto& x) { return expr::select(expr::isnan(x[1]), 0.0, x[0]); });
    const Array found = steps_->scratch({batch_}, dtype_);
    steps_->kernel(Reduce{nan, dtype_, ReduceOp::sum, {1, 2}, x.shape}, {x}, {found});
    fused(clean, {x, found.as({batch_, 1, 1})}, x);
    return found;
  }
  /// NaN for the matrices too of which the last routine found nothing.
  void add_info(const Array& nan) {
    static const ProgramRef program_ =
        program(2, [](const auto& x) { return x[0] + expr::sqrt(-expr::absolute(x[1])); });
    fused(program_, {nan, info_}, nan);
  }
  void add(const Array& x, const Array& nan) {
    Shape shape{batch_};
    while (shape.rank() < x.shape.rank()) shape.push_back(1);
    fused(program_of(Opcode::add), {x, nan.as(shape)}, x);
  }

  void cholesky() {
    const Array& l = results_[0];
    cut(a(), true, l);
    const Array nan = take_nan(l);
    call(MatrixRoutine::potrf, n_, n_, 0, {l, info_});
    add_info(nan);
    cut(l, true, l);
    add(l, nan);
  }

  void lu() {
    const int64_t k = std::min(m_, n_);
    const Array turned = matrices(n_, m_), pivots = steps_->scratch({batch_, k}, DType::int64);
    turn(a(), turned);
    const Array nan = take_nan(turned);
    call(MatrixRoutine::getrf, m_, n_, 0, {turned, pivots, info_});
    turn(turned, results_[0]);
    add(results_[0], nan);
    // Of zeros no rows are exchanged, as of matrices with a NaN.
    static const ProgramRef from_0 = program(1, [](const auto& x) { return x[0] - 1.0; });
    steps_->kernel(Fused{from_0, DType::int64}, {pivots}, {results_[1]});
  }

  void qr() {
    const Array &q = results_[0], &r = results_[1];
    const int64_t reflections = std::min(m_, n_), k = q.shape[2];
    const Array turned = matrices(std::max(n_, k), m_);
    const Array factors = steps_->scratch({batch_, reflections}, dtype_);
    turn(a(), turned);
    const Array nan = take_nan(turned);
    call(MatrixRoutine::geqrf, m_, n_, 0, {turned, factors, info_});
    corner(turned, r);
    cut(r, false, r);
    call(MatrixRoutine::orgqr, m_, k, reflections, {turned, factors, info_});
    corner(turned, q);
    add(r, nan);
    add(q, nan);
  }
  /// The first rows and columns of the transposed matrices.
  void corner(const Array& from, const Array& to) {
    steps_->kernel(Copy{{part_of(to.shape, from.shape, {0, 2, 1}, to.shape)}, to.shape}, {from},
                   {to});
  }

  void eigh() {
    const Array &values = results_[0], &vectors = results_[1];
    static const ProgramRef middle = program(2, [](const auto& x) { return (x[0] + x[1]) * 0.5; });
    const Array symmetric = matrices(n_, n_);
    turn(a(), symmetric);
    fused(middle, {a(), symmetric}, symmetric);
    const Array nan = take_nan(symmetric);
    call(MatrixRoutine::syevd, n_, n_, 0, {symmetric, values, info_});
    turn(symmetric, vectors);
    add_info(nan);
    add(values, nan);
    add(vectors, nan);
  }

  void svd() {
    const Array &u = results_[0], &s = results_[1], &vt = results_[2];
    const bool tall = m_ > n_;
    // A wide matrix as it lies is the transpose, of which u and v change their places.
    const Array given = tall ? matrices(n_, m_) : matrices(m_, n_);
    if (tall)
      turn(a(), given);
    else
      fused(program_of(Opcode::identity), {a()}, given);
    const Array nan = take_nan(given);
    const Array left = tall ? matrices(u.shape[2], m_) : vt;
    const Array right = tall ? matrices(n_, n_) : u;
    call(MatrixRoutine::gesvd, std::max(m_, n_), std::min(m_, n_), 0,
         {given, s, left, right, info_});
    if (tall) {
      turn(left, u);
      turn(right, vt);
    }
    add_info(nan);
    for (const Array* result : {&u, &s, &vt}) add(*result, nan);
  }

  void solve() {
    const Array& b = operands_[1];
    const Array factors = matrices(n_, n_), turned = matrices(b.shape[2], n_);
    const Array pivots = steps_->scratch({batch_, n_}, DType::int64);
    fused(program_of(Opcode::identity), {a()}, factors);
    turn(b, turned);
    const Array nan = take_nan(factors), nan_of_b = take_nan(turned);
    call(MatrixRoutine::getrf, n_, n_, 0, {factors, pivots, info_});
    // To the library the matrix is transposed, and it solves for the transpose of that.
    call(MatrixRoutine::getrs, n_, n_, b.shape[2], {factors, pivots, turned, info_});
    turn(turned, results_[0]);
    add(results_[0], nan);
    add(results_[0], nan_of_b);
  }

  void solve_triangular() {
    const Array& y = results_[0];
    fused(program_of(Opcode::identity), {operands_[1]}, y);
    // y' a' = b', where b' and a' are what the library sees of b and a.
    call(MatrixRoutine::trsm, n_, n_, y.shape[2], {a(), y});
  }

  const Linalg kernel_;
  const DType dtype_;
  const int64_t batch_;
  int64_t m_ = 0, n_ = 0;
  const MatrixLibrary& library_;
  std::unique_ptr<Steps> steps_;
  std::vector<Array> operands_;
  const Array* results_ = nullptr;
  Array info_, counts_;
};

}  // namespace

std::unique_ptr<Executable> linalg_steps(const Linalg& kernel, std::span<const Operand> inputs,
                                         std::span<const Operand> outputs, Context& context,
                                         const MatrixLibrary& library) {
  return Writer(kernel, inputs, outputs, context, library).write();
}

}  // namespace cornu::backend::cuda
