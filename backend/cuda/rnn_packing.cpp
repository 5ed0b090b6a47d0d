// Copies between Keras's layouts of recurrent layers and a library's.
#include "rnn_packing.h"

#include <utility>

namespace cornu::backend::cuda::cudnn {
namespace {

// A box in a weight of Keras's and in the library's array.
struct Box {
  int weight;
  Shape sizes;
  View keras, library;
};

// The place in Keras's order of a library's gate.
int64_t keras_gate(RnnCell cell, int64_t gate) {
  constexpr int64_t gru[] = {1, 0, 2};
  return cell == RnnCell::gru ? gru[gate] : gate;
}

// Neighbors at constant distances as one box, so that fewer kernels are launched: of boxes all of
// the same sizes and strides.
std::vector<Box> joined(const std::vector<Box>& boxes) {
  std::vector<Box> result;
  for (size_t first = 0; first < boxes.size();) {
    size_t count = 1;
    int64_t in_keras = 0, in_library = 0;
    for (; first + count < boxes.size(); ++count) {
      const Box &before = boxes[first + count - 1], &box = boxes[first + count];
      const int64_t keras = box.keras.offset - before.keras.offset;
      const int64_t library = box.library.offset - before.library.offset;
      if (count > 1 && (keras != in_keras || library != in_library)) break;
      in_keras = keras;
      in_library = library;
    }
    Box box = boxes[first];
    box.sizes.insert(0, static_cast<int64_t>(count));
    const auto outer = [](View& view, int64_t stride) {
      InlineVector<int64_t, 6> strides{stride};
      for (int64_t s : view.strides) strides.push_back(s);
      view.strides = strides;
    };
    outer(box.keras, in_keras);
    outer(box.library, in_library);
    result.push_back(std::move(box));
    first += count;
  }
  return result;
}

Copy::Part steps_part(int64_t batch, int64_t time, int64_t n, bool reverse) {
  View sequence{0, {n, time * n, 1}};
  if (reverse) sequence = {(time - 1) * n, {-n, time * n, 1}};
  return {Shape{time, batch, n}, sequence, View{0, {batch * n, n, 1}}};
}

}  // namespace

RnnSizes rnn_sizes(RnnCell cell, const Shape& x, const Shape& kernel) {
  const int64_t gates = cell == RnnCell::lstm ? 4 : cell == RnnCell::gru ? 3 : 1;
  return {x[0], x[1], x[2], kernel[1] / gates, gates};
}

RnnPacking rnn_packing(const Rnn& rnn, const RnnSizes& n, const RnnPlaces& places) {
  const int64_t columns = n.gates * n.units;
  std::vector<Box> boxes;
  const auto add = [&](const std::vector<Box>& list) {
    for (Box& box : joined(list)) boxes.push_back(std::move(box));
  };
  for (int weight = 0; weight < 2; ++weight) {  // of x, then of h
    const int64_t rows = weight == 0 ? n.features : n.units;
    std::vector<Box> matrices, vectors;
    for (int64_t gate = 0; gate < n.gates; ++gate) {
      const auto place = static_cast<size_t>(weight * n.gates + gate);
      const int64_t column = keras_gate(rnn.cell, gate) * n.units;
      matrices.push_back({weight, Shape{n.units, rows}, View{column, {1, columns}},
                          View{places.matrices[place], {rows, 1}}});
      if (rnn.bias && places.biases[place] >= 0)
        vectors.push_back({2, Shape{n.units}, View{weight * columns + column, {1}},
                           View{places.biases[place], {1}}});
    }
    add(matrices);
    add(vectors);
  }
  RnnPacking packing;
  packing.pack.shape = {places.total};
  int64_t written = 0;
  const Shape shapes[] = {{n.features, columns},
                          {n.units, columns},
                          rnn.cell == RnnCell::gru ? Shape{2, columns} : Shape{columns}};
  for (int weight = 0; weight < 3; ++weight) packing.unpack[weight].shape = shapes[weight];
  for (const Box& box : boxes) {
    packing.pack.parts.push_back({box.sizes, box.keras, box.library});
    packing.from.push_back(box.weight);
    packing.unpack[box.weight].parts.push_back({box.sizes, box.library, box.keras});
    written += box.sizes.numel();
  }
  packing.pack.covers = written == places.total;
  return packing;
}

Copy sequence_to_steps(int64_t batch, int64_t time, int64_t n, bool reverse) {
  Copy copy;
  copy.parts.push_back(steps_part(batch, time, n, reverse));
  copy.shape = {time, batch, n};
  return copy;
}

Copy steps_to_sequence(int64_t batch, int64_t time, int64_t n, bool reverse) {
  Copy copy;
  Copy::Part part = steps_part(batch, time, n, reverse);
  std::swap(part.from, part.to);
  copy.parts.push_back(part);
  copy.shape = {batch, time, n};
  return copy;
}

}  // namespace cornu::backend::cuda::cudnn
