// Tests of writing tensors and nests to streams.
#include <catch.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/nest.h>

#include <sstream>

using namespace cornu;

namespace {

template <class T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

TEST_CASE("A tensor is printed by rows, with its dtype and shape") {
  CHECK(printed(Tensor::from<float>({1, 2.5, -3, 100}, {2, 2})) ==
        "[[  1, 2.5],\n [ -3, 100]] float32 (2, 2)");
  CHECK(printed(Tensor::from<int32_t>({7}, {})) == "7 int32 ()");
  CHECK(printed(Tensor::from<int64_t>({1, 2, 3, 4}, {2, 1, 2})) ==
        "[[[1, 2]],\n\n [[3, 4]]] int64 (2, 1, 2)");
  CHECK(printed(Tensor::strings({"a", "bc"}, {2})) == "[ \"a\", \"bc\"] string (2,)");
  CHECK(printed(Tensor::from<float>({1, 2}, {2}) > 1) == "[false,  true] bool (2,)");
  CHECK(printed(Tensor::empty({0, 3}, DType::float32)) == "[] float32 (0, 3)");
}

TEST_CASE("Of large tensors the edges are printed") {
  CHECK(printed(ops::arange(0, 2000)) == "[   0,    1,    2, ..., 1997, 1998, 1999] int32 (2000,)");
  const std::string square = printed(ops::zeros({100, 100}));
  CHECK(std::count(square.begin(), square.end(), '0') == 36 + 4);
}

TEST_CASE("What has no values is printed as what it is") {
  CHECK(printed(Tensor()) == "<no tensor>");
  CHECK(printed(Tensor::abstract({2, 3}, DType::float32)) == "<float32 (2, 3), abstract>");
}

TEST_CASE("Nests are printed with their keys and places") {
  const Tensor one = Tensor::from<int32_t>({1}, {}), two = Tensor::from<int32_t>({2}, {});
  CHECK(printed(Nest(one)) == "1 int32 ()");
  CHECK(printed(Nest{one, two}) == "[\n  1 int32 (),\n  2 int32 ()]");
  CHECK(printed(Nest{{"a", one}, {"b", Nest{one, two}}}) ==
        "{\n  'a': 1 int32 (),\n  'b': [\n    1 int32 (),\n    2 int32 ()]}");
}
