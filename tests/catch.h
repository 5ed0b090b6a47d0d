// Includes Catch2, version 2 or 3, so that tests need not know which.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // global in version 2
#else
#include <catch2/catch.hpp>
#endif
