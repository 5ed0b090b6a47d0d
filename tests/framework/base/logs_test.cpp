// Tests of logs: numbers by name, and arrays among them.
#include <catch.h>
#include <cornu/framework/base/callback.h>

#include <limits>

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
  CHECK_THROWS_WITH(logs.array("los"), "The logs have no 'los'. Did you mean 'loss'?");
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
