// A device whose memory the host cannot touch, computed by the CPU: finds whoever takes device
// memory for the host's.
#pragma once
#include <cornu/backend/backend.h>

namespace cornu::testing {

/// The device "remote:0". Its addresses are no addresses of the host.
backend::Backend& remote_backend();

}  // namespace cornu::testing
