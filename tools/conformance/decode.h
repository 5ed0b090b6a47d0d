// The values that cases hold as JSON: arguments of calls, and the structure of results.
#pragma once
#include <cornu/framework/dispatch/node.h>

#include <functional>
#include <map>
#include <string>

namespace cornu::conformance {

/// An entry of a dictionary, or null.
const Value* find(const Value& dict, const std::string& key);
/// An entry of a dictionary. Throws ValueError when it is missing.
const Value& entry(const Value& dict, const std::string& key);

/// Inputs of a case by number: tensors, or nested lists of text.
using Inputs = std::map<int, Value>;

/// An encoded value with its references to inputs followed; tuples become lists. Masks are put on
/// the tensors that carry them.
Value decode(const Value& encoded, const Inputs& inputs);
/// The arguments of a call.
Arguments decode_call(const Value& call, const Inputs& inputs);

/// What a result holds at each reference of `structure` to "out/N", by N. Throws ValueError saying
/// where the result is nested in another way, or holds another number or text.
std::map<int, Value> match_outputs(const Value& structure, const Value& result);

}  // namespace cornu::conformance
