// LongSequence: records in order, as many as a history has, of which few are in memory: a long
// sequence lies in a scratch file, and the records that are looked at are read chunk by chunk. It
// is quick where it is gone through forwards or backwards. Without a place for scratch files all of
// it is in memory.
//
// Records come out by value, because their memory may hold others soon. Two threads must not read a
// sequence at once, unless each has a SequenceReader.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace vramlab::traces {

/// The folder for scratch files, and when they are worth it.
struct ScratchPlace {
  /// Empty where there is none, so everything stays in memory.
  std::string folder;
  /// A shorter sequence stays in memory.
  std::size_t most_bytes_in_memory = std::size_t{8} << 20;
  /// The size of a chunk, which is written and read at once.
  std::size_t chunk_bytes = std::size_t{256} << 10;
};

/// A file without a name. It takes room in its folder while it is used and is gone afterwards,
/// however the program ends.
class ScratchFile {
 public:
  /// Throws InputError where it can't be made.
  explicit ScratchFile(std::string folder);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Writes at the end. Throws InputError where the folder has no room left.
  void append(std::span<const std::byte> bytes);
  /// Requires: bytes were written at all of these places.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  [[noreturn]] void fail(const std::string& expected) const;

  std::string folder_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

template <class Record>
class SequenceReader;

template <class Record>
class LongSequence {
  static_assert(std::is_trivially_copyable_v<Record>, "what goes to a file is bytes");

 public:
  class Iterator;
  using value_type = Record;
  using const_iterator = Iterator;

