// LetterStream: a ByteSource as a range of letters, for parsers that take iterators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "traces/byte_source.h"
#include "traces/input_error.h"

namespace vramlab::traces {

class LetterStream {
 public:
  /// From one text or number to the next it may be no longer, as the parser holds what is between.
  static constexpr std::uint64_t longest_word = std::uint64_t{64} << 20;

  /// `file` is the input's name for messages. Both must outlive it.
  LetterStream(ByteSource& source, const std::string& file) : source_(source), file_(file) {
    fill();
  }
  LetterStream(const LetterStream&) = delete;
  LetterStream& operator=(const LetterStream&) = delete;

  /// All iterators stand at the same letter: moving one moves all.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Iterator() = default;
    explicit Iterator(LetterStream& letters) : letters_(&letters) {}
    const char& operator*() const { return *letters_->at_; }
    Iterator& operator++() {
      letters_->advance();
      return *this;
    }
    /// Requires: one of them is the end of the range.
    friend bool operator==(const Iterator& one, const Iterator& other) {
      return one.is_at_end() == other.is_at_end();
    }
    friend bool operator!=(const Iterator& one, const Iterator& other) { return !(one == other); }

   private:
    bool is_at_end() const { return letters_ == nullptr || letters_->is_at_end(); }

    LetterStream* letters_ = nullptr;
  };

  Iterator begin() { return Iterator(*this); }
  static Iterator end() { return {}; }

  bool is_at_end() const { return at_ == end_; }
  /// The parser has a text or number complete.
  void end_word() { word_begin_ = bytes_taken(); }
  std::uint64_t bytes_taken() const {
    return bytes_before_ + static_cast<std::uint64_t>(at_ - letters_.data());
  }

 private:
  void advance() {
    if (++at_ == end_) fill();
  }
  void fill() {
    if (bytes_taken() - word_begin_ > longest_word)
      throw InputError({file_, "byte " + std::to_string(word_begin_),
                        "a word of at most " + std::to_string(longest_word) + " bytes",
                        "a longer one"});
    bytes_before_ += static_cast<std::uint64_t>(end_ - letters_.data());
    at_ = letters_.data();
    end_ = at_ + source_.read(letters_.data(), letters_.size());
  }

  ByteSource& source_;
  const std::string& file_;
  std::array<char, std::size_t{1} << 16> letters_{};
  const char* at_ = letters_.data();
  const char* end_ = letters_.data();
  std::uint64_t bytes_before_ = 0;
  std::uint64_t word_begin_ = 0;
};

}  // namespace vramlab::traces
