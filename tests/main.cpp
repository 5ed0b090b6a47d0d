// The main function of every test executable, for Catch2 version 2 and 3.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

#include <cstdlib>
#include <string>

#include <cornu/backend/devices.h>
#include <cornu/framework/tensor/config.h>
#include "support/remote_backend.h"
#include "support/skip.h"

namespace {

// CORNU_TEST_DEVICE is the device of all tensors that tests make: any that exists, or "remote:0".
// Early, since some tests have tensors in static variables.
[[gnu::constructor(101)]] void choose_device() {
  // What the user's ~/.keras/keras.json says is not for tests.
  ::setenv("KERAS_HOME", "/nonexistent/keras-home-of-tests", 0);
  (void)cornu::config::floatx();  // read now, whatever tests do to the environment
  if (const char* const device = std::getenv("CORNU_TEST_DEVICE")) {
    cornu::backend::add_device(cornu::testing::remote_backend());
    cornu::backend::set_default_device(cornu::backend::find_device(device));
  }
}

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

// Cases that skip was called in, and all that ran.
struct {
  int skipped = 0, all = 0;
} counts;
bool skipping = false;

class CaseCounter final : public Listener {
 public:
  using Listener::Listener;
  void testCaseEnded(const Catch::TestCaseStats&) override {
    counts.skipped += skipping ? 1 : 0;
    ++counts.all;
    skipping = false;
  }
};
CATCH_REGISTER_LISTENER(CaseCounter)

}  // namespace

void cornu::test::skip(const std::string& why) {
  skipping = true;
  WARN("Not tested: " << why);
}

int main(int argc, char** argv) {
  Catch::Session session;
  // Each test case also carries its file's name as a tag, [#dense]: ctest runs file by file.
  session.configData().filenamesAsTags = true;
#if !__has_include(<catch2/catch_all.hpp>)
  // Version 3 fails by itself when nothing matches; version 2 has to be told.
  session.configData().warnings = Catch::WarnAbout::NoTests;
#endif
  const int failed = session.run(argc, argv);
  constexpr int skipped = 77;  // SKIP_RETURN_CODE of all tests
  return failed == 0 && counts.skipped > 0 && counts.skipped == counts.all ? skipped : failed;
}
