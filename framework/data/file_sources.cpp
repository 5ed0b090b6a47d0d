// Arrays of files as rows.
#include "file_sources.h"

#include <fmt/core.h>

#include "../io/archive.h"
#include "../io/csv.h"
#include "../io/h5_file.h"
#include "../io/npy.h"

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

// The arrays that are there; a name other than the default's must be.
template <class Find, class Read>
Pipeline<Batch> named(const char* source, const fs::path& path, const ArrayNames& names,
                      const std::vector<std::string>& known, Find&& find, Read&& read) {
  const ArrayNames defaults;
  const auto get = [&](const std::string& name, const std::string& usual,
                       bool needed) -> std::optional<Rows> {
    if (!name.empty() && find(name)) return read(name);
    if (!needed && (name.empty() || name == usual)) return {};
    throw FileError(fmt::format("{}: '{}' has no array '{}'.{}", source, path.string(), name,
                                did_you_mean(name, known)));
  };
  std::optional<Rows> x = get(names.x, defaults.x, true), y = get(names.y, defaults.y, false);
  return pipeline_of(source, std::move(x), std::move(y),
                     get(names.sample_weight, defaults.sample_weight, false));
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
  return named(
      "from_npz", path, names, known, [&](const std::string& n) { return archive.has(n + ".npy"); },
      [&](const std::string& n) {
        const std::string source = path.string() + ":" + n;
        return rows_of_view(io::view_npy(archive.map(n + ".npy"), source), source);
      });
}

Pipeline<Batch> from_h5(const fs::path& path, const ArrayNames& names) {
  const io::H5Reader file(path);
  return named(
      "from_h5", path, names, file.children("/"),
      [&](const std::string& n) { return file.is_dataset(n); },
      [&](const std::string& n) {
        const std::string source = path.string() + ":" + n;
        if (const std::optional<Shape> shape = file.string_shape(n))
          return rows_of_view({DType::string, *shape, {}, file.read_strings(n)}, source);
        const io::H5Info info = file.info(n);
        return rows_of_view(
            {info.dtype, info.shape, io::Bytes::of(file.read(n, io::ArchiveReader::no_limit)), {}},
            source);
      });
}

Pipeline<Batch> from_csv(const fs::path& path, const CsvColumns& columns) {
  const io::CsvTable table = io::read_csv(path);
  const auto find = [&](const std::string& name) -> const io::CsvColumn& {
    if (const io::CsvColumn* column = table.find(name)) return *column;
    throw ValueError(fmt::format("from_csv: '{}' has no column '{}'.{}", path.string(), name,
                                 did_you_mean(name, table.names())));
  };
  const io::CsvColumn* const label = columns.label.empty() ? nullptr : &find(columns.label);
  std::vector<std::string> features = columns.features;
  if (features.empty())
    for (const std::string& name : table.names())
      if (name != columns.label) features.push_back(name);
  std::vector<float> x(static_cast<size_t>(table.rows) * features.size());
  for (size_t c = 0; c < features.size(); ++c) {
    const io::CsvColumn& column = find(features[c]);
    if (column.is_text())
      throw ValueError(fmt::format(
          "from_csv: column '{}' of '{}' has '{}' in line {}, which is no number. Leave "
          "the column out of `features`, or make it the label.",
          column.name, path.string(), column.text, column.text_line));
    for (size_t row = 0; row < column.numbers.size(); ++row)
      x[row * features.size() + c] = static_cast<float>(column.numbers[row]);
  }
  const Tensor inputs = Tensor::from(x, {table.rows, static_cast<int64_t>(features.size())});
  if (!label) return pipeline_of("from_csv", detail::rows_of_tensor(inputs), {}, {});
  const Tensor targets =
      label->is_text() ? Tensor(label->texts)
                       : Tensor(std::vector<float>(label->numbers.begin(), label->numbers.end()));
  return pipeline_of("from_csv", detail::rows_of_tensor(inputs), detail::rows_of_tensor(targets),
                     {});
}

}  // namespace cornu::data
