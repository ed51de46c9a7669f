// What people call work on a stream.
#pragma once

#include <string_view>

#include "streams/time/stream_watcher.h"

namespace vramlab::tools {

constexpr std::string_view work_name(streams::WorkKind kind) {
  switch (kind) {
    case streams::WorkKind::kernel:
      return "kernel";
    case streams::WorkKind::copy_to_device:
      return "copy to device";
    case streams::WorkKind::copy_to_host:
      return "copy to host";
    case streams::WorkKind::copy_on_device:
      return "copy on device";
    case streams::WorkKind::memset:
      return "memset";
    case streams::WorkKind::host_function:
      return "host function";
    case streams::WorkKind::write_flag:
      return "flag write";
    case streams::WorkKind::await_flag:
      return "flag wait";
  }
  return "work";
}

constexpr std::string_view item_name(streams::ItemKind kind, streams::WorkKind work) {
  switch (kind) {
    case streams::ItemKind::work:
    case streams::ItemKind::graph_node:
      return work_name(work);
    case streams::ItemKind::event_record:
      return "event record";
    case streams::ItemKind::event_wait:
      return "event wait";
    case streams::ItemKind::graph_begin:
      return "graph begin";
    case streams::ItemKind::graph_end:
      return "graph end";
    case streams::ItemKind::mark:
      return "allocator's mark";
  }
  return "item";
}

}  // namespace vramlab::tools
