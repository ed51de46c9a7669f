// Sentences about hazards, for people.
#pragma once

#include <string>
#include <string_view>

#include "streams/hazards/hazard.h"

namespace vramlab::streams {

/// Such as `use after free`.
std::string_view hazard_kind_name(HazardKind kind);

/// Such as `kernel #12 (tag 7) on stream 1 writes`.
std::string side_text(const HazardSide& side);

/// Both sides and the memory, in one line.
std::string hazard_text(const Hazard& hazard);

/// The call that would fix it, such as `record_stream(block 3, stream 7) before it is freed`.
std::string fix_text(const Hazard& hazard);

}  // namespace vramlab::streams
