// Columns of a table as a model's inputs and targets; outputs as columns.
#include "csv_arrays.h"

#include <cornu/framework/tensor/plain_nan.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

namespace cornu::cli {
namespace {

using io::CsvColumn;
using io::CsvTable;
using Columns = std::vector<const CsvColumn*>;

constexpr const char* weight_column = "sample_weight";

// One table with what is needed to talk about it.
struct Source {
  const CsvTable& table;
  const DataOptions& options;
  const Model& model;
  const std::string& name;

  [[noreturn]] void fail(const std::string& why) const {
    throw ValueError(fmt::format("{}: {}", name, why));
  }
  const CsvColumn& column(const std::string& wanted) const {
    if (const CsvColumn* found = table.find(wanted)) return *found;
    fail(absence_of(wanted));
  }
  // Columns that the command line names.
  Columns columns(const std::vector<std::string>& wanted) const {
    Columns result;
    for (const std::string& one : wanted) {
      if (!table.find(one)) throw UsageError(fmt::format("{}: {}", name, absence_of(one)));
      result.push_back(&column(one));
    }
    return result;
  }

  std::string absence_of(const std::string& wanted) const {
    return fmt::format("there is no column '{}'.{} The columns are {}.", wanted,
                       did_you_mean(wanted, table.names()), fmt::join(table.names(), ", "));
  }
};

std::string names_of(const Columns& columns) {
  std::string text;
  for (const CsvColumn* c : columns) text += (text.empty() ? "" : ", ") + c->name;
  return text;
}

// "name ('Ada' in line 2), city ('Rome' in line 2)"
std::string texts_of(const Columns& columns) {
  std::string text;
  for (const CsvColumn* c : columns)
    text += fmt::format("{}{} ('{}' in line {})", text.empty() ? "" : ", ", c->name, c->text,
                        c->text_line);
  return text;
}

// Rows of the columns' numbers, converted to T.
template <class T>
Tensor matrix(const Columns& columns, int64_t rows, const Shape& shape) {
  const size_t count = columns.size();
  std::vector<T> values(static_cast<size_t>(rows) * count);
  for (size_t c = 0; c < count; ++c)
    for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
      values[row * count + c] = static_cast<T>(columns[c]->numbers[row]);
  return Tensor::from_host(values.data(), shape);
}

void warn_of_missing(const Columns& columns, const Source& source) {
  for (const CsvColumn* c : columns)
    if (c->missing > 0 && !c->is_text())
      std::fprintf(stderr,
                   "cornu: warning: %s: column '%s' has no value in %lld of %lld rows (the first "
                   "is line %lld); they are NaN, and so may be the loss.\n",
                   source.name.c_str(), c->name.c_str(), static_cast<long long>(c->missing),
                   static_cast<long long>(source.table.rows),
                   static_cast<long long>(c->missing_line));
}

// Integers are indices, into an embedding for instance: nothing may be lost.
void check_whole(const Columns& columns, const std::string& input, const Source& source) {
  constexpr double most = 9007199254740992.0;  // 2^53: up to it double has all integers
  for (const CsvColumn* c : columns)
    for (size_t row = 0; row < c->numbers.size(); ++row) {
      const double number = c->numbers[row];
      if (number == std::trunc(number) && std::abs(number) < most) continue;
      source.fail(fmt::format(
          "column '{}' has {} in row {} of the data, but the input '{}' takes integers{}.", c->name,
          number, row + 1, input,
          std::isfinite(number) && number == std::trunc(number) ? " between -2^53 and 2^53" : ""));
    }
}

// The shape of a batch of all rows for this input: its own where the columns fill it.
Shape input_shape(const Columns& columns, const Columns& left_out, const Tensor& spec,
                  const std::string& input, const Source& source) {
  const int64_t count = static_cast<int64_t>(columns.size()), rows = source.table.rows;
  if (!spec) return {rows, count};
  Shape shape = spec.shape();
  if (shape.rank() == 0) source.fail(fmt::format("the input '{}' has no axis of samples.", input));
  shape[0] = rows;
  int64_t wanted = 1;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] == Shape::unknown && shape.rank() == 2) shape[axis] = count;
    wanted *= shape[axis];
  }
  if (wanted == count && shape.numel() == rows * count) return shape;
  source.fail(fmt::format(
      "the input '{}' expects {} ({}), but there are {} columns for it: {}.{} Name them with "
      "--features, or --target what is no feature.",
      input, wanted == 1 ? std::string("1 column") : fmt::format("{} columns", wanted),
      spec.spec().str(), count, names_of(columns),
      left_out.empty() ? "" : " Of the other kind are " + texts_of(left_out) + "."));
}

