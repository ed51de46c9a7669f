// `vramlab dry-run` with programs that have a runtime linked in. It has the names of CUDA's own,
// and asks for the driver's tables as that does, so each of its functions fails unless a stand-in
// takes its place.
#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

constexpr const char* begin_of_linked_runtime = R"(
#include <dlfcn.h>
#pragma GCC visibility push(hidden)
__attribute__((noinline)) int needs_tables(void) {
  int (*ask)(const void**, const void*) = (int (*)(const void**, const void*))
      dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetExportTable");
  const void* table = 0;
  return ask(&table, "");
}
#define LINKED(name) int name(void) { return needs_tables(); }
)";

/// Functions of the program's own are named like those of the runtime.
constexpr const char* linked_program_text = R"(
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define EXPORT __attribute__((visibility("default")))
#pragma GCC visibility push(hidden)
int cudaRuntimeGetVersion(int*);
int cudaMalloc(void**, unsigned long);
int cudaFuture(int);
__attribute__((noinline)) int cudaHelper(int x) { return x + 1; }
static int early = -1, early_version;
__attribute__((constructor)) static void begin(void) {
  early = cudaRuntimeGetVersion(&early_version);
}
// Others may call it, so it may stand in for the runtime on purpose.
EXPORT int cudaFree(void* at) { return at == 0 ? 43 : 44; }
EXPORT int use(const char* who) {
  int version = 0;
  void* at = 0;
  const int answers[] = {cudaRuntimeGetVersion(&version), cudaMalloc(&at, 64 << 20)};
  printf("%s: constructor %d %d, version %d %d, malloc %d, own %d %d\n", who, early, early_version,
         answers[0], version / 1000, answers[1], cudaHelper(1), cudaFree(at));
  return fflush(stdout);
}
int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  void* at = 0;
  if (strcmp(how, "future") == 0 && cudaMalloc(&at, 1) == 0)
    return printf("future %d\n", cudaFuture(1)) < 0;
  if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(use("child"));
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }
  if (strcmp(how, "exec") == 0) return execl(words[0], words[0], "", (char*)0);
  return use("program");
}
)";

/// Loads a library in which a runtime is linked, without one of its own.
constexpr const char* linked_loader_text = R"(
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
  void* library = 0;
  for (int again = 0; again < 2; ++again) {
    if (library) dlclose(library);
    library = dlopen(words[count - 1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!library) return puts(dlerror()) * 0 + 3;
    if (((int (*)(const char*))dlsym(library, "use"))("library")) return 4;
  }
  return 0;
}
)";

class DryRunLinked : public DryRunTest {
 protected:
  /// Writes linked.c, program.c and loader.c, and compiles what the commands say.
  void build(const std::string& version, const std::string& commands) {
    std::string runtime = begin_of_linked_runtime;
    std::ifstream names(support::source_dir() + "/tools/cuda_standins/runtime/cudart_" +
                        (version == "11" ? "12" : version) + ".txt");
    int count = 0;
    for (std::string name; std::getline(names, name);) {
      if (name.empty() || name.front() == '#') continue;
      if (name == "cudaFree") continue;
      if (version == "11" && name == "cudaGetDeviceProperties_v2") continue;
      if (count++ == 100)
        runtime += "int cudaFuture(int x) { return needs_tables() + (x << needs_tables()); }\n";
      runtime += "LINKED(" + name + ")\n";
    }
    write("linked.c", runtime);
    write("program.c", linked_program_text);
    write("loader.c", linked_loader_text);
    const ProgramResult built =
        run_program({"/bin/sh", "-ec",
                     "cd '" + folder + "'; cc -w -O1 -fPIC -c linked.c program.c; " + commands});
    ASSERT_EQ(built.exit_status, 0) << built.errors;
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(in_folder(name)) << text;
  }

  void build_program(const std::string& version, const std::string& options = "") {
    build(version, "cc -Wl,-E " + options + " program.o linked.o -o program -ldl");
  }
  void build_library(const std::string& options = "") {
    build("12", "cc -shared " + options +
                    " program.o linked.o -o library.so -ldl; cc loader.c -o loader -ldl");
  }
};

constexpr const char* runs_on_12 = ": constructor 0 12090, version 0 12, malloc 0, own 2 44\n";

