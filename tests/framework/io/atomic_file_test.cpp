// Files that appear complete or not at all.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/atomic_file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "../../support/temporary.h"

namespace atomic_file_test {

using namespace cornu;
using namespace cornu::io;
using namespace cornu::test;

TEST_CASE("AtomicFile replaces its target in commit") {
  const TemporaryFolder folder;
  spill(folder / "model", "old");
  ::chmod((folder / "model").c_str(), 0640);
  {
    AtomicFile file(folder / "model");
    file.append(bytes_of("ne-"));
    file.append(bytes_of("-er"));
    file.write_at(2, bytes_of("w"));
    CHECK(slurp(folder / "model") == "old");
    file.commit();
  }
  CHECK(slurp(folder / "model") == "new-er");
  CHECK(folder.count() == 1);
  struct stat status {};
  REQUIRE(::stat((folder / "model").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("AtomicFile leaves no trace without commit") {
  const TemporaryFolder folder;
  spill(folder / "model", "old");
  {
    AtomicFile file(folder / "model");
    AtomicFile other(folder / "new");
    file.append(bytes_of("half"));
    CHECK(folder.count() == 3);
  }
  CHECK(slurp(folder / "model") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("AtomicFile writes through a symbolic link") {
  const TemporaryFolder folder;
  spill(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  write_file(folder / "link", bytes_of("new"));
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(slurp(folder / "real") == "new");
}

TEST_CASE("AtomicFile accepts the longest name that the file system has") {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, bytes_of("x"));
  CHECK(slurp(folder / name) == "x");
}

TEST_CASE("AtomicFile refuses what it cannot replace") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  CHECK_THROWS_WITH(AtomicFile(folder / "sub"), contains("sub") && contains("folder"));
  CHECK_THROWS_WITH(AtomicFile(folder / "missing/model"), contains("does not exist"));
  CHECK_THROWS_AS(AtomicFile("/dev/null"), FileError);
  CHECK_THROWS_AS(AtomicFile(""), FileError);
}

TEST_CASE("AtomicFile keeps the old file when the disk is full") {
  const TemporaryFolder folder;
  spill(folder / "model", "old");
  // A limit on the size of files stands for the full disk.
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string error;
  try {
    write_file(folder / "model", bytes_of(std::string(5000, 'x')));
  } catch (const FileError& caught) {
    error = caught.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK_THAT(error, contains("model") && contains("large"));
  CHECK(slurp(folder / "model") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("make_folder makes those above too, and says why it cannot") {
  const TemporaryFolder folder;
  make_folder(folder / "a/b", "Who");
  make_folder(folder / "a/b", "Who");
  CHECK(std::filesystem::is_directory(folder / "a/b"));
  CHECK_NOTHROW(make_folder("", "Who"));
  spill(folder / "file", "");
  for (const char* name : {"file", "file/below"})
    CHECK_THROWS_WITH(make_folder(folder / name, "Who"), contains("Who: the folder '") &&
                                                             contains(name) &&
                                                             contains("' cannot be made: "));
}

TEST_CASE("read_file bounds what it reads") {
  const TemporaryFolder folder;
  spill(folder / "text", "12345");
  CHECK(read_file(folder / "text", 5).size() == 5);
  CHECK_THROWS_WITH(read_file(folder / "text", 4), contains("5 bytes"));
  CHECK_THROWS_AS(read_file(folder / "absent", 4), FileError);
  CHECK_THROWS_AS(read_file(folder.path(), 4), FileError);
}

}  // namespace atomic_file_test
