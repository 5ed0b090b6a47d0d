// The queues and the memory of the fake driver.
#include "fake_driver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

struct CUevent_st {
  CUctx_st* context = nullptr;
  CUstream_st* stream = nullptr;  // where it was recorded last
  uint64_t position = 0;          // and after how much work there
};
struct CUgraphNode_st {
  std::function<void()> work;
  std::vector<CUgraphNode_st*> before;  // what it waits for
  size_t position = 0;                  // in the order of the launches
  bool kernel = false;
};
struct CUstream_st {
  CUctx_st* context = nullptr;
  std::deque<std::function<void()>> queue = {};
  uint64_t launched = 0, done = 0;
  CUgraph_st* capture = nullptr;
  std::vector<CUgraphNode_st*> before = {};  // what the next captured launch waits for
};
struct CUctx_st {
  std::unique_ptr<CUstream_st> null_stream;
  std::set<CUctx_st*> reaches;  // whose memory its work may use
};
struct CUmod_st {
  std::string image;
};
struct CUfunc_st {
  std::string name;
};
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> order;
};

namespace cornu::backend::testing {

struct FakeDriver::State {
  struct Block {
    size_t bytes;
    CUctx_st* context;
  };
  std::map<cuda::DeviceAddress, Block> blocks;
  std::set<void*> pinned;
  std::set<CUstream_st*> streams;
  std::set<CUevent_st*> events;
  std::set<CUmod_st*> modules;
  std::set<CUgraph_st*> graphs;
  std::set<CUgraphExec_st*> execs;
  std::map<std::string, CUfunc_st> functions;
  std::map<int, CUctx_st> contexts;  // of devices
};

namespace {

FakeDriver* fake = nullptr;
thread_local CUctx_st* current = nullptr;  // the thread's context

// Threads wait for events without the lock that the device's user has. Work runs under one lock,
// the queues change under another, so that work can be launched while other work runs.
std::recursive_mutex running, changing;

void run_until(CUstream_st* stream, uint64_t position) {
  const std::lock_guard run(running);
  for (;;) {
    std::function<void()> work;
    {
      const std::lock_guard change(changing);
      if (stream->done >= position || stream->queue.empty()) return;
      work = std::move(stream->queue.front());
      stream->queue.pop_front();
    }
    work();
    const std::lock_guard change(changing);
    ++stream->done;
  }
}

// The nodes in an order that their edges allow, as far from that of the launches as can be: always
// the one that was launched last. What lacks an edge runs too early.
std::vector<std::shared_ptr<CUgraphNode_st>> late_first(const CUgraph_st& graph) {
  std::vector<size_t> waits(graph.nodes.size());
  std::vector<std::vector<size_t>> after(graph.nodes.size());
  std::set<size_t> ready;
  for (const auto& node : graph.nodes) {
    waits[node->position] = node->before.size();
    for (const CUgraphNode_st* other : node->before)
      after[other->position].push_back(node->position);
    if (node->before.empty()) ready.insert(node->position);
  }
  std::vector<std::shared_ptr<CUgraphNode_st>> order;
  while (!ready.empty()) {
    const size_t last = *ready.rbegin();
    ready.erase(last);
    order.push_back(graph.nodes[last]);
    for (const size_t next : after[last])
      if (--waits[next] == 0) ready.insert(next);
  }
  return order;
}

}  // namespace

// The functions of the table. No context: 201, as the driver says.
struct Calls {
  static FakeDriver::State& state() { return *fake->state_; }

  static int count(const char* name, bool needs_context = true) {
    const std::lock_guard change(changing);
    ++fake->calls[name];
    if (const auto fault = fake->faults.find(name); fault != fake->faults.end())
      return fault->second;
    return needs_context && !current ? 201 : 0;
  }

  static int put(const std::string& what, CUstream_st* stream, std::function<void()> work,
                 bool kernel = false) {
    const std::lock_guard change(changing);
    if (stream->capture) {
      auto& nodes = stream->capture->nodes;
      nodes.push_back(std::make_shared<CUgraphNode_st>(
          CUgraphNode_st{std::move(work), stream->before, nodes.size(), kernel}));
      stream->before = {nodes.back().get()};
      return 0;
    }
    fake->put.push_back({what, stream});
    stream->queue.push_back([=, work = std::move(work)] {
      work();
      const std::lock_guard change(changing);
      fake->ran.push_back({what, stream});
    });
    ++stream->launched;
    return 0;
  }

