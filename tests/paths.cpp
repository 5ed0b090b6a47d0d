// The one file that is compiled with the source folder's name, so that ccache shares the others.
#include "paths.h"

namespace cornu::test {

std::string source_path(const std::string& relative) {
  return std::string(CORNU_SOURCE_DIR) + "/" + relative;
}

}  // namespace cornu::test
