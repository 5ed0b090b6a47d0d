// The plans of Fourier transforms.
#include "fft_plan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <list>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

#include "error.h"

namespace cornu::backend::fourier {
namespace {

using Numbers = std::vector<double>;
using Complex = std::complex<double>;

struct Choice {
  double cost;  // multiplications of a product for one row, other work in their terms
  Way way;
  int64_t a = 0;  // of a split
};

int64_t chirp_size(int64_t n) {
  int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  return size;
}

/// The cheapest ways, by what was measured on CPUs: all steps but products are bound by memory.
class Planner {
 public:
  const Choice& choose(const Problem& p) {
    if (const auto known = known_.find(p); known != known_.end()) return known->second;
    constexpr double pass = 30;  // reading and writing an element
    // A matrix of roots is read in each run; a larger one would not stay in the cache.
    constexpr double most_numbers = 1 << 20;
    const double n = static_cast<double>(p.n), parts = static_cast<double>(p.parts());
    const double matrix = 2 * parts * n * static_cast<double>(p.bins);
    const Choice direct{matrix + (parts - 1) * 2 * pass * n, Way::direct};
    // One product of a few columns leaves little to gain.
    if (p.n < 4 || (p.real && p.n <= 256)) return known_.emplace(p, direct).first->second;
    Choice best{std::numeric_limits<double>::infinity(), Way::chirp};
    if (matrix <= most_numbers) best = direct;
    // Any factor will do: the matrix products of large factors are what CPUs and GPUs do best.
    for (int64_t a = 2; a <= std::min<int64_t>(p.n / 2, 512); ++a) {
      if (p.n % a != 0) continue;
      const double size = static_cast<double>(a), rest = n / size;
      const double cost = 2 * parts * n * size + 2 * parts * pass * n * (1 + 4 / rest + 4 / size) +
                          size * choose(p.after(a)).cost;
      if (cost < best.cost) best = {cost, Way::split, a};
    }
    // The chirp's own transforms, of powers of two, never need another.
    if ((p.n & (p.n - 1)) != 0 && p.n > 64) {
      const int64_t size = chirp_size(p.n);
      const double cost =
          2 * choose({size, size, false}).cost + 10 * pass * static_cast<double>(size);
      if (cost < best.cost) best = {cost, Way::chirp};
    }
    return known_.emplace(p, best).first->second;
  }

