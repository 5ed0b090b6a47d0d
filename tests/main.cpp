// The main function of every test executable, for Catch2 version 2 and 3.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

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
