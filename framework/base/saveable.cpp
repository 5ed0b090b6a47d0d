// What files keep of an object unless it says otherwise.
#include "saveable.h"

namespace cornu {

void Saveable::save_own_variables(VariableStore& store) const { store.set_all(saved_variables()); }

void Saveable::load_own_variables(const VariableStore& store) {
  store.assign_to(saved_variables());
}

void Saveable::save_assets(AssetStore&) const {}

void Saveable::load_assets(const AssetStore&) {}

}  // namespace cornu
