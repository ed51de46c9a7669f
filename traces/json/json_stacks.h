// JsonStacks: a list of frames as the id of a stack. Inside of read_snapshot_json only. Nearly all
// letters of a snapshot are here, so frames are told by their letters where those are known.
#pragma once

#include <optional>
#include <vector>

#include "traces/json/json_generic.h"
#include "traces/json/json_tokens.h"
#include "traces/json/known_frames.h"

namespace vramlab::traces {

class JsonStacks {
 public:
  /// All must outlive it.
  JsonStacks(JsonTokens& tokens, JsonGeneric& generic, SnapshotTables& tables)
      : tokens_(tokens), generic_(generic), tables_(tables) {}

  /// Requires: the tokens are at the bracket that opens a list.
  StackId read();

 private:
  FrameId read_frame(KnownFrames::Place place);
  std::optional<FrameId> take_known(KnownFrames::Place place);
  FrameValue read_fields();
  void read_field(FrameValue& frame);

  JsonTokens& tokens_;
  JsonGeneric& generic_;
  SnapshotTables& tables_;
  KnownFrames known_frames_;
  std::vector<FrameId> frames_;
};

}  // namespace vramlab::traces
