// cornu.h is enough for ops of every kind.
#include <cornu/cornu.h>

#include "catch.h"

namespace all_ops_test {

using namespace cornu;

TEST_CASE("one header has ops of every kind") {
  const Tensor x = ops::reshape(ops::arange(0, 16), {1, 4, 4, 1});
  const Tensor matrix = ops::eye(3) * 2.0;
  CHECK(ops::resize(x, {2, 2}).shape() == Shape{1, 2, 2, 1});
  CHECK(ops::extract_patches(x, {2, 2}).shape() == Shape{1, 2, 2, 4});
  CHECK(ops::det(matrix).item() == Approx(8));
  CHECK(ops::rfft(ops::ones({8}))[0].to_vector<double>()[0] == Approx(8));
  CHECK(ops::segment_sum(ops::ones({4}), Tensor::from({0, 0, 1, 1}, {4})).shape() == Shape{2});
  CHECK(ops::unpack_int4(ops::pack_int4(ops::cast(ops::ones({2, 2}), DType::int8))[0].tensor(), 2)
            .shape() == Shape{2, 2});
  CHECK(ops::ctc_loss(ops::ones({1, 1}, DType::int32), ops::ones({1, 2, 3}), Tensor::from({1}, {1}),
                      Tensor::from({2}, {1}))
            .shape() == Shape{1});
}

}  // namespace all_ops_test
