// What trials of kernels decided, kept for other processes.
#include <cornu/backend/cuda/trial_choices.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "../../support/temporary.h"
#include "catch.h"

using namespace cornu;
using backend::cuda::TrialChoices;

namespace {

size_t never() {
  FAIL("it was chosen anew");
  return 0;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("a choice among kernels is made once for all processes") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "kernels";
  std::filesystem::create_directories(path);
  CHECK(TrialChoices(path).get("product of 3 x 4", 5, [] { return 3; }) == 3);
  CHECK(TrialChoices(path).get("product of 3 x 4", 5, never) == 3);
  // Another kernel, or another number of ways, as another version of a library has them.
  CHECK(TrialChoices(path).get("product of 3 x 5", 5, [] { return 1; }) == 1);
  CHECK(TrialChoices(path).get("product of 3 x 4", 4, [] { return 0; }) == 0);
  CHECK(TrialChoices(path).get("product of 3 x 4", 5, never) == 3);
  CHECK(files_of(path).size() == 3);
}

TEST_CASE("whoever chooses while another process has chosen takes what that one did") {
  const test::TemporaryFolder folder;
  const TrialChoices choices(folder.path()), others(folder.path());
  CHECK(choices.get("k", 4, [&] {
    CHECK(others.get("k", 4, [] { return 2; }) == 2);
    return 1;
  }) == 2);
  CHECK(others.get("k", 4, never) == 2);
  CHECK(files_of(folder.path()).size() == 1);

  std::vector<std::thread> threads;
  std::vector<size_t> found(8);
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = choices.get("many", 8, [i] { return i; }); });
  for (std::thread& thread : threads) thread.join();
  for (const size_t each : found) CHECK(each == found[0]);
}

TEST_CASE("a damaged file of a choice is written anew, and no folder keeps nothing") {
  const test::TemporaryFolder folder;
  const TrialChoices choices(folder.path());
  CHECK(choices.get("k", 4, [] { return 2; }) == 2);
  const auto file = files_of(folder.path()).at(0);
  for (const char* content :
       {"", "cornu choice 1\nk\nof 4: 9", "rubbish", "cornu choice 1\nk\nof 4: "}) {
    INFO(content);
    std::ofstream(file) << content;
    CHECK(choices.get("k", 4, [] { return 3; }) == 3);
    CHECK(choices.get("k", 4, never) == 3);
  }
  int made = 0;
  const TrialChoices nowhere{std::filesystem::path()};
  for (int i = 0; i < 2; ++i) CHECK(nowhere.get("k", 4, [&] { return ++made, size_t{1}; }) == 1);
  CHECK(made == 2);
  const TrialChoices missing(folder / "not" / "there");
  CHECK(missing.get("k", 4, [] { return 1; }) == 1);
}
