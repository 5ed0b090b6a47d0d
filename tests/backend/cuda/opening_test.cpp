// When CUDA devices are opened, what that leaves behind, and what becomes of those that do not
// open.
#include <cornu/backend/cuda/device_list.h>
#include <cornu/backend/devices.h>
#include <cornu/backend/error.h>
#include <cornu/backend/local_rank.h>

#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "fake_bench.h"

namespace opening_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

cuda::Services services_of(FakeDriver& driver) {
  cuda::Services services;
  services.driver = &driver.table();
  services.compile = [](const cuda::Source& source, int) {
    return std::make_shared<const std::string>(source.name);
  };
  return services;
}

CUctx_st* current(FakeDriver& driver) {
  CUctx_st* context = nullptr;
  driver.table().context_get(&context);
  return context;
}

// The text of a StateError or MemoryError.
template <class E, class F>
std::string message(const F& call) {
  try {
    call();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A device is opened by its first use, not by being listed", "[cuda]") {
  FakeDriver driver;
  driver.devices = 8;
  {
    std::string note;
    const auto devices = cuda::list_devices(
        services_of(driver), [](int) {}, {}, note);
    REQUIRE(devices.size() == 8);
    CHECK(note.empty());
    for (const auto& device : devices) {
      CHECK(device->description().find("Fake GPU") == 0);
      device->synchronize();  // no work was begun
    }
    CHECK(driver.calls["context_retain"] == 0);
    CHECK(driver.calls["stream_create"] == 0);

    void* const block = devices[5]->allocator().allocate(64);
    CHECK(driver.calls["context_retain"] == 1);
    devices[5]->allocator().deallocate(block, 64);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { static_cast<void>(devices[2]->device().stream()); });
    for (std::thread& thread : threads) thread.join();
    CHECK(driver.calls["context_retain"] == 2);
  }
  CHECK(driver.calls["context_release"] == 2);
  CHECK(driver.objects() == 0);
}

TEST_CASE("A device that cannot be used hides no other", "[cuda]") {
  FakeDriver driver;
  driver.devices = 3;
  driver.architectures = {{1, 50}};
  const auto check = [](int architecture) {
    if (architecture < 75) throw UnsupportedError("too old.");
  };
  std::string note;
  const auto devices = cuda::list_devices(services_of(driver), check, {}, note);
  REQUIRE(devices.size() == 2);
  CHECK(devices[0]->name() == "cuda:0");
  CHECK(devices[1]->name() == "cuda:2");
  CHECK(devices[1]->device().ordinal() == 2);
  CHECK(note == "cuda:1 is left out: too old.");

  driver.devices = 0;
  CHECK(cuda::list_devices(services_of(driver), check, {}, note).empty());
  CHECK(note.find("CUDA_VISIBLE_DEVICES") != std::string::npos);
}

TEST_CASE("A device that does not open says so at each use, and may open later", "[cuda]") {
  FakeDriver driver;
  driver.devices = 2;
  CHECK_THROWS_AS(cuda::CudaBackend(3, services_of(driver)), StateError);
  cuda::CudaBackend device(0, services_of(driver));
  driver.faults["context_retain"] = 46;  // in another process's exclusive use
  for (int i = 0; i < 2; ++i) {
    const std::string text = message<StateError>([&] { device.allocator(); });
    INFO(text);
    CHECK(text.find("cuda:0 (Fake GPU) cannot be used.") == 0);
    CHECK(text.find("CORNU_DEVICE names another device, such as cuda:1 or cpu.") !=
          std::string::npos);
  }
  driver.faults["context_retain"] = cuda::out_of_memory;
  CHECK_FALSE(message<MemoryError>([&] { device.allocator(); }).empty());
  driver.faults = {{"stream_create", 1}};
  CHECK_FALSE(message<StateError>([&] { device.allocator(); }).empty());
  CHECK(driver.calls["context_release"] == 1);  // what was opened half is closed
  CHECK(current(driver) == nullptr);
  driver.faults.clear();
  device.allocator().deallocate(device.allocator().allocate(1), 1);
}

TEST_CASE("A caller's own context is current again after each call", "[cuda]") {
  FakeDriver driver;
  driver.devices = 2;
  CUctx_st* other = nullptr;
  driver.table().context_retain(&other, 1);
  driver.table().context_set(other);
  {
    cuda::CudaBackend device(0, services_of(driver));
    void* const data = device.allocator().allocate(1 << 20);
    CHECK(current(driver) == other);
    const std::vector<char> values(1 << 20);
    device.copy_from_host(data, values.data(), values.size());
    CHECK(current(driver) == other);
    device.synchronize();
    const auto graph =
        device.capture([&] { device.copy(data, static_cast<char*>(data) + 64, 64); });
    graph->run(nullptr);
    CHECK(current(driver) == other);
    device.allocator().deallocate(data, 1 << 20);
    device.allocator().release();
    CHECK(current(driver) == other);
    driver.faults["copy_within"] = 1;
    CHECK_THROWS_AS(device.copy(data, data, 4), StateError);
    CHECK(current(driver) == other);
    driver.faults.clear();
  }
  CHECK(current(driver) == other);
  CHECK(driver.calls["context_release"] == 1);
}

TEST_CASE("Launchers number the processes of a machine") {
  const auto with = [](const char* name, const char* value) {
    setenv(name, value, 1);
    std::optional<size_t> rank;
    std::string text;
    try {
      rank = local_rank();
    } catch (const ValueError& e) {
      text = e.what();
    }
    unsetenv(name);
    return std::pair(rank, text);
  };
  for (const char* name : {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                           "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    if (std::getenv(name)) continue;
    CHECK(with(name, "3").first == size_t{3});
    CHECK(with(name, "-1").second.find(name) != std::string::npos);
    CHECK(with(name, "2a").second.find("found '2a'") != std::string::npos);
  }
}

TEST_CASE("A process that was forked after GPUs were looked for is told so", "[cuda]") {
  FakeDriver driver;
  constexpr int not_initialized = 3;
  driver.faults["context_retain"] = not_initialized;
  const auto told = [&](int process) {
    cuda::Driver table = driver.table();
    table.process = process;
    cuda::Services services = services_of(driver);
    services.driver = &table;
    cuda::CudaBackend device(0, services);
    return message<StateError>([&] { device.allocator(); });
  };
  CHECK(told(getppid()).find("forked") != std::string::npos);
  // The process itself has another fault.
  CHECK(told(getpid()).find("forked") == std::string::npos);
  CHECK(told(getpid()).find("opening a device") != std::string::npos);
}

}  // namespace opening_test
