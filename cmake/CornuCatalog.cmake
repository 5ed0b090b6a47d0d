# Writes what would otherwise be a list that every new class has to be added to: the catalog, which calls each
# `void register_<name>(Catalog& ...)` that a source file defines, and one header for each component folder.

# cornu_generate_catalog(<output> <source>...)
function(cornu_generate_catalog output)
  set(declarations "")
  set(calls "")
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" lines REGEX "^(namespace cornu|void register_[a-z0-9_]+\\(Catalog&)")
    set(space "cornu")
    foreach(line IN LISTS lines)
      if(line MATCHES "^namespace (cornu[a-z_:]*)")
        set(space "${CMAKE_MATCH_1}")
      elseif(line MATCHES "^void (register_[a-z0-9_]+)")
        string(APPEND declarations "namespace ${space} { void ${CMAKE_MATCH_1}(Catalog&); }\n")
        string(APPEND calls "  ::${space}::${CMAKE_MATCH_1}(catalog);\n")
      endif()
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Made by cmake/CornuCatalog.cmake: lists every class of Cornu in the catalog.
#include <cornu/framework/config/registration.h>

namespace cornu { class Catalog; }
${declarations}
void cornu::register_builtins(Catalog& catalog) {
${calls}}
")
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
