#include "streams/time/graph_capture.h"

#include "allocator/words/check.h"

namespace vramlab::streams {

using allocator::StreamId;

void GraphCaptures::begin(StreamId stream) {
  book_.begin({0, stream}, /*is_blocking=*/false, CaptureMode::relaxed, {});
}

void GraphCaptures::end(StreamId stream) {
  const CaptureBook::Member* member = book_.find({0, stream});
  check(member != nullptr, "only a capture that is under way ends");
  book_.end(member->capture->id);
}

void GraphCaptures::add_node(StreamId stream) {
  CaptureBook::Member* member = book_.find({0, stream});
  check(member != nullptr, "only a capturing stream adds nodes");
  CaptureBook::add_node(*member, {});
}

void GraphCaptures::wait(StreamId stream, StreamId waited) {
  const CaptureBook::Member* other = book_.find({0, waited});
  if (other == nullptr) return;
  CaptureBook::Member* own = book_.find({0, stream});
  if (own == nullptr)
    book_.join({0, stream}, /*is_blocking=*/false, *other->capture, other->tips);
  else if (own->capture == other->capture)
    CaptureBook::add_tips(*own, other->tips);
}

}  // namespace vramlab::streams
