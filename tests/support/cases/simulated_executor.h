// SimulatedExecutor: the simulator as an executor of stream programs. With another model it stands
// for another device: latencies and limits change the times of events, and never an order that must
// hold.
#pragma once

#include "tests/support/cases/device_answers.h"

namespace vramlab::tests {

class SimulatedExecutor : public DeviceExecutor {
 public:
  explicit SimulatedExecutor(const streams::StreamModel& model = {}) : model_(model) {}

  DeviceAnswers run(const StreamProgram& program) override;

 private:
  streams::StreamModel model_;
};

}  // namespace vramlab::tests
