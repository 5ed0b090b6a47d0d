// Folders as data sets at their edges: names, empty classes, odd labels, seeds, subsets, texts.
#include <cornu/framework/data/folders/folder_datasets.h>
#include <cornu/framework/data/images/load_img.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <algorithm>
#include <set>

#include "../../../catch.h"
#include "../../../support/contract.h"
#include "../../../support/temporary.h"

namespace folder_edges_test {

using namespace cornu;
using test::error_of;
using test::has;
using utils::FolderOptions;
using utils::index_directory;

namespace {

using Texts = std::vector<std::string>;

// Makes files, with the folders above them.
void make(const test::TemporaryFolder& folder, const Texts& names) {
  for (const std::string& name : names) {
    std::filesystem::create_directories((folder / name).parent_path());
    test::spill(folder / name, "text of " + name);
  }
}

// The paths from the folder on.
Texts below(const test::TemporaryFolder& folder, const utils::FileList& list) {
  Texts names;
  for (const std::string& path : list.file_paths)
    names.push_back(std::filesystem::relative(path, folder.path()).string());
  return names;
}

std::string refused(const test::TemporaryFolder& folder, const FolderOptions& options) {
  return error_of([&] { index_directory(folder.path(), {".txt"}, options); });
}

// The texts of an epoch with their labels.
std::vector<std::pair<std::string, double>> texts(const data::Pipeline<Batch>& pipeline,
                                                  int64_t epoch = 0) {
  std::vector<std::pair<std::string, double>> found;
  for (const Batch& batch : pipeline.epoch(epoch)) {
    const Texts x = batch.x.tensor().to_strings();
    const auto y = batch.y.tensor().to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i) found.emplace_back(x[i], y[i]);
  }
  return found;
}

}  // namespace

TEST_CASE(
    "Files are in the order of their folders, then of their names, and labels of the classes") {
  const test::TemporaryFolder folder;
  // The order of bytes: capitals come first, "-" before "/".
  make(folder, {"b/2.txt", "b/10.txt", "B/x.txt", "a/sub/1.txt", "a/sub-/1.txt", "a/z.txt",
                "a/sub/deep/0.txt", "b/.hidden.txt", "b/skip.csv", "b/UPPER.TXT", ".git/x.txt",
                "loose.txt", "ü/1.txt"});
  std::filesystem::create_directories(folder / "empty");
  const auto list = index_directory(folder.path(), {".txt"}, {.shuffle = false});
  CHECK(list.class_names == Texts{"B", "a", "b", "empty", "ü"});
  CHECK(below(folder, list) == Texts{"B/x.txt", "a/z.txt", "a/sub/1.txt", "a/sub-/1.txt",
                                     "a/sub/deep/0.txt", "b/.hidden.txt", "b/10.txt", "b/2.txt",
                                     "b/UPPER.TXT", "ü/1.txt"});
  CHECK(list.labels == std::vector<int32_t>{0, 1, 1, 1, 1, 2, 2, 2, 2, 4});
  // Some classes, in an order of one's own.
  const auto some =
      index_directory(folder.path(), {".txt"}, {.class_names = {"ü", "B"}, .shuffle = false});
  CHECK(below(folder, some) == Texts{"ü/1.txt", "B/x.txt"});
  CHECK(some.labels == std::vector<int32_t>{0, 1});
  // Without labels all files count, those beside the classes too.
  const auto none =
      index_directory(folder.path(), {".csv", ".txt"}, {.labels = std::nullopt, .shuffle = false});
  CHECK(none.file_paths.size() == 13);
  CHECK(none.labels.empty());
  CHECK(none.class_names.empty());
}

TEST_CASE("Shuffles and subsets follow from the seed, and each file is in one of them") {
  const test::TemporaryFolder folder;
  Texts names;
  for (int i = 0; i < 13; ++i)
    names.push_back(std::string(i % 3 == 0 ? "a/" : "b/") + std::to_string(i) + ".txt");
  make(folder, names);
  for (const bool shuffle : {true, false})
    for (const double split : {0.1, 0.5, 0.93}) {
      FolderOptions options{.shuffle = shuffle, .seed = 7, .validation_split = split};
      const auto [training, validation] =
          utils::index_both_subsets(folder.path(), {".txt"}, options);
      std::set<std::string> seen;
      for (const auto* list : {&training, &validation})
        for (size_t i = 0; i < list->file_paths.size(); ++i) {
          CHECK(seen.insert(list->file_paths[i]).second);
          CHECK(list->file_paths[i].find(list->labels[i] == 0 ? "/a/" : "/b/") !=
                std::string::npos);
        }
      CHECK(seen.size() == 13);
      CHECK(validation.file_paths.size() == static_cast<size_t>(split * 13));
      options.subset = "validation";
      const auto again = index_directory(folder.path(), {".txt"}, options);
      CHECK(again.file_paths == validation.file_paths);
      CHECK(again.labels == validation.labels);
    }
  FolderOptions options{.seed = 7};
  const auto one = index_directory(folder.path(), {".txt"}, options);
  CHECK(index_directory(folder.path(), {".txt"}, options).file_paths == one.file_paths);
  options.seed = 8;
  CHECK(index_directory(folder.path(), {".txt"}, options).file_paths != one.file_paths);
}

