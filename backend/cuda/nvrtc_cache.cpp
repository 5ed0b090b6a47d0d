// NVRTC by its C interface, and the files of the kernel cache.
#include "nvrtc_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "../error.h"
#include "library_search.h"

namespace cornu::backend::cuda {
namespace {

namespace fs = std::filesystem;

/// Changes when the options of the compiler or the form of the files do.
constexpr const char* cache_version = "1";
constexpr std::string_view magic = "cornu kernel 1\n";

std::string key_of(const Source& source, int architecture) {
  return source.name + "-" + std::to_string(architecture);
}

// "9.0" of 90.
std::string capability(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

}  // namespace

// Declared here as nvrtc.h has them, so that no toolkit is needed to build this.
struct Nvrtc::Functions {
  using Program = struct OpaqueProgram*;
  Library library = Library::open("nvrtc", {13, 12});

  int (*version)(int*, int*) = library.function<int(int*, int*)>("nvrtcVersion");
  int (*architecture_count)(int*) = library.function<int(int*)>("nvrtcGetNumSupportedArchs");
  int (*architectures)(int*) = library.function<int(int*)>("nvrtcGetSupportedArchs");
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) =
      library.function<int(Program*, const char*, const char*, int, const char* const*,
                           const char* const*)>("nvrtcCreateProgram");
  int (*destroy)(Program*) = library.function<int(Program*)>("nvrtcDestroyProgram");
  int (*compile)(Program, int, const char* const*) =
      library.function<int(Program, int, const char* const*)>("nvrtcCompileProgram");
  int (*log_size)(Program,
                  size_t*) = library.function<int(Program, size_t*)>("nvrtcGetProgramLogSize");
  int (*log)(Program, char*) = library.function<int(Program, char*)>("nvrtcGetProgramLog");
  int (*cubin_size)(Program,
                    size_t*) = library.function<int(Program, size_t*)>("nvrtcGetCUBINSize");
  int (*cubin)(Program, char*) = library.function<int(Program, char*)>("nvrtcGetCUBIN");
  int (*ptx_size)(Program, size_t*) = library.function<int(Program, size_t*)>("nvrtcGetPTXSize");
  int (*ptx)(Program, char*) = library.function<int(Program, char*)>("nvrtcGetPTX");
  const char* (*error_text)(int) = library.function<const char*(int)>("nvrtcGetErrorString");
};

Nvrtc::Nvrtc() : functions_(std::make_shared<Functions>()) {
  functions_->version(&major_, &minor_);
  // Asked for only when something is compiled, and in Python's packages of 13.0 without a path.
  functions_->library.open_beside("libnvrtc-builtins.so." + std::to_string(major_) + "." +
                                  std::to_string(minor_));
  int count = 0;
  functions_->architecture_count(&count);
  architectures_.resize(static_cast<size_t>(std::max(count, 0)));
  if (count > 0) functions_->architectures(architectures_.data());
  std::sort(architectures_.begin(), architectures_.end());
}

const Nvrtc& Nvrtc::get() {
  static const Nvrtc nvrtc;
  return nvrtc;
}

bool Nvrtc::gives_ptx(int architecture) const {
  return !std::binary_search(architectures_.begin(), architectures_.end(), architecture);
}

void Nvrtc::check_architecture(int architecture) const {
  if (!architectures_.empty() && architecture >= architectures_.front()) return;
  throw UnsupportedError("NVRTC " + std::to_string(major_) + "." + std::to_string(minor_) +
                         ": expected a device of compute capability " +
                         (architectures_.empty() ? "?" : capability(architectures_.front())) +
                         " or newer, found " + capability(architecture) +
                         ". Install an older CUDA, or use a newer device.");
}

std::string Nvrtc::compile(const std::string& text, const std::string& name,
                           int architecture) const {
  const bool as_ptx = gives_ptx(architecture);
  int target = architecture;
  if (as_ptx) {
    // A device newer than the compiler: PTX for the newest known one, which the driver translates.
    check_architecture(architecture);
    target =
        *std::prev(std::upper_bound(architectures_.begin(), architectures_.end(), architecture));
  }
  const Functions& f = *functions_;
  Functions::Program program = nullptr;
  const auto check = [&](int status, const char* call) {
    if (status == 0) return;
    std::string log;
    size_t size = 0;
    if (program != nullptr && f.log_size(program, &size) == 0 && size > 1) {
      log.resize(size);
      if (f.log(program, log.data()) != 0) log.clear();
      while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    }
    if (program != nullptr) f.destroy(&program);
    throw StateError("NVRTC: " + std::string(call) + " of '" + name + "' for compute capability " +
                     std::to_string(target) + " failed: " + f.error_text(status) +
                     (log.empty() ? "" : ". Its log:\n" + log));
  };
  check(f.create(&program, text.c_str(), (name + ".cu").c_str(), 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  const std::string gpu =
      std::string("--gpu-architecture=") + (as_ptx ? "compute_" : "sm_") + std::to_string(target);
  // Without fused multiply-adds: products and sums are rounded apart, as on the CPU, so that both
  // give the same numbers.
  const char* const options[] = {gpu.c_str(), "--std=c++17", "--fmad=false", "--disable-warnings"};
  check(f.compile(program, static_cast<int>(std::size(options)), options), "nvrtcCompileProgram");
  size_t size = 0;
  check((as_ptx ? f.ptx_size : f.cubin_size)(program, &size), "reading the result");
  std::string image(size, '\0');
  check((as_ptx ? f.ptx : f.cubin)(program, image.data()), "reading the result");
  f.destroy(&program);
  return image;
}

fs::path default_kernel_folder() {
  const auto folder = [](const char* name) -> fs::path {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const fs::path chosen = folder("CORNU_KERNEL_CACHE"); !chosen.empty()) return chosen;
  // Relative paths are to be ignored, says the XDG specification.
  if (const fs::path cache = folder("XDG_CACHE_HOME"); cache.is_absolute())
    return cache / "cornu" / "kernels";
  if (const fs::path home = folder("HOME"); home.is_absolute())
    return home / ".cache" / "cornu" / "kernels";
  return {};
}

size_t default_kernel_batch() {
  const char* const text = std::getenv("CORNU_CUDA_BATCH");
  const int wanted = text ? std::atoi(text) : 16;
  return wanted < 1 ? 1 : static_cast<size_t>(wanted);
}

fs::path usable_kernel_folder(const fs::path& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  struct stat status;
  const bool own = stat(folder.c_str(), &status) == 0 && status.st_uid == geteuid() &&
                   (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return own ? folder : fs::path();
}

fs::path part_of(const fs::path& file) {
  static std::atomic<uint64_t> number = 0;
  fs::path part = file;
  part += "." + std::to_string(getpid()) + "." + std::to_string(number++) + ".part";
  return part;
}

NvrtcCache::NvrtcCache(Options options) : options_(std::move(options)) {
  options_.folder = usable_kernel_folder(options_.folder);
}

fs::path NvrtcCache::file_of(const Source& source, int architecture) const {
  if (options_.folder.empty()) return {};
  const Nvrtc& nvrtc = Nvrtc::get();
  return options_.folder / (source.name + "-nvrtc" + std::to_string(nvrtc.major_version()) + "." +
                            std::to_string(nvrtc.minor_version()) + "-sm" +
                            std::to_string(architecture) + "-" + cache_version + ".kernel");
}

NvrtcCache::Image NvrtcCache::load(const fs::path& file) const {
  if (file.empty()) return nullptr;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return nullptr;
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  constexpr size_t hash_size = 32;
  if (content.size() <= magic.size() + hash_size || !content.starts_with(magic)) return nullptr;
  const std::string hash = content.substr(magic.size(), hash_size);
  content.erase(0, magic.size() + hash_size);
  // A file that was cut short or changed is compiled anew.
  if (text_hash(content) != hash) return nullptr;
  std::error_code ignored;
  // The time of the last use, by which files are removed.
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return std::make_shared<const std::string>(std::move(content));
}

void NvrtcCache::save(const fs::path& file, const std::string& image) {
  if (file.empty()) return;
  const fs::path part = part_of(file);
  std::error_code error;
  {
    std::ofstream stream(part, std::ios::binary);
    stream << magic << text_hash(image) << image;
    stream.close();
    if (!stream) {
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, file, error);
  if (error) {
    fs::remove(part, error);
    return;
  }
  const std::scoped_lock lock(folder_mutex_);
  folder_bytes_ += magic.size() + 32 + image.size();
  if (!folder_measured_ || folder_bytes_ > options_.max_bytes) shrink();
}

// Measures the folder and, when it is too large, removes files down to three quarters of the limit.
void NvrtcCache::shrink() {
  struct File {
    fs::file_time_type time;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  std::error_code error, ignored;
  folder_bytes_ = 0;
  folder_measured_ = true;
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator at(options_.folder, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path& path = at->path();
    const auto time = fs::last_write_time(path, ignored);
    if (path.extension() == ".part" && time < hour_ago) fs::remove(path, ignored);  // left behind
    if (path.extension() != ".kernel" && path.extension() != ".choice") continue;
    const uint64_t bytes = fs::file_size(path, ignored);
    if (ignored) continue;
    files.push_back({time, bytes, path});
    folder_bytes_ += bytes;
  }
  if (folder_bytes_ <= options_.max_bytes) return;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.time < b.time; });
  for (const File& file : files) {
    // Some room is made at once, so that the folder is not measured for each new kernel.
    if (folder_bytes_ <= options_.max_bytes / 4 * 3) break;
    fs::remove(file.path, ignored);
    folder_bytes_ -= file.bytes;
  }
}

NvrtcCache::Image NvrtcCache::make(const Source& source, int architecture) {
  const fs::path file = file_of(source, architecture);
  Image image = load(file);
  const bool found = image != nullptr;
  if (!found) {
    image = std::make_shared<const std::string>(
        Nvrtc::get().compile(source.text(), source.name, architecture));
    save(file, *image);
  }
  const std::scoped_lock lock(mutex_);
  ++(found ? counts_.from_disk : counts_.compiled);
  return image;
}

void NvrtcCache::finish(const std::string& key, std::promise<Image>& promise, const Source& source,
                        int architecture) {
  try {
    promise.set_value(make(source, architecture));
  } catch (...) {
    promise.set_exception(std::current_exception());
    const std::scoped_lock lock(mutex_);
    images_.erase(key);  // the next call tries again
  }
}

NvrtcCache::Image NvrtcCache::image(const Source& source, int architecture) {
  const std::string key = key_of(source, architecture);
  std::promise<Image> promise;
  std::shared_future<Image> image;
  bool known = true;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto at = images_.find(key); at != images_.end()) {
      image = at->second;
      ++counts_.from_memory;
    } else {
      // Others wait for this compilation instead of starting their own; the lock is not held
      // meanwhile.
      known = false;
      image = promise.get_future().share();
      images_.emplace(key, image);
    }
  }
  if (!known) finish(key, promise, source, architecture);
  return image.get();
}

void NvrtcCache::prefetch(const std::shared_ptr<const Source>& source, int architecture) {
  const std::scoped_lock lock(mutex_);
  const std::string key = key_of(*source, architecture);
  if (images_.contains(key)) return;
  Job& job = jobs_.emplace_back(Job{source, architecture, {}});
  images_.emplace(key, job.promise.get_future().share());
  if (std::exchange(working_, true)) return;
  std::thread([this] { work(); }).detach();
}

// Jobs of one architecture, as one program.
void NvrtcCache::finish(std::vector<Job>& jobs) {
  std::vector<Job*> missing;
  for (Job& job : jobs) {
    const Image image = jobs.size() > 1 ? load(file_of(*job.source, job.architecture)) : nullptr;
    if (!image) {
      missing.push_back(&job);
      continue;
    }
    {
      const std::scoped_lock lock(mutex_);
      ++counts_.from_disk;
    }
    job.promise.set_value(image);
  }
  Image together;
  if (missing.size() > 1) {
    std::vector<std::shared_ptr<const Source>> sources;
    for (const Job* job : missing) sources.push_back(job->source);
    try {
      together = std::make_shared<const std::string>(
          Nvrtc::get().compile(batch_text(sources), "a batch of kernels", jobs[0].architecture));
    } catch (const Error&) {
      // Each alone, so that only the one at fault fails.
    }
  }
  for (Job* job : missing) {
    if (!together) {
      finish(key_of(*job->source, job->architecture), job->promise, *job->source,
             job->architecture);
      continue;
    }
    save(file_of(*job->source, job->architecture), *together);
    {
      const std::scoped_lock lock(mutex_);
      ++counts_.compiled;
    }
    job->promise.set_value(together);
  }
}

// Ends when there is nothing to do: a thread that waits would outlive the work by far.
void NvrtcCache::work() {
  for (;;) {
    std::vector<Job> jobs;
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.empty()) {
        working_ = false;
        idle_.notify_all();
        return;
      }
      const int architecture = jobs_.front().architecture;
      while (!jobs_.empty() && jobs_.front().architecture == architecture &&
             (jobs.empty() || jobs.size() < options_.batch)) {
        jobs.push_back(std::move(jobs_.front()));
        jobs_.pop_front();
      }
    }
    finish(jobs);
  }
}

void NvrtcCache::stop() {
  std::unique_lock lock(mutex_);
  // Whoever waits for one of them hears of a broken promise.
  for (const Job& job : jobs_) images_.erase(key_of(*job.source, job.architecture));
  jobs_.clear();
  idle_.wait(lock, [this] { return !working_; });
}

NvrtcCache::Counts NvrtcCache::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace cornu::backend::cuda
