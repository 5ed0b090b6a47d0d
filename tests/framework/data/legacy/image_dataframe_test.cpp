// flow_from_dataframe beside Keras's: tests/data/image_dataframe.json, written by
// tools/goldens/image_dataframe_goldens.py.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/data/legacy/image_iterators.h>
#include <cornu/framework/ops/ops.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../../../paths.h"
#include "../../../support/contract.h"
#include "../../../support/standard_error.h"
#include "../../../support/temporary.h"
#include "difference.h"

namespace image_dataframe_test {

using namespace cornu;
using namespace cornu::preprocessing::image;
using nlohmann::json;
using test::difference;

namespace {

const json& goldens() {
  static const json file =
      json::parse(std::ifstream(test::source_path("tests/data/image_dataframe.json")));
  return file;
}

// The pictures of the script, under its names.
class Pictures {
 public:
  Pictures() {
    constexpr int64_t height = 5, width = 7, pixels = height * width * 3;
    int64_t at = 0;
    for (const std::string name : goldens()["files"]) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      std::vector<float> values;
      for (int64_t i = 0; i < pixels; ++i) values.push_back(static_cast<float>(at++ * 7919 % 256));
      if (name.ends_with(".txt"))
        test::spill(folder_ / name, "");
      else
        utils::save_img(folder_ / name, Tensor::from(values, {height, width, 3}),
                        {.file_format = "png", .scale = false});
    }
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

DataFrame table() { return io::parse_csv(goldens()["table"].get<std::string>(), "table.csv"); }

ImageDataGenerator generator() {
  return ImageDataGenerator({.horizontal_flip = true, .validation_split = 0.4});
}

FlowFromDataframeOptions options_of(const json& given, const std::filesystem::path& folder) {
  FlowFromDataframeOptions options{.directory = folder,
                                   .target_size = {3, 4},
                                   .batch_size = 4,
                                   .shuffle = given.contains("seed")};
  const auto set = [&]<class T>(const char* name, T& option) {
    if (given.contains(name)) option = given[name].get<T>();
  };
  set("x_col", options.x_col);
  set("weight_col", options.weight_col);
  set("color_mode", options.color_mode);
  set("classes", options.classes);
  if (given.contains("y_col")) {
    if (given["y_col"].is_array())
      options.y_col = given["y_col"].get<std::vector<std::string>>();
    else
      options.y_col = given["y_col"].get<std::string>();
  }
  if (given.contains("class_mode")) {
    options.class_mode = {};
    if (!given["class_mode"].is_null()) options.class_mode = given["class_mode"].get<std::string>();
  }
  if (given.contains("subset")) options.subset = given["subset"].get<std::string>();
  if (given.contains("seed")) options.seed = given["seed"].get<int64_t>();
  return options;
}

// What a case of the script says of a flow.
void check(DataFrameIterator flow, const json& c) {
  CHECK(flow.filenames == c["filenames"].get<std::vector<std::string>>());
  CHECK(flow.class_indices == c["class_indices"].get<std::map<std::string, int64_t>>());
  CHECK(flow.classes == c["classes"].get<std::vector<std::vector<int32_t>>>());
  CHECK(flow.samples() == static_cast<int64_t>(flow.filenames.size()));
  flow.on_epoch_begin(0);
  for (int64_t i = 0; i < flow.size(); ++i) {
    const Batch batch = flow.batch(i);
    const auto at = static_cast<size_t>(i);
    CHECK(batch.y.empty() ==
          (c["options"].contains("class_mode") && c["options"]["class_mode"].is_null()));
    if (c.contains("values")) CHECK(difference(batch.x.tensor(), c["values"][at]) < 1e-3);
    if (c.contains("targets")) {
      const std::vector<Tensor> targets = batch.y.flatten();
      REQUIRE(targets.size() == c["targets"][at].size());
      for (size_t t = 0; t < targets.size(); ++t) {
        CHECK(difference(targets[t], c["targets"][at][t]) == 0);
        CHECK(targets[t].shape() == Shape(c["shapes"][at][t].get<std::vector<int64_t>>()));
      }
    }
    CHECK(batch.sample_weight.empty() != c.contains("weights"));
    if (c.contains("weights"))
      CHECK(difference(batch.sample_weight.tensor(), c["weights"][at]) == 0);
  }
}

}  // namespace

TEST_CASE("flow_from_dataframe takes the rows, the classes and the order that Keras takes") {
  const Pictures pictures;
  for (const json& c : goldens()["cases"]) {
    INFO(c["options"]);
    check(generator().flow_from_dataframe(table(), options_of(c["options"], pictures.path())), c);
  }
  const DataFrame lists(
      {{"filename", {"a.png", "b.png", "d.png", "xpng"}},
       {"labels", DataColumn::Lists{{"cat", "dog"}, {"ant"}, {"dog", "dog"}, {"cow"}}}});
  for (const json& c : goldens()["lists"]) {
    INFO(c["options"]);
    check(generator().flow_from_dataframe(lists, options_of(c["options"], pictures.path())), c);
  }
  FlowFromDataframeOptions unchecked = options_of(json::object(), pictures.path());
  unchecked.validate_filenames = false;
  const DataFrameIterator all = generator().flow_from_dataframe(table(), unchecked);
  CHECK(all.filenames == goldens()["unchecked"].get<std::vector<std::string>>());
  CHECK(all.class_indices.size() == 4);
}

TEST_CASE("flow_from_dataframe gives images as targets, and reads paths without a folder") {
  const Pictures pictures;
  const std::string path = (pictures.path() / "a.png").string();
  DataFrameIterator flow = generator().flow_from_dataframe(
      {{"path", {path}}},
      {.x_col = "path", .target_size = {3, 4}, .class_mode = "input", .shuffle = false});
  CHECK(flow.filepaths == std::vector{path});
  const Batch batch = flow.batch(0);
  CHECK(batch.x.tensor().shape() == Shape({1, 3, 4, 3}));
  CHECK(test::identical(batch.x.tensor(), batch.y.tensor()));
  // A path is one in any folder, as os.path.join has it.
  CHECK(
      generator()
          .flow_from_dataframe({{"filename", {path}}}, {.directory = "elsewhere", .class_mode = {}})
          .samples() == 1);
  const Batch texts = generator()
                          .flow_from_dataframe({{"filename", {"b.png", "a.png"}},
                                                {"left", {"one", "two"}},
                                                {"right", {"three", "four"}}},
                                               {.directory = pictures.path(),
                                                .y_col = {"left", "right"},
                                                .target_size = {3, 4},
                                                .class_mode = "raw",
                                                .shuffle = false})
                          .batch(0);
  CHECK(texts.y.tensor().to_strings() == std::vector<std::string>{"one", "three", "two", "four"});
  CHECK(texts.y.tensor().shape() == Shape({2, 2}));
  const Batch gray =
      generator()
          .flow_from_dataframe(
              {{"filename", {"b.png"}}, {"class", {"x"}}},
              {.directory = pictures.path(), .target_size = {3, 4}, .color_mode = "grayscale"})
          .batch(0);
  CHECK(gray.x.tensor().shape() == Shape({1, 3, 4, 1}));
}

TEST_CASE("flow_from_dataframe leaves out invalid files with one warning") {
  const Pictures pictures;
  const auto said = [&](const DataFrame& frame, FlowFromDataframeOptions options) {
    options.directory = pictures.path();
    return test::standard_error_of([&] { generator().flow_from_dataframe(frame, options); });
  };
  const std::string invalid =
      said({{"image", {"a.png", "gone.png", "notes.txt", "b.png", "lost.png"}},
            {"class", {"cat", "dog", "dog", "dog", "cow"}}},
           {.x_col = "image"});
  CHECK(test::has(invalid,
                  "3 of 5 entries in x_col 'image' are left out, the first one 'gone.png': there "
                  "is no such file, or its name has the ending of no image."));
  CHECK(invalid.find("left out") == invalid.rfind("left out"));
  CHECK(said({{"image", {"a.png", "lost.png"}}},
             {.x_col = "image", .class_mode = {}, .validate_filenames = false})
            .empty());
  CHECK(test::has(
      said({{"image", {"a.png"}}}, {.x_col = "image", .classes = {"cat"}, .class_mode = "input"}),
      "class_mode \"input\" has no use for `classes`"));
}

TEST_CASE("flow_from_dataframe explains mistakes") {
  const Pictures pictures;
  for (const json& m : goldens()["mistakes"]) {
    INFO(m["options"]);
    CHECK_THROWS_AS(
        generator().flow_from_dataframe(table(), options_of(m["options"], pictures.path())),
        ValueError);
  }
  const auto error = [&](const DataFrame& frame, FlowFromDataframeOptions options) {
    options.directory = pictures.path();
    return test::error_of([&] { generator().flow_from_dataframe(frame, options); });
  };
  CHECK(test::has(
      error(table(), {.x_col = "filenames"}),
      "flow_from_dataframe: the table has no column 'filenames'. Did you mean 'filename'?"));
  CHECK(test::has(error(table(), {.x_col = "age"}),
                  "x_col 'age' must hold names of files, found numbers"));
  CHECK(test::has(error(table(), {.class_mode = "binary"}),
                  "class_mode \"binary\" takes 2 classes, found 4 in y_col 'class'"));
  CHECK(test::has(
      error(table(), {.y_col = "age", .class_mode = "sparse"}),
      "takes names of classes, found numbers in y_col 'age'. Class_mode \"raw\" takes numbers."));
  CHECK(test::has(error(table(), {.y_col = {"class", "age"}}),
                  "takes one column as y_col, found a list"));
  CHECK(test::has(error(table(), {.y_col = {"age", "class"}, .class_mode = "raw"}),
                  "hold texts and numbers"));
  CHECK(test::has(error(table(), {.class_mode = "multi_output"}),
                  "takes a list of columns as y_col"));
  CHECK(test::has(error(table(), {.class_mode = "sprase"}), "Did you mean 'sparse'?"));
  const DataFrame gaps = io::parse_csv("filename,class\na.png,cat\nb.png,\n,dog\n", "t.csv");
  CHECK(test::has(error(gaps, {}), "column 'filename' has no value in line 4"));
  const DataFrame unlabeled = io::parse_csv("filename,class\na.png,cat\nb.png,\n", "t.csv");
  CHECK(test::has(error(unlabeled, {}), "column 'class' has no value in line 3"));
  CHECK_THROWS_AS(DataFrame(std::vector<DataFrame::Named>()), ValueError);
  CHECK_THROWS_AS(DataFrame({{"a", {1, 2}}, {"b", {1}}}), ShapeError);
  CHECK_THROWS_AS(DataFrame({{"a", {1, 2}}, {"a", {1, 2}}}), ValueError);
}

}  // namespace image_dataframe_test
