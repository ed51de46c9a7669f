#include "streams/stream_model/work_engine.h"

#include <algorithm>
#include <functional>

#include "allocator/types/check.h"

namespace vramlab::streams {

WorkEngine::WorkEngine(WorkListener& listener, Begins begins)
    : listener_(listener), begins_(begins) {}

PlaceIndex WorkEngine::add_places(std::uint32_t count) {
  check(count > 0, "limited places are some");
  places_.push_back({count, {}});
  return {static_cast<std::uint32_t>(places_.size() - 1)};
}

WorkRef WorkEngine::add(const NewWork& work) {
  check(work.arrival >= now_, "work does not arrive in the past");
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {.number = ++last_number_,
                  .tag = work.tag,
                  .at = work.arrival,
                  .duration = work.duration,
                  // One for submit().
                  .awaited = 1,
                  .place = work.place,
                  .priority = work.priority};
  return {last_number_, slot};
}

void WorkEngine::link(std::uint32_t& first, WorkRef work) {
  if (free_link_ == no_link) {
    free_link_ = static_cast<std::uint32_t>(links_.size());
    links_.emplace_back();
  }
  const std::uint32_t taken = free_link_;
  free_link_ = links_[taken].next;
  links_[taken] = {work, first};
  first = taken;
  ++slots_[work.slot].awaited;
}

void WorkEngine::follow(WorkRef work, WorkRef before) {
  if (is_pending(before)) link(slots_[before.slot].followers, work);
}

void WorkEngine::follow_begin(WorkRef work, WorkRef before) {
  check(begins_ == Begins::followed, "an engine whose begins are followed was asked for");
  if (is_pending(before) && slots_[before.slot].stage != Stage::running)
    link(slots_[before.slot].begin_followers, work);
}

void WorkEngine::let_go(WorkRef work) {
  if (--slots_[work.slot].awaited > 0) return;
  become_ready(work);
  if (!is_settling_ && (!ended_now_.empty() || waiting_count_ > 0)) settle();
}

/// The work waits only for its arrival and a place any more.
void WorkEngine::become_ready(WorkRef work) {
  Slot& slot = slots_[work.slot];
  const bool is_limited = slot.place.value != any_place.value;
  if (slot.at > now_) {
    if (is_limited || begins_ == Begins::followed) {
      slot.stage = Stage::arriving;
      push({slot.at, work.slot});
    } else {
      // No other work can come between: the arrival needs no instant of its own.
      slot.stage = Stage::running;
      push({slot.at + slot.duration, work.slot});
    }
  } else if (is_limited) {
    slot.stage = Stage::ready;
    std::vector<Waiting>& waiting = places_[slot.place.value].waiting;
    waiting.push_back({slot.priority, work.slot, now_, work.number});
    std::ranges::push_heap(waiting, std::greater<>());
    ++waiting_count_;
  } else {
    begin(work);
  }
}

void WorkEngine::begin(WorkRef work) {
  Slot& slot = slots_[work.slot];
  slot.stage = Stage::running;
  slot.at = now_;
  release_followers(slot.begin_followers);
  // When followers began, slots may have moved: none was added, so they did not.
  slot.begin_followers = no_link;
  if (slot.duration.ns == 0)
    end_now(work);
  else
    push({now_ + slot.duration, work.slot});
}

void WorkEngine::end(WorkRef work) {
  Slot& slot = slots_[work.slot];
  if (slot.place.value != any_place.value) ++places_[slot.place.value].free;
  const EndedWork ended{work, slot.tag, slot.at, now_};
  const std::uint32_t followers = slot.followers;
  slot.number = 0;
  free_slots_.push_back(work.slot);
  listener_.work_ended(ended);
  release_followers(followers);
}

void WorkEngine::release_followers(std::uint32_t first) {
  while (first != no_link) {
    Link& link = links_[first];
    const WorkRef work = link.work;
    const std::uint32_t next = link.next;
    link.next = free_link_;
    free_link_ = first;
    first = next;
    if (--slots_[work.slot].awaited == 0) become_ready(work);
  }
}

/// Goes on until nothing is left to be done at this instant.
void WorkEngine::settle() {
  is_settling_ = true;
  do {
    // More work may be added while this is seen to.
    while (!ended_now_.empty() && !is_stopped_) {
      std::ranges::pop_heap(ended_now_, std::greater<>(), &WorkRef::number);
      const WorkRef first = ended_now_.back();
      ended_now_.pop_back();
      end(first);
    }
  } while (!is_stopped_ && waiting_count_ > 0 && grant_places());
  is_settling_ = false;
}

void WorkEngine::end_now(WorkRef work) {
  ended_now_.push_back(work);
  std::ranges::push_heap(ended_now_, std::greater<>(), &WorkRef::number);
}

/// Gives places to work that waits already: work that begins to wait because other work begins
/// comes in the next round, whichever kind of place it needs. False where no place was given.
bool WorkEngine::grant_places() {
  for (Places& places : places_) {
    while (places.free > 0 && !places.waiting.empty()) {
      std::ranges::pop_heap(places.waiting, std::greater<>());
      const WorkRef work{places.waiting.back().number, places.waiting.back().slot};
      places.waiting.pop_back();
      --places.free;
      --waiting_count_;
      granted_.push_back(work);
    }
  }
  const bool is_granted = !granted_.empty();
  for (const WorkRef work : granted_) begin(work);
  granted_.clear();
  return is_granted;
}

void WorkEngine::push(Moment moment) {
  moments_.push_back(moment);
  std::ranges::push_heap(moments_, std::greater<>());
}

/// Goes to the next instant at which something ends or arrives.
void WorkEngine::pass_instant() {
  now_ = moments_.front().at;
  is_settling_ = true;
  while (!moments_.empty() && moments_.front().at == now_) {
    std::ranges::pop_heap(moments_, std::greater<>());
    const std::uint32_t slot = moments_.back().slot;
    const WorkRef work{slots_[slot].number, slot};
    moments_.pop_back();
    if (slots_[slot].stage == Stage::running)
      end_now(work);
    else
      become_ready(work);
  }
  settle();
}

void WorkEngine::advance(Time to) {
  check(to >= now_, "time does not go back");
  while (!is_stopped_ && !moments_.empty() && moments_.front().at <= to) pass_instant();
  now_ = to;
}

bool WorkEngine::run_until_ended(WorkRef work) {
  while (!has_ended(work) && !is_stopped_ && !moments_.empty()) pass_instant();
  return has_ended(work);
}

void WorkEngine::run() {
  while (!is_stopped_ && !moments_.empty()) pass_instant();
}

void WorkEngine::stop() {
  is_stopped_ = true;
  moments_.clear();
  ended_now_.clear();
  for (Places& places : places_) places.waiting.clear();
  waiting_count_ = 0;
}

}  // namespace vramlab::streams
