// State files: a value with tensors in it, kept whole and exact, such as the state of a training
// run.
#pragma once
#include <filesystem>

#include "../dispatch/value.h"

namespace cornu {

/// Writes a zip archive of "state.json", in which {"tensor": 3} stands for a tensor, and of the
/// tensors' bytes, "tensors/3", in C order with this machine's byte order. The file appears whole
/// or not at all. Tensors are brought to the host one at a time. Throws FileError when it cannot be
/// written.
void write_state(const std::filesystem::path& path, const Value& state);

/// The value that write_state wrote; its tensors are on the host. Throws FileError for a missing,
/// damaged or other file.
Value read_state(const std::filesystem::path& path);

}  // namespace cornu