  static int launch(const cuda::LaunchConfig& config, CUfunc_st* function, void** parameters) {
    if (const int fault = count("launch")) return fault;
    const FakeDriver::Kernel& kernel = fake->kernels[function->name];
    const auto* const words = static_cast<const uint64_t*>(parameters[0]);
    std::vector<uint64_t> block(words, words + kernel.words);
    bool early = false;
    for (unsigned i = 0; i < config.number_of_attributes; ++i)
      early |= config.attributes[i].id == cuda::LaunchAttribute::programmatic_serialization &&
               config.attributes[i].value == 1;
    fake->launches.push_back(
        {function->name, config.grid_x, config.grid_y, config.block_x, block, early});
    const auto run = [run = kernel.run, block] {
      if (run) run(block);
    };
    return put(function->name, config.stream, run, true);
  }

  template <class T>
  static int make(std::set<T*>& all, T** result, const char* name, T value = {}) {
    if (const int fault = count(name)) return fault;
    *result = *all.insert(new T(std::move(value))).first;
    return 0;
  }
  template <class T>
  static int destroy(std::set<T*>& all, T* object, const char* name) {
    if (const int fault = count(name)) return fault;
    if (all.erase(object) == 0) return 1;
    delete object;
    return 0;
  }

  static bool on_device(cuda::DeviceAddress address, size_t bytes, const CUctx_st* context) {
    const auto& blocks = state().blocks;
    auto at = blocks.upper_bound(address);
    if (at == blocks.begin()) return false;
    --at;
    return at->second.context == context && address + bytes <= at->first + at->second.bytes;
  }

  // Null: the default stream of the context, which waits for nobody here.
  static CUstream_st* stream_of(CUstream_st* stream) {
    if (stream) return stream;
    std::unique_ptr<CUstream_st>& own = current->null_stream;
    if (!own) own = std::make_unique<CUstream_st>(CUstream_st{.context = current});
    return own.get();
  }

  static int copy(const char* what, void* to, const void* from, size_t bytes, CUstream_st* stream) {
    return put(what, stream, [=] { std::memcpy(to, from, bytes); });
  }
  static void* host(cuda::DeviceAddress address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  }

