// SizeMargin: how much larger the device could be without the allocator deciding anything else.
//
// Only decisions that look at the size of the device are noted: by shares of it, and by the number
// of addresses of expandable segments. Whether the device grants a request is for the device to
// note. A decision that differs on a larger device differs on all still larger ones.
#pragma once

#include <array>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {

class SizeMargin {
 public:
  explicit SizeMargin(Bytes device_total) : total_(device_total) {}

  /// From this size on a decision may differ; no device is as large as `largest_device`.
  Bytes below() const { return below_; }
  static constexpr Bytes largest_device{1ULL << 60};

  /// `is_other` says of a size of the device whether the decision differs on it.
  template <class IsOther>
  void note(IsOther is_other) {
    if (!is_other(below_ - Bytes{1})) return;
    Bytes same = total_;
    while (below_ - same > Bytes{1}) {
      const Bytes middle = same + Bytes{(below_ - same).count / 2};
      (is_other(middle) ? below_ : same) = middle;
    }
  }

  /// A decision differs once reservations of the lane's kind are larger by so much. Costs next to
  /// nothing where less was noted before.
  void note_growth(PoolKind kind, Bytes unit, Bytes growth) {
    if (has_mixed_reserves_) return note_anything();
    Growth& least = least_growth_[kind == PoolKind::small ? 0 : 1];
    if (least.unit == unit && least.bytes <= growth) return;
    least = {unit, growth};
    const Bytes now = reservation_size(total_, unit, reserve_);
    note(
        [=, this](Bytes total) { return reservation_size(total, unit, reserve_) - now >= growth; });
  }

  /// The reserve by which reservations grow with the device from now on.
  void set_reserve(const Reserve& reserve) {
    if (reserve == reserve_) return;
    const bool has_reservations = has_uneven_reservations_ || usual_unit_ != std::array<Bytes, 2>{};
    if (has_reservations) has_mixed_reserves_ = has_uneven_reservations_ = true;
    reserve_ = reserve;
    least_growth_ = {};
  }

  /// A decision may differ on any larger size.
  void note_anything() { below_ = total_ + Bytes{1}; }

  /// Whether reservations of one kind grow with the device by different steps, or not at all: then
  /// nobody can foresee which of them reaches further.
  bool has_uneven_reservations() const { return has_uneven_reservations_; }
  void note_given_reservation() { has_uneven_reservations_ = true; }
  void note_reservation(PoolKind kind, Bytes unit) {
    Bytes& usual = usual_unit_[kind == PoolKind::small ? 0 : 1];
    if (usual != Bytes{} && usual != unit) has_uneven_reservations_ = true;
    usual = unit;
  }

 private:
  struct Growth {
    Bytes unit;
    Bytes bytes;
  };

  Bytes total_;
  Bytes below_ = largest_device;
  std::array<Growth, 2> least_growth_{};
  std::array<Bytes, 2> usual_unit_{};
  bool has_uneven_reservations_ = false;
  Reserve reserve_;
  /// Some reservations were made under another reserve.
  bool has_mixed_reserves_ = false;
};

}  // namespace vramlab::allocator
