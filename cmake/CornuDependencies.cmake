# Finds what the libraries link. Used by the build and, installed, by cornuConfig.cmake, so that both
# see the same targets. Which library serves what is told in docs/dependencies.md.

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(hwy REQUIRED)
find_package(TBB REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PNG REQUIRED)

# HDF5, libzip, zlib and ISA-L by pkg-config: HDF5's C library lies in a folder per flavour, and libzip's CMake
# files ask for its command-line tools.
find_package(PkgConfig REQUIRED)
if(NOT TARGET PkgConfig::CORNU_HDF5)
  pkg_search_module(CORNU_HDF5 REQUIRED IMPORTED_TARGET GLOBAL hdf5 hdf5-serial)
endif()
if(NOT TARGET PkgConfig::CORNU_LIBZIP)
  pkg_check_modules(CORNU_LIBZIP REQUIRED IMPORTED_TARGET GLOBAL libzip)
endif()

if(NOT TARGET PkgConfig::CORNU_ZLIB)
  pkg_check_modules(CORNU_ZLIB REQUIRED IMPORTED_TARGET GLOBAL zlib)
endif()

if(NOT TARGET PkgConfig::CORNU_ISAL)
  pkg_check_modules(CORNU_ISAL REQUIRED IMPORTED_TARGET GLOBAL libisal)
endif()

# What some file formats and resampled sound need. Without one of them Cornu is built all the same, and says so when it is
# needed; an option that is ON must be met.
foreach(component IN ITEMS "JPEG;libjpeg;jpeglib.h;jpeg" "GIF;giflib;gif_lib.h;gif" "SNDFILE;libsndfile;sndfile.h;sndfile"
    "SPEEXDSP;libspeexdsp;speex/speex_resampler.h;speexdsp")
  list(GET component 0 name)
  list(GET component 1 library)
  list(GET component 2 header)
  list(GET component 3 file)
  if(NOT DEFINED CORNU_${name})
    set(CORNU_${name} AUTO CACHE STRING "Use ${library}: AUTO (when it is there), ON or OFF")
    set_property(CACHE CORNU_${name} PROPERTY STRINGS AUTO ON OFF)
  endif()
  set(CORNU_WITH_${name} 0)
  set(CORNU_USES_${name} OFF)
  if(CORNU_${name})
    find_path(CORNU_${name}_INCLUDE_DIR ${header})
    find_library(CORNU_${name}_LIBRARY ${file})
    mark_as_advanced(CORNU_${name}_INCLUDE_DIR CORNU_${name}_LIBRARY)
    if(CORNU_${name}_INCLUDE_DIR AND CORNU_${name}_LIBRARY)
      set(CORNU_WITH_${name} 1)
      set(CORNU_USES_${name} ON)
      if(NOT TARGET cornu_${file})
        add_library(cornu_${file} UNKNOWN IMPORTED GLOBAL)
        set_target_properties(cornu_${file} PROPERTIES
          IMPORTED_LOCATION "${CORNU_${name}_LIBRARY}"
          INTERFACE_INCLUDE_DIRECTORIES "${CORNU_${name}_INCLUDE_DIR}")
      endif()
    elseif(CORNU_${name} STREQUAL "ON")
      message(FATAL_ERROR "Cornu did not find ${library} (${header} and lib${file}). Install it, or set "
        "CORNU_${name}_INCLUDE_DIR and CORNU_${name}_LIBRARY, or build without: -DCORNU_${name}=OFF.")
    else()
      message(STATUS "Cornu is built without ${library}, which was not found")
    endif()
  endif()
endforeach()

# oneDNN by its files: the CMake files of Debian's package ask for OpenCL headers.
if(NOT TARGET cornu_onednn)
  find_path(CORNU_ONEDNN_INCLUDE_DIR dnnl.hpp PATH_SUFFIXES oneapi/dnnl)
  find_library(CORNU_ONEDNN_LIBRARY dnnl)
  mark_as_advanced(CORNU_ONEDNN_INCLUDE_DIR CORNU_ONEDNN_LIBRARY)
  if(NOT CORNU_ONEDNN_INCLUDE_DIR OR NOT CORNU_ONEDNN_LIBRARY)
    message(FATAL_ERROR "Cornu needs oneDNN (dnnl.hpp and libdnnl) and did not find it. On Debian "
      "and Ubuntu: apt-get install libdnnl-dev. Elsewhere set CORNU_ONEDNN_INCLUDE_DIR and "
      "CORNU_ONEDNN_LIBRARY.")
  endif()
  add_library(cornu_onednn UNKNOWN IMPORTED GLOBAL)
  set_target_properties(cornu_onednn PROPERTIES
    IMPORTED_LOCATION "${CORNU_ONEDNN_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CORNU_ONEDNN_INCLUDE_DIR}")
endif()