TEST_F(DryRunLinked, functions_are_those_of_the_stand_in) {
  build_program("12");
  const ProgramResult result = dry_run({}, {in_folder("program")});
  EXPECT_EQ(result.output, std::string("program") + runs_on_12);
  EXPECT_THAT(result.errors, HasSubstr("peak of what the driver was asked for 64.00 MiB"));
  EXPECT_THAT(result.errors, Not(HasSubstr("not modelled")));
}

TEST_F(DryRunLinked, runtime_of_version_13_is_told_from_one_of_12) {
  build_program("13");
  EXPECT_EQ(dry_run({}, {in_folder("program")}).output,
            "program: constructor 0 13000, version 0 13, malloc 0, own 2 44\n");
}

TEST_F(DryRunLinked, program_with_a_fixed_place_runs_too) {
  build_program("12", "-no-pie");
  EXPECT_EQ(dry_run({}, {in_folder("program")}).output, std::string("program") + runs_on_12);
}

TEST_F(DryRunLinked, children_run_too) {
  build_program("12");
  EXPECT_EQ(dry_run({}, {in_folder("program"), "fork"}).output, std::string("child") + runs_on_12);
  EXPECT_EQ(dry_run({}, {in_folder("program"), "exec"}).output,
            std::string("program") + runs_on_12);
}

TEST_F(DryRunLinked, library_that_is_loaded_later_and_again_runs_too) {
  build_library();
  const std::string line = std::string("library") + runs_on_12;
  EXPECT_EQ(dry_run({}, {in_folder("loader"), in_folder("library.so")}).output, line + line);
}

TEST_F(DryRunLinked, function_that_no_stand_in_has_is_refused_and_named) {
  build_program("12");
  const ProgramResult result = dry_run({}, {in_folder("program"), "future"});
  EXPECT_EQ(result.output, "future 801\n");
  EXPECT_THAT(result.errors, HasSubstr("libcudart.so.12 cudaFuture"));
}

TEST_F(DryRunLinked, stripped_runtime_is_named) {
  build_program("12", "-s");
  const ProgramResult result = dry_run({}, {in_folder("program")});
  EXPECT_THAT(result.output, HasSubstr("malloc 500"));
  EXPECT_THAT(result.errors, HasSubstr("program (it does not name its functions: keep its symbols, "
                                       "or link with -cudart shared)"));
  build_library("-s");
  EXPECT_THAT(dry_run({}, {in_folder("loader"), in_folder("library.so")}).errors,
              HasSubstr("library.so (it does not name its functions"));
}

TEST_F(DryRunLinked, runtime_of_an_older_version_is_named) {
  build_program("11");
  EXPECT_THAT(dry_run({}, {in_folder("program")}).errors,
              HasSubstr("program (it is of version 11, which has no stand-in)"));
}

TEST_F(DryRunLinked, library_that_the_program_needs_from_its_start_runs_too) {
  build("12",
        "cc -shared -Wl,-Bsymbolic program.o linked.o -o libneeded.so -ldl; "
        "echo 'int use(const char*); int main() { return use(\"needed\"); }' > main.c; "
        "cc -w main.c -o main -L. -lneeded -Wl,-rpath,\"$PWD\"");
  EXPECT_EQ(dry_run({}, {in_folder("main")}).output, std::string("needed") + runs_on_12);
}

// A filter of system calls refuses to make code that can be written, as hardened systems do.
TEST_F(DryRunLinked, memory_that_cannot_be_changed_is_told) {
  build_library();
  write("confined.c", R"(
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char** words) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 7, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    return 77;
  return execv(words[1], words + 1);
}
)");
  const ProgramResult built = run_program(
      {"/usr/bin/env", "cc", "-w", in_folder("confined.c"), "-o", in_folder("confined")});
  ASSERT_EQ(built.exit_status, 0) << built.errors;
  const ProgramResult result =
      dry_run({}, {in_folder("confined"), in_folder("loader"), in_folder("library.so")});
  if (result.exit_status == 77) GTEST_SKIP() << "this system has no filters of system calls";
  EXPECT_THAT(result.output, HasSubstr("malloc 500"));
  EXPECT_THAT(result.errors, HasSubstr("library.so (files that are loaded later are not seen: its "
                                       "code cannot be changed: Permission denied)"));
}

}  // namespace
}  // namespace vramlab::tests