TEST_CASE("Labels may be given, and encoded in every mode") {
  const test::TemporaryFolder folder;
  make(folder, {"1.txt", "2.txt", "3.txt"});
  FolderOptions options{.labels = std::vector<int32_t>{7, 3, 7}, .shuffle = false};
  const auto list = index_directory(folder.path(), {".txt"}, options);
  CHECK(list.labels == std::vector<int32_t>{7, 3, 7});
  CHECK(list.class_names == Texts{"3", "7"});
  options.labels = std::vector<int32_t>{1, 2};
  CHECK(has(refused(folder, options), "has 2 labels"));
  CHECK(has(refused(folder, options), "has 3 files"));
  CHECK(utils::encode_labels({1, 0, 2}, 3, "int").to_vector<int>() == std::vector<int>{1, 0, 2});
  CHECK(utils::encode_labels({1, 0, 1}, 2, "binary").shape() == Shape{3, 1});
  const Tensor hot = utils::encode_labels({1, 0, -1, 5}, 2, "categorical");
  CHECK(hot.shape() == Shape{4, 2});
  CHECK(hot.to_vector<float>() == std::vector<float>{0, 1, 1, 0, 0, 0, 0, 0});
  CHECK_FALSE(utils::encode_labels({1}, 2, std::nullopt));
  CHECK_FALSE(utils::encode_labels({}, 2, "int"));
}

TEST_CASE("Folders that make no data set are refused, with what is wrong") {
  const test::TemporaryFolder folder;
  make(folder, {"a/1.txt", "b/1.txt", "c/1.txt"});
  CHECK(has(refused(folder, {.labels = "infered"}), "found \"infered\""));
  CHECK(has(refused(folder, {.label_mode = "categoricl"}), "Did you mean 'categorical'?"));
  CHECK(has(refused(folder, {.label_mode = "binary"}), "needs two classes; there are 3: a, b, c"));
  CHECK(has(refused(folder, {.class_names = {"a", "d"}}), "has no folder 'd'; there are: a, b, c"));
  CHECK(has(refused(folder, {.validation_split = 0.5}), "need each other"));
  CHECK(has(refused(folder, {.subset = "training"}), "need each other"));
  CHECK(has(refused(folder, {.validation_split = 1.0, .subset = "training"}), "found 1"));
  CHECK(
      has(refused(folder, {.seed = 1, .validation_split = 0.2, .subset = "training"}), "is none"));
  CHECK(has(refused(folder, {.validation_split = 0.5, .subset = "training"}), "option 'seed'"));
  CHECK(has(refused(folder, {.seed = 1, .validation_split = 0.5, .subset = "test"}), "\"test\""));
  CHECK(has(refused(folder, {.seed = 1, .validation_split = 0.5, .subset = "both"}),
            "index_both_subsets gives two"));
  CHECK(has(refused(folder, {.seed = -1}), "expected 0 to 4294967295, found -1"));
  CHECK(has(error_of([&] { index_directory(folder / "a/1.txt", {".txt"}); }), "is no folder"));
  CHECK(has(error_of([&] { index_directory(folder / "none", {".txt"}); }), "is no folder"));
  CHECK(has(error_of([&] { index_directory(folder.path(), {".png", ".jpg"}); }), ".png, .jpg"));
}

TEST_CASE("Texts of folders are whole, cut to bytes, and have the labels of their folders") {
  const test::TemporaryFolder folder;
  make(folder, {"a/1.txt", "b/2.txt", "b/3.txt"});
  test::spill(folder / "a/0.txt", "");
  test::spill(folder / "b/4.txt", "größer\r\n\n");
  utils::TextFolderOptions options{.batch_size = 2, .shuffle = false};
  const auto whole = utils::text_dataset_from_directory(folder.path(), options);
  CHECK(whole.size() == 3);
  using Pairs = std::vector<std::pair<std::string, double>>;
  const Pairs expected = {{"", 0},
                          {"text of a/1.txt", 0},
                          {"text of b/2.txt", 1},
                          {"text of b/3.txt", 1},
                          {"größer\r\n\n", 1}};
  CHECK(texts(whole) == expected);
  options.max_length = 4;
  const auto cut = texts(utils::text_dataset_from_directory(folder.path(), options));
  CHECK(cut[1].first == "text");
  CHECK(cut[4].first == std::string("größer").substr(0, 4));
  options.max_length = {};
  options.shuffle = true;
  options.seed = 3;
  for (const int64_t workers : {0, 1, 2, 8}) {
    options.workers = workers;
    const auto shuffled = utils::text_dataset_from_directory(folder.path(), options);
    for (const int64_t epoch : {0, 1}) {
      Pairs found = texts(shuffled, epoch);
      options.workers = 0;
      CHECK(found == texts(utils::text_dataset_from_directory(folder.path(), options), epoch));
      std::sort(found.begin(), found.end());
      Pairs sorted = expected;
      std::sort(sorted.begin(), sorted.end());
      CHECK(found == sorted);
    }
  }
  // A file that goes away is an error where it would be read, by its name.
  const auto late = utils::text_dataset_from_directory(folder.path(), {.shuffle = false});
  std::filesystem::remove(folder / "b/3.txt");
  CHECK(has(error_of([&] { texts(late); }), "b/3.txt"));
}

TEST_CASE("Validation keeps its order, and training has another one in each epoch") {
  const test::TemporaryFolder folder;
  Texts names;
  for (int i = 0; i < 40; ++i) names.push_back((i % 2 ? "a/" : "b/") + std::to_string(i) + ".txt");
  make(folder, names);
  const auto [training, validation] = utils::text_datasets_from_directory(
      folder.path(), {.batch_size = 6, .seed = 2, .validation_split = 0.4});
  CHECK(texts(training, 0).size() == 24);
  CHECK(texts(training, 0) != texts(training, 1));
  CHECK(texts(validation, 0).size() == 16);
  CHECK(texts(validation, 0) == texts(validation, 1));
  for (const auto& [text, label] : texts(training))
    CHECK((text.find(" a/") != std::string::npos) == (label == 0));
  CHECK(training.class_names == Texts{"a", "b"});
}

}  // namespace folder_edges_test
