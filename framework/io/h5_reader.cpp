// H5Reader over the HDF5 C API.
#include <hdf5.h>

#include <algorithm>
#include <new>
#include <optional>
#include <system_error>

#include "../../backend/error.h"
#include "convert_elements.h"
#include "h5_check.h"
#include "h5_chunks.h"
#include "h5_file.h"
#include "h5_handle.h"
#include "h5_rows_impl.h"
#include "h5_values.h"

namespace cornu::io {
namespace {

using h5::Handle;
using h5::Scope;

// Limits that no honest file reaches, so that a made-up one fills no memory.
constexpr size_t most_children = 1'000'000;
constexpr uint64_t most_numbers = 1'000'000;  ///< in an attribute

// --- A file in memory, used where it is -------------------------------------------------------

// HDF5 wants to copy the bytes at every step. Handing out the same pointer each time and copying
// nothing is the documented way around that for files that are only read.
void* image_allocate(size_t, H5FD_file_image_op_t, void* image) {
  return const_cast<std::byte*>(static_cast<Bytes*>(image)->data());
}
void* image_copy(void* to, const void*, size_t, H5FD_file_image_op_t, void*) { return to; }
void* image_grow(void*, size_t, H5FD_file_image_op_t, void*) { return nullptr; }
herr_t image_release(void*, H5FD_file_image_op_t, void*) { return 0; }
void* image_share(void* image) { return image; }
herr_t image_forget(void*) { return 0; }

// --- Names ------------------------------------------------------------------------------------

bool digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a sorts before b when the numbers in them count as numbers.
bool natural_less(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto run = [](const std::string& text, size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const size_t start = at;
        while (at < text.size() && digit(text[at])) ++at;
        return std::string_view(text).substr(start, at - start);
      };
      const std::string_view x = run(a, i), y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return static_cast<uint8_t>(a[i]) < static_cast<uint8_t>(b[j]);
      ++i, ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;
}

std::string show(std::string_view path) { return "'" + std::string(path) + "'"; }

}  // namespace

struct H5Reader::Impl {
  std::string name;
  Bytes image;  // Outlives `file`, which uses it in place.
  mutable std::optional<h5::FileCheck> check;
  std::optional<InputFile> input;  // None of a file in memory.
  Handle file;

  ~Impl() {
    const Scope scope;
    file.reset();
  }

  [[noreturn]] void fail(const std::string& what) const { h5::fail(name, what); }

  void open(const std::string& path, hid_t access, const Bytes& bytes) {
    // Before HDF5 opens the file: already its superblock and root group may lead out of bounds.
    check.emplace(name, bytes).check_file();
    // Closing the file closes what is open in it, also after an exception.
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
    if (id < 0) fail("this is not a readable HDF5 file; it may be truncated or of another format");
    file = Handle(id, H5Fclose);
  }

  // Throws when HDF5 opened another file than `input`, or one that was changed since then.
  void expect_same(hid_t access) const {
    void* driver = nullptr;
    if (H5Fget_vfd_handle(file, access, &driver) < 0 || driver == nullptr)
      fail("it is open, but HDF5 does not say where");
    input->expect_same(*static_cast<const int*>(driver));
  }

  /// The object at `path`, or a closed handle when a name on the way is missing. Every step must be
  /// a hard link: soft and external links could lead into other files or in circles.
  Handle find(std::string_view path) const {
    Handle current =
        h5::take(H5Oopen(file, "/", H5P_DEFAULT), H5Oclose, name, "it has no root group");
    for (const std::string& step : h5::split_path(path)) {
      const std::string where = show(step) + " in path " + show(path);
      if (H5Iget_type(current) != H5I_GROUP || step == ".") return {};
      const htri_t there = H5Lexists(current, step.c_str(), H5P_DEFAULT);
      if (there < 0) fail("cannot look up " + where);
      if (there == 0) return {};
      H5L_info_t link;
      if (H5Lget_info(current, step.c_str(), &link, H5P_DEFAULT) < 0)
        fail("cannot look up " + where);
      if (link.type != H5L_TYPE_HARD)
        fail(where + " is refused: it is " +
             (link.type == H5L_TYPE_SOFT ? "a soft link"
                                         : "an external link, which would read another file"));
      // Those that HDF5's newest kind of group leads to were not met before.
      check->check_object(link.u.address);
      if (const std::string cause = check->closed(link.u.address); !cause.empty())
        fail(where + " is refused: " + cause);
      current = h5::take(H5Oopen(current, step.c_str(), H5P_DEFAULT), H5Oclose, name,
                         "cannot open " + where);
    }
    return current;
  }

  Handle open_object(std::string_view path) const {
    Handle object = find(path);
    if (object < 0) fail("has no object " + show(path));
    return object;
  }

  Handle open_dataset(std::string_view path) const {
    Handle object = open_object(path);
    if (H5Iget_type(object) != H5I_DATASET) fail(show(path) + " is not a dataset");
    h5::expect_own_storage(name, object, "dataset " + show(path));
    return object;
  }

