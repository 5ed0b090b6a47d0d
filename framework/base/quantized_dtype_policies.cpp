// The policies of quantized layers by their classes' names.
#include "quantized_dtype_policies.h"

namespace cornu::dtype_policies {

QuantizedDTypePolicy::QuantizedDTypePolicy(const char* prefix, const std::string& mode,
                                           const std::optional<std::string>& source_name,
                                           int64_t amax_history_length)
    : DTypePolicy(DTypePolicy::quantized(
          mode, source_name ? DTypePolicy(*source_name) : default_policy().for_path(""),
          amax_history_length)) {
  if (!mode.starts_with(prefix))
    throw ValueError("dtype policy: expected a mode that begins with '" + std::string(prefix) +
                     "', found '" + mode + "'.");
}

}  // namespace cornu::dtype_policies
