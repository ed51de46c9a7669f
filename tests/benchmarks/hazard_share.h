// What the hazard checker costs beside the streams that it watches.
#pragma once

namespace vramlab::tests {

void print_hazard_share();

}  // namespace vramlab::tests
