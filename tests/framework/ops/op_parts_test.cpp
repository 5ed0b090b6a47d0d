// Ops of several results of which one is used: what makes the others is left out, and nothing else.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "op_goldens.h"
#include "support/contract.h"

namespace op_parts_test {

using namespace cornu;
using test::OpCase;

namespace {

const std::pair<const char*, const char*> sections[] = {{"ops.json", "unary"},
                                                        {"ops.json", "shaping"},
                                                        {"ops.json", "indexing"},
                                                        {"ops.json", "linalg"},
                                                        {"op_edges.json", "elementwise"},
                                                        {"op_edges.json", "creating"},
                                                        {"op_places.json", "arranging"},
                                                        {"op_places.json", "indexing"},
                                                        {"op_modules.json", "linalg"},
                                                        {"op_modules.json", "math"},
                                                        {"op_modules.json", "nn"}};

// Calls `check` with each case of several results, and what it gives eagerly.
template <class F>
void for_each_case(const F& check) {
  int checked = 0;
  for (const auto& [file, section] : sections)
    for (const OpCase& c : test::op_cases(section, file)) {
      if (c.tensors().empty() || c.reads_values()) continue;
      const std::vector<Tensor> eager = call_op(*c.info, c.arguments).flatten();
      if (eager.size() < 2) continue;
      INFO(c.text);
      std::string problem;
      try {
        for (size_t k = 0; k < eager.size(); ++k) check(c, k, eager[k]);
      } catch (const std::exception& e) {
        problem = e.what();
      }
      CHECK(problem == "");
      ++checked;
    }
  CHECK(checked > 40);
}

// Equal but for rounding, NaN where NaN is.
bool near(const Tensor& found, const Tensor& expected) {
  UNSCOPED_INFO("found " << found.str() << ", expected " << expected.str());
  if (found.shape() != expected.shape() || found.dtype() != expected.dtype()) return false;
  const auto a = found.to_vector<double>(), b = expected.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i])) &&
        !(std::abs(a[i] - b[i]) <= 1e-5 * (1 + std::abs(b[i]))))
      return false;
  return true;
}

}  // namespace

TEST_CASE("One result of an op in a recorded function is the op's") {
  for_each_case([](const OpCase& c, size_t k, const Tensor& expected) {
    Function f([&](const Nest& x) -> Nest { return c.call_with(x.flatten()).flatten().at(k); });
    for (int call = 0; call < 4; ++call) CHECK(near(f(Nest(c.tensors())).tensor(), expected));
  });
}

TEST_CASE("One result of an op mapped over samples is the op's, eagerly and recorded") {
  for_each_case([](const OpCase& c, size_t k, const Tensor& expected) {
    std::vector<Tensor> rows;
    for (const Tensor& t : c.tensors()) rows.push_back(ops::stack({t, t}));
    const auto map = [&](const Nest& x) -> Nest {
      return ops::vectorized_map(
          [&](const Nest& one) -> Nest { return c.call_with(one.flatten()).flatten().at(k); }, x);
    };
    Function f(map);
    CHECK(near(map(Nest(rows)).tensor()[1], expected));
    for (int call = 0; call < 3; ++call) CHECK(near(f(Nest(rows)).tensor()[1], expected));
  });
}

TEST_CASE("One result of an op of a graph is the op's") {
  for_each_case([](const OpCase& c, size_t k, const Tensor& expected) {
    Nest::List symbols, values;
    for (const Tensor& t : c.tensors()) {
      symbols.push_back(Input({.dtype = t.dtype(), .batch_shape = t.shape()}));
      values.push_back(t);
    }
    std::vector<Tensor> symbolic;
    for (const Nest& one : symbols) symbolic.push_back(one.tensor());
    Functional model(Nest(symbols), c.call_with(symbolic).flatten().at(k));
    CHECK(near(model(Nest(values)).flatten().at(0), expected));
  });
}

}  // namespace op_parts_test
