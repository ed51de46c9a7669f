// NoteBook: the notes of this process, each with how often and where in the program it was made;
// and the program's own values for bytes of the device.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::dry_run {

struct Note {
  std::uint64_t count = 0;
  std::map<std::string, std::uint64_t> places;
  std::string last_place;
};

class NoteBook {
 public:
  static constexpr std::size_t most_places = 100;
  /// After so many equal notes about answers of libraries their places are known well enough.
  static constexpr std::uint64_t most_asked_places = 200;

  void add(std::string_view kind, std::string_view subject);
  void set_place(vramlab_dry_run_place place) { place_ = place; }
  /// Called in the child of a fork: the parent keeps its notes.
  void begin_anew();

  bool has_kind(std::string_view kind);
  /// An array of JSON.
  std::string text();

 private:
  std::string current_place() const;
  bool wants_place(std::string_view kind, std::string_view subject);

  std::atomic<vramlab_dry_run_place> place_ = nullptr;
  std::mutex lock_;
  /// By kind and subject.
  std::map<std::pair<std::string, std::string>, Note> notes_;
};

/// The book of this process. It is never destroyed: notes may come until the process is gone.
NoteBook& the_notes();

/// A quoted JSON string; invalid UTF-8 is left out.
std::string json_text(std::string_view text);

// The values that the program's side has for bytes of a device (vramlab_dry_run_set_values).

/// Says whether a GPU would give the same values. The bytes stay as they are if no hook answers.
/// Requires: no lock of the driver is held, as the answer may run code of the program.
bool fill_with_own_values(void* at, std::uint64_t bytes, std::uint64_t from);

}  // namespace vramlab::dry_run
