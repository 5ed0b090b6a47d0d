# Writes what would otherwise be lists that every new class and op has to be added to: the catalog, which calls each
# `void register_<name>(Catalog& ...)` and `void list_<name>(OpCatalog& ...)` that a source file defines, and one header
# for each component folder.

# cornu_generate_catalog(<output> <index> <source>...): the source that lists everything, and for cornu_select_catalog the
# file <index>, which says where each name is listed: "keras.layers.Dense cornu::layers::register_dense".
function(cornu_generate_catalog output index)
  set(entries "")
  foreach(source IN LISTS ARGN)
    # Only lines that matter; a list in CMake is a text in which ';' and brackets have meanings.
    file(STRINGS "${source}" lines
      REGEX "^(namespace cornu|void (register|list)_[a-z0-9_]+\\((Op)?Catalog&)|\"keras\\.")
    set(space "cornu")
    set(function "")
    foreach(line IN LISTS lines)
      if(line MATCHES "^namespace (cornu[a-z_:]*)")
        set(space "${CMAKE_MATCH_1}")
        set(function "")
      elseif(line MATCHES "^void (list_([a-z0-9_]+))")
        list(APPEND entries "ops.${CMAKE_MATCH_2} ${space}::${CMAKE_MATCH_1}")
        set(function "")
      elseif(line MATCHES "^void (register_[a-z0-9_]+)")
        set(function "${space}::${CMAKE_MATCH_1}")
        list(APPEND entries "- ${function}")
      endif()
      if(function AND line MATCHES "\"(keras\\.[A-Za-z0-9_.]+)\"")
        list(APPEND entries "${CMAKE_MATCH_1} ${function}")
      endif()
    endforeach()
  endforeach()
  list(JOIN entries "\n" text)
  file(CONFIGURE OUTPUT "${index}" CONTENT "${text}\n" @ONLY)
  list(TRANSFORM entries REPLACE "^[^ ]+ " "")
  list(REMOVE_DUPLICATES entries)
  cornu_write_catalog("${output}" "" ${entries})
endfunction()

# cornu_write_catalog(<output> <note> <function>...): a source that lists what these functions list. The note is for
# errors about names that are not in it.
function(cornu_write_catalog output note)
  set(declarations "")
  set(classes "")
  set(ops "")
  foreach(function IN LISTS ARGN)
    string(REGEX MATCH "^(.*)::([a-z0-9_]+)$" whole "${function}")
    set(space "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    if(name MATCHES "^list_")
      string(APPEND declarations "namespace ${space} { void ${name}(OpCatalog&); }\n")
      string(APPEND ops "  ::${function}(catalog);\n")
    else()
      string(APPEND declarations "namespace ${space} { void ${name}(Catalog&); }\n")
      string(APPEND classes "  ::${function}(catalog);\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Made by cmake/CornuCatalog.cmake: lists classes and ops in the catalogs.
#include <cornu/framework/config/registration.h>
#include <cornu/framework/ops/catalog.h>

${declarations}
void cornu::register_builtins(Catalog& catalog) {
${classes}}
void cornu::list_builtin_ops(OpCatalog& catalog) {
${ops}}
const char* cornu::catalog_note() { return \"${note}\"; }
")
endfunction()

# cornu_select_catalog(<target> <name>...): links the target, a program, with these classes and ops alone where it makes
# objects from their names or reads files, which leaves the code of all others out. A name is that of a class ("Dense",
# or "keras.losses.Hinge" where several modules have it: without the module all of them are meant) or of a file of ops
# ("ops.nn_convolution"). Sequential, Functional, Input and what layers and compile name by default are always there.
# Needs the static library.
function(cornu_select_catalog target)
  file(STRINGS "${CORNU_CATALOG_INDEX}" entries)
  set(functions "")
  foreach(name IN LISTS ARGN ITEMS
      keras.Sequential Functional InputLayer GlorotUniform Orthogonal Zeros Ones RMSprop
      ops.elementwise ops.nn_activations ops.nn_softmax)
    string(REPLACE "." "\\." pattern "${name}")
    set(found ${entries})
    list(FILTER found INCLUDE REGEX "(^|\\.)${pattern} ")
    if(NOT found)
      message(FATAL_ERROR "cornu_select_catalog: there is no class or file of ops '${name}'. ${CORNU_CATALOG_INDEX} lists "
        "them.")
    endif()
    list(APPEND functions ${found})
  endforeach()
  list(TRANSFORM functions REPLACE "^[^ ]+ " "")
  list(REMOVE_DUPLICATES functions)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_catalog.cpp")
  cornu_write_catalog("${source}"
    " This program knows a selection of classes: add it to cornu_select_catalog in its CMakeLists.txt." ${functions})
  target_sources(${target} PRIVATE "${source}")
  # What nothing names any more is left out where the linker is asked to.
  target_link_options(${target} PRIVATE "LINKER:--gc-sections")
endfunction()

# cornu_generate_component_header(<component>): <build>/include/cornu/<component>.h includes every header of the folder.
function(cornu_generate_component_header component)
  file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS "${component}/*.h")
  list(FILTER headers EXCLUDE REGEX "-inl\\.h$")
  set(includes "")
  foreach(header IN LISTS headers)
    string(APPEND includes "#include \"${header}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/include/cornu/${component}.h" @ONLY CONTENT
"// Everything in cornu/${component}.
#pragma once
${includes}")
endfunction()
