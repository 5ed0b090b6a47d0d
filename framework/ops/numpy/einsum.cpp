// Einstein sums as transposes, one matrix product for each pair of operands, and sums.
#include "einsum.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../catalog.h"
#include "../core/cast.h"
#include "../operators.h"
#include "creation.h"
#include "indexing.h"
#include "manipulation.h"
#include "matrices.h"
#include "products.h"
#include "reduction.h"

namespace cornu::ops {
namespace {

// The axes of an operand, named: letters by themselves, those of "..." by negative numbers counted
// from its end, so that they meet as broadcasting has it.
using Labels = std::vector<int>;

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int64_t place(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Named {
  Tensor tensor;
  Labels labels;
  int64_t size(int label) const {
    return has(labels, label) ? tensor.shape()[static_cast<int>(place(labels, label))] : 1;
  }
};

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
};

// One operand's letters, with those of "..." for what its rank leaves; -1 where it is not known.
Labels read_labels(const std::string& text, int dots, const std::string& whole) {
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      labels.push_back(text[i]);
    } else if (text.compare(i, 3, "...") == 0) {
      for (int k = dots; k > 0; --k) labels.push_back(-k);
      i += 2;
    } else {
      throw ValueError(fmt::format(
          "einsum: '{}' in the subscripts '{}' is neither a letter nor '...'.", text[i], whole));
    }
  }
  return labels;
}

int count_letters(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(),
                                        [](unsigned char c) { return std::isalpha(c) != 0; }));
}

Equation read_equation(const std::string& subscripts, const std::vector<Tensor>& operands) {
  std::string text;
  for (char c : subscripts)
    if (c != ' ') text += c;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> parts(1);
  for (char c : left) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != operands.size())
    throw ValueError(fmt::format("einsum: the subscripts '{}' are for {} operands, found {}.",
                                 subscripts, parts.size(), operands.size()));
  Equation equation;
  int most_dots = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool elided = parts[i].find("...") != std::string::npos;
    const int dots = operands[i].rank() - count_letters(parts[i]);
    if (dots < 0 || (dots > 0 && !elided))
      throw ShapeError(fmt::format("einsum: '{}' of the subscripts '{}' does not fit shape {}.",
                                   parts[i], subscripts, operands[i].shape().str()));
    equation.inputs.push_back(read_labels(parts[i], elided ? dots : 0, subscripts));
    if (elided) most_dots = std::max(most_dots, dots);
  }
  if (arrow != std::string::npos) {
    equation.output = read_labels(text.substr(arrow + 2), most_dots, subscripts);
  } else {
    Labels all;
    for (const Labels& labels : equation.inputs) all = all + labels;
    for (int k = most_dots; k > 0; --k) equation.output.push_back(-k);
    for (int c = 'A'; c <= 'z'; ++c)
      if (std::count(all.begin(), all.end(), c) == 1) equation.output.push_back(c);
  }
  for (int label : equation.output) {
    const auto in = [&](const Labels& labels) { return has(labels, label); };
    if (std::none_of(equation.inputs.begin(), equation.inputs.end(), in) ||
        std::count(equation.output.begin(), equation.output.end(), label) > 1)
      throw ValueError(fmt::format(
          "einsum: the result of '{}' must have letters of the operands, each once.", subscripts));
  }
  return equation;
}

// The diagonals that repeated labels ask for.
Named take_diagonals(Named x) {
  for (size_t i = 0; i < x.labels.size(); ++i)
    for (size_t j = x.labels.size() - 1; j > i; --j) {
      if (x.labels[i] != x.labels[j]) continue;
      const Shape shape = x.tensor.shape();
      const int first = static_cast<int>(i), second = static_cast<int>(j);
      if (shape[first] != shape[second])
        throw ShapeError(
            fmt::format("einsum: the axes of one letter differ in shape {}.", shape.str()));
      Shape ones = std::vector<int64_t>(x.labels.size(), 1);
      ones[first] = ones[second] = shape[first];
      const Tensor diagonal = reshape(eye(shape[first], {}, 0, DType::boolean), ones);
      x.tensor = sum(where(diagonal, x.tensor, zeros_like(x.tensor)), second);
      x.labels.erase(x.labels.begin() + second);
    }
  return x;
}

// Sums over the labels that nothing else needs.
Named sum_out(Named x, const Labels& needed) {
  std::vector<int64_t> axes;
  Labels left;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (has(needed, x.labels[i]))
      left.push_back(x.labels[i]);
    else
      axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return x;
  return {sum(x.tensor, axes), left};
}

Tensor in_order(const Named& x, const Labels& order) {
  if (x.labels == order) return x.tensor;
  std::vector<int64_t> axes;
  for (int label : order) axes.push_back(place(x.labels, label));
  return transpose(x.tensor, axes);
}

// The axes `order`, of which those that x lacks have size 1.
Tensor spread(const Named& x, const Labels& order) {
  Labels own;
  Shape shape;
  for (int label : order) {
    if (has(x.labels, label)) own.push_back(label);
    shape.push_back(x.size(label));
  }
  const Tensor ordered = in_order(x, own);
  return ordered.shape() == shape ? ordered : reshape(ordered, shape);
}

