// The program around the texts of kernels: threads, barriers, memory and launches from files.
#include "thread_form.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "host_form.h"

namespace cornu::backend::testing {
namespace {

constexpr const char* definitions = R"text(
#include <math.h>
#include <pthread.h>
#define CORNU_HOST
#define CORNU_DEVICE static inline
#define CORNU_METHOD inline
#define CORNU_KERNEL extern "C" void
#define CORNU_SHARED static
#define CORNU_EACH_THREAD
#define CORNU_BLOCK_BARRIER pthread_barrier_wait(&block_barrier);
#define CORNU_WARP_BARRIER pthread_barrier_wait(&warp_barriers[threadIdx.x / 32]);
struct Dim3 { unsigned x, y, z; };
static thread_local Dim3 threadIdx, blockIdx, blockDim, gridDim;
static pthread_barrier_t block_barrier, warp_barriers[8];
)text";

// Values of main.txt: bytes of memory; for each launch its kernel, grid, and words, of which the
// first are offsets into the memory.
constexpr const char* program = R"text(
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>
struct Launch { unsigned kernel, x, y; std::vector<unsigned long long> words; };
static std::vector<Launch> launches;
static void* work(void* number) {
  threadIdx = {static_cast<unsigned>(reinterpret_cast<size_t>(number)), 0, 0};
  blockDim = {256, 1, 1};
  for (const Launch& launch : launches) {
    gridDim = {launch.x, launch.y, 1};
    for (unsigned y = 0; y < launch.y; ++y)
      for (unsigned x = 0; x < launch.x; ++x) {
        blockIdx = {x, y, 0};
        kernels[launch.kernel](launch.words.data());
        pthread_barrier_wait(&block_barrier);
      }
  }
  return nullptr;
}
int main(int, char** arguments) {
  std::ifstream text(arguments[1]);
  size_t bytes, count, pointers, words;
  text >> bytes >> count;
  char* const memory = static_cast<char*>(aligned_alloc(4096, (bytes + 8191) / 4096 * 4096));
  std::fread(memory, 1, bytes, std::fopen(arguments[2], "rb"));
  launches.resize(count);
  for (Launch& launch : launches) {
    text >> launch.kernel >> launch.x >> launch.y >> pointers >> words;
    launch.words.resize(words);
    for (size_t i = 0; i < words; ++i) {
      text >> launch.words[i];
      if (i < pointers) launch.words[i] += reinterpret_cast<unsigned long long>(memory);
    }
  }
  pthread_barrier_init(&block_barrier, nullptr, 256);
  for (pthread_barrier_t& each : warp_barriers) pthread_barrier_init(&each, nullptr, 32);
  std::vector<pthread_t> threads(256);
  for (size_t i = 0; i < 256; ++i)
    pthread_create(&threads[i], nullptr, work, reinterpret_cast<void*>(i));
  for (pthread_t each : threads) pthread_join(each, nullptr);
  FILE* const results = std::fopen(arguments[3], "wb");
  std::fwrite(memory, 1, bytes, results);
  std::fclose(results);
  std::puts("all launches ran");
}
)text";

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

size_t ThreadedLaunches::place(size_t bytes) {
  const size_t offset = (memory_.size() + 255) / 256 * 256;
  memory_.resize(offset + bytes);
  return offset;
}

size_t ThreadedLaunches::add(const cuda::KernelPlan& plan, const std::vector<Bytes>& operands) {
  auto& places = places_.emplace_back();
  std::vector<void*> data;
  for (const Bytes& operand : operands) {
    const size_t offset = place(operand.size());
    std::copy(operand.begin(), operand.end(),
              memory_.begin() + static_cast<std::ptrdiff_t>(offset));
    places.emplace_back(offset, operand.size());
    data.push_back(reinterpret_cast<void*>(offset));
  }
  void* const workspace = reinterpret_cast<void*>(place(plan.workspace_bytes));
  for (const cuda::Stage& stage : plan.stages) {
    const auto same = [&](const auto& source) { return source->name == stage.source->name; };
    auto at = std::find_if(sources_.begin(), sources_.end(), same);
    if (at == sources_.end()) at = sources_.insert(sources_.end(), stage.source);
    Launch launch{static_cast<size_t>(at - sources_.begin()), stage, stage.arguments()};
    stage.bind(data, workspace, launch.words.data());
    launches_.push_back(std::move(launch));
  }
  return places_.size() - 1;
}

bool ThreadedLaunches::run() {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  {
    std::ofstream source(file("main.cpp"));
    source << definitions << cuda::batch_text(sources_) << "using Kernel = void(const void*);\n";
    for (const auto& each : sources_) {
      const std::string space =
          "cornu_device::text_" + each->name.substr(each->name.rfind('_') + 1) + "::";
      source << "static void run_" << each->name << "(const void* words) { " << space << each->name
             << "(*static_cast<const " << space << "Arguments*>(words)); }\n";
    }
    source << "static Kernel* const kernels[] = {";
    for (const auto& each : sources_) source << "run_" << each->name << ", ";
    source << "};\n" << program;
    std::ofstream text(file("main.txt"));
    text << memory_.size() << ' ' << launches_.size() << '\n';
    for (const Launch& launch : launches_) {
      text << launch.source << ' ' << launch.stage.grid_x << ' ' << launch.stage.grid_y << ' '
           << launch.stage.pointers.size() << ' ' << launch.words.size();
      for (const uint64_t word : launch.words) text << ' ' << word;
      text << '\n';
    }
    std::ofstream(file("before"), std::ios::binary) << memory_;
  }
  const auto shell = [&](const std::string& command) {
    const int status = std::system((command + " > '" + file("log") + "' 2>&1").c_str());
    log_ += content(folder.path() / "log");
    return status == 0;
  };
  if (!shell(host_compiler() +
             " -std=c++17 -w -O1 -fsanitize=thread -ffp-contract=off -fno-strict-aliasing "
             "-fno-math-errno -pthread -o '" +
             file("main") + "' '" + file("main.cpp") + "' -lm"))
    return false;
  // The sanitizer's memory may not fit where the system places programs at random.
  const std::string command = " '" + file("main") + "' '" + file("main.txt") + "' '" +
                              file("before") + "' '" + file("after") + "'";
  const bool clean =
      shell("TSAN_OPTIONS=halt_on_error=0:report_bugs=1:exitcode=66 setarch -R" + command);
  raced_ = log_.find("WARNING: ThreadSanitizer: data race") != std::string::npos;
  if (!clean && !raced_) return false;
  memory_ = content(folder.path() / "after");
  return log_.find("all launches ran") != std::string::npos;
}

ThreadedLaunches::Bytes ThreadedLaunches::result(size_t number, size_t i) const {
  const auto [offset, bytes] = places_.at(number).at(i);
  const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(bytes)};
}

}  // namespace cornu::backend::testing
