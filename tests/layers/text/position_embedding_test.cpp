// PositionEmbedding.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/text/position_embedding.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace position_embedding_test {

using namespace cornu;
using test::check_layer;

TEST_CASE("PositionEmbedding gives the vectors of places") {
  const layers::PositionEmbedding layer({.sequence_length = 5});
  const Tensor y = layer(ops::zeros({2, 3, 4}));
  const Tensor vectors = layer->position_embeddings;
  CHECK(y.shape() == Shape{2, 3, 4});
  CHECK(y.to_vector<float>()[12 + 4] == vectors.to_vector<float>()[4]);
  CHECK(layer->at(ops::zeros({1, 1, 4}), Tensor(3)).to_vector<float>()[0] ==
        vectors.to_vector<float>()[12]);
  CHECK_THROWS_AS(layer(ops::zeros({2, 6, 4})), ShapeError);
  CHECK_THROWS_AS(layers::PositionEmbedding({.sequence_length = 0}), ValueError);
}

}  // namespace position_embedding_test
