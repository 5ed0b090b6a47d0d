// What the examples of Keras's guides give there, and comparing the same program in C++ with it.
#pragma once
#include <catch.h>
#include <cornu/framework/model/model.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/operators.h>
#include "support/all_close.h"
#include "support/golden_json.h"

namespace cornu::test {

/// What an example gave in Keras, by the name of its function in <guide>_goldens.py, which also
/// says what random seed it began with.
inline Value recorded(const std::string& guide, const std::string& example) {
  return entry(golden_file("guides_" + guide + ".json"), example);
}

/// A recorded list of numbers or names.
template <class T>
std::vector<T> list_of(const Value& list) {
  return detail::from_value<std::vector<T>>(list);
}

/// Whether a tensor is the recorded one, to a hundred-thousandth.
inline void check_same(const Tensor& found, const Value& golden, double rtol = 1e-5,
                       double atol = 1e-7) {
  const Tensor expected = golden_tensor(golden);
  INFO("found " << found << "\nexpected " << expected);
  CHECK(all_close(found, expected, rtol, atol));
}

/// The same of the figures of epochs, or of any list of numbers.
inline void check_same(const std::vector<double>& found, const Value& golden, double rtol = 1e-5,
                       double atol = 1e-7) {
  const auto expected = list_of<double>(golden);
  check_same(Tensor(found),
             Value::Dict{{"values", golden},
                         {"shape", Value::List{int64_t(expected.size())}},
                         {"dtype", "float64"}},
             rtol, atol);
}

/// All figures of fit, and no others.
inline void check_history(const History& found, const Value& golden, double rtol = 1e-5) {
  CHECK(found.history.size() == golden.get<Value::Dict>().size());
  for (const auto& [name, figures] : golden.get<Value::Dict>()) {
    INFO(name);
    REQUIRE(found.history.contains(name));
    check_same(found[name], figures, rtol);
  }
}

/// What recording.means has of tensors that are too large for a file.
inline void check_means(const std::vector<Tensor>& found, const Value& golden) {
  std::vector<double> means, squares;
  std::vector<Shape> shapes;
  for (const Tensor& t : found) {
    double mean = 0, square = 0;
    for (const double v : t.to_vector<double>()) {
      mean += v;
      square += v * v;
    }
    shapes.push_back(t.shape());
    means.push_back(mean / static_cast<double>(t.size()));
    squares.push_back(square / static_cast<double>(t.size()));
  }
  std::vector<Shape> expected;
  for (const Value& shape : entry(golden, "shapes").get<Value::List>())
    expected.emplace_back(list_of<int64_t>(shape));
  CHECK(shapes == expected);
  check_same(means, entry(golden, "means"), 1e-5, 1e-9);
  check_same(squares, entry(golden, "squares"), 1e-5, 1e-12);
}

/// Names of layers in order.
inline std::vector<std::string> names_of(const std::vector<std::shared_ptr<Layer>>& layers) {
  std::vector<std::string> names;
  for (const auto& layer : layers) names.push_back(layer->name());
  return names;
}

/// The rows [name, output shape, number of parameters] of a summary's table.
inline std::vector<std::vector<std::string>> rows_of(const std::string& summary) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(summary);
  const std::string bar = "│";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(bar)) continue;
    std::vector<std::string> cells;
    for (size_t at = bar.size(); at < line.size();) {
      const size_t end = line.find(bar, at);
      const std::string cell = line.substr(at, end - at);
      const size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
      at = end + bar.size();
    }
    cells.at(0) = cells[0].substr(0, cells[0].find(' '));  // without the class
    cells.resize(3);
    // Names that take several lines end in lines without numbers.
    if (!cells[1].empty()) rows.push_back(cells);
  }
  return rows;
}

/// A name without the number that tells it from others of its class: Keras counts the layers and
/// models of the whole program, Cornu those of a model.
inline std::string unnumbered(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != std::string::npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end)
                                                                               : name;
}

/// That model.summary() says of layers and parameters what Keras prints.
inline void check_summary(Model& model, const Value& golden) {
  ::setenv("COLUMNS", "200", 1);  // as the recorded ones had
  const std::string text = model.summary_text({.line_length = 200});
  INFO(text);
  CHECK(unnumbered(model.name()) == unnumbered(entry(golden, "name").get<std::string>()));
  std::vector<std::vector<std::string>> rows = rows_of(text), expected;
  for (const Value& row : entry(golden, "rows").get<Value::List>())
    expected.push_back(list_of<std::string>(row));
  for (auto* table : {&rows, &expected})
    for (auto& row : *table) row[0] = unnumbered(row[0]);
  CHECK(rows == expected);
  for (const std::string& figure : list_of<std::string>(entry(golden, "figures"))) {
    INFO(figure);
    const size_t found = text.find(" " + figure);
    REQUIRE(found != std::string::npos);
    CHECK(!std::isalnum(static_cast<unsigned char>(text[found + 1 + figure.size()])));
    CHECK(text[found + 1 + figure.size()] != ',');
  }
}

}  // namespace cornu::test
