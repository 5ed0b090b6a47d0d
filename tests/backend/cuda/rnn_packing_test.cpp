// Recurrent layers in a library's layouts: the weights that are packed, put into the library's own
// equations, give what the CPU gives.
#include <catch.h>
#include <cornu/backend/cuda/rnn_packing.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../array.h"

namespace rnn_packing_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;
using namespace cornu::backend::cuda::cudnn;

namespace {

constexpr RnnSizes simple{3, 4, 5, 6, 1}, lstm{3, 4, 5, 6, 4}, gru{3, 4, 5, 6, 3};

const RnnSizes& sizes_of(RnnCell cell) {
  return cell == RnnCell::lstm ? lstm : cell == RnnCell::gru ? gru : simple;
}

// Matrices, then biases, as cuDNN has them; or all in another order, with gaps.
RnnPlaces places_of(const Rnn& rnn, const RnnSizes& n, bool dense) {
  RnnPlaces places;
  const int64_t gaps = dense ? 0 : 3;
  for (int64_t i = 0; i < 2 * n.gates; ++i) {
    places.matrices.push_back(places.total);
    places.total += n.units * (i < n.gates ? n.features : n.units) + gaps;
  }
  for (int64_t i = 0; i < 2 * n.gates; ++i) {
    const bool has = rnn.bias && (i < n.gates || rnn.cell == RnnCell::gru);
    places.biases.push_back(has ? places.total : -1);
    if (has) places.total += n.units + gaps;
  }
  if (!dense && n.gates > 1) {
    std::swap(places.matrices[0], places.matrices[2]);
    std::swap(places.matrices[n.gates], places.matrices[n.gates + 1]);
    std::swap(places.biases[0], places.biases[1]);
  }
  return places;
}

Array normal(std::mt19937& random, const Shape& shape) {
  std::normal_distribution<double> distribution(0, 0.7);
  Array array(DType::float64, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, distribution(random));
  return array;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The equations of cuDNN's documentation, one step after the other: y (time, batch, units), h, c.
void walk(const Rnn& rnn, const RnnSizes& n, const RnnPlaces& at, const Array& weights,
          const Array& x, Array& y, Array& h, Array& c) {
  std::vector<double> before = h.values();
  for (int64_t t = 0; t < n.time; ++t) {
    for (int64_t b = 0; b < n.batch; ++b)
      for (int64_t u = 0; u < n.units; ++u) {
        // What x or h adds to a gate.
        const auto added = [&](bool of_h, int64_t gate) {
          const auto place = static_cast<size_t>(gate + (of_h ? n.gates : 0));
          const int64_t columns = of_h ? n.units : n.features;
          double sum = at.biases[place] < 0 ? 0 : weights[at.biases[place] + u];
          for (int64_t i = 0; i < columns; ++i)
            sum += weights[at.matrices[place] + u * columns + i] *
                   (of_h ? before[static_cast<size_t>(b * n.units + i)]
                         : x[(t * n.batch + b) * n.features + i]);
          return sum;
        };
        const auto both = [&](int64_t gate) { return added(false, gate) + added(true, gate); };
        const int64_t place = b * n.units + u;
        double next = 0;
        if (rnn.cell == RnnCell::lstm) {  // i, f, c', o
          c.set(place, sigmoid(both(1)) * c[place] + sigmoid(both(0)) * std::tanh(both(2)));
          next = sigmoid(both(3)) * std::tanh(c[place]);
        } else if (rnn.cell == RnnCell::gru) {  // r, i, h'
          const double i = sigmoid(both(1));
          const double candidate = std::tanh(added(false, 2) + sigmoid(both(0)) * added(true, 2));
          next = (1 - i) * candidate + i * before[static_cast<size_t>(place)];
        } else {
          next = std::tanh(both(0));
        }
        h.set(place, next);
        y.set(t * n.batch * n.units + place, next);
      }
    before = h.values();
  }
}

Array copied(const Copy& copy, Array& from) {
  Array to(from.dtype(), copy.shape);
  run(copy, std::vector<Array*>(copy.parts.size(), &from), {&to});
  return to;
}

void check_close(const Array& found, const Array& wanted) {
  REQUIRE(found.shape() == wanted.shape());
  double worst = 0;
  for (int64_t i = 0; i < found.numel(); ++i) {
    const double difference = std::fabs(found[i] - wanted[i]);
    worst = difference <= worst ? worst : difference;  // NaN counts
  }
  CHECK(worst < 1e-12);
}

}  // namespace

TEST_CASE("a library's recurrent layer on packed weights is that of the CPU") {
  std::mt19937 random(7);
  for (RnnCell cell : {RnnCell::simple, RnnCell::lstm, RnnCell::gru})
    for (bool bias : {true, false})
      for (bool reverse : {true, false})
        for (bool dense : {true, false}) {
          INFO("cell " << static_cast<int>(cell) << " bias " << bias << " reverse " << reverse
                       << " dense " << dense);
          const Rnn rnn{.cell = cell, .bias = bias, .reverse = reverse};
          const RnnSizes& n = sizes_of(cell);
          const int64_t columns = n.gates * n.units;
          Array x = normal(random, {n.batch, n.time, n.features});
          Array kernel = normal(random, {n.features, columns});
          Array recurrent = normal(random, {n.units, columns});
          Array biases = normal(random, cell == RnnCell::gru ? Shape{2, columns} : Shape{columns});
          Array h = normal(random, {n.batch, n.units}), c = normal(random, {n.batch, n.units});
          CHECK(rnn_sizes(cell, x.shape(), kernel.shape()) == n);

          const Shape state{n.batch, n.units};
          const DType real = DType::float64;
          Array y(real, {n.batch, n.time, n.units}), last_h(real, state), last_c(real, state);
          Array gates(real, {n.time, n.batch, columns});
          Array extra(real, {n.time, n.batch, n.units});
          std::vector<Array*> inputs{&x, &kernel, &recurrent}, outputs{&y, &last_h};
          if (bias) inputs.push_back(&biases);
          inputs.push_back(&h);
          if (cell == RnnCell::lstm) {
            inputs.push_back(&c);
            outputs.push_back(&last_c);
          }
          if (cell != RnnCell::simple) outputs.insert(outputs.end(), {&gates, &extra});
          run(rnn, inputs, outputs);

          const RnnPlaces places = places_of(rnn, n, dense);
          const RnnPacking packing = rnn_packing(rnn, n, places);
          CHECK(packing.pack.covers == dense);
          if (dense) CHECK(packing.pack.parts.size() <= (bias ? 8u : 4u));
          Array weights(real, packing.pack.shape);
          Array* const given[] = {&kernel, &recurrent, &biases};
          std::vector<Array*> parts;
          for (int weight : packing.from) parts.push_back(given[weight]);
          run(packing.pack, parts, {&weights});
          Array steps = copied(sequence_to_steps(n.batch, n.time, n.features, reverse), x);
          Array y_steps(real, {n.time, n.batch, n.units});
          walk(rnn, n, places, weights, steps, y_steps, h, c);
          // y stays in the order of the walk.
          check_close(copied(steps_to_sequence(n.batch, n.time, n.units, false), y_steps), y);
          check_close(h, last_h);
          if (cell == RnnCell::lstm) check_close(c, last_c);

          // Gradients take the ways back.
          check_close(copied(steps_to_sequence(n.batch, n.time, n.features, reverse), steps), x);
          for (int weight = 0; weight < (bias ? 3 : 2); ++weight)
            CHECK(copied(packing.unpack[weight], weights) == *given[weight]);
        }
}

}  // namespace rnn_packing_test
