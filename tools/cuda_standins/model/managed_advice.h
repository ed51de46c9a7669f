// ManagedAdvice: what a program advised about pages of managed memory, and where it last had them
// prefetched to. Nothing follows from it here, as managed memory is the host's; programs ask for
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

namespace vramlab::dry_run {

/// A device's number, or one of these two.
using MemoryPlace = int;
inline constexpr MemoryPlace host_place = -1;
inline constexpr MemoryPlace no_place = -2;

struct PageAdvice {
  bool is_read_mostly = false;
  MemoryPlace preferred = no_place;
  MemoryPlace last_prefetch = no_place;
  std::set<MemoryPlace> accessed_by;
  friend bool operator==(const PageAdvice&, const PageAdvice&) = default;
};

class ManagedAdvice {
 public:
  /// Changes the advice of all pages that the bytes lie in.
  void change(std::uint64_t at, std::uint64_t bytes,
              const std::function<void(PageAdvice&)>& change);
  /// The advice that holds for all of them: where pages differ, none does.
  PageAdvice common(std::uint64_t at, std::uint64_t bytes) const;
  void forget(std::uint64_t at, std::uint64_t bytes);

 private:
  struct Piece {
    std::uint64_t end = 0;
    PageAdvice advice;
  };

  /// A piece begins at this address, if one lies around it.
  void cut(std::uint64_t at);

  /// Pieces with some advice, by their beginning.
  std::map<std::uint64_t, Piece> pieces_;
};

}  // namespace vramlab::dry_run
