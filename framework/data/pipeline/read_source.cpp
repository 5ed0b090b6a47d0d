// Rows of files.
#include "read_source.h"

namespace cornu::data::detail {

Batch ReadSource::read(const Pass& pass, std::span<const Where> places, bool axis) const {
  const Where first = places.empty() ? Where{} : places[0];
  try {
    return worked(pass, this, first.index, static_cast<int64_t>(places.size()), [&] {
      std::vector<int64_t> rows;
      rows.reserve(places.size());
      for (const Where& where : places) rows.push_back(where.index);
      return read_(rows, axis);
    });
  } catch (...) {
    throw_data_error(*this, places.size() > 1 ? failing(places) : first, "");
  }
}

// Which of several rows cannot be read, found by reading them one by one; the first where none
// fails alone.
Where ReadSource::failing(std::span<const Where> places) const {
  for (const Where& where : places) {
    try {
      (void)read_(std::span(&where.index, 1), true);
    } catch (...) {
      return where;
    }
  }
  return places[0];
}

Batch ReadSource::at(const Pass& pass, const Where& where) const {
  return read(pass, std::span(&where, 1), false);
}

std::optional<Batch> ReadSource::gather(const Pass& pass, std::span<const Where> places) const {
  return read(pass, places, true);
}

}  // namespace cornu::data::detail
