#include "streams/live/live_device.h"

#include <algorithm>

namespace vramlab::streams {

LiveDevice::LiveDevice(const CudaDriver& driver, LiveOptions options)
    : session_(driver, options.device, std::move(options.timing)),
      memory_(session_, options.memory_limit),
      streams_(session_, options.streams),
      events_(session_) {}

LiveDevice::~LiveDevice() {
  try {
    const auto scope = session_.enter();
    events_.destroy_all();
    memory_.give_everything_back();
    streams_.destroy_all();
  } catch (const DeviceError&) {
    // No context to give back in: it took everything with it.
  }
}

/// The driver does not promise to wait. Waiting would end a capture that is under way, so where
/// there may be one only what the driver itself does is done, which PyTorch relies on as well.
void LiveDevice::release(Address at) {
  const auto scope = session_.enter();
  if (!streams_.may_be_capturing())
    session_.require(DriverCallKind::context_synchronize, {},
                     [this] { return session_.driver().context_synchronize(); });
  memory_.release(at);
}

void LiveDevice::wait_for_stream(StreamId stream) {
  const auto scope = session_.enter();
  const CUstream handle = streams_.handle_of(stream);
  session_.require(DriverCallKind::stream_synchronize, {},
                   [&] { return session_.driver().stream_synchronize(handle); });
}

/// A capture that is invalid lasts until it is ended, without nodes.
std::optional<StreamCapture> LiveDevice::capture_now(StreamId stream) const {
  const auto scope = session_.enter();
  const CUstream handle = streams_.handle_of(stream);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  const CUresult result = session_.run(DriverCallKind::capture_info, {}, [&] {
    return session_.driver().stream_capture_info(handle, &status, &id, &graph, &nodes, &count);
  });
  // The legacy stream itself takes part in none.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return std::nullopt;
  if (result != CUDA_SUCCESS) session_.fail("cuStreamGetCaptureInfo", result);
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return std::nullopt;
  StreamCapture capture{{id}, {}};
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    for (std::size_t i = 0; i < count; ++i)
      capture.terminals.push_back({reinterpret_cast<std::uint64_t>(nodes[i])});
  return capture;
}

std::vector<GraphNode> LiveDevice::dependencies_of(GraphNode node) {
  const auto scope = session_.enter();
  const auto handle = reinterpret_cast<CUgraphNode>(node.value);
  std::vector<CUgraphNode> found;
  std::size_t count = 0;
  const auto ask = [&](CUgraphNode* into) {
    session_.require(DriverCallKind::node_dependencies, {}, [&] {
      return session_.driver().graph_node_dependencies(handle, into, &count);
    });
  };
  ask(nullptr);
  found.resize(count);
  if (count > 0) ask(found.data());
  std::vector<GraphNode> nodes;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i)
    nodes.push_back({reinterpret_cast<std::uint64_t>(found[i])});
  return nodes;
}

}  // namespace vramlab::streams
