#include "tools/cuda_standins/model/remembered_bytes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace vramlab::dry_run {

RememberedBytes::Piece RememberedBytes::Piece::part(std::uint64_t offset,
                                                    std::uint64_t count) const {
  Piece cut{.bytes = count, .content = std::vector<char>(std::min(count, content.size()))};
  copy_to(cut.content.data(), offset, cut.content.size());
  return cut;
}

void RememberedBytes::Piece::copy_to(char* to, std::uint64_t offset, std::uint64_t count) const {
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t place = (offset + done) % content.size();
    const std::uint64_t run = std::min(count - done, content.size() - place);
    std::memcpy(to + done, content.data() + place, run);
    done += run;
  }
}

void RememberedBytes::add(std::uint64_t at, Piece piece) {
  held_bytes_ += piece.content.size();
  pieces_.insert_or_assign(at, std::move(piece));
}

void RememberedBytes::remember(std::uint64_t at, const void* bytes, std::uint64_t count) {
  forget(at, count);
  if (count == 0 || count > most_bytes_of_a_copy || held_bytes_ + count > most_bytes) return;
  const auto* const first = static_cast<const char*>(bytes);
  add(at, {.bytes = count, .content = {first, first + count}});
}

void RememberedBytes::remember_repeated(std::uint64_t at, std::vector<char> value,
                                        std::uint64_t count) {
  forget(at, count);
  if (count == 0 || held_bytes_ + value.size() > most_bytes) return;
  add(at, {.bytes = count, .content = std::move(value)});
}

void RememberedBytes::carry(std::uint64_t to, std::uint64_t from, std::uint64_t count) {
  if (pieces_.empty()) return;
  std::vector<std::pair<std::uint64_t, Piece>> carried;
  std::uint64_t content_bytes = 0;
  for_each_part(from, count, [&](const Part& part) {
    content_bytes += std::min<std::uint64_t>(part.bytes, part.piece.content.size());
    if (content_bytes <= most_bytes_of_a_copy)
      carried.emplace_back(to + part.place, part.piece.part(part.offset, part.bytes));
  });
  forget(to, count);
  if (content_bytes > most_bytes_of_a_copy || held_bytes_ + content_bytes > most_bytes) return;
  for (auto& [at, piece] : carried) add(at, std::move(piece));
}

RememberedBytes::Pieces::const_iterator RememberedBytes::first_behind(std::uint64_t at) const {
  auto piece = pieces_.upper_bound(at);
  if (piece == pieces_.begin()) return piece;
  const auto before = std::prev(piece);
  return before->first + before->second.bytes > at ? before : piece;
}

/// A piece that is written in part stays known beside the range.
void RememberedBytes::forget(std::uint64_t at, std::uint64_t count) {
  if (pieces_.empty() || count == 0) return;
  const std::uint64_t end = at + count;
  for (auto found = first_behind(at); found != pieces_.end() && found->first < end;) {
    const auto [begin, piece] = *found;
    held_bytes_ -= piece.content.size();
    pieces_.erase(found);
    if (begin < at) add(begin, piece.part(0, at - begin));
    if (begin + piece.bytes > end) add(end, piece.part(end - begin, begin + piece.bytes - end));
    found = pieces_.lower_bound(at);
  }
}

void RememberedBytes::forget_all() {
  if (pieces_.empty()) return;
  pieces_.clear();
  held_bytes_ = 0;
}

bool RememberedBytes::knows(std::uint64_t at, std::uint64_t count) const {
  const std::uint64_t end = at + count;
  for (auto piece = first_behind(at); at < end; ++piece) {
    if (piece == pieces_.end() || piece->first > at) return false;
    at = piece->first + piece->second.bytes;
  }
  return true;
}

template <class Use>
void RememberedBytes::for_each_part(std::uint64_t at, std::uint64_t count, const Use& use) const {
  const std::uint64_t end = at + count;
  for (auto piece = first_behind(at); piece != pieces_.end() && piece->first < end; ++piece) {
    const std::uint64_t begin = std::max(at, piece->first);
    const std::uint64_t part_end = std::min(end, piece->first + piece->second.bytes);
    use(Part{begin - at, piece->second, begin - piece->first, part_end - begin});
  }
}

bool RememberedBytes::read(void* to, std::uint64_t from, std::uint64_t count) const {
  if (pieces_.empty() || count == 0 || !knows(from, count)) return false;
  auto* const into = static_cast<char*>(to);
  for_each_part(from, count, [&](const Part& part) {
    part.piece.copy_to(into + part.place, part.offset, part.bytes);
  });
  return true;
}

}  // namespace vramlab::dry_run
