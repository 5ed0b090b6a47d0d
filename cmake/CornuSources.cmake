# Functions that turn folders of sources into targets.

# cornu_link_public_includes(<folder or file>...)
# Links each into <build>/include/cornu/, the only include root, so that users, tests and examples
# write <cornu/layers/core/dense.h> while the folders stand at the repository's root.
function(cornu_link_public_includes)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include/cornu")
  foreach(name IN LISTS ARGN)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${name}")
      file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${name}"
        "${PROJECT_BINARY_DIR}/include/cornu/${name}" SYMBOLIC)
    endif()
  endforeach()
endfunction()

# cornu_library_options(<target>): how all of the library is compiled.
function(cornu_library_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -ffunction-sections -fdata-sections
    # g++ 12 takes the members of a std::variant for uninitialized, and where several sources are compiled together
    # the anonymous namespace of one for that of a header.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-subobject-linkage>)
endfunction()

# cornu_add_library(<name> SOURCES <file>... HEADERS <path relative to the root>...)
function(cornu_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS")
  # *-inl.h are for the library's own sources: they include vendor headers.
  list(FILTER arg_HEADERS EXCLUDE REGEX "-inl\\.h$")
  list(TRANSFORM arg_HEADERS PREPEND "${PROJECT_BINARY_DIR}/include/cornu/")
  # *.inc are tables that headers include: installed with them, but they do not compile alone.
  set(tables ${arg_HEADERS})
  list(FILTER tables INCLUDE REGEX "\\.inc$")
  list(FILTER arg_HEADERS EXCLUDE REGEX "\\.inc$")

  add_library(${name} ${arg_SOURCES})
  add_library(cornu::${name} ALIAS ${name})
  cornu_library_options(${name})
  target_sources(${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS "${PROJECT_BINARY_DIR}/include" FILES ${arg_HEADERS}
    FILE_SET tables TYPE HEADERS BASE_DIRS "${PROJECT_BINARY_DIR}/include" FILES ${tables})
  set_target_properties(${name} PROPERTIES
    INTERFACE_HEADER_SETS_TO_VERIFY HEADERS
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# cornu_add_program(<name> <source>)
# An executable that uses Cornu as users do; it is part of the target product.
function(cornu_add_program name source)
  add_executable(${name} "${source}")
  target_compile_options(${name} PRIVATE -Wall -Wextra)
  target_link_libraries(${name} PRIVATE cornu::cornu)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  add_dependencies(product ${name})
endfunction()

# cornu_add_programs(<prefix> <glob relative to the current folder>)
# One program <prefix>_<file name> for each file.
function(cornu_add_programs prefix glob)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${glob}")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    cornu_add_program(${prefix}_${stem} "${source}")
  endforeach()
endfunction()

# cornu_compile_together(<target>)
# Compiles up to eight sources of a folder at once: reading headers takes longer than compiling one of them.
function(cornu_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CORNU_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# cornu_share_headers(<target>)
# Reads cornu.h, with which all sources of the target begin, once for all programs of this kind.
function(cornu_share_headers target)
  if(NOT TARGET program_headers)
    set(source "${PROJECT_BINARY_DIR}/program_headers.cpp")
    if(NOT EXISTS "${source}")
      file(TOUCH "${source}")
    endif()
    add_library(program_headers OBJECT "${source}")
    target_compile_options(program_headers PRIVATE -Wall -Wextra)
    target_link_libraries(program_headers PRIVATE cornu::cornu)
    target_precompile_headers(program_headers PRIVATE <cornu/cornu.h>)
  endif()
  # What shares a precompiled header has the same flags.
  set_target_properties(program_headers ${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${target} REUSE_FROM program_headers)
endfunction()

# cornu_generate_messages(<output variable> <folder> <file.proto>...)
# The sources that protoc makes of these files, in <folder>, which sources that use them have among their system includes.
function(cornu_generate_messages output folder)
  file(MAKE_DIRECTORY "${folder}")
  set(sources "")
  foreach(proto IN LISTS ARGN)
    cmake_path(GET proto STEM stem)
    cmake_path(GET proto PARENT_PATH where)
    add_custom_command(
      OUTPUT "${folder}/${stem}.pb.cc" "${folder}/${stem}.pb.h"
      COMMAND protobuf::protoc "--cpp_out=lite:${folder}" "--proto_path=${where}" "${proto}"
      DEPENDS "${proto}" VERBATIM)
    list(APPEND sources "${folder}/${stem}.pb.cc")
  endforeach()
  # Not ours to mend, and with names of its own in every file.
  set_source_files_properties(${sources} PROPERTIES
    COMPILE_OPTIONS -w SKIP_UNITY_BUILD_INCLUSION ON)
  set(${output} ${sources} PARENT_SCOPE)
endfunction()
