// The search for vendor libraries.
#include "library_search.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "../error.h"

namespace cornu::backend::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int newest_cuda = 13, oldest_cuda = 12;
std::atomic<int> driver_cuda = newest_cuda;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void add(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  const fs::path whole = fs::weakly_canonical(folder, error);
  const fs::path& added = error ? folder : whole;
  if (std::find(folders.begin(), folders.end(), added) == folders.end()) folders.push_back(added);
}

void add_toolkit(std::vector<fs::path>& folders, const fs::path& root) {
  for (const char* part : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    add(folders, root / part);
}

/// The folders below `folder` whose names start with `start`, the highest names first.
std::vector<fs::path> below(const fs::path& folder, const std::string& start) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(start)) found.push_back(at->path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

void add_all(std::vector<fs::path>& folders, const std::vector<fs::path>& more) {
  for (const fs::path& folder : more) add(folders, folder);
}

/// lib/python3.x/{site,dist}-packages below a prefix.
void add_python(std::vector<fs::path>& folders, const fs::path& prefix) {
  for (const fs::path& python : below(prefix / "lib", "python3"))
    for (const char* packages : {"site-packages", "dist-packages"})
      add_all(folders, python_package_folders(python / packages));
}

/// Those of the interpreter that the user would run.
std::vector<fs::path> asked_python_folders() {
  std::vector<fs::path> folders;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen("python3 -c 'import sys; print(\"\\n\".join(sys.path))' 2>/dev/null", "r"), pclose);
  if (pipe == nullptr) return folders;
  std::string line;
  for (int c; (c = std::fgetc(pipe.get())) != EOF;) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    if (!line.empty()) add_all(folders, python_package_folders(line));
    line.clear();
  }
  return folders;
}

}  // namespace

std::vector<fs::path> python_package_folders(const fs::path& packages) {
  std::vector<fs::path> folders;
  for (const fs::path& package : below(packages / "nvidia", "")) add(folders, package / "lib");
  return folders;
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  const std::string chosen = environment("CORNU_CUDA_LIBRARIES");
  for (size_t begin = 0; begin < chosen.size();) {
    const size_t end = std::min(chosen.find(':', begin), chosen.size());
    if (end > begin) add(folders, chosen.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!searches_usual_places()) return folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(name); !root.empty()) add_toolkit(folders, root);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string root = environment(name); !root.empty()) {
      add(folders, fs::path(root) / "lib");
      add_python(folders, root);
    }
  add_toolkit(folders, "/usr/local/cuda");
  for (const fs::path& root : below("/usr/local", "cuda-")) add_toolkit(folders, root);
  if (const std::string home = environment("HOME"); !home.empty())
    add_python(folders, fs::path(home) / ".local");
  add_python(folders, "/usr/local");
  add_python(folders, "/usr");
  add_all(folders, python_package_folders("/usr/lib/python3/dist-packages"));
  return folders;
}

bool searches_usual_places() { return environment("CORNU_CUDA_SEARCH") != "0"; }

void Library::fit_driver(int cuda_major) {
  if (cuda_major < oldest_cuda)
    throw UnsupportedError("CUDA: expected a driver for CUDA " + std::to_string(oldest_cuda) +
                           " or newer, found one for CUDA " + std::to_string(cuda_major) +
                           ". Update the driver.");
  driver_cuda = cuda_major;
}

Library Library::open(const std::string& stem, std::initializer_list<int> all_majors) {
  Library library;
  std::string reason;
  std::vector<int> majors(all_majors);
  const bool passed_over = majors.size() == 2 && driver_cuda < newest_cuda;
  if (passed_over) majors.erase(majors.begin());
  const auto try_path = [&](const std::string& path) {
    library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr)
      library.path_ = path;
    else if (const char* text = dlerror(); text && path.find('/') != std::string::npos)
      reason = text;
    return library.handle_ != nullptr;
  };
  const auto try_folders = [&](const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders)
      for (int major : majors) {
        const fs::path path = folder / ("lib" + stem + ".so." + std::to_string(major));
        std::error_code error;
        if (fs::exists(path, error) && try_path(path.string())) return true;
      }
    return false;
  };

  // Folders that the user names come before the loader's.
  std::vector<fs::path> folders = library_folders();
  if (!environment("CORNU_CUDA_LIBRARIES").empty() && try_folders(folders)) return library;
  const bool everywhere = searches_usual_places();
  if (everywhere) {
    for (int major : majors)
      if (try_path("lib" + stem + ".so." + std::to_string(major))) return library;
    if (try_folders(folders)) return library;
    static const std::vector<fs::path> asked = asked_python_folders();
    if (try_folders(asked)) return library;
    folders.insert(folders.end(), asked.begin(), asked.end());
  }

  std::string names, places;
  for (int major : majors)
    names += (names.empty() ? "" : " or ") + ("lib" + stem + ".so." + std::to_string(major));
  for (const fs::path& folder : folders) places += " " + folder.string();
  throw UnsupportedError("CUDA: expected " + names + ", found none in" +
                         (everywhere ? " the loader's paths nor in:" : ":") +
                         (places.empty() ? " (no folder)" : places) +
                         (passed_over ? ". The driver is for CUDA " + std::to_string(driver_cuda) +
                                            ", so libraries for a newer one are passed over"
                                      : "") +
                         (reason.empty() ? "" : ". The last one found did not open: " + reason) +
                         ". Install it, or name its folder in CORNU_CUDA_LIBRARIES" +
                         (everywhere ? "." : ", or let CORNU_CUDA_SEARCH be 1."));
}

void* Library::find(const char* name) const {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

void Library::open_beside(const std::string& file) const {
  // Without a folder this library came from the loader's paths, where the other one is as well.
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty()) dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* Library::address(const char* name) const {
  void* found = find(name);
  if (found == nullptr)
    throw UnsupportedError("CUDA: expected a function " + std::string(name) + " in " + path_ +
                           ", found none. Install another version of the library.");
  return found;
}

}  // namespace cornu::backend::cuda
