// The one file that is compiled with the source folder's name, so that ccache shares the others.
#include "paths.h"

#include <cstdlib>

namespace cornu::test {

std::string source_path(const std::string& relative) {
  // Where the programs have moved to a machine without the sources.
  const char* const moved = std::getenv("CORNU_TEST_SOURCES");
  return std::string(moved != nullptr ? moved : CORNU_SOURCE_DIR) + "/" + relative;
}

}  // namespace cornu::test
