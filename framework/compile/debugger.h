// Whether somebody debugs this process.
#pragma once

namespace cornu {

/// Whether a debugger (or another tracer) is attached to this process now. Reads a file of a few
/// hundred bytes.
bool debugger_attached();

}  // namespace cornu
