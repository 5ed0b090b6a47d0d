// Options that are initializers, regularizers or constraints: how they are read and written.
#include "initializer.h"

namespace cornu {

template struct detail::ErasedOption<Choice<Initializer>>;
template struct detail::ErasedOption<Choice<Regularizer>>;
template struct detail::ErasedOption<Choice<Constraint>>;

}  // namespace cornu
