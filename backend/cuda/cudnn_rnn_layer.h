// A recurrent layer described to cuDNN, its sizes of memory, and where its weights lie. For the
// sources of this folder only.
#pragma once
#include "../kernel.h"
#include "cudnn_library-inl.h"
#include "rnn_packing.h"

namespace cornu::backend::cuda::cudnn {

/// A descriptor that frees itself.
template <class T>
class Owned {
 public:
  Owned(cudnnStatus_t (*create)(T*), cudnnStatus_t (*destroy)(T)) : destroy_(destroy) {
    check(create(&descriptor_), "the creation of a descriptor");
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy_(descriptor_); }
  T get() const { return descriptor_; }

 private:
  T descriptor_ = nullptr;
  cudnnStatus_t (*destroy_)(T);
};

/// One layer of one direction, with sequences of one length. The handle is null where there is no
/// device: then sizes and places are not known. Throws Refusal where cuDNN does not have it.
struct RnnLayer {
  RnnLayer(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32, cudnnHandle_t device,
           cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD);

  const RnnFunctions& f = rnn_functions();
  const cudnnHandle_t handle;
  const Owned<cudnnDropoutDescriptor_t> no_dropout{f.create_dropout, f.destroy_dropout};
  const Owned<cudnnRNNDescriptor_t> layer{f.create, f.destroy};
  const Owned<cudnnRNNDataDescriptor_t> x{f.create_data, f.destroy_data};
  const Owned<cudnnRNNDataDescriptor_t> y{f.create_data, f.destroy_data};
  const Owned<cudnnTensorDescriptor_t> state{f.create_tensor, f.destroy_tensor};
  /// @{
  /// Bytes of all weights, of scratch memory, and of what training keeps for the backward pass.
  size_t weights_bytes = 0, inference_bytes = 0, training_bytes = 0, reserve_bytes = 0;
  /// @}
  RnnPlaces places;

 private:
  void describe(const Rnn& rnn, const RnnSizes& n, DType dtype, bool tf32,
                cudnnRNNAlgo_t algorithm) const;
  void find_places(const Rnn& rnn, const RnnSizes& n, size_t bytes_of_element);
};

}  // namespace cornu::backend::cuda::cudnn
