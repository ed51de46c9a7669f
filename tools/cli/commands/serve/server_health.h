// The health of a server on the loopback: whether it answers /health there.
#pragma once

#include <cstdint>

namespace vramlab::tools {

/// Whether GET /health is answered with status 200 within two seconds.
bool is_healthy(std::uint16_t port);

}  // namespace vramlab::tools