  /// Loads a dataset's elements and converts them to `want`.
  void load(hid_t dataset, const h5::Elements& elements, size_t count, DType want, void* out,
            const std::string& what) const {
    if (is_complex(elements.dtype) != is_complex(want))
      fail(what + " holds " + std::string(dtype_name(elements.dtype)) + " values; expected " +
           std::string(dtype_name(want)));
    if (count == 0) return;
    h5::expect_whole_chunks(name, dataset, what);
    // Booleans are always converted: the file may hold any byte.
    const bool direct = elements.dtype == want && want != DType::boolean;
    // Read in the file's type and converted here: HDF5 makes no numbers of enums or of bfloat16.
    std::vector<std::byte> loaded(direct ? 0 : count * size_of(elements.dtype));
    void* target = direct ? out : loaded.data();
    if (H5Dread(dataset, elements.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, target) < 0)
      fail("cannot read " + what + "; the file may be damaged");
    // Values of a mapped file need not stay in memory beside the copy.
    if (const haddr_t offset = H5Dget_offset(dataset); offset != HADDR_UNDEF)
      image.forget(static_cast<size_t>(offset), count * size_of(elements.dtype));
    if (!direct) convert_elements(loaded.data(), elements.dtype, out, want, count);
  }
};

H5Reader::H5Reader(const std::filesystem::path& path) : impl_(std::make_shared<Impl>()) {
  const Scope scope;
  impl_->name = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw FileError("'" + impl_->name + "': no such file.");
  if (!std::filesystem::is_regular_file(status))
    throw FileError("'" + impl_->name + "' is not a regular file; expected an HDF5 file.");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, true, true);  // Read-only and network disks may not know locks.
#endif
  H5Pset_fapl_sec2(access);  // Whatever driver the environment asks for.
  impl_->input.emplace(path);
  const Bytes bytes = Bytes::map(path);
  if (bytes.size() == 0) impl_->fail("cannot be read, or is empty; expected an HDF5 file");
  impl_->open(impl_->name, access, bytes);
  impl_->expect_same(access);
}

H5Reader::H5Reader(Bytes image, std::string name) : impl_(std::make_shared<Impl>()) {
  const Scope scope;
  impl_->name = std::move(name);
  impl_->image = std::move(image);
  if (impl_->image.size() == 0) impl_->fail("is empty; expected an HDF5 file");
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5FD_file_image_callbacks_t callbacks = {&image_allocate, &image_copy,  &image_grow,
                                           &image_release,  &image_share, &image_forget,
                                           &impl_->image};
  if (H5Pset_fapl_core(access, size_t{1} << 16, false) < 0 ||
      H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
      H5Pset_file_image(access, const_cast<std::byte*>(impl_->image.data()), impl_->image.size()) <
          0)
    impl_->fail("cannot be opened in memory");
  impl_->open(h5::unique_name(), access, impl_->image);
}

H5Reader::~H5Reader() = default;
H5Reader::H5Reader(H5Reader&&) noexcept = default;
H5Reader& H5Reader::operator=(H5Reader&&) noexcept = default;

const std::string& H5Reader::name() const { return impl_->name; }

bool H5Reader::exists(std::string_view path) const {
  const Scope scope;
  return impl_->find(path) >= 0;
}

bool H5Reader::is_group(std::string_view path) const {
  const Scope scope;
  const Handle object = impl_->find(path);
  return object >= 0 && H5Iget_type(object) == H5I_GROUP;
}

bool H5Reader::is_dataset(std::string_view path) const {
  const Scope scope;
  const Handle object = impl_->find(path);
  return object >= 0 && H5Iget_type(object) == H5I_DATASET;
}

std::vector<std::string> H5Reader::children(std::string_view path) const {
  const Scope scope;
  const Handle group = impl_->open_object(path);
  if (H5Iget_type(group) != H5I_GROUP) impl_->fail(show(path) + " is not a group");
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    auto& found = *static_cast<std::vector<std::string>*>(data);
    try {
      found.emplace_back(name);
    } catch (const std::bad_alloc&) {
      return -1;
    }
    return found.size() > most_children ? -1 : 0;
  };
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, visit, &names) < 0)
    impl_->fail("cannot list group " + show(path));
  std::sort(names.begin(), names.end(), natural_less);
  return names;
}

H5Info H5Reader::info(std::string_view path) const {
  const Scope scope;
  const std::string what = "dataset " + show(path);
  const Handle dataset = impl_->open_dataset(path);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return {h5::shape_of(impl_->name, space, what),
          h5::elements_of(impl_->name, type, dataset, what).dtype, H5Dget_storage_size(dataset)};
}

void H5Reader::read(std::string_view path, void* out, DType want, const Shape& expected) const {
  const Scope scope;
  const std::string what = "dataset " + show(path);
  const Handle dataset = impl_->open_dataset(path);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Shape found = h5::shape_of(impl_->name, space, what);
  if (found != expected)
    impl_->fail(what + " has shape " + found.str() + ", expected " + expected.str());
  const h5::Elements elements = h5::elements_of(impl_->name, type, dataset, what);
  impl_->load(dataset, elements, static_cast<size_t>(found.numel()), want, out, what);
}

