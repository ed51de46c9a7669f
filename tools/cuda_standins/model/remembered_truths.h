// RememberedTruths: what whole tensors of truths were last said to be. A mask is counted more than
// once, and two masks are joined, so each count must be the same. Who reuses the memory for other
// truths of the same number, by a kernel of which nothing is known, gets the old answer: it is made
// up in any case, and either is possible.
#pragma once

#include <cstdint>
#include <map>

namespace vramlab::dry_run {

class RememberedTruths {
 public:
  static constexpr std::size_t most = 4096;

  /// A tensor of so many truths, one byte each, that begins there.
  struct Place {
    std::uint64_t at = 0;
    std::uint64_t count = 0;
  };

  void set(const Place& place, bool is_yes) {
    if (truths_.size() >= most) truths_.clear();
    truths_.insert_or_assign(place.at, Truth{place.count, is_yes});
  }
  /// No, as zeros are, where nobody said otherwise.
  bool is_yes(const Place& place) const {
    const auto found = truths_.find(place.at);
    return found != truths_.end() && found->second.count == place.count && found->second.is_yes;
  }
  void forget(std::uint64_t at, std::uint64_t bytes) {
    truths_.erase(truths_.lower_bound(at), truths_.lower_bound(at + bytes));
  }
  void carry(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    const bool is_known_yes = is_yes({from, bytes});
    forget(to, bytes);
    if (is_known_yes) set({to, bytes}, true);
  }

 private:
  struct Truth {
    std::uint64_t count = 0;
    bool is_yes = false;
  };
  std::map<std::uint64_t, Truth> truths_;
};

}  // namespace vramlab::dry_run
