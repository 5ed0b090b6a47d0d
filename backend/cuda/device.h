// A CUDA device at work: its context, streams, memory, compiled kernels, and graphs of launches.
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "allocator.h"
#include "branches.h"
#include "codegen/kernel_plan.h"
#include "context.h"
#include "downloads.h"
#include "driver.h"
#include "numbers.h"
#include "settings.h"
#include "uploads.h"

namespace cornu::backend::cuda {

/// What a device is made of. Tests give others.
struct Services {
  using Maker = std::function<std::unique_ptr<Executable>(
      const Kernel&, std::span<const Operand> inputs, std::span<const Operand> outputs, Context&)>;

  const Driver* driver = nullptr;
  /// The machine code of a text for an architecture.
  std::function<std::shared_ptr<const std::string>(const Source&, int architecture)> compile;
  /// Begins that beside others, for a `compile` to come; null: kernels are compiled one by one.
  std::function<void(const std::shared_ptr<const Source>&, int architecture)> prefetch;
  Maker library;  ///< kernels of libraries; null, or null results: none
  /// See RnnReserve; null: always 0.
  std::function<size_t(const Rnn&, DType, const Shape& x, const Shape& kernel, Context&)>
      rnn_reserve;
  /// Kernels made of other kernels, the last resort; null: those of backend/compositions.h.
  Maker composition;
};

/// What the driver tells of a device.
struct DeviceFacts {
  std::string model;
  size_t memory = 0;
  int architecture = 0;
  int multiprocessors = 0;
  int double_ratio =
      1;  ///< how many times as many operations a second it has in float as in double
};
DeviceFacts device_facts(const Driver& driver, int ordinal);

/// See Context. Everything but the allocator is used inside a Session.
class Device final : public Context, private MemorySource {
 public:
  /// Opens the device, which takes some hundred MiB of its memory. Throws StateError when the
  /// driver does not.
  Device(int ordinal, Services services, DeviceFacts facts);
  ~Device() override;

  const DeviceFacts& facts() const { return facts_; }
  const Driver& driver() const { return *services_.driver; }
  const Services& services() const { return services_; }
  const std::string& name() const { return name_; }

  int ordinal() const override { return ordinal_; }
  int architecture() const override { return facts_.architecture; }
  std::string model() const override { return facts_.model; }
  int multiprocessors() const override { return facts_.multiprocessors; }
  /// See PlanOptions. Cards for data centers have a ratio of 2, others of 32 or 64.
  bool slow_doubles() const { return cuda::slow_doubles().value_or(facts_.double_ratio >= 16); }
  CUstream_st* stream() const override { return compute_.handle(); }
  void* workspace(size_t bytes) override;
  size_t workspace_limit() const override;
  /// Any thread. Of a graph's steps, those that ask for it run one after the other: what one gives
  /// back, another gets.
  CachingAllocator& allocator() override {
    if (captured_by_.load(std::memory_order_relaxed) == std::this_thread::get_id())
      touch(&allocator_, true);
    return allocator_;
  }
  std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs) override;
  std::unique_ptr<Executable> prepare_generated(const Kernel& kernel,
                                                std::span<const Operand> inputs,
                                                std::span<const Operand> outputs) override;
  std::unique_ptr<Executable> prepare_stages(const KernelPlan& plan, size_t operands) override;

  /// The function of a compiled text, which is loaded once and stays.
  CUfunc_st* function(const Source& source);
  /// Begins to compile a text, where that can be done beside other work; else, and where the
  /// function is known, false.
  bool prefetch(const std::shared_ptr<const Source>& source);
  /// The address of a number on the device.
  void* number(DType dtype, const void* value) {
    void* const address = numbers_.address(dtype, value);
    keep_for_graph(numbers_.slab());  // a full table is replaced, even while a graph is made
    return address;
  }
  /// Launches threads on the compute stream. `block` is the function's one argument. In a graph the
  /// kernel may be put in place before the one that it follows has ended, so it must begin with
  /// begin_kernel, see kernel_head.
  void launch(CUfunc_st* function, uint32_t grid_x, uint32_t grid_y, uint32_t threads, void* block,
              const char* name);
  /// To be called after whatever was launched by others than `launch`.
  void count_work();
  /// While a graph is made: lets it keep `what`.
  void keep_for_graph(const std::shared_ptr<void>& what);
  /// While a graph is made: what is launched from now on is a step that uses these. See StepOrder.
  void begin_step(std::span<const MemoryRange> reads, std::span<const MemoryRange> writes);
  /// While a graph is made: the step also uses this memory, or what stands for something else.
  void touch(MemoryRange range, bool write) {
    if (branches_) branches_->touch(range, write);
  }
  void touch(const void* resource, bool write) { touch({resource, 1}, write); }