Tensor input_of(const Columns& columns, const Columns& left_out, const Tensor& spec,
                const std::string& input, const Source& source) {
  const bool takes_text = spec && spec.dtype() == DType::string;
  for (const CsvColumn* c : columns)
    if (c->is_text() != takes_text)
      source.fail(c->is_text()
                      ? fmt::format("column '{}' holds text ('{}' in line {}), but the input '{}' "
                                    "takes numbers.",
                                    c->name, c->text, c->text_line, input)
                      : fmt::format("column '{}' holds numbers, but the input '{}' takes text.",
                                    c->name, input));
  const Shape shape = input_shape(columns, left_out, spec, input, source);
  if (takes_text) {
    std::vector<std::string> texts;
    for (size_t row = 0; row < static_cast<size_t>(source.table.rows); ++row)
      for (const CsvColumn* c : columns) texts.push_back(c->texts[row]);
    return Tensor::strings(texts, shape);
  }
  warn_of_missing(columns, source);
  if (!spec || is_float(spec.dtype())) return matrix<float>(columns, source.table.rows, shape);
  check_whole(columns, input, source);
  return matrix<int64_t>(columns, source.table.rows, shape);
}

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Of a model with one input: the features, or all columns of its kind that are nothing else.
Tensor only_input(const Tensor& spec, const std::string& input, const Source& source, bool quiet) {
  if (!source.options.features.empty())
    return input_of(source.columns(source.options.features), {}, spec, input, source);
  const bool takes_text = spec && spec.dtype() == DType::string;
  Columns columns, left_out;
  for (const CsvColumn& c : source.table.columns) {
    if (names(source.options.target, c.name) || c.name == weight_column) continue;
    (c.is_text() == takes_text ? columns : left_out).push_back(&c);
  }
  if (columns.empty())
    source.fail(fmt::format("no column is left that holds {}, which the input '{}' takes.{}",
                            takes_text ? "text" : "numbers", input,
                            left_out.empty() ? "" : " There are " + names_of(left_out) + "."));
  const Tensor tensor = input_of(columns, left_out, spec, input, source);
  if (!quiet && !takes_text && !left_out.empty())
    std::fprintf(stderr, "cornu: %s: columns of text are left out: %s.\n", source.name.c_str(),
                 texts_of(left_out).c_str());
  return tensor;
}

// Each input is a column.
void add_inputs(Arrays& arrays, const Source& source, bool quiet) {
  const std::vector<std::string> inputs = source.model.input_names();
  const Nest spec = source.model.input_spec();
  const std::vector<Tensor> specs = spec.empty() ? std::vector<Tensor>() : spec.flatten();
  if (inputs.size() <= 1) {
    arrays.emplace_back("x", only_input(specs.empty() ? Tensor() : specs[0],
                                        inputs.empty() ? "input" : inputs[0], source, quiet));
    return;
  }
  std::vector<std::string> keys;
  if (spec.is_dict())
    for (const auto& [key, nest] : spec.entries()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool by_key = keys.size() == inputs.size() && !source.table.find(inputs[i]);
    const std::string& name = by_key ? keys[i] : inputs[i];
    arrays.emplace_back(name, input_of({&source.column(name)}, {}, specs.at(i), name, source));
  }
}

// Texts of a target become numbers of classes.
std::vector<double> class_numbers(const CsvColumn& column, const Source& source) {
  const std::vector<std::string>& classes = source.options.classes;
  if (classes.empty()) {
    std::vector<std::string> found;
    for (const std::string& text : column.texts)
      if (!names(found, text) && found.size() < 100) found.push_back(text);
    std::sort(found.begin(), found.end());
    throw UsageError(fmt::format(
        "{}: the target '{}' holds text ('{}' in line {}). Say which class is which number: "
        "--classes {}",
        source.name, column.name, column.text, column.text_line, fmt::join(found, ",")));
  }
  std::vector<double> numbers;
  for (const std::string& text : column.texts) {
    const auto place = std::find(classes.begin(), classes.end(), text);
    if (place == classes.end())
      source.fail(fmt::format(
          "the target '{}' has '{}' in row {} of the data, which is none of --classes {}.{}",
          column.name, text, numbers.size() + 1, fmt::join(classes, ","),
          did_you_mean(text, classes)));
    numbers.push_back(static_cast<double>(place - classes.begin()));
  }
  return numbers;
}

Tensor target_of(const std::vector<std::string>& wanted, const Source& source) {
  Columns columns = source.columns(wanted);
  std::vector<CsvColumn> numbered(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i]->is_text()) continue;
    numbered[i].name = columns[i]->name;
    numbered[i].numbers = class_numbers(*columns[i], source);
    columns[i] = &numbered[i];
  }
  warn_of_missing(columns, source);
  return matrix<float>(columns, source.table.rows,
                       {source.table.rows, static_cast<int64_t>(columns.size())});
}

