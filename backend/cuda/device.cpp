// The device: memory, kernels, and scratch.
#include "device.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../error.h"
#include "dispatch.h"
#include "launch.h"
#include "settings.h"

namespace cornu::backend::cuda {
namespace {

// An event after each launch would cost as much as the launch.
constexpr uint64_t work_between_milestones = 64;
constexpr size_t most_milestones = 64;
// For less, ordering two streams costs more than it gains.
constexpr size_t worth_overtaking = 64 << 10;
constexpr size_t most_staging = 64 * mebibyte;

}  // namespace

DeviceFacts device_facts(const Driver& driver, int ordinal) {
  const int device = driver.device_handle(ordinal);
  DeviceFacts facts;
  char name[256] = {};
  driver.check(driver.device_name(name, sizeof name - 1, device), "asking for a device's name");
  facts.model = name;
  driver.check(driver.device_memory(&facts.memory, device), "asking for a device's memory");
  const auto attribute = [&](int which) {
    int value = 0;
    driver.check(driver.device_attribute(&value, which, device), "asking about a device");
    return value;
  };
  constexpr int multiprocessor_count = 16, capability_major = 75, capability_minor = 76,
                single_to_double_ratio = 87;
  facts.multiprocessors = attribute(multiprocessor_count);
  facts.architecture = 10 * attribute(capability_major) + attribute(capability_minor);
  // No reason to do without a device.
  if (driver.device_attribute(&facts.double_ratio, single_to_double_ratio, device) != 0)
    facts.double_ratio = 1;
  return facts;
}

// Scratch memory; graphs that use it keep it when the device has taken a larger one.
struct Device::Scratch {
  Scratch(CachingAllocator& allocator, size_t bytes)
      : allocator(allocator), bytes(bytes), data(allocator.allocate(bytes)) {}
  Scratch(const Scratch&) = delete;
  ~Scratch() { allocator.deallocate(data, bytes); }
  CachingAllocator& allocator;
  size_t bytes;
  void* data;
};

Device::Device(int ordinal, Services services, DeviceFacts facts)
    : ordinal_(ordinal),
      name_("cuda:" + std::to_string(ordinal)),
      services_(std::move(services)),
      facts_(std::move(facts)),
      context_(driver(), driver().device_handle(ordinal)),
      opening_(std::in_place, context_),
      compute_(driver()),
      copies_(driver()),
      events_(driver()),
      allocator_(*this, name_, exact_blocks()),
      uploads_(driver(), compute_, copies_, events_, allocator_,
               std::min(most_staging, facts_.memory / 16)),
      downloads_(driver()),
      numbers_(number_memory()) {
  allocator_.set_clock([this] { return work_.load(std::memory_order_relaxed); });
  opening_.reset();
}

Device::~Device() {
  // For the members too, which end after it.
  opening_.emplace(context_, std::nothrow);
  try {
    // Whatever is freed below may still be in use by work that was begun.
    compute_.synchronize();
    copies_.synchronize();
  } catch (const Error&) {
    // The device has failed before, and whoever used it knows.
  }
  // Handles of libraries first: they use the memory that goes after them.
  drop_parts();
  scratch_.reset();
  numbers_.clear();
}

void* Device::workspace(size_t bytes) {
  if (bytes == 0) return nullptr;
  if (step_scratch_ && branches_->in_step() && bytes <= StepScratch::most_bytes)
    if (void* const own = step_scratch_->take(bytes, *branches_, &allocator_)) return own;
  // Shared by all steps of a graph, which so run one after the other.
  touch(&scratch_, true);
  if (!scratch_ || scratch_->bytes < bytes) {
    touch(&allocator_, false);
    scratch_.reset();  // before more is taken
    scratch_ = std::make_shared<Scratch>(
        allocator_, bytes < mebibyte ? mebibyte : (bytes + mebibyte - 1) / mebibyte * mebibyte);
  }
  // A graph that is captured now will use this address whenever it runs.
  keep_for_graph(scratch_);
  return scratch_->data;
}

size_t Device::workspace_limit() const {
  return std::clamp(facts_.memory / 64, 32 * mebibyte, 1024 * mebibyte);
}

std::unique_ptr<Executable> Device::prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs) {
  return make_executable(*this, kernel, inputs, outputs);
}

