// Traces: what ran when, as files for those who show it.
#pragma once
#include <string>
#include <vector>

namespace cornu {

/// Something that took time.
struct TraceEvent {
  std::string name;    ///< the kernel, or the function for a whole call
  std::string where;   ///< the path of the layer that it belongs to; empty for none
  bool call = false;   ///< a whole call, which the events inside of it belong to
  double start = 0;    ///< seconds since the trace began
  double seconds = 0;  ///< length
};

/// JSON for Perfetto and Chrome's about:tracing: calls in one row, the steps in them in another.
std::string trace_json(const std::vector<TraceEvent>& events);
/// The same as an XSpace, which TensorBoard's profile page reads.
std::string trace_xspace(const std::vector<TraceEvent>& events);

/// Writes both into folder/plugins/profile/<date and time>/, where that page looks for them, as
/// <host>.xplane.pb and <host>.trace.json. Throws FileError.
void write_profile(const std::string& folder, const std::vector<TraceEvent>& events);

}  // namespace cornu
