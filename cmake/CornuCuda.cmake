# The CUDA backend. All that needs no header of NVIDIA's is built always, and tested without a GPU:
# cornu_cuda_codegen, the generator of kernels, and cornu_cuda_device, memory and launches, which
# opens the driver at run time. The plugin libcornu_cuda.so (backend/cuda/CMakeLists.txt) needs
# headers of the toolkit and of cuDNN, but neither their libraries nor nvcc.
set(CORNU_CUDA AUTO CACHE STRING
  "Build the CUDA plugin: ON, OFF, or AUTO (where the headers of CUDA and cuDNN are found)")
set_property(CACHE CORNU_CUDA PROPERTY STRINGS AUTO ON OFF)

function(cornu_add_cuda_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE -Wall -Wextra
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_libraries(${name}
    PUBLIC cornu::cornu_cpu PRIVATE fmt::fmt ${CMAKE_DL_LIBS} Threads::Threads)
  cornu_compile_together(${name})
endfunction()

file(GLOB cuda_codegen_sources CONFIGURE_DEPENDS backend/cuda/codegen/*.cpp)
cornu_add_cuda_library(cornu_cuda_codegen ${cuda_codegen_sources}
  backend/cuda/library_search.cpp backend/cuda/nvrtc_cache.cpp)

# Files that use a library of the vendor's are named after it.
set(cuda_plugin_files "/(cudnn|cublas|cusolver|cufft)_[a-z_]+\\.cpp$|/(plugin|library_kernels)\\.cpp$")
file(GLOB cuda_device_sources CONFIGURE_DEPENDS backend/cuda/*.cpp)
list(FILTER cuda_device_sources EXCLUDE REGEX
  "${cuda_plugin_files}|/(library_search|nvrtc_cache)\\.cpp$")
cornu_add_cuda_library(cornu_cuda_device ${cuda_device_sources})
target_link_libraries(cornu_cuda_device PUBLIC cornu_cuda_codegen)

# The headers that the plugin needs, and the version of CUDA's.
set(CORNU_CUDA_ENABLED OFF)
set(cuda_missing "")
if(NOT CORNU_CUDA STREQUAL "OFF")
  foreach(header IN ITEMS cuda cublasLt cudnn)
    string(TOUPPER "CORNU_${header}_INCLUDE_DIR" variable)
    find_path(${variable} ${header}.h
      HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda
      PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
    mark_as_advanced(${variable})
    if(NOT ${variable})
      string(APPEND cuda_missing " ${header}.h (set ${variable})")
    endif()
  endforeach()
  if(CORNU_CUDA_INCLUDE_DIR)
    file(STRINGS "${CORNU_CUDA_INCLUDE_DIR}/cuda.h" cuda_version
      REGEX "^#define CUDA_VERSION [0-9]+" LIMIT_COUNT 1)
    string(REGEX REPLACE "[^0-9]" "" cuda_version "${cuda_version}")
    if(cuda_version LESS 12000)
      string(APPEND cuda_missing " a cuda.h of CUDA 12 or newer (found ${cuda_version})")
    endif()
  endif()
  if(NOT cuda_missing)
    set(CORNU_CUDA_ENABLED ON)
  endif()
endif()

# For targets that are made later than this file is read: tests of backends link what there is.
function(cornu_finish_cuda)
  if(TARGET cornu_cuda)
    add_dependencies(product cornu_cuda)
  endif()
  if(NOT TARGET test_backend)
    return()
  endif()
  target_link_libraries(test_backend PRIVATE cornu_cuda_device fmt::fmt ${CMAKE_DL_LIBS})
  if(TARGET cornu_cuda_libraries)  # as objects: a weak reference takes nothing from an archive
    target_link_libraries(test_backend PRIVATE cornu_cuda_libraries)
  endif()
endfunction()
cmake_language(DEFER DIRECTORY "${PROJECT_SOURCE_DIR}" CALL cornu_finish_cuda)

if(CORNU_CUDA_ENABLED)
  message(STATUS "CUDA: libcornu_cuda.so is built with ${CORNU_CUDA_INCLUDE_DIR}/cuda.h (${cuda_version})")
  add_subdirectory(backend/cuda)
elseif(CORNU_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: libcornu_cuda.so is not built (CORNU_CUDA is OFF)")
elseif(CORNU_CUDA STREQUAL "ON")
  message(FATAL_ERROR "CUDA: CORNU_CUDA is ON, but these were not found:${cuda_missing}")
else()
  message(STATUS "CUDA: libcornu_cuda.so is not built, for want of:${cuda_missing}")
endif()
