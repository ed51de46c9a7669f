// Spells the recorded fields of a value as an object of a native trace: the keys that the file had,
// in PyTorch's order with unknown ones behind. Stacks are numbers; a segment's blocks are their
// count, as they stand in lines of their own.
#pragma once

#include <string>

#include "traces/native/native_speller.h"
#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

void add_fields(std::string& line, NativeSpeller& speller, const FrameValue& frame);
void add_fields(std::string& line, NativeSpeller& speller, const TraceEntry& entry);
void add_fields(std::string& line, NativeSpeller& speller, const SegmentValue& segment);
void add_fields(std::string& line, NativeSpeller& speller, const BlockValue& block);
void add_fields(std::string& line, NativeSpeller& speller, const AnnotationValue& annotation);

}  // namespace vramlab::traces