void add_targets(Arrays& arrays, const Source& source) {
  const std::vector<std::string>& target = source.options.target;
  if (target.empty())
    throw UsageError(
        fmt::format("{}: say which column is the target: --target NAME. The columns "
                    "are {}.",
                    source.name, fmt::join(source.table.names(), ", ")));
  const std::vector<std::string> outputs = source.model.output_names();
  if (outputs.size() <= 1) {
    arrays.emplace_back("y", target_of(target, source));
    return;
  }
  if (outputs.size() != target.size())
    throw UsageError(fmt::format("{}: the model has the outputs {}, but --target names {} columns.",
                                 source.name, fmt::join(outputs, ", "), target.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool by_name = names(target, outputs[i]);
    arrays.emplace_back(outputs[i], target_of({by_name ? outputs[i] : target[i]}, source));
  }
}

}  // namespace

Arrays arrays_of(const CsvTable& table, const DataOptions& options, const Model& model,
                 bool with_targets, bool quiet, const std::string& name) {
  const Source source{table, options, model, name};
  if (with_targets) (void)source.columns(options.target);
  Arrays arrays;
  add_inputs(arrays, source, quiet);
  if (!with_targets) return arrays;
  add_targets(arrays, source);
  if (table.find(weight_column) && !names(model.input_names(), weight_column)) {
    const Columns columns = source.columns({weight_column});
    if (columns[0]->is_text())
      source.fail(fmt::format("the column '{}' holds text: {}.", weight_column, texts_of(columns)));
    warn_of_missing(columns, source);
    arrays.emplace_back(weight_column, matrix<float>(columns, table.rows, {table.rows}));
  }
  return arrays;
}

namespace {

// The shortest texts that are these numbers again.
template <class Numbers>
std::vector<std::string> texts_of(const Numbers& numbers) {
  std::vector<std::string> cells;
  for (const auto number : numbers) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(number)>>)
      cells.push_back(fmt::format("{}", detail::plain_nan(number)));
    else
      cells.push_back(fmt::format("{}", number));
  }
  return cells;
}

std::vector<std::string> cells_of(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::string) return tensor.to_strings();
  if (dtype == DType::float32) return texts_of(tensor.to_vector<float>());
  if (dtype == DType::uint64)
    return texts_of(std::span(static_cast<const uint64_t*>(tensor.host_data()),
                              static_cast<size_t>(tensor.size())));
  return is_int(dtype) ? texts_of(tensor.to_vector<int64_t>())
                       : texts_of(tensor.to_vector<double>());
}

}  // namespace

void check_output_name(const std::string& path) {
  for (const char* ending : {".npy", ".npz", ".h5", ".csv"})
    if (path.ends_with(ending)) return;
  throw UsageError(fmt::format("'{}' must end in .npy, .npz, .h5 or .csv.", path));
}

void write_table(const std::string& path, const Arrays& outputs,
                 const std::vector<std::string>& classes, const std::vector<std::string>& files) {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  if (!files.empty()) header.push_back("file");
  for (const std::string& file : files) rows.push_back({file});
  for (const auto& [name, tensor] : outputs) {
    if (tensor.rank() < 1 || tensor.rank() > 2)
      throw ValueError(fmt::format(
          "'{}': the output '{}' has the shape {}, and a table has two axes. Give a name that ends "
          "in .npy, .npz or .h5.",
          path, name, tensor.shape().str()));
    const size_t width = tensor.rank() == 2 ? static_cast<size_t>(tensor.shape()[1]) : 1;
    const bool classified = outputs.size() == 1 && classes.size() == width && width > 1;
    if (classified) header.push_back("class");
    for (size_t c = 0; c < width; ++c)
      header.push_back(classified ? classes[c] : width == 1 ? name : fmt::format("{}_{}", name, c));
    rows.resize(static_cast<size_t>(tensor.shape()[0]));
    const std::vector<std::string> cells = cells_of(tensor);
    const std::vector<double> values =
        classified ? tensor.to_vector<double>() : std::vector<double>();
    for (size_t row = 0; row < rows.size(); ++row) {
      if (classified) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
        const auto most = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width));
        rows[row].push_back(classes[static_cast<size_t>(most - begin)]);
      }
      for (size_t c = 0; c < width; ++c) rows[row].push_back(cells[row * width + c]);
    }
  }
  io::write_csv(path, header, rows);
}

}  // namespace cornu::cli
