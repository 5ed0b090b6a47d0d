// What the tests of the page docs/diagnose.md share: models whose fit is looked at.
#pragma once
#include "support.h"

namespace cornu::test {

/// The arguments of fit that diagnose takes as well.
inline DiagnoseOptions options_of(const FitOptions& fit) {
  return {.batch_size = fit.batch_size.value_or(32),
          .validation_x = fit.validation_data.x,
          .validation_y = fit.validation_data.y,
          .validation_split = fit.validation_split,
          .shuffle = fit.shuffle,
          .steps_per_epoch = fit.steps_per_epoch,
          .class_weight = fit.class_weight,
          .sample_weight = fit.sample_weight};
}

/// The ids that the latest fit of a Shown found.
inline Ids& ids() {
  static Ids latest;
  return latest;
}

/// A model whose `fit` diagnoses with the same arguments, and keeps what that finds.
template <class Base>
class Shown : public Base {
 public:
  using Base::Base;
  void fit(const Nest& x, const Nest& y, const FitOptions& fit = {}) {
    DiagnoseOptions options = options_of(fit);
    ids() = ids_of(this->diagnose(x, y, options));
    options.silence = ids();
    CHECK(ids_of(this->diagnose(x, y, options)) == Ids{});
  }
  void fit(std::shared_ptr<Dataset> dataset) {
    ids() = ids_of(this->diagnose(dataset));
    CHECK(ids_of(this->diagnose(dataset, {.silence = ids()})) == Ids{});
  }
};

/// What the page's pieces of code find around them: data, and a model for them.
struct Page {
  using Sequential = Shown<cornu::Sequential>;
  using Functional = Shown<cornu::Functional>;

  Problem problem;
  int64_t n = problem.n();
  Tensor x = problem.x, y = problem.regression();
  Tensor labels = problem.classes();  // (n), 0 to 2
  Tensor is_high = problem.binary();  // (n, 1), 0 or 1
  Sequential model =
      Sequential({layers::Dense({.units = 16, .activation = "relu"}), layers::Dense({.units = 1})});
  Page() { model.compile({.optimizer = "adam", .loss = "mse"}); }
};

/// Runs the two pieces of a finding, each with a page of its own: the wrong one gives the id and no
/// other, the right one none.
template <class Pieces>
void check_pieces(const std::string& id, void (Pieces::*wrong)(), void (Pieces::*right)()) {
  INFO(id);
  (Pieces().*wrong)();
  CHECK(ids() == Ids{id});
  (Pieces().*right)();
  CHECK(ids() == Ids{});
}

}  // namespace cornu::test
