// Saveable: what has a state that files keep: layers and models, optimizers, metrics.
#pragma once
#include <string>

#include "assets.h"
#include "variable_store.h"

namespace cornu {

/// Base of the objects whose state is in a model's file. A subclass that keeps more than its
/// variables, or in another form, overrides these in pairs.
class Saveable {
 public:
  virtual ~Saveable() = default;

  /// Puts what files are to keep of this object alone, without those inside, into `store`. By
  /// default its variables as "0", "1", ...
  virtual void save_own_variables(VariableStore& store) const;
  /// Takes back what save_own_variables put into a file. What it assigns to variables takes effect
  /// only once the whole file has been found to fit; other members it changes at once. What it
  /// throws is reported with this object's name, and the file is refused.
  virtual void load_own_variables(const VariableStore& store);
  /// Writes the files that the object keeps in ".keras" archives beside its variables; by default
  /// none.
  virtual void save_assets(AssetStore& store) const;
  /// Takes the files back, before variables are read.
  virtual void load_assets(const AssetStore& store);

 protected:
  /// What the default forms of the two keep; by default nothing, as in Keras's metrics.
  virtual std::vector<Variable> saved_variables() const { return {}; }
};

}  // namespace cornu
