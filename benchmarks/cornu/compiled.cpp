// Steps and calls as function() runs them.
#include <cornu/framework/compile/function.h>

#include "workloads.h"

namespace cornu::bench {

StepFunction as_function(StepFunction step) {
  return
      [f = function(std::move(step))](const Tensor& x, const Tensor& y) mutable { return f(x, y); };
}

std::function<Tensor(const Tensor&)> as_function(std::shared_ptr<Model> model) {
  return [f = function([model](const Tensor& x) { return (*model)(x); })](const Tensor& x) mutable {
    return f(x);
  };
}

}  // namespace cornu::bench
