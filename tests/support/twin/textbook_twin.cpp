#include "tests/support/twin/textbook_twin.h"

#include <bit>
#include <sstream>

#include "allocator/types/answers.h"
#include "tests/support/twin/textbook_statistics.h"

namespace vramlab::tests {

using namespace allocator::literals;
using allocator::Action;
using allocator::MallocOutcome;
using allocator::MallocResult;

namespace {

constexpr Bytes smallest_block = 512_B;
constexpr Bytes small_limit = 1_MiB;
constexpr Bytes small_segment = 2_MiB;
constexpr Bytes medium_limit = 10_MiB;
constexpr Bytes impossible_request{1ULL << 60};

Bytes plainly_rounded(Bytes request, const allocator::Settings& settings) {
  if (request < smallest_block) return smallest_block;
  const int log2 = static_cast<int>(std::bit_width(request.count)) - 1;
  const int slot = log2 < 20 ? 0 : log2 > 35 ? 15 : log2 - 20;
  const std::uint64_t divisions = settings.roundup_divisions.at(static_cast<std::size_t>(slot));
  if (divisions <= 1 || request <= smallest_block * divisions)
    return round_up(request, smallest_block);
  return round_up(request, Bytes{(1ULL << log2) / divisions});
}

Bytes size_to_ask(Bytes rounded, const allocator::Settings& settings) {
  if (rounded <= small_limit) return small_segment;
  if (rounded < medium_limit) return settings.large_segment_size;
  return round_up(rounded, 2_MiB);
}

Bytes share(double fraction, Bytes total) {
  return {static_cast<std::uint64_t>(fraction * static_cast<double>(total.count))};
}

std::string hexadecimal(Address address) {
  std::ostringstream text;
  text << "0x" << std::hex << address.value;
  return text.str();
}

}  // namespace

TextbookTwin::TextbookTwin(allocator::Device& device, const allocator::ReferenceVersion& version,
                           std::string_view options)
    : device_(device), version_(version) {
  start_error_ = set_options(options);
  if (settings_.per_process_memory_fraction < 1)
    set_memory_fraction(settings_.per_process_memory_fraction);
}

MallocResult TextbookTwin::malloc(Bytes asked, StreamId stream) {
  current_ = stream;
  if (asked == 0_B) return {};
  if (asked >= impossible_request) {
    Request impossible;
    impossible.asked = impossible.device_size = asked;
    failure_ = figures(impossible);
    return {MallocOutcome::out_of_memory, {}};
  }
  before_request(stream);
  Request request = describe(asked, stream);
  Block* found = take_best_fit(request);
  if (found == nullptr) found = find_memory(request);
  if (found == nullptr) return fail(request);
  const Bytes size = should_split(request, *found) ? request.rounded : found->size;
  return {MallocOutcome::allocated, hand_out(*found, size, asked).address};
}

// Version 2.13 asks the current stream; before, every open scope was taken for a capture.
bool TextbookTwin::is_capturing() const {
  if (version_.capture_sign == allocator::CaptureSign::open_scope) return !scopes_.empty();
  return device_.capture_of(current_).has_value();
}

void TextbookTwin::before_request(StreamId stream) {
  if (!is_capturing())
    process_events();
  else if (settings_.graph_capture_record_stream_reuse)
    reuse_deferred(stream);
}

TextbookTwin::Request TextbookTwin::describe(Bytes asked, StreamId stream) {
  Request request;
  request.asked = asked;
  request.rounded = plainly_rounded(asked, settings_);
  request.device_size = size_to_ask(request.rounded, settings_);
  request.stream = stream;
  PoolPair& pools = pools_for(stream);
  request.pool = request.rounded <= small_limit ? &pools.small : &pools.large;
  request.expandable = settings_.expandable_segments;
  return request;
}

// The ladder on a miss.
Block* TextbookTwin::find_memory(Request& request) {
  collect_garbage();
  if (Block* block = get_segment(request, Attempt::first)) return block;
  if (request.outcome == MallocOutcome::rejected) return nullptr;
  if (Block* block = borrow(request)) return block;
  if (request.outcome == MallocOutcome::scope_already_open) return nullptr;
  if (release_oversize(request))
    if (Block* block = get_segment(request, Attempt::first)) return block;
  if (is_capturing()) return nullptr;
  release_cached_blocks(allocator::default_pool);
  return get_segment(request, Attempt::retry);
}

Block* TextbookTwin::get_segment(Request& request, Attempt attempt) {
  if (attempt == Attempt::retry) ++values_.num_alloc_retries;
  if (limits_refuse(request)) return nullptr;
  const bool is_left_out = request.pool->owner != nullptr &&
                           version_.private_segments == allocator::PrivateSegments::classic;
  Block* block =
      request.expandable && !is_left_out ? grow_expandable(request) : get_classic_segment(request);
  if (block != nullptr && request.pool->owner != nullptr) ++request.pool->owner->segment_count;
  return block;
}

bool TextbookTwin::limits_refuse(Request& request) {
  const Bytes wanted = reserved_ + request.device_size;
  if (allowed_ && wanted > *allowed_) return true;
  if (!settings_.throw_on_cudamalloc_oom) return false;
  if (wanted <= share(settings_.per_process_memory_fraction, device_.memory_info().total))
    return false;
  ++values_.num_oom_rejections;
  request.outcome = MallocOutcome::rejected;
  return true;
}

Block* TextbookTwin::get_classic_segment(const Request& request) {
  const std::optional<Address> at = device_.allocate(request.device_size, request.stream);
  if (!at) return nullptr;
  auto segment = std::make_unique<Segment>();
  segment->start = *at;
  segment->stream = request.stream;
  segment->pool = request.pool;
  Block& block = add_block(*segment, *at, request.device_size);
  segments_[*at] = std::move(segment);
  reserved_ += block.size;
  ++values_.num_device_alloc;
  book(values_.segment, request.pool->kind, 1);
  book(values_.reserved_bytes, request.pool->kind, plus(block.size));
  if (block.size >= settings_.max_split_size) book(values_.oversize_segments, 1);
  record(Action::segment_alloc, *at, block.size, request.stream, request.pool->id);
  return &block;
}

MallocResult TextbookTwin::fail(const Request& request) {
  failure_ = figures(request);
  if (request.outcome == MallocOutcome::out_of_memory) {
    record(Action::oom, Address{failure_.device_free.count}, request.rounded, request.stream,
           request.pool->id);
    ++values_.num_ooms;
  }
  return {request.outcome, {}};
}

void TextbookTwin::free(Address address) { request_free(allocated_block(address)); }

void TextbookTwin::request_free(Block& block) {
  const PoolKind kind = pool_of(block).kind;
  allocated_.erase(block.address);
  block.allocated = false;
  book(values_.allocation, kind, -1);
  book(values_.allocated_bytes, kind, minus(block.size));
  if (block.size >= settings_.max_split_size) book(values_.oversize_allocations, -1);
  record(Action::free_requested, block.address, block.requested, block.segment->stream,
         pool_of(block).id);
  if (block.other_streams.empty()) return complete_free(block);
  if (!is_capturing()) return record_events(block);
  remember_reuse_point(block);
  deferred_.push_back(&block);
}

void TextbookTwin::record_stream(Address address, StreamId stream) {
  Block& block = allocated_block(address);
  if (stream == block.segment->stream) return;
  block.other_streams.insert(stream);
  if (is_capturing()) block.used_in_capture.insert(stream);
}

Block& TextbookTwin::allocated_block(Address address) {
  const auto found = allocated_.find(address);
  if (found == allocated_.end())
    throw allocator::AllocatorError("no allocated block at " + hexadecimal(address));
  return *found->second;
}

std::optional<allocator::SettingsError> TextbookTwin::set_options(std::string_view text) {
  const allocator::ParsedSettings parsed = allocator::parse_settings(settings_, text, version_);
  settings_ = parsed.settings;
  return parsed.error;
}

void TextbookTwin::set_memory_fraction(double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw allocator::AllocatorError("a memory fraction lies between 0 and 1, not " +
                                    std::to_string(fraction));
  if (fraction == 1 && version_.whole_fraction == allocator::WholeFraction::removes_limit)
    allowed_.reset();
  else
    allowed_ = share(fraction, device_.memory_info().total);
}

bool TextbookTwin::collects_garbage() const {
  return allowed_.has_value() && settings_.garbage_collection_threshold > 0;
}

void TextbookTwin::record(Action action, Address address, Bytes size, StreamId stream,
                          PoolId pool) {
  history_.push_back({action, address, size, stream, pool, 0});
}

void TextbookTwin::reset_peak_statistics() { reset_peaks(values_); }
void TextbookTwin::reset_accumulated_statistics() { reset_accumulated(values_); }

std::unique_ptr<replay::AllocatorSubject> make_twin_subject(
    allocator::Device& device, const allocator::ReferenceVersion& version, std::string_view config,
    std::optional<allocator::SettingsError>& config_error) {
  auto twin = std::make_unique<TextbookTwin>(device, version, config);
  config_error = twin->start_error();
  return twin;
}

}  // namespace vramlab::tests
