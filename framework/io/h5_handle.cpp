// HDF5 identifiers, types and error messages.
#include "h5_handle.h"

#include <hdf5.h>

#include <atomic>
#include <type_traits>

#include "../../backend/error.h"

namespace cornu::io::h5 {

static_assert(std::is_same_v<Id, hid_t> && std::is_same_v<herr_t, int>);

namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// IEEE half, which HDF5 1.10 has no name for.
Handle half_type(Id base) {
  Handle type(H5Tcopy(base), H5Tclose);
  // Fields first, while the type still has 32 bits; then the size.
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

Handle copy_type(Id type) { return Handle(H5Tcopy(type), H5Tclose); }

/// Complex numbers as h5py writes them: two fields, r and i.
Handle complex_type(DType dtype, const Handle& part) {
  const size_t size = size_of(dtype);
  Handle type(H5Tcreate(H5T_COMPOUND, size), H5Tclose);
  H5Tinsert(type, "r", 0, part);
  H5Tinsert(type, "i", size / 2, part);
  return type;
}

}  // namespace

Scope::Scope() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
}

Scope::~Scope() { H5Eset_auto2(H5E_DEFAULT, report_, report_data_); }

std::string library_error() {
  std::string message;
  const auto visit = [](unsigned depth, const H5E_error2_t* entry, void* data) -> herr_t {
    if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(data) = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &message);
  return message.empty() ? "" : " (" + message + ")";
}

void fail(const std::string& file, const std::string& what) {
  throw FileError("'" + file + "': " + what + library_error() + ".");
}

Handle take(Id id, Handle::Close close, const std::string& file, const std::string& what) {
  if (id < 0) fail(file, what);
  return Handle(id, close);
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    if (slash != 0) names.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return names;
}

Handle file_type(DType dtype) {
  switch (dtype) {
    case DType::boolean: {
      Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
      int8_t value = 0;
      H5Tenum_insert(type, "FALSE", &value);
      value = 1;
      H5Tenum_insert(type, "TRUE", &value);
      return type;
    }
    case DType::uint8:
      return copy_type(H5T_STD_U8LE);
    case DType::uint16:
      return copy_type(H5T_STD_U16LE);
    case DType::uint32:
      return copy_type(H5T_STD_U32LE);
    case DType::uint64:
      return copy_type(H5T_STD_U64LE);
    case DType::int8:
      return copy_type(H5T_STD_I8LE);
    case DType::int16:
      return copy_type(H5T_STD_I16LE);
    case DType::int32:
      return copy_type(H5T_STD_I32LE);
    case DType::int64:
      return copy_type(H5T_STD_I64LE);
    case DType::float16:
      return half_type(H5T_IEEE_F32LE);
    case DType::bfloat16:
      return Handle(H5Tcreate(H5T_OPAQUE, 2), H5Tclose);
    case DType::float32:
      return copy_type(H5T_IEEE_F32LE);
    case DType::string:
      throw ValueError("HDF5: string tensors are not written.");
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      throw UnsupportedError("HDF5: 8-bit floats are not written. Cast them to float16 first.");
    case DType::complex64:
    case DType::complex128:
      return complex_type(dtype, file_type(real_type(dtype)));
    case DType::float64:
      break;
  }
  return copy_type(H5T_IEEE_F64LE);
}

Handle memory_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return copy_type(H5T_NATIVE_INT8);
    case DType::uint8:
      return copy_type(H5T_NATIVE_UINT8);
    case DType::uint16:
      return copy_type(H5T_NATIVE_UINT16);
    case DType::uint32:
      return copy_type(H5T_NATIVE_UINT32);
    case DType::uint64:
      return copy_type(H5T_NATIVE_UINT64);
    case DType::int8:
      return copy_type(H5T_NATIVE_INT8);
    case DType::int16:
      return copy_type(H5T_NATIVE_INT16);
    case DType::int32:
      return copy_type(H5T_NATIVE_INT32);
    case DType::int64:
      return copy_type(H5T_NATIVE_INT64);
    case DType::float16:
      return half_type(H5T_NATIVE_FLOAT);
    case DType::bfloat16:
      return Handle(H5Tcreate(H5T_OPAQUE, 2), H5Tclose);
    case DType::float32:
      return copy_type(H5T_NATIVE_FLOAT);
    case DType::string:
      throw ValueError("HDF5: string tensors are not written.");
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      throw UnsupportedError("HDF5: 8-bit floats are not written. Cast them to float16 first.");
    case DType::complex64:
    case DType::complex128:
      return complex_type(dtype, memory_type(real_type(dtype)));
    case DType::float64:
      break;
  }
  return copy_type(H5T_NATIVE_DOUBLE);
}

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::string unique_name() {
  static std::atomic<uint64_t> count{0};
  return "cornu-memory-" + std::to_string(count++);
}

}  // namespace cornu::io::h5