std::unique_ptr<Executable> Device::prepare_generated(const Kernel& kernel,
                                                      std::span<const Operand> inputs,
                                                      std::span<const Operand> outputs) {
  return make_generated(*this, kernel, inputs, outputs);
}

std::unique_ptr<Executable> Device::prepare_stages(const KernelPlan& plan, size_t operands) {
  return std::make_unique<PlanExecutable>(*this, plan, operands);
}

CUfunc_st* Device::function(const Source& source) {
  if (const auto at = modules_.find(source.name); at != modules_.end()) return at->second.second;
  const std::shared_ptr<const std::string> image = services_.compile(source, facts_.architecture);
  auto module = std::make_unique<Module>(driver(), image->c_str());
  CUfunc_st* const function = module->function(source.name.c_str());
  modules_.emplace(source.name, std::pair(std::move(module), function));
  return function;
}

bool Device::prefetch(const std::shared_ptr<const Source>& source) {
  if (!services_.prefetch || modules_.contains(source->name)) return false;
  services_.prefetch(source, facts_.architecture);
  return true;
}

void Device::launch(CUfunc_st* function, uint32_t grid_x, uint32_t grid_y, uint32_t threads,
                    void* block, const char* name) {
  void* parameters[] = {block};
  // Asynchronous: errors of the kernel itself show at a later call.
  int result;
  if (may_begin_early()) {
    LaunchAttribute early{LaunchAttribute::programmatic_serialization, 1, {}};
    const LaunchConfig config{grid_x, grid_y, 1, threads, 1, 1, 0, compute_.handle(), &early, 1};
    result = driver().launch_with(&config, function, parameters, nullptr);
  } else {
    result = driver().launch(function, grid_x, grid_y, 1, threads, 1, 1, 0, compute_.handle(),
                             parameters, nullptr);
  }
  if (result != 0)
    driver().fail(result, fmt::format("the launch of {} ({} x {} blocks of {} threads) on {}", name,
                                      grid_x, grid_y, threads, name_)
                              .c_str());
  count_work();
}

void Device::count_work() {
  const uint64_t work = work_.fetch_add(1, std::memory_order_relaxed) + 1;
  // Not while capturing, where an event would become part of the graph.
  const uint64_t last = milestones_.empty() ? passed_work_ : milestones_.back().count;
  if (work - last >= work_between_milestones && !capturing_) add_milestone();
}

void Device::add_milestone() {
  Event event = events_.take();
  event.record(compute_);
  milestones_.push_back({work_.load(std::memory_order_relaxed), std::move(event)});
  // Of those that nobody has asked for, every other one will do.
  if (milestones_.size() > most_milestones) {
    std::deque<Marked> kept;
    for (size_t i = 0; i < milestones_.size(); ++i)
      if (i % 2 == 1 || i + 1 == milestones_.size())
        kept.push_back(std::move(milestones_[i]));
      else
        events_.give_back(std::move(milestones_[i].event));
    milestones_ = std::move(kept);
  }
}

void Device::pass_milestones() {
  while (!milestones_.empty() && milestones_.front().event.passed()) {
    passed_work_ = milestones_.front().count;
    events_.give_back(std::move(milestones_.front().event));
    milestones_.pop_front();
  }
}

// Lets the copy stream wait for so much work, or says that there is no milestone behind it.
bool Device::copies_wait_for(uint64_t work) {
  for (const Marked& milestone : milestones_)
    if (milestone.count >= work) {
      milestone.event.hold(copies_);
      return true;
    }
  return false;
}

void Device::copy_in(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  refuse_capture("copies from the host");
  // Small copies take their place in the order of the work.
  if (bytes < worth_overtaking) {
    uploads_.in_order(to, from, bytes);
  } else {
    pass_milestones();
    const CachingAllocator::Times times = allocator_.times(to);
    // Nothing has used the block since it was taken, so the last use of its memory was before.
    const bool fresh = times.known && times.taken == work_.load(std::memory_order_relaxed);
    // The block's former user has finished, so the copy can run beside everything.
    if (fresh && times.freed <= passed_work_) {
      uploads_.ahead(to, from, bytes);
    } else if (!uploads_.staged(to, from, bytes)) {
      if (fresh && copies_wait_for(times.freed))
        uploads_.ahead(to, from, bytes);
      else
        uploads_.in_order(to, from, bytes);
    }
  }
  count_work();
}

