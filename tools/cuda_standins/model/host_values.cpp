#include "tools/cuda_standins/model/host_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace vramlab::dry_run {
namespace {

static_assert(std::endian::native == std::endian::little, "a word begins with its lowest byte");

/// Drawn numbers are below this, so that one that is taken for a size asks for little.
constexpr std::uint64_t drawn_below = 100;

std::uint64_t word_of(std::uint64_t bytes) {
  for (const std::uint64_t word : {8U, 4U, 2U})
    if (bytes % word == 0) return word;
  return 1;
}

}  // namespace

/// The finalizer of a counter (SplitMix64, which is in the public domain).
std::uint64_t HostValueSource::next() {
  if (values_ == HostValues::ones) return 1;
  std::uint64_t drawn = state_ += 0x9e3779b97f4a7c15;
  drawn = (drawn ^ drawn >> 30) * 0xbf58476d1ce4e5b9;
  drawn = (drawn ^ drawn >> 27) * 0x94d049bb133111eb;
  return (drawn ^ drawn >> 31) % drawn_below;
}

bool HostValueSource::fill(void* at, std::uint64_t bytes) {
  if (values_ == HostValues::zeros) {
    std::memset(at, 0, bytes);
    if (!last_.fits(bytes)) return false;
    std::memcpy(at, &last_.number, std::min(bytes, sizeof last_.number));
    return last_.origin == ValueOrigin::known;
  }
  const std::uint64_t word = word_of(bytes);
  for (std::uint64_t place = 0; place < bytes; place += word) {
    const std::uint64_t value = next();
    std::memcpy(static_cast<char*>(at) + place, &value, word);
  }
  return false;
}

void RememberedBytes::remember(std::uint64_t at, const void* bytes, std::uint64_t count) {
  forget(at, count);
  if (count == 0 || count > most_bytes_of_a_copy || held_bytes_ + count > most_bytes) return;
  const auto* const first = static_cast<const char*>(bytes);
  pieces_.emplace(at, std::vector<char>(first, first + count));
  held_bytes_ += count;
}

void RememberedBytes::carry(std::uint64_t to, std::uint64_t from, std::uint64_t count) {
  if (pieces_.empty()) return;
  std::vector<char> bytes;
  if (count <= most_bytes_of_a_copy) bytes.resize(count);
  if (bytes.empty() || !read(bytes.data(), from, count)) {
    forget(to, count);
    return;
  }
  remember(to, bytes.data(), count);
}

/// A piece that is written in part goes as a whole: half of it is of no use to a reader of all.
void RememberedBytes::forget(std::uint64_t at, std::uint64_t count) {
  if (pieces_.empty()) return;
  auto piece = pieces_.upper_bound(at);
  if (piece != pieces_.begin()) {
    const auto before = std::prev(piece);
    if (before->first + before->second.size() > at) piece = before;
  }
  while (piece != pieces_.end() && piece->first < at + count) {
    held_bytes_ -= piece->second.size();
    piece = pieces_.erase(piece);
  }
}

void RememberedBytes::forget_all() {
  if (pieces_.empty()) return;
  pieces_.clear();
  held_bytes_ = 0;
}

bool RememberedBytes::read(void* to, std::uint64_t from, std::uint64_t count) const {
  if (pieces_.empty() || count == 0) return false;
  std::vector<char> known(std::min(count, most_bytes));
  if (known.size() < count) return false;
  auto piece = pieces_.upper_bound(from);
  if (piece == pieces_.begin()) return false;
  --piece;
  for (std::uint64_t done = 0; done < count; ++piece) {
    const std::uint64_t at = from + done;
    if (piece == pieces_.end() || at < piece->first || at >= piece->first + piece->second.size())
      return false;
    const std::uint64_t offset = at - piece->first;
    const std::uint64_t part = std::min(count - done, piece->second.size() - offset);
    std::memcpy(known.data() + done, piece->second.data() + offset, part);
    done += part;
  }
  std::memcpy(to, known.data(), count);
  return true;
}

}  // namespace vramlab::dry_run
