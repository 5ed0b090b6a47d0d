// keras.distribution on one device.
#include <catch.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/tensor/distribution.h>

#include <cstdlib>

#include "support/matchers.h"

namespace distribution_test {

using namespace cornu;
using namespace cornu::distribution;
using cornu::test::contains;

namespace {

DeviceMesh cpu_mesh() {
  return DeviceMesh({.shape = {1, 1}, .axis_names = {"batch", "model"}, .devices = {"cpu:0"}});
}

// Takes back what a test sets.
struct Restore {
  Device device = default_device();
  ~Restore() {
    set_distribution({});
    set_default_device(device);
  }
};

}  // namespace

TEST_CASE("devices are listed by their type") {
  CHECK(list_devices("cpu") == std::vector<std::string>{"cpu:0"});
  CHECK(get_device_count("gpu") == static_cast<int64_t>(devices().size()) - 1);
  CHECK(get_device_count() == std::max<int64_t>(1, get_device_count("gpu")));
  CHECK(list_devices()[0] == (get_device_count("gpu") ? "gpu:0" : "cpu:0"));
  CHECK_THROWS_WITH(list_devices("tpu"), contains("found 'tpu'"));
}

TEST_CASE("a distribution over one device makes it the default") {
  const Restore restore;
  CHECK_FALSE(distribution::distribution());
  const DataParallel parallel({.devices = {"cpu:0"}});
  CHECK(parallel.device_mesh().shape() == std::vector<int64_t>{1});
  CHECK(parallel.batch_dim_name() == "batch");
  set_distribution(parallel);
  CHECK(distribution::distribution()->num_model_replicas() == 1);
  CHECK(default_device().is_cpu());
  const ModelParallel model({.layout_map = LayoutMap(cpu_mesh()), .batch_dim_name = "model"});
  set_distribution(model);
  CHECK(distribution::distribution()->batch_dim_name() == "model");
  set_distribution({});
  CHECK_FALSE(distribution::distribution());
}

TEST_CASE("a model runs on one device") {
  CHECK_THROWS_WITH(
      DeviceMesh({.shape = {2}, .axis_names = {"batch"}, .devices = {"cpu:0", "gpu:0"}}),
      contains("a model runs on one device, found cpu:0, gpu:0"));
  CHECK_THROWS_AS(DataParallel({.devices = {"cpu:0", "cpu:0"}}), UnsupportedError);
  CHECK_THROWS_WITH(DeviceMesh({.shape = {2}, .axis_names = {"batch"}, .devices = {"cpu:0"}}),
                    contains("2 places, for 1 devices"));
  CHECK_THROWS_AS(DeviceMesh({.shape = {1}, .axis_names = {}, .devices = {"cpu:0"}}), ValueError);
  CHECK_THROWS_AS(DeviceMesh({.shape = {1}, .axis_names = {"batch"}, .devices = {"cpu:9"}}),
                  ValueError);
  CHECK_THROWS_WITH(ModelParallel({.layout_map = LayoutMap(cpu_mesh()), .batch_dim_name = "rows"}),
                    contains("no 'rows'"));
}

TEST_CASE("a process is all of them") {
  CHECK_NOTHROW(initialize());
  CHECK_NOTHROW(initialize("10.0.0.1:1234", 1, 0));
  CHECK_THROWS_WITH(initialize("10.0.0.1:1234,10.0.0.2:2345", 2, 0), contains("2 processes"));
  CHECK_THROWS_AS(initialize({}, 1, 1), UnsupportedError);
  setenv("KERAS_DISTRIBUTION_NUM_PROCESSES", "2", 1);
  CHECK_THROWS_AS(initialize(), UnsupportedError);
  unsetenv("KERAS_DISTRIBUTION_NUM_PROCESSES");
}

TEST_CASE("layouts are found by paths, and leave tensors whole") {
  LayoutMap map(cpu_mesh());
  map.set(".*dense.*kernel", TensorLayout({.axes = {std::nullopt, "model"}}));
  map.set("dense_1/bias", TensorLayout({.axes = {"model"}}));
  CHECK(map.size() == 2);
  REQUIRE(map.get("net/dense_2/kernel"));
  CHECK(map.get("net/dense_2/kernel")->axes()[1] == "model");
  CHECK(map.get("dense_1/bias")->device_mesh()->axis_names().size() == 2);
  CHECK_FALSE(map.get("net/dense_1/bias"));
  CHECK_THROWS_WITH(map.set("dense_1/bias", TensorLayout({.axes = {"model"}})),
                    contains("already"));
  CHECK_THROWS_WITH(map.set("x", TensorLayout({.axes = {"rows"}})), contains("no 'rows'"));
  CHECK_THROWS_AS(map.set("(", TensorLayout({.axes = {"model"}})), ValueError);
  map.set(".*kernel", TensorLayout({.axes = {"batch"}}));
  CHECK_THROWS_WITH(map.get("dense/kernel"), contains(".*dense.*kernel, .*kernel"));

  const Tensor x = ops::arange(0, 6, 1, DType::float32);
  const Tensor y = distribute_tensor(x, *map.get("dense_1/bias"));
  CHECK(y.to_vector<float>() == x.to_vector<float>());
  CHECK(y.device().is_cpu());
  CHECK_THROWS_WITH(distribute_tensor(x, TensorLayout({.axes = {"model"}})),
                    contains("no device_mesh"));
  CHECK_THROWS_WITH(
      distribute_tensor(x, TensorLayout({.axes = {"batch", "model"}, .device_mesh = cpu_mesh()})),
      contains("2 axes"));
}

}  // namespace distribution_test