std::vector<std::byte> H5Reader::read(std::string_view path, uint64_t limit) const {
  const Scope scope;
  const H5Info found = info(path);
  const std::string what = "dataset " + show(path);
  const uint64_t count = static_cast<uint64_t>(found.shape.numel());
  const uint64_t size = count * size_of(found.dtype);
  if (size > limit)
    impl_->fail(what + " has " + std::to_string(size) + " bytes, more than the " +
                std::to_string(limit) + " bytes allowed for it");
  h5::expect_stored(impl_->name, size, found.stored, what);
  std::vector<std::byte> bytes(size);
  read(path, bytes.data(), found.dtype, found.shape);
  return bytes;
}

std::unique_ptr<H5Rows> H5Reader::rows(std::string_view path, uint64_t cache_bytes) const {
  const Scope scope;
  const std::string what = "dataset " + show(path);
  Handle dataset = impl_->open_dataset(path);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Shape shape = h5::shape_of(impl_->name, space, what);
  if (shape.rank() == 0)
    throw ShapeError("'" + impl_->name + "': " + what +
                     " is a scalar; the first axis must be the rows.");
  expect_unchanged();
  return std::make_unique<H5Rows>(
      std::make_unique<H5Rows::Impl>(impl_, impl_->input ? &*impl_->input : nullptr, impl_->name,
                                     what, std::move(dataset), shape, cache_bytes));
}

void H5Reader::expect_unchanged() const {
  if (impl_->input) impl_->input->expect_unchanged();
}

std::vector<std::string> H5Reader::read_strings(std::string_view path) const {
  const Scope scope;
  const std::string what = "dataset " + show(path);
  const Handle dataset = impl_->open_dataset(path);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  return h5::load_strings(impl_->name, dataset, type, space, what, [&](hid_t memory, void* out) {
    h5::expect_whole_chunks(impl_->name, dataset, what);
    return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

std::optional<Shape> H5Reader::string_shape(std::string_view path) const {
  const Scope scope;
  const Handle dataset = impl_->open_dataset(path);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) return {};
  const Handle space(H5Dget_space(dataset), H5Sclose);
  return h5::shape_of(impl_->name, space, "dataset " + show(path));
}

bool H5Reader::has_attribute(std::string_view path, const std::string& key) const {
  const Scope scope;
  return H5Aexists(impl_->open_object(path), key.c_str()) > 0;
}

std::string H5Reader::string_attribute(std::string_view path, const std::string& key) const {
  const Scope scope;
  const std::vector<std::string> strings =
      h5::strings_of(impl_->name, impl_->open_object(path), key, show(path));
  if (strings.size() != 1)
    impl_->fail("attribute '" + key + "' of " + show(path) + " holds " +
                std::to_string(strings.size()) + " strings; expected one");
  return strings.front();
}

std::optional<std::vector<std::string>> H5Reader::strings_attribute(std::string_view path,
                                                                    const std::string& key) const {
  const Scope scope;
  const Handle object = impl_->open_object(path);
  if (H5Aexists(object, key.c_str()) > 0)
    return h5::strings_of(impl_->name, object, key, show(path));
  std::optional<std::vector<std::string>> all;
  for (size_t part = 0; H5Aexists(object, (key + std::to_string(part)).c_str()) > 0; ++part) {
    if (!all) all.emplace();
    for (std::string& text :
         h5::strings_of(impl_->name, object, key + std::to_string(part), show(path)))
      all->push_back(std::move(text));
  }
  return all;
}

std::vector<double> H5Reader::numbers_attribute(std::string_view path,
                                                const std::string& key) const {
  const Scope scope;
  const Handle object = impl_->open_object(path);
  const std::string what = "attribute '" + key + "' of " + show(path);
  const Handle attribute = h5::open_attribute(impl_->name, object, key, show(path));
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  const h5::Elements elements = h5::elements_of(impl_->name, type, object, what);
  const uint64_t count = static_cast<uint64_t>(h5::shape_of(impl_->name, space, what).numel());
  if (count > most_numbers) impl_->fail(what + " declares too many numbers");
  if (is_complex(elements.dtype)) impl_->fail(what + " holds complex numbers");
  std::vector<double> numbers(count);
  if (count == 0) return numbers;
  std::vector<std::byte> loaded(count * size_of(elements.dtype));
  if (H5Aread(attribute, elements.memory, loaded.data()) < 0) impl_->fail("cannot read " + what);
  convert_elements(loaded.data(), elements.dtype, numbers.data(), DType::float64, count);
  return numbers;
}

double H5Reader::number_attribute(std::string_view path, const std::string& key) const {
  const std::vector<double> numbers = numbers_attribute(path, key);
  if (numbers.size() != 1)
    throw FileError("'" + impl_->name + "': attribute '" + key + "' of " + show(path) + " holds " +
                    std::to_string(numbers.size()) + " numbers; expected one.");
  return numbers.front();
}

}  // namespace cornu::io
