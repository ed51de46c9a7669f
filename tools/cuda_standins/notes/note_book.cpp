#include "tools/cuda_standins/notes/note_book.h"

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::dry_run {
namespace {

/// The bytes of the UTF-8 letter that begins here; 0 if none does.
std::size_t letter_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80                     ? 1
                           : first >= 0xc2 && first <= 0xdf ? 2
                           : first >= 0xe0 && first <= 0xef ? 3
                           : first >= 0xf0 && first <= 0xf4 ? 4
                                                            : 0;
  if (size == 0 || size > text.size()) return 0;
  for (std::size_t place = 1; place < size; ++place)
    if ((static_cast<unsigned char>(text[place]) & 0xc0U) != 0x80U) return 0;
  return size;
}

std::string escaped(unsigned char letter) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", letter);
  return text.data();
}

std::string places_text(const Note& note) {
  std::string text;
  for (const auto& [place, count] : note.places) {
    text += text.empty() ? "" : ", ";
    text += "{\"place\": " + json_text(place) + ", \"count\": " + std::to_string(count) + "}";
  }
  return text;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t size = letter_at(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x20)
      quoted += escaped(first);
    else if (first == '"' || first == '\\')
      quoted += {'\\', text.front()};
    else
      quoted += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return quoted + "\"";
}

NoteBook& the_notes() {
  static NoteBook* const made = new NoteBook;
  return *made;
}

std::string NoteBook::current_place() const {
  // The hook that tells the place may come here again, on the same thread.
  thread_local bool is_asking = false;
  const vramlab_dry_run_place place = place_.load();
  if (place == nullptr || is_asking) return {};
  is_asking = true;
  std::array<char, 1024> text{};
  const bool is_known = place(text.data(), text.size()) != 0;
  is_asking = false;
  text.back() = '\0';
  return is_known ? text.data() : "";
}

/// A program asks a library at the same places in each of its steps, and Python looks long for
/// them.
bool NoteBook::wants_place(std::string_view kind, std::string_view subject) {
  if (kind != "modelled" && kind != "beside_peak") return true;
  const std::lock_guard guard(lock_);
  const auto found = notes_.find({std::string(kind), std::string(subject)});
  return found == notes_.end() || found->second.count < most_asked_places;
}

void NoteBook::add(std::string_view kind, std::string_view subject) {
  // Asked before anything is locked: the answer may take the interpreter's lock.
  const std::string place = wants_place(kind, subject) ? current_place() : "";
  const std::lock_guard guard(lock_);
  Note& note = notes_[{std::string(kind), std::string(subject)}];
  ++note.count;
  if (place.empty()) return;
  note.last_place = place;
  if (const auto found = note.places.find(place); found != note.places.end())
    ++found->second;
  else if (note.places.size() < most_places)
    note.places.emplace(place, 1);
}

void NoteBook::begin_anew() {
  // Only this thread survived the fork, and another one may have held the lock.
  new (&lock_) std::mutex;
  notes_.clear();
}

bool NoteBook::has_kind(std::string_view kind) {
  const std::lock_guard guard(lock_);
  const auto found = notes_.lower_bound({std::string(kind), ""});
  return found != notes_.end() && found->first.first == kind;
}

std::string NoteBook::text() {
  const std::lock_guard guard(lock_);
  std::string text;
  for (const auto& [name, note] : notes_) {
    text += text.empty() ? "" : ",\n  ";
    text += "{\"kind\": " + json_text(name.first) + ", \"subject\": " + json_text(name.second) +
            ", \"count\": " + std::to_string(note.count) +
            ", \"last_place\": " + json_text(note.last_place) + ", \"places\": [" +
            places_text(note) + "]}";
  }
  return "[" + text + "]";
}

}  // namespace vramlab::dry_run

#define NOTES_EXPORT extern "C" __attribute__((visibility("default")))

NOTES_EXPORT void vramlab_dry_run_note(const char* kind, const char* subject) {
  vramlab::dry_run::the_notes().add(kind, subject);
}
extern "C" {
__attribute__((visibility("default"))) char vramlab_dry_run_linked_runtimes[4096] = {};
}
NOTES_EXPORT void vramlab_dry_run_set_place(vramlab_dry_run_place place) {
  vramlab::dry_run::the_notes().set_place(place);
}

namespace vramlab::dry_run {
namespace {

std::atomic<vramlab_dry_run_values> own_values;
constinit thread_local struct VramlabDryRunAnswers answers{};

bool fill_with_answer(void* at, std::uint64_t bytes) {
  const bool is_number = bytes <= sizeof answers.numbers[0] && std::has_single_bit(bytes);
  if (answers.left == 0 || !is_number || bytes < answers.fewest_bytes) return false;
  std::memcpy(at, &answers.numbers[vramlab_dry_run_most_answers - answers.left--], bytes);
  return true;
}

}  // namespace

bool fill_with_own_values(void* at, std::uint64_t bytes, std::uint64_t from) {
  if (fill_with_answer(at, bytes)) return true;
  constexpr int as_on_a_gpu = 2;
  const vramlab_dry_run_values ask = own_values.load(std::memory_order_acquire);
  return ask != nullptr && ask(at, bytes, from) == as_on_a_gpu;
}

}  // namespace vramlab::dry_run

extern "C" __attribute__((visibility("default"))) void vramlab_dry_run_set_values(
    vramlab_dry_run_values values) {
  vramlab::dry_run::own_values.store(values, std::memory_order_release);
}

NOTES_EXPORT struct VramlabDryRunAnswers* vramlab_dry_run_own_answers() {
  return &vramlab::dry_run::answers;
}
