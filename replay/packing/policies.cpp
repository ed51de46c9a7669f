#include "replay/packing/policies.h"

#include <array>

namespace vramlab::replay {
namespace {

constexpr std::array<PolicyRow, 6> policies = {{
    {"caching", "PyTorch's caching allocator under the settings of the file", true,
     make_caching_policy},
    {"caching_expandable", "the same with expandable_segments:True", true, make_expandable_policy},
    {"first_fit", "segments of any use, the lowest free range that fits", false,
     make_first_fit_policy},
    {"tlsf", "segments of any use, a free range of the next class of sizes, as TLSF does", false,
     make_tlsf_policy},
    {"stitching", "units of 2 MiB, any free ones of which make up a block", false,
     make_stitching_policy},
    {"planned", "an iteration is watched, planned and then repeated; the rest is first_fit", false,
     make_planned_policy},
}};

}  // namespace

std::span<const PolicyRow> all_policies() { return policies; }

}  // namespace vramlab::replay
