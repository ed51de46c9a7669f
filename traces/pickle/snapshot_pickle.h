// Reads a PyTorch memory snapshot from a pickle: protocols 0 to 5, written by Python or by
// PyTorch's own C++ pickler. It walks the structure of a snapshot and gives each value to the sink
// as soon as it is complete, so no file is held as a whole; nothing in the file is ever run.
//
// A file may be a dict of sections, a bare list of segments, or a bare list of the devices' lists
// of events, of any version; unknown keys are passed on. Throws InputError at the first byte that
// is no snapshot. Bytes behind the end of the pickle are not looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "traces/io/byte_sink.h"
#include "traces/io/byte_source.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"
#include "traces/model/snapshot_writer.h"

namespace vramlab::traces {

enum class PickleProducer : std::uint8_t {
  /// Python's pickle module, as torch.cuda.memory._dump_snapshot uses it.
  python,
  /// PyTorch's C++ pickler, as torch::cuda::_memory_snapshot_pickled uses it.
  cpp,
};

struct PickleFacts {
  std::uint32_t protocol = 0;
  PickleProducer producer = PickleProducer::python;
  /// The size of the pickle, unpacked.
  std::uint64_t bytes = 0;
};

/// `file` is the input's name for messages.
PickleFacts read_snapshot_pickle(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink);

/// Writes a snapshot as a pickle of protocol 4, which pickle.load and the viewers open.
std::unique_ptr<SnapshotWriter> make_snapshot_pickle_writer(ByteSink& sink,
                                                            const SnapshotTables& tables);

}  // namespace vramlab::traces