  /// Large blocks travel while kernels run that were launched before.
  void copy_in(void* to, const void* from, size_t bytes);
  /// The one function that is called outside of a Session: it takes the device only to begin its
  /// copies, and waits for them without it.
  void copy_out(void* to, const void* from, size_t bytes);
  void copy_within(void* to, const void* from, size_t bytes);
  void synchronize();

  /// See StreamOrder.
  void wait_for_stream(CUstream_st* stream);
  void let_stream_wait(CUstream_st* stream);
  /// See PeerCopies. Called outside of sessions. The first call for another device tries whether
  /// values arrive.
  bool copy_from(Device& other, void* to, const void* data, size_t bytes);

  /// What `work` launches, as one graph that `run` launches again, whatever its argument; nothing
  /// of it runs now. Kernels should have run once before, so that they are compiled and loaded. The
  /// graph works on the addresses that `work` saw. It keeps what was allocated meanwhile; all else
  /// must live as long as the graph is run. Throws StateError when `work` waits for the device or
  /// copies from or to the host.
  std::unique_ptr<Executable> capture(const std::function<void()>& work) override;

 private:
  friend class Session;
  class Graph;
  struct Scratch;
  struct Marked {
    uint64_t count;
    Event event;
  };

  void* allocate(size_t bytes) override;  // of MemorySource
  bool settle() noexcept override;
  void free(void* data) noexcept override;
  size_t free_bytes() override;

  void copy_out_alone(void* to, const void* from, size_t bytes);
  Event begin_copy_out(void* to, const void* from, size_t bytes);
  void add_milestone();
  void pass_milestones();
  bool copies_wait_for(uint64_t work);
  void refuse_capture(const char* what) const;
  void refuse_captured(CUstream_st* stream) const;
  void order(CUstream_st* first, CUstream_st* second);
  bool reaches(Device& other);
  bool arrives_whole(Device& other);
  void copy_across(Device& other, void* to, const void* data, size_t bytes);
  bool may_begin_early();
  std::unique_ptr<Executable> capture_once(const std::function<void()>& work);
  void begin_branches();
  void end_branches();
  void drop_numbers(void* data) noexcept;
  NumberTable::Memory number_memory();

  int ordinal_;
  std::string name_;
  Services services_;
  std::recursive_mutex mutex_;
  DeviceFacts facts_;
  PrimaryContext context_;
  std::optional<ContextScope> opening_;  // while the members below are made
  Stream compute_, copies_;
  EventPool events_;
  std::deque<Marked> milestones_;  // of the compute stream, by the work launched before
  uint64_t passed_work_ = 0;       // what is known to have run
  std::atomic<uint64_t> work_{0};
  CachingAllocator allocator_;
  Uploads uploads_;
  Downloads downloads_;
  std::vector<void*> dropped_numbers_;
  NumberTable numbers_;
  std::shared_ptr<Scratch> scratch_;
  std::unordered_map<std::string, std::pair<std::unique_ptr<Module>, CUfunc_st*>> modules_;
  std::mutex capture_mutex_;  // of the moments when a capture begins, and of waits beside one
  std::atomic<bool> capturing_ = false;
  std::vector<std::shared_ptr<void>> captured_;  // what the graph that is being made must keep
  std::atomic<std::thread::id> captured_by_;     // who makes it
  std::optional<Branches> branches_;             // while it is made, where its steps may have some
  std::shared_ptr<StepScratch> step_scratch_;
  bool early_used_ = false;     // by the graph that is being made: see may_begin_early
  bool early_refused_ = false;  // by the driver
  std::mutex peers_mutex_;      // taken before that of any device
  std::unordered_map<const Device*, bool> peers_;  // whether their memory is reached
};

/// The right to work on a device: holds its lock, and makes its context the thread's meanwhile.
class Session {
 public:
  explicit Session(Device& device) : lock_(device.mutex_), scope_(device.context_) {}
  /// For destructors. At the end of a process the driver may be gone before what uses it.
  Session(Device& device, std::nothrow_t) noexcept
      : lock_(device.mutex_), scope_(device.context_, std::nothrow) {}
  bool has_driver() const { return scope_.holds(); }

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  ContextScope scope_;
};

}  // namespace cornu::backend::cuda
