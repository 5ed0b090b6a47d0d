// The main function of every test executable, for Catch2 version 2 and 3.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

#include <cstdlib>
#include <string>

#include <cornu/backend/devices.h>
#include "support/remote_backend.h"

namespace {

// CORNU_TEST_DEVICE is the device of all tensors that tests make: any that exists, or "remote:0".
// Early, since some tests have tensors in static variables.
[[gnu::constructor(101)]] void choose_device() {
  if (const char* const device = std::getenv("CORNU_TEST_DEVICE")) {
    cornu::backend::add_device(cornu::testing::remote_backend());
    cornu::backend::set_default_device(cornu::backend::find_device(device));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Catch::Session session;
  // Each test case also carries its file's name as a tag, [#dense]: ctest runs file by file.
  session.configData().filenamesAsTags = true;
#if !__has_include(<catch2/catch_all.hpp>)
  // Version 3 fails by itself when nothing matches; version 2 has to be told.
  session.configData().warnings = Catch::WarnAbout::NoTests;
#endif
  return session.run(argc, argv);
}
