// Compiles generated kernels, each text once: NVRTC, opened at run time, and a cache in memory and
// on disk.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/kernel_plan.h"

namespace cornu::backend::cuda {

/// The run-time compiler. Needs no GPU and no driver.
class Nvrtc {
 public:
  /// The compiler of this process, opened by the first call. Throws UnsupportedError when there is
  /// no NVRTC 12 or 13; see library_search.h for where it is looked for.
  static const Nvrtc& get();

  int major_version() const { return major_; }
  int minor_version() const { return minor_; }
  /// Architectures that it makes machine code for, ascending: 80 is compute capability 8.0.
  const std::vector<int>& architectures() const { return architectures_; }

  /// Whether `compile` gives PTX, not machine code: for devices newer than this compiler.
  bool gives_ptx(int architecture) const;
  /// Throws UnsupportedError for an architecture older than all it knows.
  void check_architecture(int architecture) const;
  /// Machine code (a cubin) for `architecture`, or PTX for the newest one that it knows; both are
  /// what cuModuleLoadData takes. Products and sums are not contracted, so that programs round as
  /// on the CPU. Throws StateError with the compiler's log, and what check_architecture
  /// throws.
  std::string compile(const std::string& text, const std::string& name, int architecture) const;

 private:
  Nvrtc();
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  int major_ = 0, minor_ = 0;
  std::vector<int> architectures_;
};

/// $XDG_CACHE_HOME/cornu/kernels, or ~/.cache/cornu/kernels; empty when neither is known.
/// CORNU_KERNEL_CACHE names another folder.
std::filesystem::path default_kernel_folder();
/// The folder, made where it is missing, and closed to others: kernels are code. Empty where it
/// cannot be made, or someone else may write to it all the same.
std::filesystem::path usable_kernel_folder(const std::filesystem::path& folder);
/// A new name beside `file`, to write to before it takes that name: readers see a whole file or
/// none.
std::filesystem::path part_of(const std::filesystem::path& file);

/// How many kernels are compiled as one program: what CORNU_CUDA_BATCH says, else 16. One takes
/// NVRTC 35 ms, 16 take 80 (13.0), and on several threads no less.
size_t default_kernel_batch();

/// Compiled kernels by the hash in their names. Any number of threads, and of processes that share
/// the folder. Files carry a checksum: damaged ones are made again. What cannot be written is kept
/// in memory alone.
class NvrtcCache {
 public:
  struct Options {
    std::filesystem::path folder = default_kernel_folder();  ///< empty: memory only
    uint64_t max_bytes = uint64_t{256}
                         << 20;             ///< of the folder; the files used longest ago go first
    size_t batch = default_kernel_batch();  ///< most kernels of one program of `prefetch`
  };
  struct Counts {
    int64_t compiled = 0, from_disk = 0, from_memory = 0;
  };
  using Image = std::shared_ptr<const std::string>;

  NvrtcCache() : NvrtcCache(Options{}) {}
  explicit NvrtcCache(Options options);
  NvrtcCache(const NvrtcCache&) = delete;
  ~NvrtcCache() { stop(); }

  /// The compiled text, which `Nvrtc::compile` describes. Throws what that throws.
  Image image(const Source& source, int architecture);
  /// Begins that on another thread, those that wait for it together: `image` waits for it, and
  /// throws what it threw. Images may have several kernels.
  void prefetch(const std::shared_ptr<const Source>& source, int architecture);
  /// Forgets what `prefetch` has not begun, and waits for what it has.
  void stop();
  Counts counts() const;

 private:
  struct Job {
    std::shared_ptr<const Source> source;
    int architecture;
    std::promise<Image> promise;
  };

  Image make(const Source& source, int architecture);
  void finish(const std::string& key, std::promise<Image>& promise, const Source& source,
              int architecture);
  void finish(std::vector<Job>& jobs);
  void work();
  std::filesystem::path file_of(const Source& source, int architecture) const;
  Image load(const std::filesystem::path& file) const;
  void save(const std::filesystem::path& file, const std::string& image);
  void shrink();

  Options options_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<Image>> images_;
  Counts counts_;
  std::deque<Job> jobs_;
  bool working_ = false;
  std::condition_variable idle_;
  std::mutex folder_mutex_;
  uint64_t folder_bytes_ = 0;
  bool folder_measured_ = false;
};

}  // namespace cornu::backend::cuda
