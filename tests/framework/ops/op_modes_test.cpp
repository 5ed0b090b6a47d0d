// Each op gives the same where it is recorded, mapped over samples, or part of a model.
#include <cornu/backend/log.h>
#include <cornu/framework/compile/control_flow.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <set>

#include "catch.h"
#include "op_goldens.h"

namespace op_modes_test {

using namespace cornu;
using test::OpCase;

namespace {

struct Section {
  const char *file, *name;
};

// The sizes of their results for axes of unknown size are those for long axes.
const std::set<std::string> guess_sizes = {"GetItem", "Diagonal", "Diag", "Correlate", "Squeeze"};

// Samples of zeros are errors to them.
const std::set<std::string> not_of_zeros = {"Cholesky"};

const Section sections[] = {{"ops.json", "unary"},
                            {"ops.json", "binary"},
                            {"ops.json", "reduction"},
                            {"ops.json", "shaping"},
                            {"ops.json", "indexing"},
                            {"ops.json", "nn"},
                            {"ops.json", "linalg"},
                            {"op_edges.json", "elementwise"},
                            {"op_places.json", "reductions"},
                            {"op_places.json", "arranging"},
                            {"op_places.json", "indexing"},
                            {"op_edges.json", "products"},
                            {"op_modules.json", "image"},
                            {"op_modules.json", "linalg"},
                            {"op_modules.json", "math"},
                            {"op_modules.json", "nn"}};

// The first place in which two results differ by more than rounding, or "".
std::string difference(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  if (got.size() != want.size()) return "another number of results";
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].spec().str() != want[i].spec().str())
      return got[i].spec().str() + " for " + want[i].spec().str();
    const auto a = got[i].to_vector<double>(), b = want[i].to_vector<double>();
    const double unit = want[i].dtype() == DType::bfloat16  ? 1.0 / 128
                        : want[i].dtype() == DType::float16 ? 1.0 / 1024
                        : want[i].dtype() == DType::float64 ? 1e-12
                                                            : 2e-6;
    for (size_t k = 0; k < a.size(); ++k) {
      if (std::isnan(a[k]) && std::isnan(b[k])) continue;
      if (a[k] == b[k] || std::abs(a[k] - b[k]) <= unit * (0.1 + std::abs(b[k]))) continue;
      return "element " + std::to_string(k) + " is " + std::to_string(a[k]) + " for " +
             std::to_string(b[k]);
    }
  }
  return "";
}

// Calls `check` with each case and what it gives eagerly.
template <class F>
void for_each_case(F check) {
  int checked = 0;
  for (const Section& section : sections)
    for (const OpCase& c : test::op_cases(section.name, section.file)) {
      if (c.tensors().empty()) continue;
      INFO(c.text);
      std::string problem;
      try {
        problem = check(c, call_op(*c.info, c.arguments).flatten());
      } catch (const std::exception& e) {
        problem = e.what();
      }
      INFO(problem);
      CHECK(problem.empty());
      ++checked;
    }
  CHECK(checked > 1500);
}

}  // namespace

TEST_CASE("an op in a recorded function gives what it gives eagerly") {
  show_warnings(false);
  for_each_case([](const OpCase& c, const std::vector<Tensor>& eager) -> std::string {
    Function f([&](const Nest& x) { return c.call_with(x.flatten()); });
    for (int call = 0; call < 4; ++call) {
      const std::string problem = difference(f(Nest(c.tensors())).flatten(), eager);
      if (!problem.empty()) return "call " + std::to_string(call) + ": " + problem;
    }
    const bool replays = f.report().replays > 0;
    if (replays == c.reads_values())
      return replays ? "replayed though it reads values" : "never replayed: " + f.explain();
    return "";
  });
  show_warnings(true);
}

TEST_CASE("an op among others in a recorded function gives what it gives eagerly") {
  show_warnings(false);
  // What comes in was computed, and what goes out is used: chances to fuse and to reuse memory.
  const auto through = [](const Tensor& x) -> Tensor {
    if (is_float(x.dtype())) return x * Tensor(1.0);
    if (x.dtype() == DType::boolean) return ops::logical_or(x, ops::zeros_like(x));
    return ops::cast(x + Tensor(1) - Tensor(1), x.dtype());
  };
  for_each_case([&](const OpCase& c, const std::vector<Tensor>& eager) -> std::string {
    Function f([&](const Nest& x) {
      std::vector<Tensor> computed;
      for (const Tensor& t : x.flatten()) computed.push_back(through(t));
      std::vector<Tensor> results;
      for (const Tensor& t : c.call_with(computed).flatten()) results.push_back(through(t));
      return Nest(results);
    });
    for (int call = 0; call < 4; ++call) {
      const std::string problem = difference(f(Nest(c.tensors())).flatten(), eager);
      if (!problem.empty()) return "call " + std::to_string(call) + ": " + problem;
    }
    return "";
  });
  show_warnings(true);
}

