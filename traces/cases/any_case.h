// A recorded case of any kind: of the device's allocator, of that of pinned memory, or of the
// parser of options.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "traces/cases/host_case.h"
#include "traces/cases/option_case.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::traces {

using AnyCase = std::variant<RecordedCase, HostCase, OptionCase>;

/// `-` is standard input; .gz and .zst are told from the first bytes. Throws InputError.
AnyCase read_any_case(const std::string& path);
/// `file` is for error messages only. Throws InputError.
AnyCase parse_any_case(std::string_view text, const std::string& file);

}  // namespace vramlab::traces
