# The tiers of the library `cornu`: each is compiled as objects of its own, and builds with tests link each with those
# that it may use alone, so that what reaches up or aside does not link.

# The folders of framework/ from the ground up, and what components use besides all of them.

set(cornu_framework_tiers
  tensor io dispatch ops autodiff data config compile quantizers base initializers regularizers constraints model
  saving)
set(cornu_components_below_metrics losses)
set(cornu_components_below_applications layers)

# What only calls ops, or reads and writes files, is compiled for size: a third less of it, and nothing measurable slower.
set(cornu_small_tiers
  io autodiff config initializers regularizers constraints quantizers saving
  layers optimizers losses metrics callbacks applications)

# cornu_add_tier(<name> <source>...): the objects cornu_<name>, and its place in the list cornu_tiers.
function(cornu_add_tier name)
  add_library(cornu_${name} OBJECT ${ARGN})
  cornu_library_options(cornu_${name})
  target_include_directories(cornu_${name} PRIVATE "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(cornu_${name} PRIVATE ${cornu_tier_libraries})
  if(name IN_LIST cornu_small_tiers)
    target_compile_options(cornu_${name} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
  cornu_compile_together(cornu_${name})
  set(cornu_tiers ${cornu_tiers} ${name} PARENT_SCOPE)
endfunction()

# cornu_check_tiers(): a shared library of each tier with those that it may use, which is thrown away; the target
# check_tiers links them all. What the catalog is filled with is in no tier: a stub stands for it.
function(cornu_check_tiers)
  add_custom_target(check_tiers ALL)
  set(stub "${PROJECT_BINARY_DIR}/generated/no_catalog.cpp")
  file(CONFIGURE OUTPUT "${stub}" CONTENT
"// Made by cmake/CornuTiers.cmake: in the place of the generated catalog.
namespace cornu {
class Catalog;
class OpCatalog;
void register_builtins(Catalog&) {}
void list_builtin_ops(OpCatalog&) {}
const char* catalog_note() { return \"\"; }
}
")
  set(framework "")
  foreach(tier IN LISTS cornu_tiers)
    set(linked ${framework} "$<TARGET_OBJECTS:cornu_${tier}>")
    if(tier IN_LIST cornu_framework_tiers)
      set(framework ${linked})
    endif()
    foreach(other IN LISTS cornu_components_below_${tier})
      list(APPEND linked "$<TARGET_OBJECTS:cornu_${other}>")
    endforeach()
    add_library(check_tier_${tier} MODULE EXCLUDE_FROM_ALL "${stub}" ${linked})
    target_link_libraries(check_tier_${tier} PRIVATE cornu::cornu_cpu ${cornu_tier_libraries})
    target_link_options(check_tier_${tier} PRIVATE -Wl,--no-undefined)
    set_target_properties(check_tier_${tier} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tiers")
    add_dependencies(check_tiers check_tier_${tier})
  endforeach()
endfunction()
