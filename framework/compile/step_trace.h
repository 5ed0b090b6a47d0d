// StepTrace: when each step of the functions ran that this thread calls meanwhile.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "../io/events/trace.h"

namespace cornu {

/// While one lives, plans that this thread replays are timed step by step, which makes them a
/// little slower; every call of a function is an event as well, whether it has a plan or not. The
/// innermost of several sees.
class StepTrace {
 public:
  StepTrace();   ///< begins the time of the events
  ~StepTrace();  ///< on the thread that made it
  StepTrace(const StepTrace&) = delete;

  const std::vector<TraceEvent>& events() const { return events_; }  ///< in the order of their ends
  void add(TraceEvent event) { events_.push_back(std::move(event)); }  ///< by what is traced
  double now() const;                                                  ///< seconds since it began
  static StepTrace* current();  ///< the innermost of this thread; null without one

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<TraceEvent> events_;
  StepTrace* outer_;
};

}  // namespace cornu
