// cuDNN as it is opened at run time: its functions, the names of its errors, and descriptors that
// free themselves. For the sources of this folder only.
#pragma once
#include <cudnn.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../dtype.h"

namespace cornu::backend::cuda::cudnn {

/// The functions of cuDNN 9 that are called.
struct Functions {
  decltype(&cudnnGetVersion) version;
  decltype(&cudnnGetErrorString) error_string;
  decltype(&cudnnGetLastErrorString) last_error;
  decltype(&cudnnCreate) create;
  decltype(&cudnnDestroy) destroy;
  decltype(&cudnnSetStream) set_stream;
  decltype(&cudnnBackendCreateDescriptor) create_descriptor;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor;
  decltype(&cudnnBackendSetAttribute) set_attribute;
  decltype(&cudnnBackendGetAttribute) get_attribute;
  decltype(&cudnnBackendFinalize) finalize;
  decltype(&cudnnBackendExecute) execute;
};

/// Opened by the first call. Throws UnsupportedError when there is no cuDNN 9.
const Functions& functions();

/// Those of recurrent layers, which are none of the backend API.
struct RnnFunctions {
  decltype(&cudnnCreateRNNDescriptor) create;
  decltype(&cudnnDestroyRNNDescriptor) destroy;
  decltype(&cudnnSetRNNDescriptor_v8) set;
  decltype(&cudnnCreateRNNDataDescriptor) create_data;
  decltype(&cudnnDestroyRNNDataDescriptor) destroy_data;
  decltype(&cudnnSetRNNDataDescriptor) set_data;
  decltype(&cudnnCreateTensorDescriptor) create_tensor;
  decltype(&cudnnDestroyTensorDescriptor) destroy_tensor;
  decltype(&cudnnSetTensorNdDescriptor) set_tensor;
  decltype(&cudnnGetTensorNdDescriptor) get_tensor;
  decltype(&cudnnCreateDropoutDescriptor) create_dropout;
  decltype(&cudnnDestroyDropoutDescriptor) destroy_dropout;
  decltype(&cudnnSetDropoutDescriptor) set_dropout;
  decltype(&cudnnGetRNNTempSpaceSizes) scratch_sizes;
  decltype(&cudnnGetRNNWeightSpaceSize) weights_size;
  decltype(&cudnnGetRNNWeightParams) weights_place;
  decltype(&cudnnRNNForward) forward;
  decltype(&cudnnRNNBackwardData_v8) backward_data;
  decltype(&cudnnRNNBackwardWeights_v8) backward_weights;
};
const RnnFunctions& rnn_functions();

/// What cuDNN has said since it was last asked: reasons of refusals, the oldest first.
std::string last_words();

/// "CUDNN_STATUS_NOT_SUPPORTED_SHAPE (what cuDNN says about it)".
std::string describe(cudnnStatus_t status);

/// What cuDNN refuses: a graph, or an engine for it. The search for a plan goes on after it.
struct Refusal {
  std::string text;
};

/// Throws Refusal unless `status` is success.
void check(cudnnStatus_t status, const char* what);

/// A descriptor of the backend API, destroyed with its owner.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    check(functions().create_descriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() {
    if (descriptor_ != nullptr) functions().destroy_descriptor(descriptor_);
  }

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                  const void* values) {
    check(functions().set_attribute(descriptor_, name, type, count, values),
          "cudnnBackendSetAttribute");
    return *this;
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  const T& value) {
    return set(name, type, 1, &value);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, int64_t value) {
    return set(name, CUDNN_TYPE_INT64, 1, &value);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, std::span<const int64_t> values) {
    return set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
  }
  Descriptor& finalize() {
    check(functions().finalize(descriptor_), "cudnnBackendFinalize");
    return *this;
  }
  int64_t integer(cudnnBackendAttributeName_t name) const {
    int64_t value = 0, count = 0;
    check(functions().get_attribute(descriptor_, name, CUDNN_TYPE_INT64, 1, &count, &value),
          "cudnnBackendGetAttribute");
    return value;
  }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

/// cuDNN's name of an element type. Throws Refusal for a type that it has not.
cudnnDataType_t data_type(DType dtype);

}  // namespace cornu::backend::cuda::cudnn
