// What the programs of the pages check themselves with.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <source_location>

#include <cornu/framework/ops/random/seed.h>

namespace page {

// What the pages say of numbers holds for these draws. Tests of other draws are in tests/.
inline const bool seeded = (cornu::random::set_seed(1), true);

/// Ends the program with status 1 and names the page's line where what it says does not hold.
inline void check(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: this does not hold\n", where.file_name(),
               static_cast<unsigned>(where.line()));
  std::exit(1);
}

}  // namespace page
