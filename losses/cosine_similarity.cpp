// CosineSimilarity.
#include "cosine_similarity.h"

#include "../framework/ops/elementwise.h"

namespace cornu::losses {

CosineSimilarityLoss::CosineSimilarityLoss(CosineSimilarityConfig c) : LossOf(std::move(c)) {}

Tensor CosineSimilarityLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  const auto dot = [&](const Tensor& a, const Tensor& b) {
    const Tensor inputs[] = {a, b};
    return reduce_program(backend::program_of(backend::Opcode::multiply), inputs, config.axis, 1,
                          dtype_, name_.c_str());
  };
  // The least length is 1e-7; its square keeps the root's derivative finite at zero.
  return fused(
      [](Expr tp, Expr tt, Expr pp) {
        return -(tp * expr::rsqrt(expr::maximum(tt, 1e-14)) *
                 expr::rsqrt(expr::maximum(pp, 1e-14)));
      },
      dot(t, p), dot(t, t), dot(p, p));
}

Value::Dict CosineSimilarityLoss::get_config() const {
  Value::Dict dict = LossOf::get_config();
  if (config.axis == -1)
    std::erase_if(dict, [](const auto& entry) { return entry.first == "axis"; });
  return dict;
}

void register_cosine_similarity(Catalog& c) {
  c.add<CosineSimilarityLoss>("keras.losses.CosineSimilarity");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::CosineSimilarityLoss, losses::CosineSimilarityConfig, Loss>;
}
