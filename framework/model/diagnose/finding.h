// What Model::diagnose takes and finds.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../tensor/nest.h"
#include "../class_weights.h"

namespace cornu {

/// Something about a run that looks wrong.
struct Finding {
  std::string id;        ///< which fault, such as "logits_flag"; docs/diagnose.md explains each
  std::string layer;     ///< path of the layer, or name of the input or output; may be empty
  std::string evidence;  ///< what was seen, with numbers
  std::string fix;       ///< what to do
  /// "logits_flag (output 'dense_1'): ...", and the fix in a second line.
  std::string str() const;
};

/// Options of Model::diagnose: how it looks, and those arguments of fit that a fault may lie in.
struct DiagnoseOptions {
  int64_t batch_size = 32;                      ///< of the training that is to come
  int64_t steps = 24;                           ///< trial steps; 0: nothing is trained
  std::vector<std::string> silence = {};        ///< ids that are not reported
  Nest validation_x = {};                       ///< inputs that must not be in x as well
  Nest validation_y = {};                       ///< their targets
  double validation_split = 0;                  ///< as in fit: the last samples validate
  bool shuffle = true;                          ///< as in fit
  std::optional<double> learning_rate = {};     ///< instead of the optimizer's
  std::optional<int64_t> steps_per_epoch = {};  ///< as in fit
  ClassWeights class_weight = {};               ///< as in fit
  Nest sample_weight = {};                      ///< as in fit
};

/// The ids of all findings that there may be.
const std::vector<std::string>& diagnosis_ids();

}  // namespace cornu
