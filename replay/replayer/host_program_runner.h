// HostProgramRunner: one program of calls for pinned memory, run step by step on an allocator over
// a simulated host. What a call raises is an answer; the run goes on.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "replay/replayer/host_subject.h"
#include "streams/device/simulated_host.h"
#include "traces/cases/host_case.h"

namespace vramlab::replay {

class HostProgramRunner {
 public:
  /// The program must outlive the run.
  HostProgramRunner(const traces::HostProgram& program, const HostSubjectFactory& make_subject);

  /// Makes calls until that many were made.
  void run_until(std::size_t call_count);
  const HostSubject& subject() const { return *subject_; }
  const streams::SimulatedHost& host() const { return host_; }
  /// Without what is read at the end.
  const traces::HostAnswers& answers() const { return answers_; }
  traces::HostAnswers finish() const;

 private:
  void step(const traces::HostCall& call);
  void apply(const traces::HostCall& call);
  void apply_to_host(const traces::HostCall& call);
  void request(const traces::HostCall& call);
  void free(const traces::HostCall& call);
  void use(const traces::HostCall& call);
  void set_options(const traces::HostCall& call);
  StreamFilter filter_of(const traces::HostCall& call) const;
  HostStack stack() const { return {calls_made_}; }

  const traces::HostProgram& program_;
  streams::SimulatedHost host_;
  std::unique_ptr<HostSubject> subject_;
  /// The addresses that ids hold.
  std::map<std::uint64_t, Address> addresses_;
  StreamId current_stream_;
  std::size_t calls_made_ = 0;
  traces::HostAnswers answers_;
};

}  // namespace vramlab::replay