int64_t product(const Named& x, const Labels& labels) {
  int64_t n = 1;
  for (int label : labels) n *= x.size(label);
  return n;
}

// a and b as one product of matrices; `needed` are the labels that the result keeps.
Named multiply_pair(Named a, Named b, const Labels& needed) {
  a = sum_out(std::move(a), needed + b.labels);
  b = sum_out(std::move(b), needed + a.labels);
  // The operand whose own axes come first in the result goes left, which spares a transpose of it.
  const auto first_own = [&](const Named& x, const Named& other) {
    for (size_t i = 0; i < needed.size(); ++i)
      if (has(x.labels, needed[i]) && !has(other.labels, needed[i])) return i;
    return needed.size();
  };
  if (first_own(b, a) < first_own(a, b)) std::swap(a, b);

  Labels batch, summed, rows, columns;
  for (int label : a.labels) {
    if (!has(b.labels, label))
      rows.push_back(label);
    else if (has(needed, label))
      batch.push_back(label);
    else
      summed.push_back(label);
  }
  for (int label : b.labels)
    if (!has(a.labels, label)) columns.push_back(label);
  for (int label : batch + summed) {
    const int64_t m = a.size(label), n = b.size(label);
    if (m != n && !(label < 0 && (m == 1 || n == 1)))
      throw ShapeError(
          fmt::format("einsum: axes of one letter have sizes {} and {}, in shapes {} "
                      "and {}.",
                      m, n, a.tensor.shape().str(), b.tensor.shape().str()));
  }
  const Labels result = batch + rows + columns;
  // Element by element; int8 by int8 is int32, as in products of matrices.
  const auto elementwise = [&](const Labels& labels) -> Named {
    const bool narrow = a.tensor.dtype() == DType::int8 && b.tensor.dtype() == DType::int8;
    const Tensor x = spread(a, labels), y = spread(b, labels);
    return {(narrow ? cast(x, DType::int32) : x) * y, labels};
  };
  if (summed.empty()) return elementwise(result);
  // Axes of "..." that are summed over broadcast before.
  for (int label : summed)
    if (a.size(label) != b.size(label)) return sum_out(elementwise(result + summed), result);

  // Either order of the matrices' axes will do; a transpose is made only where neither is there.
  const bool flip_a = a.labels == batch + summed + rows;
  const bool flip_b = b.labels == batch + columns + summed;
  const Tensor left = flip_a ? a.tensor : in_order(a, batch + rows + summed);
  const Tensor right = flip_b ? b.tensor : in_order(b, batch + summed + columns);
  const int64_t m = product(a, rows), k = product(a, summed), n = product(b, columns);
  Shape batch_a, batch_b, shape;
  for (int label : batch) {
    batch_a.push_back(a.size(label));
    batch_b.push_back(b.size(label));
    shape.push_back(std::max(a.size(label), b.size(label)));
  }
  if (batch_a == batch_b && batch.size() > 1) batch_a = batch_b = Shape{batch_a.numel()};
  const Tensor y = matmul_transposed(
      reshape(left, concat(batch_a, flip_a ? Shape{k, m} : Shape{m, k})),
      reshape(right, concat(batch_b, flip_b ? Shape{n, k} : Shape{k, n})), flip_a, flip_b);
  for (int label : rows) shape.push_back(a.size(label));
  for (int label : columns) shape.push_back(b.size(label));
  return {reshape(y, shape), result};
}

Tensor compute(const std::string& subscripts, const std::vector<Tensor>& operands) {
  const Equation equation = read_equation(subscripts, operands);
  std::vector<Named> named;
  for (size_t i = 0; i < operands.size(); ++i)
    named.push_back(take_diagonals({operands[i], equation.inputs[i]}));
  Named result = named[0];
  for (size_t i = 1; i < named.size(); ++i) {
    Labels needed = equation.output;
    for (size_t j = i + 1; j < named.size(); ++j) needed = needed + named[j].labels;
    result = multiply_pair(std::move(result), named[i], needed);
  }
  const Tensor y = in_order(sum_out(std::move(result), equation.output), equation.output);
  // Keras multiplies int8 into int32, also where one operand leaves nothing to multiply.
  const bool narrow = std::all_of(operands.begin(), operands.end(),
                                  [](const Tensor& t) { return t.dtype() == DType::int8; });
  return narrow ? cast(y, DType::int32) : y;
}

constexpr Tensor (*of_list)(const std::string&, const std::vector<Tensor>&) = &einsum;

}  // namespace

Tensor einsum(const std::string& subscripts, const std::vector<Tensor>& operands) {
  if (operands.empty()) throw ValueError("einsum: expected at least one operand, found none.");
  if (is_symbolic(operands)) return symbolic_call(of_list, subscripts, operands);
  return compute(subscripts, operands);
}

void list_numpy_einsum(OpCatalog& catalog) {
  catalog.add("numpy.Einsum", {"subscripts", "*operands"}, of_list);
}

}  // namespace cornu::ops
