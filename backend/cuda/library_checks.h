// What the vendor's libraries say to kernels on a machine without a GPU: for tests and reports.
#pragma once
#include <string>
#include <vector>

#include "../backend.h"

namespace cornu::backend::cuda {

/// Makes the descriptors of a product: "descriptors made", "refused: (why)" or "absent: (why)".
std::string try_matmul(const Matmul& matmul, const Operand& a, const Operand& b,
                       const Operand& out);

/// Plans a convolution for a device that `json` describes, as cuDNN writes it: the engine, such as
/// "engine 67, tensor cores", followed by ", padded" or ", fused" where that is so; "refused:
/// (why)" or "absent: (why)". With `most` above 1 all that would be tried on the device, separated
/// by semicolons.
std::string try_convolution(const std::string& json, const Conv& conv, DType dtype, const Shape& x,
                            const Shape& kernel, const Shape& y, bool tf32, size_t most = 1);

/// The same for attention, with a mask if it says so, followed by ", workspace N", in bytes, and
/// backwards in the form of linear memory by ", sums of dq N". Its engines are compiled for the
/// device: without a driver cuDNN knows them, and refuses for want of libcuda.so.
std::string try_attention(const std::string& json, const Attention& attention, DType dtype,
                          const Shape& q, const Shape& k, const Shape& mask = {},
                          DType mask_dtype = DType::boolean, bool same_bits = false);

/// Makes the descriptors of a recurrent layer for x (batch, time, features) and kernel (features,
/// gates * units): "descriptors made", "refused: (why)" or "absent: (why)".
std::string try_rnn(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel);

/// A GPU as cuDNN describes it.
struct DescribedDevice {
  std::string name, json;
};
/// An H100, an A100, a B200 and an RTX 5090.
std::vector<DescribedDevice> described_devices();
/// The first of them.
std::string described_h100();

}  // namespace cornu::backend::cuda
