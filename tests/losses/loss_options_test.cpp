// Losses with each of their options against Keras: values and gradients, on data of all ranks and
// types, with weights of all shapes and masks in each reduction, eagerly and compiled.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include "../support/contract.h"
#include "../support/golden_json.h"
#include "../support/pattern.h"

namespace loss_options_test {

using namespace cornu;
using test::entry;
using test::find_entry;

namespace {

double tolerance_of(DType dtype) {
  return dtype == DType::bfloat16 ? 2e-2 : dtype == DType::float16 ? 3e-3 : 3e-5;
}

struct Case {
  Tensor y_true, y_pred, weight, mask;
  std::shared_ptr<Loss> loss;
  double tolerance = 0;

  Tensor value(const Tensor& y, const Tensor& p, const Tensor& w) const {
    return (*loss)(y, mask ? p.with_mask(mask) : p, w);
  }
};

Case read_case(const Value& recorded) {
  const ClassInfo* const info =
      catalog().find("keras.losses", entry(recorded, "class").get<std::string>());
  REQUIRE(info);
  const Value* const config = find_entry(recorded, "config");
  Case c{test::pattern_at(recorded, "y"), test::pattern_at(recorded, "p"),
         test::pattern_at(recorded, "w"), test::pattern_at(recorded, "m"),
         std::dynamic_pointer_cast<Loss>(
             info->make(config ? config->get<Value::Dict>() : Value::Dict{}))};
  REQUIRE(c.loss);
  if (c.mask) c.mask = ops::cast(c.mask, DType::boolean);
  c.tolerance = tolerance_of(c.loss->dtype());
  for (const Tensor& t : {c.y_true, c.y_pred, c.weight})
    if (t) c.tolerance = std::max(c.tolerance, tolerance_of(t.dtype()));
  return c;
}

void check_case(const Value& recorded) {
  const Case c = read_case(recorded);
  CHECK(test::matches_golden(c.value(c.y_true, c.y_pred, c.weight), recorded, c.tolerance));
  const auto copy = test::remade<Loss>(*c.loss);
  CHECK(copy->dtype() == c.loss->dtype());
  CHECK(copy->reduction() == c.loss->reduction());

  // The gradient, eagerly and by a plan.
  const Value* const gradient = find_entry(recorded, "gradient");
  const auto step = [&](const Tensor& y, const Tensor& p, const Tensor& w) {
    GradientTape tape;
    tape.watch(p);
    const Tensor out = c.value(y, p, w);
    return Nest(Nest::List{out, tape.gradient(out, p)});
  };
  Function compiled([&](const Nest& given) {
    const auto& list = given.list();
    const Tensor weight = list.size() > 2 ? list[2].tensor() : Tensor();
    if (gradient) return step(list[0].tensor(), list[1].tensor(), weight);
    return Nest(Nest::List{c.value(list[0].tensor(), list[1].tensor(), weight)});
  });
  if (gradient) {
    const Nest eager = step(c.y_true, c.y_pred, c.weight);
    CHECK(test::matches(eager[1].tensor(), test::golden_numbers(*gradient), 5 * c.tolerance));
  }
  Nest::List given = {c.y_true, c.y_pred};
  if (c.weight) given.push_back(c.weight);
  for (int i = 0; i < 3; ++i) {
    INFO("call " << i << " of the compiled function");
    const Nest found = compiled(Nest(given));
    CHECK(test::matches_golden(found[0].tensor(), recorded, c.tolerance));
    if (gradient)
      CHECK(test::matches(found[1].tensor(), test::golden_numbers(*gradient), 5 * c.tolerance));
  }
}

}  // namespace

TEST_CASE("losses with each of their options agree with Keras, and so do their gradients") {
  for (const char* file : {"loss_options.json", "loss_shapes.json"}) {
    const Value cases = test::golden_file(file);
    for (const Value& recorded : cases.get<Value::List>()) {
      INFO(cornu::to_json(recorded));
      try {
        check_case(recorded);
      } catch (const Error& e) {
        FAIL_CHECK(e.what());
      }
    }
  }
}

}  // namespace loss_options_test
