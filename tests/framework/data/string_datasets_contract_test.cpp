// Datasets of strings beside numbers, whose tensors live on different devices.
#include <cornu/cornu.h>

#include "../../catch.h"

namespace string_datasets_contract_test {

using namespace cornu;

TEST_CASE("strings and numbers are shuffled together on any device") {
  // Strings are on the host always; with CORNU_TEST_DEVICE=remote:0 the numbers are not.
  const Tensor x = Tensor::strings({"a", "b", "c", "d"}, {4});
  const Tensor y = Tensor(std::vector<float>{0, 1, 2, 3});
  TensorDataset data(x, y, {}, {.batch_size = 4, .shuffle = true});
  data.on_epoch_begin(0);
  const Batch batch = data.batch(0);
  const auto texts = batch.x.tensor().to_strings();
  const auto numbers = batch.y.tensor().to_vector<double>();
  for (size_t i = 0; i < 4; ++i) CHECK(texts[i][0] == 'a' + static_cast<char>(numbers[i]));
}

}  // namespace string_datasets_contract_test
