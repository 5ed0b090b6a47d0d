// The search for vendor libraries.
#include "library_search.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>

#include "../error.h"

namespace cornu::backend::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int newest_cuda = 13, oldest_cuda = 12;

// What libraries have to fit.
struct Choice {
  std::mutex mutex;
  int driver = newest_cuda;  // the newest CUDA that the driver runs
  int major = 0;             // of the libraries in use; 0: none yet
  std::string by;            // the one that decided
};
Choice& choice() {
  static Choice& all = *new Choice;
  return all;
}

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

// Where the loader found what was opened by `name`.
std::string file_of(void* handle, const std::string& name) {
  const link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name
             ? map->l_name
             : name;
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
  add_toolkit(folders, "/opt/cuda");
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
  const std::lock_guard lock(choice().mutex);
  choice().driver = cuda_major;
  choice().major = 0;
}

void Library::join(int cuda_major) const {
  Choice& c = choice();
  const std::lock_guard lock(c.mutex);
  std::string other;
  if (c.major != 0 && c.major != cuda_major)
    other = c.by + " of CUDA " + std::to_string(c.major);
  else if (cuda_major > c.driver)
    other = "a driver for CUDA " + std::to_string(c.driver);
  if (!other.empty())
    throw UnsupportedError("CUDA: expected a library for the CUDA of the others, found " + path_ +
                           " for CUDA " + std::to_string(cuda_major) + " beside " + other +
                           ". Install both for the same one, or name the folders of those to use "
                           "in CORNU_CUDA_LIBRARIES.");
  if (c.major == 0) c.by = path_;
  c.major = cuda_major;
}

Library Library::open(const std::string& stem, std::initializer_list<int> all_majors) {
  Library library;
  std::string reason;
  std::vector<int> majors(all_majors);
  // Two majors are those of CUDA 13 and 12.
  Choice& c = choice();
  const std::lock_guard lock(c.mutex);
  const bool tells = majors.size() == 2;
  std::vector<int> cudas;
  std::string passed_over;  // the major that does not fit, and why
  if (tells)
    for (int i = 0; i < 2; ++i) {
      const int cuda = newest_cuda - i;
      if (cuda <= c.driver && (c.major == 0 || c.major == cuda)) {
        cudas.push_back(cuda);
      } else {
        const std::string file = "lib" + stem + ".so." + std::to_string(majors[cudas.size()]);
        passed_over = cuda > c.driver
                          ? ". The driver is for CUDA " + std::to_string(c.driver)
                          : ". " + c.by + " of CUDA " + std::to_string(c.major) + " is in use";
        passed_over += ", so " + file + " is passed over";
        majors.erase(majors.begin() + static_cast<std::ptrdiff_t>(cudas.size()));
      }
    }
  const auto try_path = [&](const std::string& path, int major) {
    library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ != nullptr) {
      library.path_ = path.find('/') != std::string::npos ? path : file_of(library.handle_, path);
      if (tells && c.major == 0) {
        c.major = cudas[static_cast<size_t>(std::find(majors.begin(), majors.end(), major) -
                                            majors.begin())];
        c.by = library.path_;
      }
    } else if (const char* text = dlerror(); text && path.find('/') != std::string::npos)
      reason = text;
    return library.handle_ != nullptr;
  };
  const auto try_folders = [&](const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders)
      for (int major : majors) {
        const fs::path path = folder / ("lib" + stem + ".so." + std::to_string(major));
        std::error_code error;
        if (fs::exists(path, error) && try_path(path.string(), major)) return true;
      }
    return false;
  };

  // Folders that the user names come before the loader's.
  std::vector<fs::path> folders = library_folders();
  if (!environment("CORNU_CUDA_LIBRARIES").empty() && try_folders(folders)) return library;
  const bool everywhere = searches_usual_places();
  if (everywhere) {
    for (int major : majors)
      if (try_path("lib" + stem + ".so." + std::to_string(major), major)) return library;
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
                         (places.empty() ? " (no folder)" : places) + passed_over +
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
