// Telling objects made from names and configs from those that a program makes itself.
#include "description_scope.h"

namespace cornu::detail {
namespace {

thread_local bool described_now = false;

}  // namespace

DescriptionScope::DescriptionScope(bool described) : before_(described_now) {
  described_now = described;
}

DescriptionScope::~DescriptionScope() { described_now = before_; }

bool making_from_description() { return described_now; }

}  // namespace cornu::detail
