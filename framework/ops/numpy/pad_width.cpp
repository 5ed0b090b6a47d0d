// Reading the widths of pad from arguments.
#include "pad_width.h"

namespace cornu::detail {

PadWidth FromValue<PadWidth>::get(const Value& v) {
  if (v.is<Tensor>() && v.get<Tensor>().rank() == 2) return rows_of(v.get<Tensor>());
  const auto numbers = [](const Value& one) { return from_value<std::vector<int64_t>>(one); };
  const bool pairs = v.is<Value::List>() && !v.get<Value::List>().empty() &&
                     v.get<Value::List>().front().is<Value::List>();
  std::vector<std::vector<int64_t>> rows;
  if (pairs)
    for (const Value& pair : v.get<Value::List>()) rows.push_back(numbers(pair));
  else
    rows.push_back(numbers(v));
  return rows;
}

}  // namespace cornu::detail
