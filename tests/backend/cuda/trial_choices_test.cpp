// What trials of kernels decided, kept for other processes.
#include <cornu/backend/cuda/nvrtc_cache.h>
#include <cornu/backend/cuda/trial_choices.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "../../support/temporary.h"
#include "catch.h"

namespace trial_choices_test {

using namespace cornu;
using backend::cuda::TrialChoices;

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("a choice among kernels is made once for all processes") {
  const test::TemporaryFolder folder;
  const TrialChoices first(folder.path()), second(folder.path());
  CHECK_FALSE(first.find("product of 3 x 4", 5));
  CHECK(first.keep("product of 3 x 4", 5, 3) == 3);
  CHECK(second.find("product of 3 x 4", 5) == 3);
  // Another kernel, or another number of ways, as another version of a library has them.
  CHECK_FALSE(second.find("product of 3 x 5", 5));
  CHECK_FALSE(second.find("product of 3 x 4", 4));
  CHECK(second.keep("product of 3 x 4", 4, 0) == 0);
  CHECK(first.find("product of 3 x 4", 5) == 3);
  CHECK(files_of(folder.path()).size() == 2);
}

TEST_CASE("whoever chooses while another process has chosen takes what that one did") {
  const test::TemporaryFolder folder;
  const TrialChoices choices(folder.path()), others(folder.path());
  CHECK(others.keep("k", 4, 2) == 2);
  CHECK(choices.keep("k", 4, 1) == 2);
  CHECK(choices.find("k", 4) == 2);
  CHECK(files_of(folder.path()).size() == 1);

  std::vector<std::thread> threads;
  std::vector<size_t> found(8);
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = choices.keep("many", 8, i); });
  for (std::thread& thread : threads) thread.join();
  for (const size_t each : found) CHECK(each == found[0]);
  CHECK(others.find("many", 8) == found[0]);
}

TEST_CASE("a damaged file of a choice is written anew, and no folder keeps nothing") {
  const test::TemporaryFolder folder;
  const TrialChoices choices(folder.path());
  CHECK(choices.keep("k", 4, 2) == 2);
  const auto file = files_of(folder.path()).at(0);
  for (const char* content :
       {"", "cornu choice 1\nk\nof 4: 9", "rubbish", "cornu choice 1\nk\nof 4: "}) {
    INFO(content);
    std::ofstream(file) << content;
    CHECK_FALSE(choices.find("k", 4));
    CHECK(choices.keep("k", 4, 3) == 3);
    CHECK(choices.find("k", 4) == 3);
  }
  for (const auto& path : {std::filesystem::path(), folder / "not" / "there"}) {
    const TrialChoices nowhere(path);
    CHECK(nowhere.keep("k", 4, 1) == 1);
    CHECK_FALSE(nowhere.find("k", 4));
  }
}

TEST_CASE("the folder of kernels and choices is its owner's alone") {
  const test::TemporaryFolder folder;
  namespace fs = std::filesystem;
  CHECK(backend::cuda::usable_kernel_folder(folder / "a" / "b") == folder / "a" / "b");
  CHECK(fs::is_directory(folder / "a" / "b"));
  fs::permissions(folder / "a" / "b", fs::perms::group_write, fs::perm_options::add);
  CHECK(backend::cuda::usable_kernel_folder(folder / "a" / "b") == folder / "a" / "b");
  CHECK(fs::status(folder / "a" / "b").permissions() == fs::perms::owner_all);
  // A file has this name.
  std::ofstream(folder / "c") << "c";
  CHECK(backend::cuda::usable_kernel_folder(folder / "c" / "d").empty());
  CHECK(backend::cuda::usable_kernel_folder({}).empty());
}

}  // namespace trial_choices_test
