// QueuedProgram: a hazard program as the queues that its streams are, for the interleavings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/support/cases/hazard_program.h"

namespace vramlab::tests {

/// An item on a stream: work, a mark, or an onlooker. Nobody waits for an onlooker; it only shows
/// which work may still run when it could.
struct QueuedItem {
  enum class Nature : std::uint8_t { work, mark, onlooker };
  Nature nature = Nature::mark;
  /// The call that puts it there.
  std::size_t step = 0;
  std::vector<std::size_t> after{};
  /// It runs once any of these flags was written.
  std::optional<std::uint64_t> awaited_flag{};
  std::optional<std::uint64_t> written_flag{};
  const HazardStep* source = nullptr;
};

/// The program laid out as queues.
class QueuedProgram {
 public:
  explicit QueuedProgram(const HazardProgram& program);

  const std::vector<QueuedItem>& items() const { return items_; }
  /// Items that must be done before the call returns.
  const std::vector<std::size_t>& waits_of_call(std::size_t step) const {
    return call_waits_[step];
  }
  /// The work that a step put on streams.
  const std::vector<std::size_t>& work_of(std::size_t step) const { return work_of_[step]; }
  /// Onlookers of a free: it is complete. Onlookers of an allocation: the thread has it, and work
  /// of its stream has it.
  const std::vector<std::size_t>& onlookers_of(std::size_t step) const { return onlookers_[step]; }

 private:
  struct Queue {
    streams::StreamAt name;
    bool is_blocking = true;
    std::vector<std::size_t> items;
  };

  Queue& queue(streams::StreamAt stream);
  std::vector<std::size_t> before_next(streams::StreamAt stream);
  std::size_t add(const QueuedItem& item);
  std::size_t put(std::size_t step, streams::StreamAt stream, QueuedItem::Nature nature);
  void look_on(std::size_t step, const std::vector<std::size_t>& after);

  void lay_out(std::size_t at);
  void lay_out_work(std::size_t at);
  void lay_out_wait(std::size_t at);
  void lay_out_hand_out(std::size_t at);
  void lay_out_use(std::size_t at);
  void lay_out_free(std::size_t at);
  void lay_out_waiting_call(std::size_t at);
  void lay_out_launch(std::size_t at);

  const HazardProgram& program_;
  std::vector<QueuedItem> items_;
  std::vector<std::vector<std::size_t>> call_waits_;
  std::vector<std::vector<std::size_t>> onlookers_;
  std::vector<std::vector<std::size_t>> work_of_;
  std::vector<Queue> queues_;
  std::map<streams::StreamAt, std::size_t> open_;
  std::map<streams::StreamAt, bool> is_blocking_;
  std::map<std::uint64_t, std::size_t> records_;
  std::map<std::uint64_t, streams::StreamAt> homes_;
  std::map<std::uint64_t, std::vector<streams::StreamAt>> uses_;
  std::map<std::uint64_t, std::size_t> launch_ends_;
};

}  // namespace vramlab::tests
