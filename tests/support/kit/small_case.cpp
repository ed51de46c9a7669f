#include "tests/support/kit/small_case.h"

#include "allocator/types/check.h"

namespace vramlab::tests {

std::string small_case_text() {
  return R"json({"name": "small", "reference": "PyTorch 2.12 (main, April 2026)",
"device": {"total_bytes": 1073741824}, "config": "", "memory_fraction": null,
"ops": [["malloc", 1, 1000, 0], ["snapshot"], ["free", 1]],
"expect": {
"results": [139637976727552],
"trace": [["segment_alloc", 139637976727552, 2097152, 0], ["alloc", 139637976727552, 1000, 0],
          ["snapshot", 0, 1024, 0], ["free_requested", 139637976727552, 1000, 0],
          ["free_completed", 139637976727552, 1000, 0]],
"trace_pools": [0, 0, 0, 0, 0],
"snapshots": [[{"address": 139637976727552, "total_size": 2097152, "stream": 0,
  "segment_type": "small", "allocated_size": 1024, "active_size": 1024, "requested_size": 1000,
  "is_expandable": false, "segment_pool_id": [0, 0],
  "blocks": [[1024, 1000, "active_allocated"], [2096128, 0, "inactive"]]}]],
"final_snapshot": [{"address": 139637976727552, "total_size": 2097152, "stream": 0,
  "segment_type": "small", "allocated_size": 0, "active_size": 0, "requested_size": 0,
  "is_expandable": false, "segment_pool_id": [0, 0], "blocks": [[2097152, 1000, "inactive"]]}],
"final_stats": {
  "allocation": {"all": [0, 1, 1, 1], "small_pool": [0, 1, 1, 1], "large_pool": [0, 0, 0, 0]},
  "segment": {"all": [1, 1, 1, 0], "small_pool": [1, 1, 1, 0], "large_pool": [0, 0, 0, 0]},
  "active": {"all": [0, 1, 1, 1], "small_pool": [0, 1, 1, 1], "large_pool": [0, 0, 0, 0]},
  "inactive_split": {"all": [0, 1, 1, 1], "small_pool": [0, 1, 1, 1], "large_pool": [0, 0, 0, 0]},
  "allocated_bytes": {"all": [0, 1024, 1024, 1024], "small_pool": [0, 1024, 1024, 1024], "large_pool": [0, 0, 0, 0]},
  "reserved_bytes": {"all": [2097152, 2097152, 2097152, 0], "small_pool": [2097152, 2097152, 2097152, 0], "large_pool": [0, 0, 0, 0]},
  "active_bytes": {"all": [0, 1024, 1024, 1024], "small_pool": [0, 1024, 1024, 1024], "large_pool": [0, 0, 0, 0]},
  "inactive_split_bytes": {"all": [0, 2096128, 2096128, 2096128], "small_pool": [0, 2096128, 2096128, 2096128], "large_pool": [0, 0, 0, 0]},
  "requested_bytes": {"all": [0, 1000, 1000, 1000], "small_pool": [0, 1000, 1000, 1000], "large_pool": [0, 0, 0, 0]},
  "oversize_allocations": [0, 0, 0, 0], "oversize_segments": [0, 0, 0, 0],
  "num_alloc_retries": 0, "num_ooms": 0, "num_sync_all_streams": 0, "num_device_alloc": 1,
  "num_device_free": 0, "num_oom_rejections": 0},
"device_calls": {"cudaMalloc": 1, "cudaFree": 0, "cuMemCreate": 0, "cudaEventSynchronize": 0}}})json";
}

std::string small_case_with(const std::string& part, const std::string& replacement) {
  std::string text = small_case_text();
  const std::size_t at = text.find(part);
  check(at != std::string::npos, "the part to replace is in the small case");
  return text.replace(at, part.size(), replacement);
}

}  // namespace vramlab::tests
