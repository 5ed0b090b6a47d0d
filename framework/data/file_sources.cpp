// Arrays of files as rows.
#include "file_sources.h"

#include <fmt/core.h>

#include <numeric>

#include "../io/archive.h"
#include "../io/csv_file.h"
#include "../io/h5_file.h"
#include "../io/h5_rows.h"
#include "../io/npy.h"
#include "pipeline/read_source.h"

namespace cornu::data {
namespace {

namespace fs = std::filesystem;
using detail::Rows;

// Stands for a column in the nests of a source.
Tensor place_of_column() { return Tensor(0); }

Rows rows_of_view(const io::NpyView& view, const std::string& source) {
  if (view.shape.rank() == 0)
    throw ShapeError(fmt::format("'{}' is a scalar; the first axis must be the samples.", source));
  if (view.dtype == DType::string)
    return detail::rows_of_tensor(Tensor::strings(view.strings, view.shape));
  return {view.values.data(),
          view.shape.slice(1),
          view.dtype,
          view.shape[0],
          std::make_shared<const io::Bytes>(view.values),
          {}};
}

Rows rows_of_file(const fs::path& path) {
  const io::Bytes bytes = io::Bytes::map(path);
  // What cannot be mapped, such as a missing file, says why when it is read.
  if (!bytes.data()) {
    io::NpyArray array = io::read_npy(path);
    return rows_of_view(
        {array.dtype, array.shape, io::Bytes::of(std::move(array.data)), std::move(array.strings)},
        path.string());
  }
  return rows_of_view(io::view_npy(bytes, path.string()), path.string());
}

Pipeline<Batch> pipeline_of(const char* name, std::optional<Rows> x, std::optional<Rows> y,
                            std::optional<Rows> sample_weight) {
  std::vector<Rows> columns;
  Nest nests[3];
  size_t i = 0;
  for (std::optional<Rows>* rows : {&x, &y, &sample_weight}) {
    if (*rows) {
      nests[i] = place_of_column();
      columns.push_back(std::move(**rows));
    }
    ++i;
  }
  return Pipeline<Batch>(
      std::make_shared<detail::RowSource>(name, nests[0], nests[1], nests[2], std::move(columns)));
}

// The inputs, targets and weights of a file.
template <class T>
struct Columns {
  std::optional<T> x, y, sample_weight;
};

// The arrays that are there; a name other than the default's must be.
template <class Find, class Read>
auto named(const char* source, const fs::path& path, const ArrayNames& names,
           const std::vector<std::string>& known, Find&& find, Read&& read) {
  using T = std::invoke_result_t<Read&, const std::string&>;
  const ArrayNames defaults;
  const auto get = [&](const std::string& name, const std::string& usual,
                       bool needed) -> std::optional<T> {
    if (!name.empty() && find(name)) return read(name);
    if (!needed && (name.empty() || name == usual)) return {};
    throw FileError(fmt::format("{}: '{}' has no array '{}'.{}", source, path.string(), name,
                                did_you_mean(name, known)));
  };
  Columns<T> columns;
  columns.x = get(names.x, defaults.x, true);
  columns.y = get(names.y, defaults.y, false);
  columns.sample_weight = get(names.sample_weight, defaults.sample_weight, false);
  return columns;
}

Pipeline<Batch> read_pipeline(const char* name, const fs::path& file, int64_t count,
                              detail::ReadSource::Read read) {
  return Pipeline<Batch>(
      std::make_shared<detail::ReadSource>(name, file.string(), count, std::move(read)));
}

// The shape of rows as a batch, or of the only one of them.
Shape shape_of_rows(size_t count, const Shape& row, bool axis) {
  Shape shape = row;
  if (axis) shape.insert(0, static_cast<int64_t>(count));
  return shape;
}

Tensor host_tensor(const Shape& shape, DType dtype) {
  return Tensor::empty(shape, dtype, backend::cpu_backend());
}

// A dataset of an HDF5 file.
struct H5Array {
  std::string name;
  std::shared_ptr<const io::H5Rows> rows;
};

// Whether it is kept as a tensor; H5Reader reads no more strings as a whole.
bool is_kept(const H5Array& array, int64_t cache_bytes) {
  constexpr uint64_t most_text = uint64_t{256} << 20;
  constexpr int64_t most_strings = 4'000'000;
  const uint64_t bytes = array.rows->bytes();
  if (bytes > static_cast<uint64_t>(cache_bytes)) return false;
  return array.rows->dtype() != DType::string ||
         (bytes <= most_text && array.rows->shape().numel() <= most_strings);
}

Rows kept_rows(const io::H5Reader& file, const H5Array& array) {
  const Shape& shape = array.rows->shape();
  if (array.rows->dtype() == DType::string)
    return detail::rows_of_tensor(Tensor::strings(file.read_strings(array.name), shape));
  const Tensor tensor = host_tensor(shape, array.rows->dtype());
  file.read(array.name, tensor.data(), array.rows->dtype(), shape);
  return detail::rows_of_tensor(tensor);
}

Nest rows_of_dataset(const std::optional<H5Array>& dataset, std::span<const int64_t> rows,
                     bool axis) {
  if (!dataset) return {};
  const io::H5Rows& array = *dataset->rows;
  const Shape shape = shape_of_rows(rows.size(), array.shape().slice(1), axis);
  if (array.dtype() == DType::string) return Tensor::strings(array.read_strings(rows), shape);
  Tensor tensor = host_tensor(shape, array.dtype());
  array.read(rows, tensor.data());
  return tensor;
}

// The columns of a table that are read.
struct TableColumns {
  io::CsvChoice choice;  // features, and behind them the label where it has numbers
  size_t features = 0;
  bool number = false, text = false;  // what the label is; neither where there is none
};

TableColumns chosen_columns(const io::CsvTable& table, const CsvColumns& columns,
                            const fs::path& path) {
  const auto find = [&](const std::string& name) -> size_t {
    if (const io::CsvColumn* column = table.find(name))
      return static_cast<size_t>(column - table.columns.data());
    throw ValueError(fmt::format("from_csv: '{}' has no column '{}'.{}", path.string(), name,
                                 did_you_mean(name, table.names())));
  };
  const bool labeled = !columns.label.empty();
  const size_t label = labeled ? find(columns.label) : 0;
  std::vector<std::string> features = columns.features;
  if (features.empty())
    for (const std::string& name : table.names())
      if (name != columns.label) features.push_back(name);
  TableColumns chosen;
  for (const std::string& name : features) {
    chosen.choice.numbers.push_back(find(name));
    const io::CsvColumn& column = table.columns[chosen.choice.numbers.back()];
    if (column.is_text())
      throw ValueError(fmt::format(
          "from_csv: column '{}' of '{}' has '{}' in line {}, which is no number. Leave "
          "the column out of `features`, or make it the label.",
          column.name, path.string(), column.text, column.text_line));
  }
  chosen.features = features.size();
  chosen.text = labeled && table.columns[label].is_text();
  chosen.number = labeled && !chosen.text;
  if (labeled) (chosen.text ? chosen.choice.texts : chosen.choice.numbers).push_back(label);
  return chosen;
}

// About what the values take in memory.
uint64_t bytes_of_table(const io::CsvFile& file, const TableColumns& chosen) {
  const uint64_t numbers =
      static_cast<uint64_t>(file.table().rows) * chosen.choice.numbers.size() * sizeof(double);
  return chosen.text ? numbers + file.bytes() : numbers;
}

Batch rows_of_table(const io::CsvFile& file, const TableColumns& chosen,
                    std::span<const int64_t> rows, bool axis) {
  const io::CsvValues values = file.read(rows, chosen.choice);
  const size_t stride = chosen.choice.numbers.size();
  // The numbers from a column on, as a tensor.
  const auto tensor = [&](size_t first, size_t count, const Shape& row) {
    Tensor result = host_tensor(shape_of_rows(rows.size(), row, axis), DType::float32);
    auto* to = static_cast<float*>(result.data());
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t c = first; c < first + count; ++c)
        *to++ = static_cast<float>(values.numbers[i * stride + c]);
    return result;
  };
  Batch batch;
  batch.x = tensor(0, chosen.features, {static_cast<int64_t>(chosen.features)});
  if (chosen.number) batch.y = tensor(chosen.features, 1, {});
  if (chosen.text) batch.y = Tensor::strings(values.texts, shape_of_rows(rows.size(), {}, axis));
  return batch;
}

}  // namespace

