// The Python side of the command parity: it records what each layer of a model computes in Keras.
#pragma once

namespace cornu::cli {

/// Takes a folder and a model's file. The folder holds inputs.npz (arrays "0", "1", ...) and
/// structure.json (how they are nested); the script writes outputs.npz (arrays "LAYER_OUTPUT") and
/// layers.json (the calls in order). Exit status 3: Keras cannot be imported.
extern const char* const parity_script;

}  // namespace cornu::cli