  static cuda::Driver table() {
    cuda::Driver d;
    d.error_name = [](int result, const char** name) {
      *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
              : result == 201 ? "CUDA_ERROR_INVALID_CONTEXT"
              : result == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
              : result == 901 ? "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
                              : "CUDA_ERROR_INVALID_VALUE";
      return 0;
    };
    d.error_text = [](int, const char** text) {
      *text = "as the test wants";
      return 0;
    };
    d.initialize = [](unsigned) { return count("initialize", false); };
    d.version = [](int* version) {
      *version = 13000;
      return count("version", false);
    };
    d.device_count = [](int* number) {
      *number = fake->devices;
      return count("device_count", false);
    };
    d.device = [](int* device, int ordinal) {
      *device = ordinal;
      return ordinal < fake->devices ? count("device", false) : 101;
    };
    d.device_name = [](char* name, int size, int) {
      std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
      return count("device_name", false);
    };
    d.device_memory = [](size_t* bytes, int) {
      *bytes = fake->capacity;
      return count("device_memory", false);
    };
    d.device_attribute = [](int* value, int which, int device) {
      const auto named = fake->architectures.find(device);
      const int architecture = named == fake->architectures.end() ? 90 : named->second;
      *value = which == 16   ? 132
               : which == 75 ? architecture / 10
               : which == 76 ? architecture % 10
               : which == 87 ? fake->double_ratio
                             : 0;
      return count("device_attribute", false);
    };
    d.context_retain = [](CUctx_st** context, int device) {
      *context = &state().contexts[device];
      return count("context_retain", false);
    };
    d.context_release = [](int) { return count("context_release", false); };
    d.context_get = [](CUctx_st** context) {
      *context = current;
      return count("context_get", false);
    };
    d.context_set = [](CUctx_st* context) {
      current = context;
      return count("context_set", false);
    };
    d.memory_info = [](size_t* free, size_t* total) {
      *total = fake->capacity;
      *free = fake->capacity - fake->allocated();
      return count("memory_info");
    };
    d.memory_allocate = [](cuda::DeviceAddress* address, size_t bytes) {
      if (const int fault = count("memory_allocate")) return fault;
      if (fake->allocated() + bytes > fake->capacity) return cuda::out_of_memory;
      *address = cuda::address_of(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
      state().blocks[*address] = {bytes, current};
      return 0;
    };
    d.memory_free = [](cuda::DeviceAddress address) {
      if (const int fault = count("memory_free")) return fault;
      for (const CUstream_st* stream : state().streams)
        fake->early_frees += stream->done < stream->launched;
      fake->run_all();
      if (state().blocks.erase(address) == 0) return 1;
      std::free(host(address));
      return 0;
    };
    d.host_allocate = [](void** data, size_t bytes, unsigned) {
      if (const int fault = count("host_allocate")) return fault;
      *data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
      state().pinned.insert(*data);
      return 0;
    };
    d.host_free = [](void* data) {
      if (const int fault = count("host_free")) return fault;
      if (state().pinned.erase(data) == 0) return 1;
      std::free(data);
      return 0;
    };
    d.copy_in = [](cuda::DeviceAddress to, const void* from, size_t bytes, CUstream_st* stream) {
      if (const int fault = count("copy_in")) return fault;
      if (!on_device(to, bytes, stream->context)) return 1;
      return copy("copy_in", host(to), from, bytes, stream);
    };
    d.copy_out = [](void* to, cuda::DeviceAddress from, size_t bytes, CUstream_st* stream) {
      if (const int fault = count("copy_out")) return fault;
      if (!on_device(from, bytes, stream->context)) return 1;
      return copy("copy_out", to, host(from), bytes, stream);
    };
    d.copy_within = [](cuda::DeviceAddress to, cuda::DeviceAddress from, size_t bytes,
                       CUstream_st* stream) {
      if (const int fault = count("copy_within")) return fault;
      if (!on_device(to, bytes, stream->context) || !on_device(from, bytes, stream->context))
        return 1;
      return copy("copy_within", host(to), host(from), bytes, stream);
    };
    add_peers(d);
    add_streams(d);
    add_kernels(d);
    return d;
  }

  static void add_peers(cuda::Driver& d) {
    d.can_reach = [](int* can, int device, int peer) {
      if (const int fault = count("can_reach", false)) return fault;
      *can = fake->reach.contains({device, peer});
      return 0;
    };
    d.let_reach = [](CUctx_st* peer, unsigned flags) {
      if (const int fault = count("let_reach")) return fault;
      if (flags != 0 || peer == current) return 1;
      return current->reaches.insert(peer).second ? 0 : cuda::reaches_already;
    };
    d.copy_across = [](cuda::DeviceAddress to, CUctx_st* to_context, cuda::DeviceAddress from,
                       CUctx_st* from_context, size_t bytes, CUstream_st* stream) {
      if (const int fault = count("copy_across")) return fault;
      if (!on_device(to, bytes, to_context) || !on_device(from, bytes, from_context)) return 1;
      // A device would copy through the host then.
      if (stream->context != to_context || !to_context->reaches.contains(from_context)) return 1;
      return put("copy_across", stream, [=] {
        std::memcpy(host(to), host(from), bytes);
        if (fake->damages) *static_cast<char*>(host(to)) ^= 1;
      });
    };
  }

  static void add_streams(cuda::Driver& d) {
    d.stream_create = [](CUstream_st** stream, unsigned) {
      return make(state().streams, stream, "stream_create", CUstream_st{.context = current});
    };
    d.stream_destroy = [](CUstream_st* stream) {
      return destroy(state().streams, stream, "stream_destroy");
    };
    d.stream_synchronize = [](CUstream_st* stream) {
      if (const int fault = count("stream_synchronize")) return fault;
      if (stream->capture) return 900;
      run_until(stream, stream->launched);
      return 0;
    };
    d.stream_wait = [](CUstream_st* stream, CUevent_st* event, unsigned) {
      if (const int fault = count("stream_wait")) return fault;
      CUstream_st* const other = event->stream;
      const uint64_t position = event->position;
      return other ? put("wait", stream_of(stream), [=] { run_until(other, position); }) : 0;
    };
    d.event_create = [](CUevent_st** event, unsigned) {
      return make(state().events, event, "event_create", CUevent_st{.context = current});
    };
    d.event_destroy = [](CUevent_st* event) {
      return destroy(state().events, event, "event_destroy");
    };
    d.event_record = [](CUevent_st* event, CUstream_st* stream) {
      if (const int fault = count("event_record")) return fault;
      stream = stream_of(stream);
      if (stream->context != event->context) return 400;
      const std::lock_guard change(changing);
      event->stream = stream;
      event->position = stream->launched;
      return 0;
    };
    d.event_query = [](CUevent_st* event) {
      if (const int fault = count("event_query")) return fault;
      const std::lock_guard change(changing);
      return event->stream && event->stream->done < event->position ? cuda::not_ready : 0;
    };
    d.event_synchronize = [](CUevent_st* event) {
      if (const int fault = count("event_synchronize")) return fault;
      if (event->stream) run_until(event->stream, event->position);
      return 0;
    };
  }

  static void add_kernels(cuda::Driver& d) {
    d.module_load = [](CUmod_st** module, const void* image) {
      return make(state().modules, module, "module_load",
                  CUmod_st{static_cast<const char*>(image)});
    };
    d.module_unload = [](CUmod_st* module) {
      return destroy(state().modules, module, "module_unload");
    };
    d.module_function = [](CUfunc_st** function, CUmod_st* module, const char* name) {
      if (const int fault = count("module_function")) return fault;
      if (module->image != name) return 500;
      *function = &state().functions.try_emplace(name, CUfunc_st{name}).first->second;
      return 0;
    };
    d.launch_with = [](const cuda::LaunchConfig* config, CUfunc_st* function, void** parameters,
                       void**) {
      if (const int fault = count("launch_with")) return fault;
      return launch(*config, function, parameters);
    };
    d.launch = [](CUfunc_st* function, unsigned grid_x, unsigned grid_y, unsigned, unsigned threads,
                  unsigned, unsigned, unsigned, CUstream_st* stream, void** parameters, void**) {
      return launch({grid_x, grid_y, 1, threads, 1, 1, 0, stream, nullptr, 0}, function,
                    parameters);
    };
    d.node_type = [](CUgraphNode_st* node, int* type) {
      constexpr int copies = 1;
      *type = node->kernel ? cuda::graph_node_is_kernel : copies;
      return 0;
    };
    d.capture_begin = [](CUstream_st* stream, int) {
      if (const int fault = count("capture_begin")) return fault;
      stream->before.clear();
      return make(state().graphs, &stream->capture, "graph");
    };
    d.capture_end = [](CUstream_st* stream, CUgraph_st** graph) {
      *graph = std::exchange(stream->capture, nullptr);
      if (const int fault = count("capture_end")) {
        destroy(state().graphs, *graph, "graph_destroy");
        *graph = nullptr;
        return fault;
      }
      return 0;
    };
    d.capture_info = [](CUstream_st* stream, int* status, unsigned long long*, CUgraph_st** graph,
                        CUgraphNode_st* const** nodes, size_t* number) {
      if (const int fault = count("capture_info")) return fault;
      stream = stream_of(stream);
      *status = stream->capture != nullptr;
      *graph = stream->capture;
      *nodes = stream->before.data();
      *number = stream->before.size();
      return 0;
    };
    d.capture_depend = [](CUstream_st* stream, CUgraphNode_st** nodes, size_t number,
                          unsigned flags) {
      if (const int fault = count("capture_depend")) return fault;
      constexpr unsigned add = 0, replace = 1;
      if (!nodes || flags > replace) return 1;
      if (!stream->capture) return 401;
      std::vector<CUgraphNode_st*> all(nodes, nodes + number);
      if (flags == add) all.insert(all.end(), stream->before.begin(), stream->before.end());
      std::sort(all.begin(), all.end());
      // A node that is named twice is an error when the launch makes its edges.
      if (flags == replace && std::adjacent_find(all.begin(), all.end()) != all.end()) return 1;
      all.erase(std::unique(all.begin(), all.end()), all.end());
      stream->before = all;
      return 0;
    };
    d.graph_instantiate = [](CUgraphExec_st** exec, CUgraph_st* graph, unsigned long long) {
      fake->edges.clear();
      for (const auto& node : graph->nodes) {
        auto& edges = fake->edges.emplace_back();
        for (const CUgraphNode_st* other : node->before) edges.insert(other->position);
      }
      return make(state().execs, exec, "graph_instantiate", CUgraphExec_st{late_first(*graph)});
    };
    d.graph_launch = [](CUgraphExec_st* exec, CUstream_st* stream) {
      if (const int fault = count("graph_launch")) return fault;
      return put("graph", stream, [order = exec->order] {
        for (const auto& node : order) node->work();
      });
    };
    d.graph_destroy = [](CUgraph_st* graph) {
      return destroy(state().graphs, graph, "graph_destroy");
    };
    d.graph_exec_destroy = [](CUgraphExec_st* exec) {
      return destroy(state().execs, exec, "graph_exec_destroy");
    };
  }
};

FakeDriver::FakeDriver() : state_(std::make_unique<State>()), table_(Calls::table()) {
  fake = this;
  current = nullptr;
}

FakeDriver::~FakeDriver() {
  for (const auto& [address, block] : state_->blocks) std::free(Calls::host(address));
  fake = nullptr;
}

size_t FakeDriver::allocated() const {
  size_t sum = 0;
  for (const auto& [address, block] : state_->blocks) sum += block.bytes;
  return sum;
}

void FakeDriver::run(CUstream_st* stream) { run_until(stream, stream->launched); }

void FakeDriver::run_all() {
  for (CUstream_st* stream : state_->streams) run_until(stream, stream->launched);
  for (const auto& [device, context] : state_->contexts)
    if (CUstream_st* const stream = context.null_stream.get()) run_until(stream, stream->launched);
}

void FakeDriver::enqueue(CUstream_st* stream, std::function<void()> work) {
  Calls::put("work", Calls::stream_of(stream), std::move(work));
}

int FakeDriver::objects() const {
  return static_cast<int>(state_->streams.size() + state_->events.size() + state_->modules.size() +
                          state_->graphs.size() + state_->execs.size() + state_->pinned.size());
}

}  // namespace cornu::backend::testing