TEST_CASE("an op mapped over samples gives each sample's result") {
  show_warnings(false);
  for_each_case([](const OpCase& c, const std::vector<Tensor>& eager) -> std::string {
    if (c.reads_values() || not_of_zeros.contains(c.info->class_name)) return "";
    std::vector<Tensor> rows;
    for (const Tensor& t : c.tensors()) rows.push_back(ops::stack({ops::zeros_like(t), t, t}));
    const auto sample = [&](const Nest& x) { return c.call_with(x.flatten()); };
    Function mapped([&](const Nest& x) { return ops::vectorized_map(sample, x); });
    for (int call = 0; call < 3; ++call) {
      std::vector<Tensor> second;
      for (const Tensor& t : mapped(Nest(rows)).flatten())
        second.push_back(ops::get_item(t, Value::List{1}));
      const std::string problem = difference(second, eager);
      if (!problem.empty()) return "call " + std::to_string(call) + ": " + problem;
    }
    return "";
  });
  show_warnings(true);
}

TEST_CASE("an op in the body of a scan gives each sample's result") {
  show_warnings(false);
  for_each_case([](const OpCase& c, const std::vector<Tensor>& eager) -> std::string {
    if (c.reads_values() || not_of_zeros.contains(c.info->class_name)) return "";
    std::vector<Tensor> rows;
    for (const Tensor& t : c.tensors()) {
      std::vector<Tensor> copies(12, t);
      copies[3] = ops::zeros_like(t);
      rows.push_back(ops::stack(copies));
    }
    Function scanned([&](const Nest& x) {
      const auto body = [&](const Nest& carry, const Nest& row) {
        return ops::Scanned{carry.tensor() + 1, c.call_with(row.flatten())};
      };
      return ops::scan(body, Tensor::from({0}, {}), x).ys;
    });
    for (int call = 0; call < 3; ++call) {
      std::vector<Tensor> last;
      for (const Tensor& t : scanned(Nest(rows)).flatten())
        last.push_back(ops::get_item(t, Value::List{11}));
      const std::string problem = difference(last, eager);
      if (!problem.empty()) return "call " + std::to_string(call) + ": " + problem;
    }
    return "";
  });
  show_warnings(true);
}

TEST_CASE("an op on symbolic tensors is a model that gives the op's result") {
  for_each_case([](const OpCase& c, const std::vector<Tensor>& eager) -> std::string {
    if (c.reads_values() || not_of_zeros.contains(c.info->class_name)) return "";
    std::vector<Tensor> inputs;
    // The places of an index are no inputs of a model.
    if (c.info->class_name == "GetItem" && c.tensors().size() > 1) return "";
    for (const Tensor& t : c.tensors()) {
      if (t.rank() == 0) return "";
      inputs.push_back(Input(InputConfig{.dtype = t.dtype(), .batch_shape = t.shape()}));
    }
    const Nest outputs = c.call_with(inputs);
    const std::vector<Tensor> symbols = outputs.flatten();
    if (symbols.size() != eager.size()) return "another number of symbolic results";
    for (size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i].spec().str() != eager[i].spec().str())
        return "symbol " + symbols[i].spec().str() + " for " + eager[i].spec().str();
    Functional model{Nest(inputs), outputs};
    return difference(model(Nest(c.tensors())).flatten(), eager);
  });
}

TEST_CASE("an op on symbolic tensors of any batch size knows the sizes of other axes") {
  for_each_case([](const OpCase& c, const std::vector<Tensor>& eager) -> std::string {
    if (c.reads_values() || guess_sizes.contains(c.info->class_name)) return "";
    std::vector<Tensor> inputs;
    for (const Tensor& t : c.tensors()) {
      if (t.rank() == 0) return "";
      Shape shape = t.shape();
      shape[0] = Shape::unknown;
      inputs.push_back(Input(InputConfig{.dtype = t.dtype(), .batch_shape = shape}));
    }
    std::vector<Tensor> symbols;
    try {
      symbols = c.call_with(inputs).flatten();
    } catch (const Error&) {
      return "";  // an op may need to know a size
    }
    if (symbols.size() != eager.size()) return "another number of symbolic results";
    for (size_t i = 0; i < symbols.size(); ++i) {
      const Shape &got = symbols[i].shape(), want = eager[i].shape();
      bool fits = got.rank() == want.rank() && symbols[i].dtype() == eager[i].dtype();
      for (int axis = 0; fits && axis < got.rank(); ++axis)
        fits = got[axis] == Shape::unknown || got[axis] == want[axis];
      if (!fits) return "symbol " + symbols[i].spec().str() + " for " + eager[i].spec().str();
    }
    return "";
  });
}

}  // namespace op_modes_test
