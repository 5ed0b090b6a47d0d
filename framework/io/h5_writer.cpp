// H5Writer over the HDF5 C API.
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "../../backend/error.h"
#include "atomic_file.h"
#include "h5_file.h"
#include "h5_handle.h"

namespace cornu::io {
namespace {

using h5::Handle;
using h5::Scope;

constexpr size_t attribute_limit = 64512;  ///< of the bytes of an attribute, as Keras has it
constexpr uint64_t in_memory = uint64_t{64} << 20;  ///< larger files go to the disk at once

/// The memory of a file that is written in memory. HDF5 asks for it through these callbacks, so
/// that the finished file can be taken over instead of copied.
struct MemoryFile {
  void* data = nullptr;
  size_t size = 0;

  ~MemoryFile() { std::free(data); }

  static void* grow(void* old, size_t size, H5FD_file_image_op_t, void* self) {
    MemoryFile& image = *static_cast<MemoryFile*>(self);
    if (old != image.data) return nullptr;
    void* data = std::realloc(old, size);
    if (data == nullptr) return nullptr;
    image.data = data;
    image.size = size;
    return data;
  }
  static void* allocate(size_t size, H5FD_file_image_op_t op, void* self) {
    return grow(static_cast<MemoryFile*>(self)->data, size, op, self);
  }
  static void* copy(void* to, const void* from, size_t size, H5FD_file_image_op_t, void*) {
    return std::memmove(to, from, size);
  }
  /// HDF5 is done with the memory; the image keeps it.
  static herr_t release(void*, H5FD_file_image_op_t, void*) { return 0; }
  static void* share(void* self) { return self; }
  static herr_t forget(void*) { return 0; }
};

/// Links and attributes carry UTF-8 names.
Handle utf8_properties(hid_t property_class) {
  Handle properties(H5Pcreate(property_class), H5Pclose);
  H5Pset_char_encoding(properties, H5T_CSET_UTF8);
  return properties;
}

}  // namespace

struct H5Writer::Impl {
  std::string name = "HDF5 file in memory";
  MemoryFile image;  // Outlives `file`, which still writes to it when it is closed.
  // When a write fails on a full disk, HDF5 cannot close the file and crashes at the end of the
  // program. So files are made in memory and then written whole or, where they would take much of
  // it, written to space that the disk has promised before.
  std::unique_ptr<AtomicFile> disk;
  bool direct = false;  ///< HDF5 writes to the disk itself
  Handle file;

  ~Impl() {
    const Scope scope;
    file.reset();
  }

