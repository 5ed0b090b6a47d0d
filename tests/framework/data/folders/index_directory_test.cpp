// Listing and splitting folders, beside Keras; shuffles beside NumPy and Python.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/data/folders/index_directory.h>
#include <cornu/framework/data/random_state.h>

#include <numeric>

#include "../../../support/reader_goldens.h"
#include "../../../support/temporary.h"

namespace index_directory_test {

using namespace cornu;
using test::contains;

namespace {

const std::vector<std::string> formats = {".bmp", ".gif", ".jpeg", ".jpg", ".png"};

void make_files(const test::TemporaryFolder& folder) {
  for (const std::string name : test::reader_goldens()["folders"]["files"]) {
    std::filesystem::create_directories((folder / name).parent_path());
    test::spill(folder / name, "");
  }
}

}  // namespace

TEST_CASE("shuffles are those of NumPy and of Python") {
  for (const auto& golden : test::reader_goldens()["shuffles"]) {
    const int64_t n = golden["n"], seed = golden["seed"];
    if (golden.contains("numpy"))
      CHECK(data::numpy_shuffle(n, seed) == golden["numpy"].get<std::vector<int64_t>>());
    CHECK(data::python_shuffle(n, seed) == golden["python"].get<std::vector<int64_t>>());
  }
  CHECK_THROWS_AS(data::numpy_shuffle(3, -1), ValueError);
  CHECK_THROWS_AS(data::numpy_shuffle(3, int64_t{1} << 32), ValueError);
}

TEST_CASE("folders are listed and split as in Keras") {
  test::TemporaryFolder folder;
  make_files(folder);
  for (const auto& golden : test::reader_goldens()["folders"]["cases"]) {
    utils::FolderOptions options;
    if (golden["labels"].is_null()) options.labels = std::nullopt;
    if (golden["labels"].is_array()) options.labels = golden["labels"].get<std::vector<int32_t>>();
    if (!golden["class_names"].is_null())
      options.class_names = golden["class_names"].get<std::vector<std::string>>();
    options.shuffle = golden["shuffle"];
    if (!golden["seed"].is_null()) options.seed = golden["seed"].get<int64_t>();
    if (!golden["subset"].is_null()) {
      options.subset = golden["subset"].get<std::string>();
      options.validation_split = 0.3;
    }
    const utils::FileList list = utils::index_directory(folder.path(), formats, options);
    std::vector<std::string> paths;
    for (const std::string& path : list.file_paths)
      paths.push_back(std::filesystem::relative(path, folder.path()).string());
    CHECK(paths == golden["paths"].get<std::vector<std::string>>());
    if (!golden["found"].is_null())
      CHECK(list.labels == golden["found"].get<std::vector<int32_t>>());
    else
      CHECK(list.labels.empty());
    if (!golden["names"].is_null())
      CHECK(list.class_names == golden["names"].get<std::vector<std::string>>());
  }
}

TEST_CASE("labels as fit takes them") {
  const std::vector<int32_t> labels = {1, 0, 2};
  CHECK(utils::encode_labels(labels, 3, "int").dtype() == DType::int32);
  const Tensor vectors = utils::encode_labels(labels, 3, "categorical");
  CHECK(vectors.shape() == Shape{3, 3});
  CHECK(vectors.to_vector<float>() == std::vector<float>{0, 1, 0, 1, 0, 0, 0, 0, 1});
  const Tensor binary = utils::encode_labels({1, 0}, 2, "binary");
  CHECK(binary.shape() == Shape{2, 1});
  CHECK(binary.dtype() == DType::float32);
  CHECK_FALSE(utils::encode_labels(labels, 3, std::nullopt));
}

TEST_CASE("links are followed when asked to, and circles of them end") {
  test::TemporaryFolder folder;
  make_files(folder);
  std::filesystem::create_directory_symlink(folder / "birds", folder / "dogs" / "linked");
  std::filesystem::create_directory_symlink(folder / "dogs", folder / "dogs" / "self");
  utils::FolderOptions options{.class_names = {"dogs"}, .shuffle = false};
  CHECK(utils::index_directory(folder.path(), formats, options).file_paths.size() == 3);
  options.follow_links = true;
  CHECK(utils::index_directory(folder.path(), formats, options).file_paths.size() >= 5);
}

TEST_CASE("what folders refuse") {
  test::TemporaryFolder folder;
  make_files(folder);
  const auto refuse = [&](const utils::FolderOptions& options, const std::string& text) {
    CHECK_THROWS_WITH(utils::index_directory(folder.path(), formats, options), contains(text));
  };
  refuse({.labels = "infered"}, "\"infered\"");
  refuse({.labels = std::vector<int32_t>{1, 2}}, "2 labels");
  refuse({.labels = std::nullopt, .class_names = {"cats"}}, "'class_names'");
  refuse({.label_mode = "ints"}, "Did you mean 'int'");
  refuse({.label_mode = "binary"}, "two classes");
  refuse({.class_names = {"cat"}}, "Did you mean 'cats'");
  refuse({.seed = 1, .validation_split = 1.5, .subset = "training"}, "'validation_split'");
  refuse({.seed = 1, .validation_split = 0.5}, "need each other");
  refuse({.seed = 1, .subset = "training"}, "need each other");
  refuse({.seed = 1, .validation_split = 0.5, .subset = "train"}, "found \"train\"");
  refuse({.validation_split = 0.5, .subset = "training"}, "'seed'");
  refuse({.seed = 1, .validation_split = 0.01, .subset = "training"}, "none");
  CHECK_THROWS_WITH(utils::index_directory(folder.path(), {".tiff"}), contains(".tiff"));
  CHECK_THROWS_AS(utils::index_directory(folder / "nowhere", formats), FileError);
}

}  // namespace index_directory_test
