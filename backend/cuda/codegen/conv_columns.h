// The way back from columns: the last step of a convolution's gradient of x as a product.
#pragma once
#include "codegen.h"

namespace cornu::backend::cuda {

/// Adds up what each place of x has in the columns (y's places, kernel's taps x channels of x) of
/// all windows that it is in (col2im), in the order of the taps. Operands: the columns, then x, of
/// one dtype, that of x. Of one group; paddings may be any.
KernelPlan plan_columns_sum(const Conv& conv, const Operand& x, const Shape& kernel, const Shape& y,
                            const PlanOptions& options = {});

}  // namespace cornu::backend::cuda
