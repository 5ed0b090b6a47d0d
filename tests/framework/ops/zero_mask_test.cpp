// Comparisons with a literal 0, which C++ would take for a null pointer.
#include <catch.h>
#include <cornu/framework/dispatch/variable.h>
#include <cornu/framework/ops/ops.h>

namespace zero_mask_test {

using namespace cornu;

TEST_CASE("comparing with 0 gives a bool for each element") {
  const Tensor ids = Tensor::from({3, 0, 4}, {3});
  const Tensor equal = ids == 0, different = ids != 0;
  CHECK(equal.to_vector<bool>() == std::vector<bool>{false, true, false});
  CHECK(different.to_vector<bool>() == std::vector<bool>{true, false, true});
  const Tensor even = ids % 2 == 0L, unsigned_zero = ids == 0u;
  CHECK(even.to_vector<bool>() == std::vector<bool>{false, true, true});
  CHECK(unsigned_zero.to_vector<bool>() == equal.to_vector<bool>());
  CHECK(ops::cast(ids != 0, "int32").shape() == Shape{3});
  const Variable counts(ids);
  const Tensor none = counts == 0;
  CHECK(none.to_vector<bool>() == equal.to_vector<bool>());
  bool reached = false;
  if (ops::sum(ids) != 0) reached = true;
  CHECK(reached);
}

TEST_CASE("comparing with nullptr asks whether there is a tensor") {
  const Tensor none, some(1.0f);
  const bool absent = none == nullptr, present = some != nullptr;
  CHECK(absent);
  CHECK(present);
}

}  // namespace zero_mask_test