  /// Makes the file on the disk and has room kept for it.
  void create_on_disk(uint64_t expected_bytes) {
    // The file exists under a temporary name until finish().
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);  // Network disks may not know locks.
#endif
    const std::string path = disk->temporary().string();
    file = h5::take(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, name,
                    "cannot create the file");
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    const bool kept = descriptor >= 0 && ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0,
                                                     static_cast<off_t>(expected_bytes)) == 0;
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    // A file system without reservations is used all the same; a full disk shows now, before HDF5
    // has anything to lose.
    if (!kept && error != EOPNOTSUPP && error != ENOSYS)
      throw FileError("'" + name +
                      "' cannot be written: " + std::generic_category().message(error) + ".");
    direct = true;
  }

  void create(uint64_t expected_bytes) {
    if (disk && expected_bytes > in_memory) return create_on_disk(expected_bytes);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5FD_file_image_callbacks_t callbacks = {&MemoryFile::allocate,
                                             &MemoryFile::copy,
                                             &MemoryFile::grow,
                                             &MemoryFile::release,
                                             &MemoryFile::share,
                                             &MemoryFile::forget,
                                             &image};
    // The file grows by whole increments: large ones save copies, small ones save memory.
    constexpr uint64_t least = uint64_t{1} << 16;
    constexpr uint64_t unknown = uint64_t{1} << 20;
    const uint64_t increment =
        expected_bytes == 0 ? unknown : expected_bytes + expected_bytes / 64 + least;
    H5Pset_fapl_core(access, increment, false);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    if (H5Pset_file_image_callbacks(access, &callbacks) < 0)
      h5::fail(name, "cannot set up the memory");
    file = h5::take(H5Fcreate(h5::unique_name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access),
                    H5Fclose, name, "cannot create the file");
  }

  void expect_open() const {
    if (file < 0) throw StateError("H5Writer: finish() was called; nothing can follow it.");
  }

  /// The group with these names, made where it is missing.
  Handle group(const std::vector<std::string>& names) {
    Handle current = h5::take(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, name, "cannot open '/'");
    const Handle links = utf8_properties(H5P_LINK_CREATE);
    for (const std::string& step : names) {
      if (step == ".") h5::fail(name, "'.' is no name for a group");
      const bool there = H5Lexists(current, step.c_str(), H5P_DEFAULT) > 0;
      const hid_t next = there ? H5Gopen2(current, step.c_str(), H5P_DEFAULT)
                               : H5Gcreate2(current, step.c_str(), links, H5P_DEFAULT, H5P_DEFAULT);
      current = h5::take(next, H5Gclose, name, "cannot make group '" + step + "'");
    }
    return current;
  }

  /// A new dataset with its groups.
  Handle dataset(std::string_view path, hid_t type, hid_t space) {
    std::vector<std::string> names = h5::split_path(path);
    if (names.empty() || names.back() == ".")
      h5::fail(name, "'" + std::string(path) + "' is no path for a dataset");
    const std::string last = names.back();
    names.pop_back();
    const Handle parent = group(names);
    const Handle links = utf8_properties(H5P_LINK_CREATE);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    // Equal weights then give equal files.
    H5Pset_obj_track_times(properties, false);
    return h5::take(H5Dcreate2(parent, last.c_str(), type, space, links, properties, H5P_DEFAULT),
                    H5Dclose, name, "cannot create dataset '" + std::string(path) + "'");
  }

  /// Writes one attribute of an open object.
  void attribute(hid_t object, const std::string& key, hid_t type, hid_t space, const void* data) {
    // HDF5 has no call that replaces an attribute.
    if (H5Aexists(object, key.c_str()) > 0) H5Adelete(object, key.c_str());
    const Handle properties = utf8_properties(H5P_ATTRIBUTE_CREATE);
    const Handle made =
        h5::take(H5Acreate2(object, key.c_str(), type, space, properties, H5P_DEFAULT), H5Aclose,
                 name, "cannot create attribute '" + key + "'");
    const bool empty = H5Sget_simple_extent_npoints(space) == 0;
    if (!empty && H5Awrite(made, type, data) < 0)
      h5::fail(name, "cannot write attribute '" + key + "'");
  }

  void text_attribute(hid_t object, const std::string& key, std::string_view text) {
    const std::string terminated(text);
    const char* pointer = terminated.c_str();
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    attribute(object, key, h5::string_type(), space, &pointer);
  }

  /// The object at `path`, and a scalar attribute of it.
  Handle object(std::string_view path) {
    const std::string text = path.empty() ? "/" : std::string(path);
    return h5::take(H5Oopen(file, text.c_str(), H5P_DEFAULT), H5Oclose, name,
                    "has no object '" + text + "' to give an attribute to");
  }
};

H5Writer::H5Writer(uint64_t expected_bytes) : impl_(std::make_unique<Impl>()) {
  const Scope scope;
  impl_->create(expected_bytes);
}

H5Writer::H5Writer(const std::filesystem::path& target, uint64_t expected_bytes)
    : impl_(std::make_unique<Impl>()) {
  const Scope scope;
  impl_->name = target.string();
  impl_->disk = std::make_unique<AtomicFile>(target);
  impl_->create(expected_bytes);
}

H5Writer::~H5Writer() = default;

void H5Writer::create_group(std::string_view path) {
  const Scope scope;
  impl_->expect_open();
  impl_->group(h5::split_path(path));
}

