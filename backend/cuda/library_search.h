// Finds and opens the vendor's shared libraries at run time, so that nothing is linked to them: in
// the system's paths, in CUDA toolkits, and in Python packages (nvidia-cudnn-cu13 and the like).
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace cornu::backend::cuda {

/// An open shared library. It stays open until the process ends.
class Library {
 public:
  /// Opens lib<stem>.so.<major> for the first of `majors` that is found: open("cudnn", {9}),
  /// open("nvrtc", {13, 12}). Two majors are those of CUDA 13 and 12. Libraries of both do not work
  /// together: the first of two majors that is found decides for those behind it. What is newer
  /// than the driver (see fit_driver) is passed over. Looks where the system's loader looks, then
  /// in `library_folders()`, last in those of the Python packages that `python3` knows; folders
  /// that CORNU_CUDA_LIBRARIES names come before all. Throws UnsupportedError with the places it
  /// looked in and what to do.
  static Library open(const std::string& stem, std::initializer_list<int> majors);

  /// From now on, passes over libraries of a newer CUDA than this major version, which the driver
  /// would not run; the next library that is found decides on the major. Throws UnsupportedError
  /// when the driver is too old for all.
  static void fit_driver(int cuda_major);

  /// For a library whose name does not tell: throws UnsupportedError, which names both, when it is
  /// for another CUDA than those in use, or for a newer one than the driver's. Decides, where it is
  /// the first.
  void join(int cuda_major) const;

  /// The address of a function, as the type of a pointer to it. Throws UnsupportedError when the
  /// library has none of this name.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  /// The address of a symbol, or null.
  void* find(const char* name) const;

  /// Opens a library that this one asks the loader for by its bare name, from this one's folder, so
  /// that the loader has it where it would not look for it. Does nothing where there is none.
  void open_beside(const std::string& file) const;

  /// The file, or its bare name where the loader does not tell.
  const std::string& path() const { return path_; }

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

/// Folders that may hold such libraries, those to prefer first: CORNU_CUDA_LIBRARIES (folders
/// separated by colons), CUDA_HOME, CUDA_PATH, /usr/local/cuda*, /opt/cuda, and nvidia/*/lib in the
/// Python packages of VIRTUAL_ENV, CONDA_PREFIX, ~/.local and the system. Only folders that exist.
std::vector<std::filesystem::path> library_folders();

/// Whether libraries are looked for anywhere but in the folders of CORNU_CUDA_LIBRARIES. With
/// CORNU_CUDA_SEARCH=0 they are not: what those folders lack is missing.
bool searches_usual_places();

/// nvidia/*/lib below a folder of Python packages.
std::vector<std::filesystem::path> python_package_folders(const std::filesystem::path& packages);

}  // namespace cornu::backend::cuda
