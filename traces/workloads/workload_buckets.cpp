#include "traces/workloads/workload_buckets.h"

#include "traces/workloads/workload_costs.h"

namespace vramlab::traces {
namespace {

constexpr allocator::StreamId network_stream{1};
constexpr CallSite send_site{"all_reduce_bucket", "parallel/buckets.py", 52};
constexpr CallSite buckets_finish_site{"finish", "parallel/buckets.py", 71};

}  // namespace

void GradientBuckets::add(Tensor gradient) {
  waiting_.push_back(gradient);
  waiting_bytes_ += gradient.size;
  if (waiting_bytes_ >= full_) send();
}

/// The bucket's owner lets go of it at once: that it is still being sent, `use` says.
void GradientBuckets::send() {
  if (waiting_.empty()) return;
  const CallScope at(writer_, send_site);
  const Tensor bucket = writer_.malloc(waiting_bytes_);
  writer_.work(memory_ns(bucket.size * 2));
  writer_.wait_for(network_stream, compute_stream);
  writer_.work(network_ns(bucket.size), network_stream);
  writer_.work(memory_ns(bucket.size * 2), network_stream);
  for (const Tensor gradient : waiting_) writer_.use(gradient, network_stream);
  writer_.use(bucket, network_stream);
  writer_.free(bucket);
  waiting_.clear();
  waiting_bytes_ = {};
}

void GradientBuckets::finish() {
  send();
  const CallScope at(writer_, buckets_finish_site);
  writer_.wait_for(compute_stream, network_stream);
}

}  // namespace vramlab::traces
