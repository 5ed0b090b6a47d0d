# Compiler settings for Cornu's own build. Nothing here leaks into a project that uses Cornu by
# add_subdirectory: what is not about Cornu's targets is set at the top level only.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  # -O3 is for the CPU kernels, where it pays; elsewhere it costs compile time and size.
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.24)
    set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
  endif()

  # ccache also hits across checkouts: paths below the source folder are hashed as relative ones.
  find_program(CORNU_CCACHE ccache)
  mark_as_advanced(CORNU_CCACHE)
  if(CORNU_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
          CCACHE_SLOPPINESS=pch_defines,time_macros "${CORNU_CCACHE}")
  endif()

  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold CORNU_HAS_MOLD)
  if(CORNU_HAS_MOLD)
    add_link_options(-fuse-ld=mold)
  else()
    check_linker_flag(CXX -fuse-ld=lld CORNU_HAS_LLD)
    if(CORNU_HAS_LLD)
      add_link_options(-fuse-ld=lld)
    endif()
  endif()
endif()

set(CORNU_SANITIZE_FLAGS "")
if(CORNU_SANITIZE)
  if(CORNU_SANITIZE STREQUAL "thread")
    set(CORNU_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
  else()
    set(CORNU_SANITIZE_FLAGS
      -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  endif()
  add_compile_options(${CORNU_SANITIZE_FLAGS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ sees uninitialized values in the standard library's headers once they are instrumented.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  add_link_options(${CORNU_SANITIZE_FLAGS})
endif()
