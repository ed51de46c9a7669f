// A program that ends, is ended, and waits in every way, with device memory in its hands: how is
// its first argument.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "streams/cuda_interface/prototypes.h"

namespace {

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::printf("%s: %d\n", what, static_cast<int>(result));
  std::_Exit(99);
}

CUcontext use_device() {
  CUcontext context = nullptr;
  must(cuInit(0), "cuInit");
  must(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  return context;
}

CUdeviceptr allocated() {
  CUdeviceptr at = 0;
  must(cuMemAlloc_v2(&at, 4096), "cuMemAlloc");
  return at;
}

void say(const char* text) {
  std::printf("%s\n", text);
  std::fflush(stdout);
}

bool is_there(const std::string& file) { return access(file.c_str(), F_OK) == 0; }

/// Makes no call of the driver.
void wait_for_file(const std::string& file) {
  for (int round = 0; !is_there(file) && round < 60000; ++round) usleep(1000);
  say(is_there(file) ? "reported while it waited" : "no report");
}

std::string statistics_file() { return std::getenv("VRAMLAB_STATS"); }

void handle_with_facts(int signal, siginfo_t* about, void* /*where*/) {
  std::printf("own handler: signal %d of this process: %d\n", signal,
              about->si_pid == getpid() ? 1 : 0);
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = handler;
  sigaction(signal, &action, nullptr);
}

/// Cleans up, then ends as if there were no handler.
void end_after_all(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int say_child(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: status %d, signal %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
              WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}

/// Only the thread that allocates takes the signal.
int terminated_in_storm(CUcontext context) {
  std::thread storm([&] {
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    for (;;) must(cuMemFree_v2(allocated()), "cuMemFree");
  });
  usleep(20000);
  pthread_kill(storm.native_handle(), SIGTERM);
  storm.join();
  return 0;
}

int forked_and_terminated() {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    return 0;
  }
  usleep(20000);
  kill(child, SIGTERM);
  return say_child(child);
}

int vforked() {
  const pid_t child = vfork();
  if (child == 0) _exit(3);
  return say_child(child);
}

CUresult begin_capture(CUstream stream, const std::string& way) {
  constexpr CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (way != "open_capture_to_graph") return cuStreamBeginCapture_v2(stream, mode);
  CUgraph graph = nullptr;
  must(cuStreamBeginCapture_v2(stream, mode), "cuStreamBeginCapture");
  must(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
  return cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, mode);
}

/// The program ends in the middle of a capture, with memory that waits for its end.
int left_a_capture_open(const std::string& way) {
  CUstream stream = nullptr;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  const CUdeviceptr at = allocated();
  must(begin_capture(stream, way), "cuStreamBeginCapture");
  must(cuMemFree_v2(at), "cuMemFree");
  return 5;
}

int ran_another_program(const char* self) {
  const int status = std::system((std::string(self) + " exit").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
}

/// The signal of a way such as `ignores_int`; 0 where it is none of those.
int signal_of(const std::string& way, const std::string& what) {
  for (const auto& [name, signal] :
       {std::pair("_term", SIGTERM), std::pair("_int", SIGINT), std::pair("_hup", SIGHUP)})
    if (way == what + name) return signal;
  return 0;
}

int went_on_after(int signal) {
  raise(signal);
  say(is_there(statistics_file()) ? "went on, reported" : "went on");
  return 6;
}

int crash() {
  *static_cast<volatile int*>(nullptr) = 1;
  return 0;
}

int end_somehow(const std::string& way) {
  if (way == "exit") return 5;
  if (way == "_exit") _exit(5);
  if (way == "_Exit") std::_Exit(5);
  if (way == "quick_exit") std::quick_exit(5);
  if (way == "crash") return crash();
  if (way == "reset") {
    must(cuDevicePrimaryCtxReset_v2(0), "cuDevicePrimaryCtxReset");
    return 5;
  }
  for (const auto& [name, signal] :
       {std::pair("term", SIGTERM), std::pair("int", SIGINT), std::pair("hup", SIGHUP),
        std::pair("kill", SIGKILL), std::pair("abort", SIGABRT)})
    if (way == name) raise(signal);
  if (way == "pause") {
    say("ready");
    pause();
    // A signal that ends the program does not let it go on.
    return 77;
  }
  return 98;
}

}  // namespace

int main(int count, char** words) {
  const std::string way = count > 1 ? words[1] : "";
  if (way == "chdir" && chdir("/") != 0) return 97;
  const int handled = signal_of(way, "handles");
  const int ignored = signal_of(way, "ignores");
  if (handled != 0) install(handled, handle_with_facts);
  if (ignored != 0) std::signal(ignored, SIG_IGN);
  if (way == "own_report_handler") install(SIGUSR2, handle_with_facts);
  if (way == "own_end") std::signal(SIGTERM, end_after_all);
  const CUcontext context = use_device();
  if (way == "only_queries") return 0;
  if (way == "later_chdir" && chdir("/") != 0) return 97;
  allocated();
  if (way == "chdir" || way == "later_chdir") return 0;
  if (way == "later_handler") install(SIGTERM, handle_with_facts);
  if (way == "own_end" || way == "later_handler") return went_on_after(SIGTERM);
  if (handled != 0 || ignored != 0) return went_on_after(handled + ignored);
  if (way == "waits" || way == "own_report_handler") {
    raise(SIGUSR2);
    wait_for_file(statistics_file());
    return 0;
  }
  if (way.starts_with("open_capture")) return left_a_capture_open(way);
  if (way == "other_program") return ran_another_program(words[0]);
  if (way == "storm") return terminated_in_storm(context);
  if (way == "fork_term") return forked_and_terminated();
  if (way == "vfork") return vforked();
  if (way == "exec") execl("/proc/self/exe", words[0], "exit", nullptr);
  return end_somehow(way);
}
