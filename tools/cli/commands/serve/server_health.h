// The health of a server on the loopback: a free port for it, and whether it answers /health there.
#pragma once

#include <cstdint>

namespace vramlab::tools {

/// A port of the loopback that nobody listens at now. Throws if there is none.
std::uint16_t free_port();

/// Whether GET /health is answered with status 200 within two seconds.
bool is_healthy(std::uint16_t port);

}  // namespace vramlab::tools