void Device::copy_out(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  const ContextScope scope(context_);
  const std::unique_ptr<Downloads::Place> place = downloads_.take();
  if (!place) return copy_out_alone(to, from, bytes);
  // Two pieces in turn: one is on its way while the other is copied to where it belongs.
  struct Piece {
    char* to;
    size_t bytes;
    Event event;
  };
  std::deque<Piece> under_way;
  size_t begun = 0, number = 0, first = 0;
  const auto begin = [&] {
    const size_t count = std::min(bytes - begun, Downloads::piece_bytes);
    under_way.push_back(
        {static_cast<char*>(to) + begun, count,
         begin_copy_out(place->piece(number++), static_cast<const char*>(from) + begun, count)});
    begun += count;
  };
  try {
    begin();
    if (begun < bytes) begin();
    while (!under_way.empty()) {
      Piece& piece = under_way.front();
      piece.event.wait();
      std::memcpy(piece.to, place->piece(first++), piece.bytes);
      {
        const std::lock_guard lock(mutex_);
        events_.give_back(std::move(piece.event));
      }
      under_way.pop_front();
      if (begun < bytes) begin();
    }
  } catch (...) {
    place->spoil();
    throw;
  }
}

Event Device::begin_copy_out(void* to, const void* from, size_t bytes) {
  const std::lock_guard lock(mutex_);
  refuse_capture("copies to the host");
  driver().check(driver().copy_out(to, address_of(from), bytes, compute_.handle()),
                 "a copy from the device");
  Event event = events_.take();
  event.record(compute_);
  return event;
}

// Straight to where the values belong, while nobody else works on the device.
void Device::copy_out_alone(void* to, const void* from, size_t bytes) {
  const std::lock_guard lock(mutex_);
  refuse_capture("copies to the host");
  driver().check(driver().copy_out(to, address_of(from), bytes, compute_.handle()),
                 "a copy from the device");
  // The host reads the values when this returns.
  compute_.synchronize();
}

void Device::copy_within(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  touch({from, bytes}, false);
  touch({to, bytes}, true);
  driver().check(driver().copy_within(address_of(to), address_of(from), bytes, compute_.handle()),
                 "a copy within the device");
  count_work();
}

void Device::synchronize() {
  refuse_capture("waits for the device");
  compute_.synchronize();
  copies_.synchronize();
}

void* Device::allocate(size_t bytes) {
  const ContextScope scope(context_);
  DeviceAddress address = 0;
  const int result = driver().memory_allocate(&address, bytes);
  // The allocator then gives back what it has cached, and asks again.
  if (result == out_of_memory) return nullptr;
  driver().check(result, "an allocation on the device");
  return reinterpret_cast<void*>(address);
}

// Called by threads that hold the allocator's lock, perhaps without the device's: it takes none
// under which memory is asked for.
bool Device::settle() noexcept {
  const ContextScope scope(context_, std::nothrow);
  if (!scope.holds()) return true;  // the device is gone, and its work
  const std::lock_guard lock(capture_mutex_);
  if (capturing_) return false;  // the wait would spoil the capture
  // A fault of the device comes to light at its next use.
  driver().stream_synchronize(compute_.handle());
  driver().stream_synchronize(copies_.handle());
  return true;
}

void Device::free(void* data) noexcept {
  const ContextScope scope(context_, std::nothrow);
  if (scope.holds()) driver().memory_free(address_of(data));
}

size_t Device::free_bytes() {
  const ContextScope scope(context_);
  size_t free = 0, total = 0;
  return driver().memory_info(&free, &total) == 0 ? free : 0;
}

// Kernels that were launched may still read them.
void Device::drop_numbers(void* data) noexcept {
  dropped_numbers_.push_back(data);
  if (settle())
    for (void* const each : std::exchange(dropped_numbers_, {})) free(each);
}

NumberTable::Memory Device::number_memory() {
  return {[this](size_t bytes) {
            void* data = allocate(bytes);
            if (!data) {
              allocator_.release();
              data = allocate(bytes);
            }
            if (!data) driver().fail(out_of_memory, "an allocation for numbers");
            return std::shared_ptr<void>(data, [this](void* p) { drop_numbers(p); });
          },
          [this](void* to, const void* from, size_t bytes) {
            driver().check(driver().copy_in(address_of(to), from, bytes, copies_.handle()),
                           "a copy of a number to the device");
            copies_.synchronize();
          }};
}

}  // namespace cornu::backend::cuda
