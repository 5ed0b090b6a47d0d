// Fourier transforms by cuFFT: plans, scratch memory, and the copies around them.
#include "cufft_transform.h"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "../error.h"
#include "bounded_cache.h"
#include "fallback.h"
#include "library_search.h"

namespace cornu::backend::cuda {
namespace {

// Values of cufft.h.
constexpr int success = 0;
constexpr const char* by_roots = "a sequence of products with roots of unity";
constexpr int forward = -1, inverse = 1;
constexpr int type_c2c = 0x29, type_z2z = 0x69, type_r2c = 0x2a, type_d2z = 0x6a;

Cufft open() {
  const Library library = Library::open("cufft", {12, 11});
  const auto get = [&]<class F>(F& to, const char* name) {
    to = library.function<std::remove_pointer_t<F>>(name);
  };
  Cufft f;
  get(f.version, "cufftGetVersion");
  get(f.create, "cufftCreate");
  get(f.destroy, "cufftDestroy");
  get(f.set_stream, "cufftSetStream");
  get(f.set_auto_allocation, "cufftSetAutoAllocation");
  get(f.set_work_area, "cufftSetWorkArea");
  get(f.make_plan, "cufftMakePlanMany64");
  get(f.c2c, "cufftExecC2C");
  get(f.z2z, "cufftExecZ2Z");
  get(f.r2c, "cufftExecR2C");
  get(f.d2z, "cufftExecD2Z");
  return f;
}

void check(int result, const char* what) {
  if (result == success) return;
  throw StateError(std::string(what) + ": expected success, found cufftResult " +
                   std::to_string(result) +
                   ". Check that the driver is as new as cuFFT, or hide cuFFT from the program.");
}

/// A transform of `rows` rows of n dense numbers, one after the other.
class Plan {
 public:
  /// `work` is what it wants of scratch memory. Without success it is not `ready`.
  Plan(const Cufft& library, int type, long long n, long long rows, long long terms,
       CUstream_st* stream)
      : library_(library), type_(type) {
    made_ = library.create(&handle_) == success;
    long long size = n, in = n, out = terms;
    ready_ = made_ && library.set_auto_allocation(handle_, 0) == success &&
             library.make_plan(handle_, 1, &size, &in, 1, n, &out, 1, terms, type, rows, &work_) ==
                 success &&
             library.set_stream(handle_, stream) == success;
  }
  Plan(const Plan&) = delete;
  ~Plan() {
    if (made_) library_.destroy(handle_);
  }

  bool ready() const { return ready_; }
  size_t work() const { return work_; }

  void run(void* from, void* to, int direction, void* work) const {
    check(library_.set_work_area(handle_, work), "cufftSetWorkArea");
    switch (type_) {
      case type_c2c:
        return check(library_.c2c(handle_, from, to, direction), "cufftExecC2C");
      case type_z2z:
        return check(library_.z2z(handle_, from, to, direction), "cufftExecZ2Z");
      case type_r2c:
        return check(library_.r2c(handle_, from, to), "cufftExecR2C");
      default:
        return check(library_.d2z(handle_, from, to), "cufftExecD2Z");
    }
  }

