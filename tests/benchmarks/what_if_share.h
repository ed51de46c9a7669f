// What a replay from memory costs beside the allocator alone.
#pragma once

namespace vramlab::tests {

/// A line for each sample whose blocks stay on one stream.
void print_what_if_share();

}  // namespace vramlab::tests
