// Reads a PyTorch memory snapshot from JSON, as json.dump writes it: a dict of sections or a bare
// list of segments, of any version, unknown keys passed on. Each value goes to the sink as soon as
// it is complete, so no file is held as a whole.
//
// Whole numbers are exact; lists under the keys of pools are pools. Throws InputError at the first
// byte that is no snapshot.
#pragma once

#include <cstdint>
#include <string>

#include "traces/io/byte_source.h"
#include "traces/model/snapshot_sink.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// `file` is the input's name for messages. Returns the bytes of the text, unpacked.
std::uint64_t read_snapshot_json(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink);

}  // namespace vramlab::traces
