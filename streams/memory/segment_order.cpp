#include "streams/memory/segment_order.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

/// The part of a window for ranges of one power of two.
constexpr Bytes room_of_a_size{1ULL << 40};

/// Hands out addresses in one window; none is used again.
class Row {
 public:
  Row(SegmentOrder order, AddressRange window, Bytes granularity)
      : order_(order), window_(window), granularity_(granularity), last_(window.end) {}

  std::optional<Address> place(Bytes asked) {
    const Bytes size = round_up(asked, granularity_);
    return order_ == SegmentOrder::downwards ? below(size) : among_its_size(size);
  }

 private:
  std::optional<Address> below(Bytes size) {
    if (last_ - window_.begin < size) return std::nullopt;
    const std::uint64_t end = last_.value - size.count;
    last_ = Address{end - end % granularity_.count};
    return last_;
  }

  std::optional<Address> among_its_size(Bytes size) {
    const auto number = static_cast<std::uint64_t>(std::bit_width(size.count));
    const auto [found, is_new] = next_.try_emplace(number, window_.begin + room_of_a_size * number);
    const Address at = found->second;
    if (window_.end - at < size) return std::nullopt;
    found->second = at + size;
    return at;
  }

  SegmentOrder order_;
  AddressRange window_;
  Bytes granularity_;
  Address last_;
  /// By the power of two.
  std::map<std::uint64_t, Address> next_;
};

}  // namespace

void set_order(MemoryOptions& options, SegmentOrder order) {
  if (order == SegmentOrder::driver) {
    options.usual_places = UsualPlaces::driver;
    options.work_so_far = [] { return WorkSoFar::libraries; };
  }
  if (order == SegmentOrder::upwards || order == SegmentOrder::driver) return;
  options.placement = [allocations = Row(order, options.allocations, options.granularity),
                       reservations = Row(order, options.reservations, options.granularity)](
                          const PlaceRequest& request) mutable {
    Row& row = request.kind == PlaceKind::allocation ? allocations : reservations;
    return row.place(request.size);
  };
}

}  // namespace vramlab::streams
