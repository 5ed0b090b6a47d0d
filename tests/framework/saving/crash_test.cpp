// A save that is killed, or finds the disk full, leaves the old file or the new one, whole, and no
// remains that pile up.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/saving/keras_file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>

#include "../../support/temporary.h"
#include "support/skip.h"

namespace crash_test {

using namespace cornu;
using namespace cornu::test;

namespace {

namespace fs = std::filesystem;

/// A form of file, and how it is written and read.
struct Form {
  std::string name;
  std::function<void(Model&, const std::string&)> save;
  bool weights_only = false;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {
      {"m.keras", [](Model& m, const std::string& p) { m.save(p); }},
      {"folder",
       [](Model& m, const std::string& p) { saving::save_model(m, p, {.zipped = false}); }},
      {"m.h5", [](Model& m, const std::string& p) { m.save(p); }},
      {"m.weights.h5", [](Model& m, const std::string& p) { m.save_weights(p); }, true},
      {"m.weights.json",
       [](Model& m, const std::string& p) {
         saving::save_weights(m, p, {.max_shard_size = 9e-6});  // three shards
       },
       true},
  };
  return all;
}

std::shared_ptr<Sequential> make_model(float fill) {
  auto model = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({32}), layers::Dense({.units = 64}), layers::Dense({.units = 32}),
                            layers::Dense({.units = 8})});
  std::vector<Tensor> weights = model->get_weights();
  for (Tensor& w : weights)
    w = Tensor::from(std::vector<float>(static_cast<size_t>(w.shape().numel()), fill), w.shape());
  model->set_weights(weights);
  return model;
}

/// The number that all weights of a file have, loaded into `scratch` for files of weights alone; an
/// error's text as the test's failure.
float fill_of(const Form& form, const std::string& path, Model& scratch) {
  std::shared_ptr<Model> loaded;
  if (form.weights_only)
    scratch.load_weights(path);
  else
    loaded = load_model(path);
  const Model& model = loaded ? *loaded : scratch;
  std::set<float> all;
  for (const Tensor& w : model.get_weights())
    for (float v : w.to_vector<float>()) all.insert(v);
  REQUIRE(all.size() == 1);
  return *all.begin();
}

size_t files_below(const fs::path& folder) {
  size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    count += entry.is_regular_file();
  return count;
}

/// Lets a child save one model after the other until it is killed after `microseconds`.
void save_until_killed(const Form& form, const std::string& path, Model& one, Model& two,
                       unsigned microseconds) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      for (;;) {
        form.save(one, path);
        form.save(two, path);
      }
    } catch (...) {
      ::_exit(1);
    }
  }
  REQUIRE(child > 0);
  ::usleep(microseconds);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  // It did not end by an error of its own.
  REQUIRE(WIFSIGNALED(status));
}

/// Kills for each form: CORNU_KILLS asks for more.
int kills() {
  const char* text = std::getenv("CORNU_KILLS");
  return text ? std::atoi(text) : 40;
}

/// What a save that must fail says.
std::string error_of_save(const Form& form, const std::string& path, Model& model) {
  try {
    form.save(model, path);
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

/// Whether an error names the file; shards have names of their own beside the map.
void check_names(const std::string& error, const std::string& path) {
  INFO(error);
  CHECK(error.find(path.ends_with(".json") ? fs::path(path).parent_path().string() : path) !=
        error.npos);
}

}  // namespace

TEST_CASE("A killed save leaves the old file or the new one") {
  // A forked process cannot use its parent's GPU.
  const DeviceScope scope(Device::cpu());
  const auto one = make_model(1), two = make_model(2), scratch = make_model(0);
  std::mt19937 random(17);
  for (const Form& form : forms()) {
    INFO(form.name);
    const TemporaryFolder folder;
    const std::string path = folder / form.name;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) form.save(i % 2 ? *two : *one, path);
    const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(
                              std::chrono::steady_clock::now() - start) /
                          4;
    const size_t whole = files_below(folder.path());
    size_t most = 0;
    std::array<int, 3> found{};
    for (int i = 0; i < kills(); ++i) {
      save_until_killed(form, path, *one, *two,
                        static_cast<unsigned>(random() % (3 * duration.count() + 1000)));
      const float fill = fill_of(form, path, *scratch);
      REQUIRE((fill == 1 || fill == 2));
      ++found[static_cast<size_t>(fill)];
      most = std::max(most, files_below(folder.path()));
    }
    // What one killed save leaves is gone after the next.
    CHECK(most <= 3 * whole + 3);
    form.save(*one, path);
    CHECK(files_below(folder.path()) == whole);
    CHECK(fill_of(form, path, *scratch) == 1);
    CHECK(found[1] + found[2] == kills());
  }
}

TEST_CASE("A save onto a full disk leaves the old file") {
  const auto one = make_model(1), two = make_model(2), scratch = make_model(0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  for (const Form& form : forms()) {
    // At several sizes, to fail in several places.
    for (rlim_t size : {0, 100, 3000, 9000}) {
      INFO(form.name << " with files of " << size << " bytes at most");
      const TemporaryFolder folder;
      const std::string path = folder / form.name;
      form.save(*one, path);
      const size_t whole = files_below(folder.path());
      struct rlimit small = before;
      small.rlim_cur = size;
      // No check in between: it could not be reported.
      ::setrlimit(RLIMIT_FSIZE, &small);
      const std::string error = error_of_save(form, path, *two);
      ::setrlimit(RLIMIT_FSIZE, &before);
      check_names(error, path);
      CHECK(fill_of(form, path, *scratch) == 1);
      CHECK(files_below(folder.path()) == whole);
      form.save(*two, path);
      CHECK(fill_of(form, path, *scratch) == 2);
    }
  }
  std::signal(SIGXFSZ, handler);
}

TEST_CASE("A save onto a disk of a few pages leaves the old file") {
  const auto one = make_model(1), two = make_model(2), scratch = make_model(0);
  for (const Form& form : forms()) {
    INFO(form.name);
    const TemporaryFolder folder;
    if (::mount("cornu-test", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
      test::skip("no right to mount a small disk: this test needs root");
      return;
    }
    const std::string path = folder / form.name;
    form.save(*one, path);
    const size_t whole = files_below(folder.path());
    // Fill what is left up to some pages.
    std::error_code error;
    const uint64_t left = fs::space(folder.path(), error).available;
    spill(folder / "filler", std::string(left > 8192 ? left - 8192 : 0, 'x'));
    check_names(error_of_save(form, path, *two), path);
    CHECK(fill_of(form, path, *scratch) == 1);
    CHECK(files_below(folder.path()) == whole + 1);
    fs::remove(folder / "filler");
    scratch->set_weights(one->get_weights());
    ::umount(folder.path().c_str());
  }
}

TEST_CASE("Remains of a killed program are removed, those of a living one stay") {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const io::AtomicFile file(folder / "a");
    const io::ScratchFolder scratch(folder / "b");
    spill(scratch.path() / "inside", "x");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  CHECK(folder.count() == 2);
  const io::AtomicFile living(folder / "c");
  CHECK(folder.count() == 1);
  io::write_file(folder / "d", bytes_of("x"));
  CHECK(folder.count() == 2);
  CHECK(fs::exists(living.temporary()));
  {
    io::ScratchFolder scratch(folder / "new");
    spill(scratch.path() / "inside", "new");
    scratch.commit();
  }
  {
    io::ScratchFolder scratch(folder / "new");
    spill(scratch.path() / "inside", "newer");
    scratch.commit();
  }
  CHECK(slurp(folder / "new/inside") == "newer");
  CHECK(folder.count() == 3);
}

}  // namespace crash_test
