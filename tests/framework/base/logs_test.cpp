// Tests of logs: numbers by name, and arrays among them.
#include <catch.h>
#include <cornu/framework/base/callback.h>

#include <cmath>
#include <limits>
#include <utility>

namespace logs_test {

using namespace cornu;

TEST_CASE("logs are numbers by name") {
  Logs logs{{"loss", 0.5}, {"step", 3}};
  CHECK(logs.at("loss") == 0.5);
  logs["extra"] = 2;
  logs.set("scalar", Tensor(0.25));
  CHECK(logs.at("scalar") == 0.25);
  CHECK_FALSE(logs.is_array("scalar"));
  CHECK_FALSE(logs.is_array("none"));
  CHECK(logs.array("step").item() == 3);
  CHECK(logs.array("step").rank() == 0);
  CHECK(logs.text("step") == "3.0");
  CHECK(logs.text("loss") == "0.5");
  CHECK_THROWS_WITH(logs.array("los"),
                    "The logs have no 'los'. Did you mean 'loss'? They have 'extra', 'loss', "
                    "'scalar', 'step'.");
  CHECK_THROWS_WITH(logs.at("nope"),
                    "The logs have no 'nope'. They have 'extra', 'loss', 'scalar', 'step'.");
  CHECK_THROWS_AS(std::as_const(logs).at("nope"), ValueError);
  CHECK_THROWS_WITH(Logs().at("loss"), "The logs have no 'loss'. They are empty.");
  logs.at("extra") = 4;
  CHECK(std::as_const(logs).at("extra") == 4);
}

TEST_CASE("a figure that is not there is not 0") {
  Logs logs{{"loss", 0.5}};
  CHECK(std::isnan(logs["los"]));
  logs["count"] = 1;
  logs["count"] += 1;
  const double loss = logs["loss"];
  CHECK(loss + logs["count"] == 2.5);
  CHECK(logs["loss"] < 1);
  const Logs constant = logs;
  CHECK(constant["count"] == 2);
  CHECK_THROWS_WITH(
      constant["coumt"],
      "The logs have no 'coumt'. Did you mean 'count'? They have 'count', 'los', 'loss'.");

  Logs closed{{"accuracy", 0.5}};
  closed.close();
  CHECK(closed["accuracy"] == 0.5);
  CHECK_THROWS_AS(closed["acuracy"], ValueError);
  Logs copy = closed;
  CHECK_THROWS_WITH(copy["acuracy"],
                    "The logs have no 'acuracy'. Did you mean 'accuracy'? They have 'accuracy'.");
  copy.set("extra", 2.0);
  CHECK(copy["extra"] == 2);
  copy.open();
  copy["more"] = 3;
  CHECK(copy.size() == 3);
}

TEST_CASE("several figures stand in the logs with their mean") {
  Logs logs;
  logs.set("f1", Tensor::from({0.5f, 0.1f}, {2}));
  CHECK(logs.is_array("f1"));
  CHECK(logs.at("f1") == Approx(0.3));
  CHECK(logs.array("f1").to_vector<float>() == std::vector<float>{0.5f, 0.1f});
  CHECK(logs.text("f1") == "[0.5, 0.1]");
  const Logs copy = logs;
  CHECK(copy.is_array("f1"));
  // As NumPy's, an array of one number is an array too.
  logs.set("one", Tensor::from({0.5}, {1}));
  CHECK(logs.is_array("one"));
  logs.set("two", Tensor::from({1.0, 2.0, 3.0, 4.0}, {2, 2}));
  CHECK(logs.text("two") == "[[1.0, 2.0], [3.0, 4.0]]");
  logs.set("nan", Tensor::from({std::numeric_limits<float>::quiet_NaN(), 0.0f}, {2}));
  CHECK(logs.is_array("nan"));
  CHECK(logs.text("nan") == "[nan, 0.0]");
  logs["negative"] = -std::numeric_limits<double>::quiet_NaN();
  CHECK(logs.text("negative") == "nan");
}

TEST_CASE("what was overwritten or removed is no array any more") {
  Logs logs;
  for (const char* name : {"a", "b"}) logs.set(name, Tensor::from({0.5f, 0.1f}, {2}));
  logs["a"] = 7;
  CHECK_FALSE(logs.is_array("a"));
  CHECK(logs.text("a") == "7.0");
  logs.set("b", Tensor(1.0));
  CHECK_FALSE(logs.is_array("b"));
  logs.clear();
  CHECK_FALSE(logs.is_array("a"));
}

}  // namespace logs_test
