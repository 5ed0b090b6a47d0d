// Facts: what run.json says, as texts.
#pragma once
#include <cornu/framework/dispatch/value.h>

#include <string>
#include <utility>
#include <vector>

namespace cornu::cli {

/// Facts by path ("machine.cpu"), in their order: lists of simple values in one line, times with
/// units. Warnings are left out.
std::vector<std::pair<std::string, std::string>> flat_facts(const Value::Dict& facts);
/// The texts of the list `warnings`, and that a run was interrupted.
std::vector<std::string> warnings_among(const Value::Dict& facts);
/// The fact `seconds` as a time, or "".
std::string seconds_among(const Value::Dict& facts);

/// "3 min 20 s".
std::string duration_text(double seconds);
/// "1,234,567".
std::string grouped(int64_t number);

}  // namespace cornu::cli