void H5Writer::write(std::string_view path, DType dtype, const Shape& shape, const void* bytes) {
  const Scope scope;
  impl_->expect_open();
  // A size of -1 would be taken for 2^64 - 1.
  if (!shape.known())
    throw ShapeError("H5Writer: dataset '" + std::string(path) + "' needs known sizes, found " +
                     shape.str() + ".");
  hsize_t sizes[Shape::max_rank];
  std::copy(shape.begin(), shape.end(), sizes);
  const Handle space(
      shape.rank() == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(shape.rank(), sizes, nullptr),
      H5Sclose);
  const Handle type = h5::file_type(dtype);
  const Handle dataset = impl_->dataset(path, type, space);
  // Enum and opaque types convert only to themselves.
  const bool as_is = dtype == DType::boolean || dtype == DType::bfloat16;
  const Handle memory = as_is ? h5::file_type(dtype) : h5::memory_type(dtype);
  if (shape.numel() > 0 && H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
    h5::fail(impl_->name, "cannot write dataset '" + std::string(path) + "'");
  if (dtype == DType::bfloat16) impl_->text_attribute(dataset, "dtype", "bfloat16");
}

void H5Writer::write_strings(std::string_view path, const std::vector<std::string>& strings,
                             const Shape& shape) {
  const Scope scope;
  impl_->expect_open();
  const size_t count = strings.size();
  if (!shape.known() || static_cast<size_t>(shape.numel()) != count)
    throw ShapeError("H5Writer: " + std::to_string(count) + " strings do not fill shape " +
                     shape.str() + ".");
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  const Handle space(
      sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(shape.rank(), sizes.data(), nullptr),
      H5Sclose);
  const Handle type = h5::string_type();
  const Handle dataset = impl_->dataset(path, type, space);
  std::vector<const char*> pointers;
  for (const std::string& text : strings) pointers.push_back(text.c_str());
  if (count > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
    h5::fail(impl_->name, "cannot write dataset '" + std::string(path) + "'");
}

void H5Writer::set_attribute(std::string_view path, const std::string& key, std::string_view text) {
  const Scope scope;
  impl_->expect_open();
  impl_->text_attribute(impl_->object(path), key, text);
}

void H5Writer::set_attribute(std::string_view path, const std::string& key, double number) {
  const Scope scope;
  impl_->expect_open();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->attribute(impl_->object(path), key, h5::memory_type(DType::float64), space, &number);
}

void H5Writer::set_attribute(std::string_view path, const std::string& key, int64_t number) {
  const Scope scope;
  impl_->expect_open();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->attribute(impl_->object(path), key, h5::memory_type(DType::int64), space, &number);
}

void H5Writer::set_strings_attribute(std::string_view path, const std::string& key,
                                     const std::vector<std::string>& strings) {
  const Scope scope;
  impl_->expect_open();
  const Handle object = impl_->object(path);
  hsize_t count = strings.size();
  if (count == 0) {
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    impl_->attribute(object, key, h5::file_type(DType::float64), space, nullptr);
    return;
  }
  size_t width = 1;
  for (const std::string& text : strings) width = std::max(width, text.size());
  if (width > attribute_limit)
    throw FileError("'" + impl_->name + "': attribute '" + key + "' holds a name of " +
                    std::to_string(width) + " bytes; at most " + std::to_string(attribute_limit) +
                    " fit.");
  // A string of variable length takes 16 bytes in the attribute, however short it is.
  if (count * std::max<size_t>(width, 16) <= attribute_limit) {
    std::vector<const char*> pointers;
    for (const std::string& text : strings) pointers.push_back(text.c_str());
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    impl_->attribute(object, key, h5::string_type(), space, pointers.data());
    return;
  }
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, width);
  // As h5py writes numpy's strings of a fixed width.
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const size_t per_part = attribute_limit / width;
  const size_t parts = (strings.size() + per_part - 1) / per_part;
  size_t first = 0;
  for (size_t part = 0; part < parts; ++part) {
    // Parts of nearly equal length, as numpy.array_split cuts them in Keras.
    count = strings.size() / parts + (part < strings.size() % parts ? 1 : 0);
    std::string block(count * width, '\0');
    for (size_t i = 0; i < count; ++i) strings[first + i].copy(&block[i * width], width);
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    impl_->attribute(object, key + std::to_string(part), type, space, block.data());
    first += count;
  }
}

Bytes H5Writer::finish(const std::function<void(H5Reader&&)>& check) {
  const Scope scope;
  impl_->expect_open();
  if (!impl_->file.reset()) h5::fail(impl_->name, "cannot write the end of the file");
  if (impl_->direct) {
    if (check) check(H5Reader(Bytes::map(impl_->disk->temporary()), impl_->name));
    impl_->disk->commit();
    return {};
  }
  // The memory ends in unused bytes. The superblock of version 0 says where the file itself ends.
  constexpr size_t end_of_file_field = 40;
  MemoryFile& image = impl_->image;
  uint64_t size = 0;
  if (image.size < end_of_file_field + 8) h5::fail(impl_->name, "nothing was written");
  for (int i = 7; i >= 0; --i)
    size = size << 8 | static_cast<const uint8_t*>(image.data)[end_of_file_field + i];
  if (size > image.size) h5::fail(impl_->name, "the file in memory is not complete");
  const std::shared_ptr<const void> owner(std::exchange(image.data, nullptr), std::free);
  const Bytes bytes(owner, {static_cast<const std::byte*>(owner.get()), size});
  if (check) check(H5Reader(bytes, impl_->name));
  if (!impl_->disk) return bytes;
  impl_->disk->append(bytes.span());
  impl_->disk->commit();
  return {};
}

}  // namespace cornu::io
