#include "tools/cuda_standins/model/managed_advice.h"

#include <iterator>

namespace vramlab::dry_run {
namespace {

constexpr std::uint64_t page_bytes = 4096;

std::uint64_t page_of(std::uint64_t at) { return at / page_bytes * page_bytes; }
std::uint64_t page_behind(std::uint64_t end) { return page_of(end + page_bytes - 1); }

void keep_common(PageAdvice& common, const PageAdvice& other) {
  common.is_read_mostly = common.is_read_mostly && other.is_read_mostly;
  if (common.preferred != other.preferred) common.preferred = no_place;
  if (common.last_prefetch != other.last_prefetch) common.last_prefetch = no_place;
  std::erase_if(common.accessed_by,
                [&](MemoryPlace place) { return !other.accessed_by.contains(place); });
}

}  // namespace

void ManagedAdvice::cut(std::uint64_t at) {
  auto piece = pieces_.upper_bound(at);
  if (piece == pieces_.begin()) return;
  piece = std::prev(piece);
  if (piece->first == at || piece->second.end <= at) return;
  pieces_.emplace(at, piece->second);
  piece->second.end = at;
}

void ManagedAdvice::change(std::uint64_t at, std::uint64_t bytes,
                           const std::function<void(PageAdvice&)>& change) {
  const std::uint64_t end = page_behind(at + bytes);
  at = page_of(at);
  cut(at);
  cut(end);
  while (at < end) {
    auto piece = pieces_.lower_bound(at);
    const std::uint64_t next = piece == pieces_.end() || piece->first > end ? end : piece->first;
    if (next > at) piece = pieces_.emplace(at, Piece{next, {}}).first;
    change(piece->second.advice);
    at = piece->second.end;
    if (piece->second.advice == PageAdvice{}) pieces_.erase(piece);
  }
}

PageAdvice ManagedAdvice::common(std::uint64_t at, std::uint64_t bytes) const {
  const std::uint64_t end = page_behind(at + bytes);
  at = page_of(at);
  auto piece = pieces_.upper_bound(at);
  if (piece != pieces_.begin() && std::prev(piece)->second.end > at) piece = std::prev(piece);
  if (piece == pieces_.end() || piece->first > at) return {};
  PageAdvice common = piece->second.advice;
  for (; at < end; at = piece->second.end, ++piece) {
    if (piece == pieces_.end() || piece->first > at) return {};
    keep_common(common, piece->second.advice);
  }
  return common;
}

void ManagedAdvice::forget(std::uint64_t at, std::uint64_t bytes) {
  change(at, bytes, [](PageAdvice& advice) { advice = {}; });
}

}  // namespace vramlab::dry_run
