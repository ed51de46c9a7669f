// NoteBook: the notes of this process, each with how often and where in the program it was made.
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
};

class NoteBook {
 public:
  static constexpr std::size_t most_places = 100;

  void add(std::string_view kind, std::string_view subject);
  void set_place(vramlab_dry_run_place place) { place_ = place; }
  /// In the child of a fork: what the parent noted is the parent's.
  void begin_anew();

  bool has_kind(std::string_view kind);
  /// An array of JSON.
  std::string text();

 private:
  std::string current_place() const;

  std::atomic<vramlab_dry_run_place> place_ = nullptr;
  std::mutex lock_;
  /// By kind and subject.
  std::map<std::pair<std::string, std::string>, Note> notes_;
};

/// The one of this process. It is never destroyed: notes may come until the process is gone.
NoteBook& the_notes();

/// A string of JSON, in quotes. What is no UTF-8 is left out.
std::string json_text(std::string_view text);

}  // namespace vramlab::dry_run
