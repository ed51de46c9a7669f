// RecordedPlaces: puts new segments and reservations where a recording had them, as long as a
// replay asks for the same ones in the same order. From the first other request on it leaves the
// places to the device.
#pragma once

#include <vector>

#include "replay/recording/verify.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::replay {

class RecordedPlaces {
 public:
  RecordedPlaces(const DeviceHistory& history, const ExplainedHistory& explained);

  std::optional<Address> place(const streams::PlaceRequest& request);
  /// The lowest place of this kind, or else of any; empty if nothing was placed.
  std::optional<Address> lowest(streams::PlaceKind kind) const;
  /// Reservations of this size and above are not those that were recorded.
  Bytes reservations_below() const { return reservations_below_; }

 private:
  struct Place {
    streams::PlaceKind kind;
    Address address;
    Bytes size;
  };

  void add(const Place& place);
  void note_lowest(streams::PlaceKind kind, Address at);

  std::vector<Place> places_;
  /// What was there at the start counts too.
  std::optional<Address> lowest_allocation_;
  std::optional<Address> lowest_reservation_;
  Bytes reservations_below_;
  std::size_t next_ = 0;
  bool has_left_ = false;
};

}  // namespace vramlab::replay
