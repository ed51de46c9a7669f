// The engine as a subject of programs.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "replay/runner/allocator_subject.h"

namespace vramlab::allocator {
class Device;
struct ReferenceVersion;
}  // namespace vramlab::allocator

namespace vramlab::replay {

/// A recording allocator that starts under `config`. An invalid string gives an error, and the
/// allocator starts with what stood before the error.
std::unique_ptr<AllocatorSubject> make_engine_subject(
    allocator::Device& device, const allocator::ReferenceVersion& version, std::string_view config,
    std::optional<allocator::SettingsError>& config_error);

}  // namespace vramlab::replay
