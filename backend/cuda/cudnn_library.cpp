// Opens cuDNN and tells its errors.
#include <type_traits>

#include "../error.h"
#include "cudnn_library-inl.h"
#include "library_search.h"

namespace cornu::backend::cuda::cudnn {
namespace {

class Getter {
 public:
  Getter() {
    // Its name is the same for all of CUDA's versions.
    library_.join(static_cast<int>(library_.function<size_t()>("cudnnGetCudartVersion")() / 1000));
  }
  template <class F>
  void operator()(F& to, const char* name) const {
    to = library_.function<std::remove_pointer_t<F>>(name);
  }

 private:
  Library library_ = Library::open("cudnn", {9});
};

// cuDNN opens it by its name alone, where the loader may not look: it finds what is open already.
void open_cublas() {
  try {
    Library::open("cublasLt", {13, 12});
  } catch (const UnsupportedError&) {
    // Most of cuDNN does without.
  }
}

Functions open() {
  const Getter get;
  open_cublas();
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

RnnFunctions open_rnn() {
  const Getter get;
  RnnFunctions f;
  get(f.create, "cudnnCreateRNNDescriptor");
  get(f.destroy, "cudnnDestroyRNNDescriptor");
  get(f.set, "cudnnSetRNNDescriptor_v8");
  get(f.create_data, "cudnnCreateRNNDataDescriptor");
  get(f.destroy_data, "cudnnDestroyRNNDataDescriptor");
  get(f.set_data, "cudnnSetRNNDataDescriptor");
  get(f.create_tensor, "cudnnCreateTensorDescriptor");
  get(f.destroy_tensor, "cudnnDestroyTensorDescriptor");
  get(f.set_tensor, "cudnnSetTensorNdDescriptor");
  get(f.get_tensor, "cudnnGetTensorNdDescriptor");
  get(f.create_dropout, "cudnnCreateDropoutDescriptor");
  get(f.destroy_dropout, "cudnnDestroyDropoutDescriptor");
  get(f.set_dropout, "cudnnSetDropoutDescriptor");
  get(f.scratch_sizes, "cudnnGetRNNTempSpaceSizes");
  get(f.weights_size, "cudnnGetRNNWeightSpaceSize");
  get(f.weights_place, "cudnnGetRNNWeightParams");
  get(f.forward, "cudnnRNNForward");
  get(f.backward_data, "cudnnRNNBackwardData_v8");
  get(f.backward_weights, "cudnnRNNBackwardWeights_v8");
  return f;
}

}  // namespace

const Functions& functions() {
  static const Functions opened = open();
  return opened;
}

const RnnFunctions& rnn_functions() {
  static const RnnFunctions opened = open_rnn();
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