 private:
  std::map<Problem, Choice> known_;
};

/// exp(sign 2 pi i k / n) for k < n.
std::vector<Complex> roots(int64_t n, int sign) {
  std::vector<Complex> all(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k)
    all[static_cast<size_t>(k)] = std::polar(
        1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  return all;
}

/// The transform of 2^k numbers, by halves.
void power_of_two_fft(std::vector<Complex>& x) {
  const size_t n = x.size();
  if (n == 1) return;
  std::vector<Complex> even, odd;
  for (size_t i = 0; i < n; i += 2) {
    even.push_back(x[i]);
    odd.push_back(x[i + 1]);
  }
  power_of_two_fft(even);
  power_of_two_fft(odd);
  const std::vector<Complex> w = roots(static_cast<int64_t>(n), -1);
  for (size_t k = 0; k < n / 2; ++k) {
    x[k] = even[k] + w[k] * odd[k];
    x[k + n / 2] = even[k] - w[k] * odd[k];
  }
}

class Builder {
 public:
  Builder(DType dtype) : dtype_(dtype) {}

  std::shared_ptr<const Transform> build(const Problem& p, int sign) {
    auto made = std::make_shared<Transform>();
    Transform& t = *made;
    const Choice choice = planner_.choose(p);
    t.problem = p;
    t.way = choice.way;
    if (t.way == Way::direct) {
      t.re = matrix(t, p.n, p.bins, p.real, sign, false);
      t.im = matrix(t, p.n, p.bins, p.real, sign, true);
    } else if (t.way == Way::split) {
      split(t, choice.a, sign);
    } else {
      chirp(t, sign);
    }
    return made;
  }

 private:
  void split(Transform& t, int64_t a, int sign) {
    const Problem& p = t.problem;
    t.a = a;
    t.b = p.n / a;
    const Problem rest = p.after(a);
    const bool direct = planner_.choose(rest).way == Way::direct;
    t.re = rows(t, a, p.real, sign, false);
    t.im = rows(t, a, p.real, sign, true);
    const std::vector<Complex> w = roots(p.n, sign);
    Numbers from_re, from_im;
    for (int64_t k = 0; k < a; ++k)
      for (const bool to_imaginary : {false, true})
        for (int64_t j = 0; j < t.b && (direct || !to_imaginary); ++j) {
          const Complex& root = w[static_cast<size_t>(j * k)];
          from_re.push_back(element(root, false, to_imaginary));
          from_im.push_back(direct ? element(root, true, to_imaginary) : root.imag());
        }
    const Shape shape = direct ? Shape{a, 2, t.b} : Shape{a, t.b};
    t.between_re = constant(t, shape, from_re);
    t.between_im = constant(t, shape, from_im);
    if (!direct) {
      t.inner = build(rest, sign);
      t.bytes += t.inner->bytes;
      return;
    }
    const std::vector<Complex> v = roots(t.b, sign);
    Numbers both;
    for (const bool imaginary : {false, true})
      for (int64_t j = 0; j < t.b; ++j)
        for (const bool to_imaginary : {false, true})
          for (int64_t k = 0; k < rest.bins; ++k)
            both.push_back(element(v[static_cast<size_t>(j * k % t.b)], imaginary, to_imaginary));
    t.second = constant(t, {2 * t.b, 2 * rest.bins}, both);
  }

  void chirp(Transform& t, int sign) {
    const int64_t n = t.problem.n, size = chirp_size(n);
    const std::vector<Complex> w = roots(2 * n, sign);
    Numbers re, im;
    std::vector<Complex> mirrored(static_cast<size_t>(size));
    for (int64_t j = 0; j < n; ++j) {
      // j^2 modulo 2n in integers: the angle itself would lose its digits for large j.
      const Complex value = w[static_cast<size_t>(j * j % (2 * n))];
      re.push_back(value.real());
      im.push_back(value.imag());
      mirrored[static_cast<size_t>(j)] = mirrored[static_cast<size_t>((size - j) % size)] =
          std::conj(value) / static_cast<double>(size);
    }
    power_of_two_fft(mirrored);
    t.re = constant(t, {n}, re);
    t.im = constant(t, {n}, im);
    re.clear();
    im.clear();
    for (const Complex& value : mirrored) {
      re.push_back(value.real());
      im.push_back(value.imag());
    }
    t.between_re = constant(t, {size}, re);
    t.between_im = constant(t, {size}, im);
    t.inner = build({size, size, false}, -1);
    t.inverse = build({size, t.problem.bins, false}, 1);
    t.bytes += t.inner->bytes + t.inverse->bytes;
  }

  /// What a part of an input adds to a part of its product with a root.
  static double element(const Complex& root, bool imaginary, bool to_imaginary) {
    if (imaginary == to_imaginary) return root.real();
    return imaginary ? -root.imag() : root.imag();
  }

  /// (parts n, bins)
  Constant matrix(Transform& t, int64_t n, int64_t bins, bool real, int sign, bool to_imaginary) {
    const std::vector<Complex> w = roots(n, sign);
    Numbers numbers;
    for (const bool imaginary : {false, true}) {
      if (real && imaginary) break;
      for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < bins; ++k)
          numbers.push_back(element(w[static_cast<size_t>(j * k % n)], imaginary, to_imaginary));
    }
    return constant(t, {(real ? 1 : 2) * n, bins}, numbers);
  }
  /// (n, parts n)
  Constant rows(Transform& t, int64_t n, bool real, int sign, bool to_imaginary) {
    const std::vector<Complex> w = roots(n, sign);
    Numbers numbers;
    for (int64_t k = 0; k < n; ++k)
      for (const bool imaginary : {false, true})
        for (int64_t j = 0; j < n && !(real && imaginary); ++j)
          numbers.push_back(element(w[static_cast<size_t>(j * k % n)], imaginary, to_imaginary));
    return constant(t, {n, (real ? 1 : 2) * n}, numbers);
  }

  Constant constant(Transform& t, const Shape& shape, const Numbers& numbers) {
    const size_t bytes = (numbers.size() * size_of(dtype_) + 63) / 64 * 64;
    const std::shared_ptr<void> data(std::aligned_alloc(64, bytes), std::free);
    if (!data)
      throw MemoryError("Fft: there is no memory for the roots of unity; choose a smaller size.");
    if (dtype_ == DType::float64)
      std::copy(numbers.begin(), numbers.end(), static_cast<double*>(data.get()));
    else
      std::transform(numbers.begin(), numbers.end(), static_cast<float*>(data.get()),
                     [](double number) { return static_cast<float>(number); });
    t.bytes += bytes;
    return {shape, dtype_, data};
  }

  DType dtype_;
  Planner planner_;
};

/// The last few, for all threads.
class Transforms {
 public:
  std::shared_ptr<const Transform> get(const Problem& problem, bool inverse, DType dtype) {
    const Key key{problem, inverse, dtype};
    // Held while it is built, so that two threads do not build the same one.
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.first == key; });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);
      return found->second;
    }
    entries_.emplace_front(key, Builder(dtype).build(problem, inverse ? 1 : -1));
    bytes_ += entries_.front().second->bytes;
    while (entries_.size() > 1 && (bytes_ > most_bytes || entries_.size() > most_entries)) {
      bytes_ -= entries_.back().second->bytes;
      entries_.pop_back();
    }
    return entries_.front().second;
  }

 private:
  static constexpr size_t most_bytes = size_t{32} << 20, most_entries = 32;
  using Key = std::tuple<Problem, bool, DType>;
  using Entry = std::pair<Key, std::shared_ptr<const Transform>>;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the one used last first
  size_t bytes_ = 0;
};

}  // namespace

std::shared_ptr<const Transform> transform(const Problem& problem, bool inverse, DType dtype) {
  static Transforms& all = *new Transforms;  // threads may outlive static variables
  // Shared: building a transform costs far more than looking it up.
  return all.get(problem, inverse, dtype);
}

}  // namespace cornu::backend::fourier