  LongSequence() = default;
  explicit LongSequence(ScratchPlace place) : place_(std::move(place)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a vector is a short sequence.
  LongSequence(std::vector<Record> records) : tail_(std::move(records)) {}
  LongSequence(std::initializer_list<Record> records) : tail_(records) {}
  LongSequence(const LongSequence& other) : place_(other.place_) {
    for (const Record& record : other) push_back(record);
  }
  LongSequence(LongSequence&& other) noexcept { swap(other); }
  LongSequence& operator=(LongSequence other) noexcept {
    swap(other);
    return *this;
  }
  ~LongSequence() = default;

  void push_back(const Record& record) {
    if (tail_.size() >= most_in_tail_ && !place_.folder.empty()) make_room();
    tail_.push_back(record);
  }

  /// Requires: there is such a record.
  Record operator[](std::size_t index) const {
    if (index >= in_file_) return tail_[index - in_file_];
    const std::size_t number = index >> chunk_shift_;
    const Chunk& latest = chunks_[latest_];
    const Chunk& chunk = latest.number == number ? latest : read_chunk(number);
    return chunk.records[index - (number << chunk_shift_)];
  }
  Record front() const { return (*this)[0]; }
  Record back() const { return (*this)[size() - 1]; }
  std::size_t size() const { return in_file_ + tail_.size(); }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  /// All records, or those of a few chunks once the others lie in a file.
  std::size_t records_in_memory() const {
    std::size_t count = tail_.size();
    for (const Chunk& chunk : chunks_) count += chunk.records.size();
    return count;
  }
  /// The place for other sequences about the same history. Once one lies in a file, the others need
  /// no memory either.
  ScratchPlace place() const {
    ScratchPlace place = place_;
    if (file_) place.most_bytes_in_memory = std::min(place.most_bytes_in_memory, place.chunk_bytes);
    return place;
  }
  /// All records of a sequence that is known to be short.
  std::vector<Record> to_vector() const {
    std::vector<Record> records;
    records.reserve(size());
    for (const Record& record : *this) records.push_back(record);
    return records;
  }

  friend bool operator==(const LongSequence& a, const LongSequence& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  friend class SequenceReader<Record>;
  struct Chunk {
    std::size_t number = ~std::size_t{0};
    std::vector<Record> records;
  };

  /// A power of two.
  std::size_t chunk_records() const { return std::size_t{1} << chunk_shift_; }
  void make_room();
  void read_into(Chunk& chunk, std::size_t number) const;
  const Chunk& read_chunk(std::size_t number) const;
  void swap(LongSequence& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(most_in_tail_, other.most_in_tail_);
    std::swap(chunk_shift_, other.chunk_shift_);
    std::swap(file_, other.file_);
    std::swap(in_file_, other.in_file_);
    std::swap(tail_, other.tail_);
    std::swap(chunks_, other.chunks_);
    std::swap(latest_, other.latest_);
  }

  ScratchPlace place_;
  std::size_t most_in_tail_ = 0;
  std::size_t chunk_shift_ = 0;
  std::unique_ptr<ScratchFile> file_;
  /// The records in the file: whole chunks.
  std::size_t in_file_ = 0;
  /// The records behind those in the file.
  std::vector<Record> tail_;
  /// The chunks that were read last.
  mutable std::array<Chunk, 4> chunks_;
  mutable std::size_t latest_ = 0;
};

template <class Record>
class LongSequence<Record>::Iterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  /// Older algorithms want references from iterators of better categories.
  using iterator_category = std::input_iterator_tag;
  using value_type = Record;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Record;

  Iterator() = default;
  Iterator(const LongSequence& sequence, std::size_t at) : sequence_(&sequence), at_(at) {}

  Record operator*() const { return (*sequence_)[at_]; }
  Record operator[](difference_type distance) const { return *(*this + distance); }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this += -1; }
  Iterator operator++(int) { return std::exchange(*this, *this + 1); }
  Iterator operator--(int) { return std::exchange(*this, *this - 1); }
  Iterator& operator+=(difference_type distance) {
    at_ += static_cast<std::size_t>(distance);
    return *this;
  }
  Iterator& operator-=(difference_type distance) { return *this += -distance; }
  friend Iterator operator+(Iterator at, difference_type distance) { return at += distance; }
  friend Iterator operator+(difference_type distance, Iterator at) { return at += distance; }
  friend Iterator operator-(Iterator at, difference_type distance) { return at -= distance; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
  friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

 private:
  const LongSequence* sequence_ = nullptr;
  std::size_t at_ = 0;
};

/// Writes whole chunks to the file once there are more records than memory is to hold.
template <class Record>
void LongSequence<Record>::make_room() {
  chunk_shift_ = static_cast<std::size_t>(
      std::bit_width(std::max(place_.chunk_bytes / sizeof(Record), std::size_t{1})) - 1);
  const std::size_t chunk = chunk_records();
  const std::size_t most = file_ ? 0 : place_.most_bytes_in_memory / sizeof(Record) / chunk * chunk;
  most_in_tail_ = std::max(most, chunk);
  if (tail_.size() < most_in_tail_) return;
  if (!file_) file_ = std::make_unique<ScratchFile>(place_.folder);
  const std::size_t written = tail_.size() / chunk * chunk;
  file_->append(std::as_bytes(std::span(tail_.data(), written)));
  in_file_ += written;
  std::vector<Record> rest(tail_.begin() + static_cast<std::ptrdiff_t>(written), tail_.end());
  rest.reserve(chunk);
  tail_ = std::move(rest);
  most_in_tail_ = chunk;
}

template <class Record>
auto LongSequence<Record>::read_chunk(std::size_t number) const -> const Chunk& {
  const auto found = std::ranges::find(chunks_, number, &Chunk::number);
  if (found != chunks_.end()) {
    latest_ = static_cast<std::size_t>(found - chunks_.begin());
    return *found;
  }
  latest_ = (latest_ + 1) % chunks_.size();
  Chunk& chunk = chunks_[latest_];
  read_into(chunk, number);
  return chunk;
}

template <class Record>
void LongSequence<Record>::read_into(Chunk& chunk, std::size_t number) const {
  chunk.records.resize(chunk_records());
  file_->read(std::uint64_t{number} * chunk_records() * sizeof(Record),
              std::as_writable_bytes(std::span(chunk.records)));
  chunk.number = number;
}

/// Reads a sequence that nobody adds to any more, with a chunk of its own, so several threads can
/// go through the same sequence. The sequence must outlive it.
template <class Record>
class SequenceReader {
 public:
  explicit SequenceReader(const LongSequence<Record>& sequence)
      : sequence_(sequence), in_file_(sequence.in_file_) {}

  std::size_t size() const { return sequence_.size(); }
  /// Requires: there is such a record. Valid until the next one is asked for.
  const Record& operator[](std::size_t index) {
    if (index >= in_file_) return sequence_.tail_[index - in_file_];
    const std::size_t number = index >> sequence_.chunk_shift_;
    if (number != chunk_.number) sequence_.read_into(chunk_, number);
    return chunk_.records[index - (number << sequence_.chunk_shift_)];
  }

 private:
  const LongSequence<Record>& sequence_;
  std::size_t in_file_;
  typename LongSequence<Record>::Chunk chunk_;
};

}  // namespace vramlab::traces
