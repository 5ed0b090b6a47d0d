// Who fills the catalog, and the macro by which users do.
#pragma once
#include "configurable.h"

namespace cornu {

/// Lists every class of Cornu. Its definition is made by the build from the names of the source
/// files (see cmake/CornuCatalog.cmake), so that a class in a new file is listed without a further
/// edit.
void register_builtins(Catalog& catalog);

/// What to say of a name that neither knows: empty, or that a program was linked with a selection.
const char* catalog_note();

}  // namespace cornu

#define CORNU_CONCATENATE_IMPL(a, b) a##b
#define CORNU_CONCATENATE(a, b) CORNU_CONCATENATE_IMPL(a, b)

/// Makes a class of the user's savable: CORNU_REGISTER("my_package>Residual", ResidualLayer);
/// Put it once, in a source file, after the class.
#define CORNU_REGISTER(registered_name, Class)                                           \
  [[maybe_unused]] static const bool CORNU_CONCATENATE(cornu_registered_, __COUNTER__) = \
      ::cornu::detail::registered(                                                       \
          [](::cornu::Catalog& c) { c.add_custom<Class>(registered_name); })