Pipeline<Batch> from_npy(const fs::path& x, const fs::path& y, const fs::path& sample_weight) {
  const auto read = [](const fs::path& path) {
    return path.empty() ? std::optional<Rows>() : rows_of_file(path);
  };
  return pipeline_of("from_npy", rows_of_file(x), read(y), read(sample_weight));
}

Pipeline<Batch> from_npz(const fs::path& path, const ArrayNames& names) {
  io::ArchiveReader archive(path);
  std::vector<std::string> known;
  for (const io::ArchiveMember& member : archive.members())
    if (member.name.ends_with(".npy"))
      known.push_back(member.name.substr(0, member.name.size() - 4));
  Columns<Rows> arrays = named(
      "from_npz", path, names, known, [&](const std::string& n) { return archive.has(n + ".npy"); },
      [&](const std::string& n) {
        const std::string source = path.string() + ":" + n;
        return rows_of_view(io::view_npy(archive.map(n + ".npy"), source), source);
      });
  return pipeline_of("from_npz", std::move(arrays.x), std::move(arrays.y),
                     std::move(arrays.sample_weight));
}

Pipeline<Batch> from_h5(const fs::path& path, const ArrayNames& names, const FileOptions& options) {
  detail::check_least("from_h5", "cache_bytes", options.cache_bytes, 0);
  const io::H5Reader file(path);
  const Columns<H5Array> arrays = named(
      "from_h5", path, names, file.children("/"),
      [&](const std::string& n) { return file.is_dataset(n); },
      [&](const std::string& n) -> H5Array {
        return {n, file.rows(n, static_cast<uint64_t>(options.cache_bytes))};
      });
  const int64_t count = arrays.x->rows->shape()[0];
  int64_t number = 0;
  bool all_kept = true;
  for (const auto* array : {&arrays.x, &arrays.y, &arrays.sample_weight}) {
    if (!*array) continue;
    const int64_t found = (*array)->rows->shape()[0];
    if (found != count)
      throw ShapeError(fmt::format("from_h5: array {} has {} samples, those before it have {}.",
                                   number, found, count));
    all_kept &= is_kept(**array, options.cache_bytes);
    ++number;
  }
  if (!all_kept)
    return read_pipeline(
        "from_h5", path, count, [arrays](std::span<const int64_t> rows, bool axis) {
          return Batch{rows_of_dataset(arrays.x, rows, axis), rows_of_dataset(arrays.y, rows, axis),
                       rows_of_dataset(arrays.sample_weight, rows, axis)};
        });
  const auto kept = [&](const std::optional<H5Array>& array) {
    return array ? std::optional<Rows>(kept_rows(file, *array)) : std::nullopt;
  };
  std::optional<Rows> x = kept(arrays.x), y = kept(arrays.y), weight = kept(arrays.sample_weight);
  // What was read is only sound if the file was whole until now.
  file.expect_unchanged();
  return pipeline_of("from_h5", std::move(x), std::move(y), std::move(weight));
}

Pipeline<Batch> from_csv(const fs::path& path, const CsvColumns& columns,
                         const FileOptions& options) {
  detail::check_least("from_csv", "cache_bytes", options.cache_bytes, 0);
  const auto file = std::make_shared<const io::CsvFile>(path);
  const TableColumns chosen = chosen_columns(file->table(), columns, path);
  const int64_t count = file->table().rows;
  if (bytes_of_table(*file, chosen) > static_cast<uint64_t>(options.cache_bytes))
    return read_pipeline("from_csv", path, count, [file, chosen](auto rows, bool axis) {
      return rows_of_table(*file, chosen, rows, axis);
    });
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  const Batch whole = rows_of_table(*file, chosen, all, true);
  std::optional<Rows> y;
  if (!whole.y.empty()) y = detail::rows_of_tensor(whole.y.tensor());
  return pipeline_of("from_csv", detail::rows_of_tensor(whole.x.tensor()), std::move(y), {});
}

}  // namespace cornu::data
