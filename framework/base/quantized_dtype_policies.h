// keras.dtype_policies: the policies of quantized layers by their classes' names. They add nothing
// to DTypePolicy.
#pragma once
#include "dtype_policy_map.h"

namespace cornu::dtype_policies {

using cornu::DTypePolicy;
using cornu::DTypePolicyMap;

/// A policy "<mode>_from_<source>".
class QuantizedDTypePolicy : public DTypePolicy {
 public:
  /// `mode` is "int8", "int4" or "float8", `source_name` the policy before; none: the global one.
  /// Throws ValueError for other modes.
  explicit QuantizedDTypePolicy(const std::string& mode,
                                const std::optional<std::string>& source_name = {})
      : QuantizedDTypePolicy("", mode, source_name, 1024) {}

 protected:
  /// The same for a class whose modes begin with `prefix`.
  QuantizedDTypePolicy(const char* prefix, const std::string& mode,
                       const std::optional<std::string>& source_name, int64_t amax_history_length);
};

/// A policy of training with 8-bit floats.
class QuantizedFloat8DTypePolicy : public QuantizedDTypePolicy {
 public:
  /// `mode` is "float8"; scales are found from the maxima of amax_history_length steps.
  explicit QuantizedFloat8DTypePolicy(const std::string& mode,
                                      const std::optional<std::string>& source_name = {},
                                      int64_t amax_history_length = 1024)
      : QuantizedDTypePolicy("float8", mode, source_name, amax_history_length) {}
};

/// A policy of int4 with blocks.
class Int4DTypePolicy : public QuantizedDTypePolicy {
 public:
  /// `mode` is "int4/<block size>", where -1 stands for whole channels.
  explicit Int4DTypePolicy(const std::string& mode,
                           const std::optional<std::string>& source_name = {})
      : QuantizedDTypePolicy("int4/", mode, source_name, 1024) {}
};

/// A policy of layers quantized by GPTQ.
class GPTQDTypePolicy : public QuantizedDTypePolicy {
 public:
  /// `mode` is "gptq/<2, 3, 4 or 8 bits>/<group size>", where -1 stands for whole channels.
  explicit GPTQDTypePolicy(const std::string& mode,
                           const std::optional<std::string>& source_name = {})
      : QuantizedDTypePolicy("gptq/", mode, source_name, 1024) {}
};

/// A policy of layers quantized by AWQ.
class AWQDTypePolicy : public QuantizedDTypePolicy {
 public:
  /// `mode` is "awq/4/<group size>", where -1 stands for whole channels.
  explicit AWQDTypePolicy(const std::string& mode,
                          const std::optional<std::string>& source_name = {})
      : QuantizedDTypePolicy("awq/", mode, source_name, 1024) {}
};

}  // namespace cornu::dtype_policies
