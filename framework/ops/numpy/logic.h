// Questions about elements, and choices between them.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// Whether |x1 - x2| <= atol + rtol * |x2|; integers and bools must be equal. NaN equals NaN with
/// `equal_nan`; infinities are close when equal.
Tensor isclose(const Tensor& x1, const Tensor& x2, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether isclose holds everywhere; a bool tensor without axes. (all_close in core.h gives a
/// bool.)
Tensor allclose(const Tensor& x1, const Tensor& x2, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false);
Tensor isneginf(const Tensor& x);
Tensor isposinf(const Tensor& x);
/// Whether the sign is negative, also of -0.
Tensor signbit(const Tensor& x);
/// x with numbers in place of NaN and the infinities, by default the dtype's largest and least for
/// the latter.
Tensor nan_to_num(const Tensor& x, const Value& nan = 0.0, const Value& posinf = {},
                  const Value& neginf = {});
/// keras.ops.select: element by element the choice whose condition is the first to hold, else the
/// default.
Tensor select_first(const std::vector<Tensor>& condlist, const std::vector<Tensor>& choicelist,
                    const Tensor& default_value = 0);

void list_logic(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
