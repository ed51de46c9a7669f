// A page that torch.cuda._memory_viz writes (trace_plot, segment_plot, profile_plot): HTML with the
// pickle of a snapshot in it, as a text of base64.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

/// Any HTML or XML.
bool begins_like_page(std::string_view bytes);

/// The bytes of the snapshot; null, with the source as it was, where the page begins without one.
/// `file` is the page's name for messages.
std::unique_ptr<ByteSource> open_page_snapshot(std::unique_ptr<ByteSource>& page,
                                               const std::string& file);

}  // namespace vramlab::traces
