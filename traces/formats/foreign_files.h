// Files that people try to open and that hold no recording: what each seems to be, for the message
// that refuses it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

/// The way in which torch.save wrote before PyTorch 1.6: a pickle, behind others.
bool begins_like_old_torch_save(std::string_view bytes);

/// Such as `a PDF document`, and what to do where that is known. `source` gives the bytes from the
/// first on.
std::string describe_foreign(std::unique_ptr<ByteSource>& source);

}  // namespace vramlab::traces
