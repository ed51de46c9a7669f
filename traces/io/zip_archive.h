// A recording in a zip archive: the data.pkl that torch.save writes, or the only file of an archive
// that somebody attached to a report. The archive's directory, at its end, says where the file
// lies; it is stored as it is or deflated. So the archive is read twice, and one from a pipe is
// held in memory if it is small enough.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

bool begins_like_zip(std::string_view bytes);

/// The bytes of the file in the archive. `file` is the archive's name for messages. Throws
/// InputError where the archive is damaged, or is of something else.
std::unique_ptr<ByteSource> open_zip_member(std::unique_ptr<ByteSource> archive,
                                            const std::string& file);

}  // namespace vramlab::traces
