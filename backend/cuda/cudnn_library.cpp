// Opens cuDNN and tells its errors.
#include <type_traits>

#include "cudnn_library-inl.h"
#include "library_search.h"

namespace cornu::backend::cuda::cudnn {
namespace {

Functions open() {
  const Library library = Library::open("cudnn", {9});
  const auto get = [&]<class F>(F& to, const char* name) {
    to = library.function<std::remove_pointer_t<F>>(name);
  };
  Functions f;
  get(f.version, "cudnnGetVersion");
  get(f.error_string, "cudnnGetErrorString");
  get(f.last_error, "cudnnGetLastErrorString");
  get(f.create, "cudnnCreate");
  get(f.destroy, "cudnnDestroy");
  get(f.set_stream, "cudnnSetStream");
  get(f.create_descriptor, "cudnnBackendCreateDescriptor");
  get(f.destroy_descriptor, "cudnnBackendDestroyDescriptor");
  get(f.set_attribute, "cudnnBackendSetAttribute");
  get(f.get_attribute, "cudnnBackendGetAttribute");
  get(f.finalize, "cudnnBackendFinalize");
  get(f.execute, "cudnnBackendExecute");
  return f;
}

}  // namespace

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

std::string last_words() {
  char text[4096] = "";
  functions().last_error(text, sizeof(text));
  std::string said = text;
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  return said;
}

std::string describe(cudnnStatus_t status) {
  const std::string text = functions().error_string(status), said = last_words();
  return said.empty() ? text : text + " (" + said + ")";
}

void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS) throw Refusal{std::string(what) + ": " + describe(status)};
}

cudnnDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return CUDNN_DATA_HALF;
    case DType::bfloat16:
      return CUDNN_DATA_BFLOAT16;
    case DType::float32:
      return CUDNN_DATA_FLOAT;
    case DType::float64:
      return CUDNN_DATA_DOUBLE;
    case DType::int32:
      return CUDNN_DATA_INT32;
    case DType::int64:
      return CUDNN_DATA_INT64;
    case DType::boolean:
      return CUDNN_DATA_BOOLEAN;
    default:
      throw Refusal{"no cuDNN type for " + std::string(dtype_name(dtype))};
  }
}

}  // namespace cornu::backend::cuda::cudnn
