// Finding devices and their plugins.
#include "devices.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "error.h"
#include "local_rank.h"
#include "log.h"

#ifndef CORNU_VERSION
#define CORNU_VERSION "unknown"
#endif

namespace cornu::backend {
namespace {

namespace fs = std::filesystem;

constexpr const char* plugin_files[] = {"libcornu_cuda.so"};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Folders in which plugins are looked for, the first first.
std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  const std::string path = environment("CORNU_PLUGIN_PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) result.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_version), &info) != 0 && info.dli_fname) {
    std::error_code error;
    fs::path place = fs::canonical(info.dli_fname, error);
    if (error) place = fs::read_symlink("/proc/self/exe", error);
    result.push_back(place.parent_path());
    result.push_back(place.parent_path().parent_path() / "lib");
  }
  return result;
}

// The library, or null with a note. Libraries stay open: devices live as long as the process.
void* open_library(const std::string& file, std::string& note) {
  for (const fs::path& folder : folders()) {
    std::error_code error;
    const fs::path path = folder / file;
    if (!fs::is_regular_file(path, error)) continue;
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    note = fmt::format("{} cannot be opened: {}", path.string(), dlerror());
    return nullptr;
  }
  if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  note = file + " was not found (see CORNU_PLUGIN_PATH).";
  return nullptr;
}

class Registry {
 public:
  Registry() : devices_{&cpu_backend()} {
    wanted_ = environment("CORNU_DEVICE");
    if (wanted_ == "cpu") {
      notes_.push_back("plugins were not looked for, because CORNU_DEVICE is cpu.");
      return;
    }
    for (const char* file : plugin_files) notes_.push_back(load(file));
  }

  std::vector<Backend*> devices() const {
    const std::lock_guard lock(mutex_);
    return devices_;
  }
  void add(Backend& device) {
    const std::lock_guard lock(mutex_);
    devices_.push_back(&device);
  }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::string& wanted() const { return wanted_; }

 private:
  std::string load(const std::string& file) {
    std::string note;
    void* const library = open_library(file, note);
    if (!library) return note;
    const auto* const plugin = static_cast<const Plugin*>(dlsym(library, "cornu_plugin"));
    if (!plugin) return file + " is no plugin of Cornu: it has no symbol cornu_plugin.";
    if (std::string(plugin->version) != plugin_version())
      return fmt::format(
          "{} is of version {}, the program of {}. Build both from the same sources.", file,
          plugin->version, plugin_version());
    try {
      const std::vector<Backend*> found = plugin->open(note);
      devices_.insert(devices_.end(), found.begin(), found.end());
      if (note.empty()) note = fmt::format("{}: {} devices.", file, found.size());
    } catch (const std::exception& e) {
      note = fmt::format("{} failed: {}", file, e.what());
    }
    return note;
  }

  mutable std::mutex mutex_;
  std::vector<Backend*> devices_;
  std::vector<std::string> notes_;
  std::string wanted_;
};

Registry& registry() {
  static Registry& registry = *new Registry;
  return registry;
}

std::atomic<Backend*> chosen{nullptr};

// Of the GPUs behind the CPU: processes side by side take one each. A launcher that shows each of
// them one GPU numbers it 0.
Backend* gpu_of_rank(const std::vector<Backend*>& all) {
  const size_t count = all.size() - 1, rank = local_rank().value_or(0);
  Backend* const device = all[1 + rank % count];
  if (rank >= count && count > 1)
    warn_once(fmt::format(
        "process {} of this machine shares {} with others, since there are {} GPUs. CORNU_DEVICE "
        "names another device.",
        rank, device->name(), count));
  return device;
}

std::string names(const std::vector<Backend*>& devices) {
  std::vector<std::string> texts;
  for (const Backend* device : devices) texts.push_back(device->name());
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

// A copy of pointers, so that a device may be added while somebody iterates.
std::vector<Backend*> devices() { return registry().devices(); }

void add_device(Backend& device) { registry().add(device); }

const std::vector<std::string>& plugin_notes() { return registry().notes(); }

Backend& find_device(const std::string& name) {
  const std::vector<Backend*> all = devices();
  for (Backend* device : all)
    if (device->name() == name) return *device;
  if (name == "gpu" || name.starts_with("gpu:")) {
    std::string number = name == "gpu" ? "0" : name.substr(4);
    if (number == "rank") number = std::to_string(local_rank().value_or(0));
    const size_t index = number.find_first_not_of("0123456789") == std::string::npos &&
                                 !number.empty() && number.size() < 4
                             ? std::stoul(number)
                             : all.size();
    if (index + 1 < all.size()) return *all[index + 1];
  }
  std::string why;
  for (const std::string& note : plugin_notes()) why += " " + note;
  throw ValueError(fmt::format("There is no device '{}'. Devices: {}.{}", name, names(all), why));
}

Backend& default_device() {
  if (Backend* const device = chosen.load(std::memory_order_acquire)) return *device;
  const std::string& wanted = registry().wanted();
  Backend* device = &cpu_backend();
  if (!wanted.empty())
    device = &find_device(wanted);
  else if (const std::vector<Backend*> all = devices(); all.size() > 1)
    device = gpu_of_rank(all);
  Backend* expected = nullptr;
  return chosen.compare_exchange_strong(expected, device) ? *device : *expected;
}

void set_default_device(Backend& device) { chosen.store(&device, std::memory_order_release); }

const char* plugin_version() { return CORNU_VERSION; }

}  // namespace cornu::backend
