// SummaryWriter and the files that it writes.
#include <cornu/framework/io/events/summary_writer.h>
#include <cornu/framework/io/events/trace.h>
#include <cornu/framework/io/images/png.h>
#include <sys/resource.h>

#include <csignal>

#include "../../callbacks/support.h"
#include "../../support/event_records.h"

namespace summary_writer_test {

using namespace cornu;
using test::count_holding;
using test::event_files;
using test::event_records;

TEST_CASE("the checksum is CRC32C") {
  CHECK(test::crc32c("123456789") == 0xe3069283u);  // the check value of its definition
}

TEST_CASE("records are framed, and named by tag and plugin") {
  test::TemporaryFolder folder;
  {
    SummaryWriter writer(folder / "run");
    writer.scalar("loss", 0.5, 7);
    writer.histogram("weights", Tensor::from({1.0f, 2.0f, 2.5f, 3.0f}, {2, 2}), 7);
    writer.image("picture", Tensor::from({0.0f, 0.25f, 0.5f, 1.0f}, {1, 2, 2, 1}), 7);
    writer.text("note", "**bold**");
    writer.hparams({{"units", 32}, {"rate", 0.5}, {"name", "first"}, {"bias", true}});
    writer.graph({{"x", "Input", {}, {{1, 2}}}, {"y", "add", {"x"}, {{1, 2}}}});
  }
  const auto files = event_files(folder / "run");
  REQUIRE(files.size() == 1);
  const auto records = event_records(files[0]);
  REQUIRE(records.size() == 7);
  CHECK(records[0].find("brain.Event:2") != std::string::npos);
  // step 7 is field 2; the scalar's float is among the tensor's bytes
  CHECK(records[1].substr(0, 2) == std::string("\x10\x07"));
  CHECK(records[1].find(std::string("\0\0\0\x3f", 4)) != std::string::npos);
  for (const auto& [index, plugin] : std::map<size_t, std::string>{
           {1, "scalars"}, {2, "histograms"}, {3, "images"}, {4, "text"}, {5, "hparams"}})
    CHECK(records[index].find(plugin) != std::string::npos);
  CHECK(records[3].find("\x89PNG") != std::string::npos);
  CHECK(records[5].find("_hparams_/session_start_info") != std::string::npos);
}

TEST_CASE("two writers of one folder write two files") {
  test::TemporaryFolder folder;
  SummaryWriter first(folder / "run"), second(folder / "run");
  first.flush();
  second.flush();
  CHECK(event_files(folder / "run").size() == 2);
}

TEST_CASE("a writer goes on where another was") {
  test::TemporaryFolder folder;
  const std::string run = folder / "run";
  SummaryWriter::Position position;
  {
    SummaryWriter writer(run);
    writer.scalar("kept", 1, 0);
    position = writer.position();
    writer.scalar("lost", 2, 1);
  }
  {
    SummaryWriter writer(run, position);
    writer.scalar("again", 3, 1);
  }
  const auto files = event_files(run);
  REQUIRE(files.size() == 1);
  const auto records = event_records(files[0]);
  CHECK(records.size() == 3);
  CHECK(count_holding(records, "kept") == 1);
  CHECK(count_holding(records, "lost") == 0);
  CHECK(count_holding(records, "again") == 1);

  position.bytes = 1 << 20;
  CHECK_THROWS_WITH(SummaryWriter(run, position),
                    Catch::Contains(position.file) && Catch::Contains("has lost what it had"));
  position = {"none", 3};
  CHECK_THROWS_AS(SummaryWriter(run, position), FileError);
}

TEST_CASE("a histogram has as many values in its buckets as there are") {
  test::TemporaryFolder folder;
  SummaryWriter writer(folder / "run");
  writer.histogram("h", Tensor::from({0.0f, 1.0f, 4.0f, NAN, INFINITY}, {5}), 0, 2);
  writer.histogram("same", Tensor::from({2.0f, 2.0f}, {2}), 0, 2);
  writer.histogram("none", Tensor::from(std::vector<float>(), {0}), 0, 2);
  writer.flush();
  const auto records = event_records(event_files(folder / "run")[0]);
  const auto holds = [&](size_t index, const std::vector<double>& rows) {
    const std::string bytes(reinterpret_cast<const char*>(rows.data()), rows.size() * 8);
    return records[index].find(bytes) != std::string::npos;
  };
  CHECK(holds(1, {0, 2, 2, 2, 4, 1}));
  CHECK(holds(2, {2, 2, 0, 2, 2, 2}));
  CHECK(holds(3, {0, 0, 0, 0, 0, 0}));
  CHECK_THROWS_AS(writer.histogram("h", Tensor(1.0), 0, 0), ValueError);
}

TEST_CASE("what is no image") {
  test::TemporaryFolder folder;
  SummaryWriter writer(folder / "run");
  const Tensor flat = Tensor::from({1.0f}, {1});
  CHECK_THROWS_WITH(writer.image("i", flat, 0), Catch::Contains("(n, height, width, channels)"));
  CHECK_THROWS_AS(writer.image("i", Tensor::from(std::vector<float>(5), {1, 1, 1, 5}), 0),
                  ShapeError);
  CHECK_THROWS_WITH(writer.image("i", Tensor::from({1}, {1, 1, 1, 1}), 0),
                    Catch::Contains("int32"));
  CHECK_THROWS_AS(io::encode_png({}, 0, 1, 1), ValueError);
}

TEST_CASE("a folder that cannot be written") {
  CHECK_THROWS_WITH(SummaryWriter("/proc/nowhere/run"), Catch::Contains("/proc/nowhere/run"));
}

TEST_CASE("a disk that is full") {
  test::TemporaryFolder folder;
  SummaryWriter writer(folder / "run");
  writer.flush();
  // No file of this process may grow, as on a full disk.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto signal = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{16, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &none);
  std::string message;
  try {
    writer.scalar("loss", 1, 0);
    writer.flush();
  } catch (const FileError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal);
  CHECK_THAT(message,
             Catch::Contains("events.out.tfevents.") && Catch::Contains("cannot be written"));
}

TEST_CASE("a trace has rows of calls and of steps") {
  test::TemporaryFolder folder;
  write_profile(folder / "run",
                {{"train_step", "", true, 0, 0.5}, {"matmul", "a/\"b\"", false, 0, 0.25}});
  const std::filesystem::path profiles = folder / "run/plugins/profile";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(profiles))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() == 2);
  const std::string json = test::slurp(files[0].string()), space = test::slurp(files[1].string());
  CHECK_THAT(json,
             Catch::Contains("\"a/\\\"b\\\": matmul\"") && Catch::Contains("\"dur\":250000.0"));
  CHECK(space.find("/host:CPU") != std::string::npos);
  CHECK(space.find("train_step") != std::string::npos);
}

}  // namespace summary_writer_test