 private:
  const Cufft& library_;
  int type_;
  int handle_ = 0;
  bool made_ = false, ready_ = false;
  size_t work_ = 0;
};
using PlanRef = std::shared_ptr<const Plan>;

/// What is kept for a device.
struct Plans {
  explicit Plans(Context&) {}
  BoundedCache<PlanRef> plans{256};
};

constexpr size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Elements (row, i) of a dense array (rows, count), and the parts of complex numbers (rows,
/// terms).
View dense(int64_t count) { return {0, {count, 1}}; }
View part(int64_t terms, int imaginary) { return {imaginary, {2 * terms, 2}}; }

class CufftTransform final : public Executable {
 public:
  CufftTransform(bool real_rows, bool backwards, std::span<const Operand> inputs,
                 std::span<const Operand> outputs, int64_t terms, PlanRef plan, Context& context)
      : context_(context),
        plan_(std::move(plan)),
        direction_(backwards ? inverse : forward),
        inputs_(inputs.size()) {
    const DType dtype = inputs[0].dtype;
    const int64_t n = inputs[0].shape->back(), rows = inputs[0].shape->numel() / n;
    const int64_t bins = outputs[0].shape->back();
    const Shape wide({rows, terms, 2}), given({rows, n}), kept({rows, bins});
    const Operand complex{&wide, dtype, nullptr}, row{&given, dtype, nullptr},
        result{&kept, dtype, nullptr};
    if (!real_rows) {
      Copy copy{{}, wide, 0, inputs.size() == 2};
      for (int i = 0; i < static_cast<int>(inputs.size()); ++i)
        copy.parts.push_back({given, dense(n), part(n, i)});
      const std::vector<Operand> from(inputs.size(), row);
      interleave_ = context.prepare(copy, from, {&complex, 1});
    }
    for (int i = 0; i < 2; ++i)
      parts_[i] = context.prepare(Copy{{{kept, part(terms, i), dense(bins)}}, kept}, {&complex, 1},
                                  {&result, 1});
    work_offset_ = aligned(static_cast<size_t>(wide.numel()) * size_of(dtype));
  }

  void run(void* const* data) override {
    // The copies take no scratch memory, so it stays this kernel's.
    char* const complex = static_cast<char*>(context_.workspace(work_offset_ + plan_->work()));
    void* from = data[0];
    if (interleave_) {
      void* const addresses[] = {data[0], inputs_ == 2 ? data[1] : complex, complex};
      interleave_->run(addresses);
      from = complex;
    }
    plan_->run(from, complex, direction_, complex + work_offset_);
    for (size_t i = 0; i < 2; ++i) {
      void* const addresses[] = {complex, data[inputs_ + i]};
      parts_[i]->run(addresses);
    }
  }

 private:
  Context& context_;
  PlanRef plan_;
  int direction_;
  size_t inputs_;
  std::unique_ptr<Executable> interleave_, parts_[2];
  size_t work_offset_ = 0;
};

}  // namespace

const Cufft& Cufft::get() {
  static const Cufft opened = open();
  return opened;
}

std::string cufft_version(std::string* why) {
  try {
    int v = 0;
    check(Cufft::get().version(&v), "cufftGetVersion");
    return std::to_string(v / 1000) + "." + std::to_string(v / 100 % 10) + "." +
           std::to_string(v % 100);
  } catch (const Error& error) {
    if (why != nullptr) *why = error.what();
    return "";
  }
}

std::unique_ptr<Executable> cufft_transform(const Fft& fft, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs, Context& context,
                                            const Cufft& library) {
  const DType dtype = inputs[0].dtype;
  if (dtype != DType::float32 && dtype != DType::float64) return nullptr;
  for (const auto& list : {inputs, outputs})
    for (const Operand& operand : list)
      if (operand.dtype != dtype || operand.shape->numel() == 0) return nullptr;
  const int64_t n = inputs[0].shape->back(), rows = inputs[0].shape->numel() / n;
  const bool single = dtype == DType::float32;
  // Of real rows the library gives the first half.
  const bool real_rows =
      inputs.size() == 1 && !fft.inverse && outputs[0].shape->back() <= n / 2 + 1;
  const int64_t terms = real_rows ? n / 2 + 1 : n;
  const int type = real_rows ? (single ? type_r2c : type_d2z) : single ? type_c2c : type_z2z;
  const std::string key =
      std::to_string(type) + " " + std::to_string(n) + " " + std::to_string(rows);
  const PlanRef plan = context.part<Plans>().plans.get(key, [&] {
    return std::make_shared<const Plan>(library, type, n, rows, terms, context.stream());
  });
  if (!plan->ready()) {
    tell_fallback(fft, inputs, outputs, "cuFFT",
                  fmt::format("It has no plan for {} transforms of {} numbers.", rows, n),
                  by_roots);
    return nullptr;
  }
  auto executable = std::make_unique<CufftTransform>(real_rows, fft.inverse, inputs, outputs, terms,
                                                     plan, context);
  context.set_path("cuFFT");
  return executable;
}

std::unique_ptr<Executable> cufft_transform(const Fft& fft, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs, Context& context) {
  try {
    return cufft_transform(fft, inputs, outputs, context, Cufft::get());
  } catch (const UnsupportedError& error) {
    tell_fallback(fft, inputs, outputs, "cuFFT", error.what(), by_roots);
    return nullptr;
  }
}

}  // namespace cornu::backend::cuda
