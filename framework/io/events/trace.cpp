// The forms of traces.
#include "trace.h"

#include <events.pb.h>
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "../atomic_file.h"
#include "event_file.h"

namespace cornu {
namespace {

std::string label(const TraceEvent& event) {
  return event.where.empty() ? event.name : event.where + ": " + event.name;
}

int64_t picoseconds(double seconds) { return std::llround(seconds * 1e12); }

}  // namespace

std::string trace_json(const std::vector<TraceEvent>& events) {
  using nlohmann::json;
  json list = json::array();
  for (const auto& [row, name] : std::map<int, const char*>{{1, "calls"}, {2, "steps"}})
    list.push_back({{"ph", "M"},
                    {"pid", 1},
                    {"tid", row},
                    {"name", "thread_name"},
                    {"args", {{"name", name}}}});
  for (const TraceEvent& e : events)
    list.push_back({{"ph", "X"},
                    {"pid", 1},
                    {"tid", e.call ? 1 : 2},
                    {"name", label(e)},
                    {"cat", e.name},
                    {"ts", e.start * 1e6},
                    {"dur", e.seconds * 1e6},
                    {"args", {{"layer", e.where}}}});
  const json whole = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(list)}};
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string trace_xspace(const std::vector<TraceEvent>& events) {
  events::XSpace space;
  events::XPlane& plane = *space.add_planes();
  plane.set_name("/host:CPU");
  events::XLine* lines[] = {plane.add_lines(), plane.add_lines()};
  lines[0]->set_id(1);
  lines[0]->set_name("calls");
  lines[1]->set_id(2);
  lines[1]->set_name("steps");
  std::map<std::string, int64_t> names;  // numbered as they come
  for (const TraceEvent& e : events) {
    const auto [name, fresh] = names.try_emplace(label(e), static_cast<int64_t>(names.size()) + 1);
    if (fresh) {
      events::XPlane::EventMetadataEntry& entry = *plane.add_event_metadata();
      entry.set_key(name->second);
      entry.mutable_value()->set_id(name->second);
      entry.mutable_value()->set_name(name->first);
    }
    events::XEvent& event = *lines[e.call ? 0 : 1]->add_events();
    event.set_metadata_id(name->second);
    event.set_offset_ps(picoseconds(e.start));
    event.set_duration_ps(picoseconds(e.seconds));
  }
  return space.SerializeAsString();
}

void write_profile(const std::string& folder, const std::vector<TraceEvent>& events) {
  namespace fs = std::filesystem;
  const fs::path where = fs::path(folder) / "plugins" / "profile" /
                         fmt::format("{:%Y_%m_%d_%H_%M_%S}", fmt::localtime(std::time(nullptr)));
  io::make_folder(where, "A profile");
  const auto write = [&](const char* ending, const std::string& text) {
    io::write_file(where / (host_name() + ending), std::as_bytes(std::span(text)));
  };
  write(".xplane.pb", trace_xspace(events));
  write(".trace.json", trace_json(events));
}

}  // namespace cornu
