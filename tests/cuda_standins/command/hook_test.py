#!/usr/bin/env python3
"""The start-up hook for Python (build/dry_run/python), with a fake PyTorch: each test runs programs
in interpreters of their own, as `vramlab dry-run` would start them.

Usage: python3 -B tests/cuda_standins/command/hook_test.py
"""

import ctypes
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
# As it is built: its parts come from several folders.
HOOK = os.environ.get("VRAMLAB_HOOK") or os.path.abspath(os.path.join(HERE, "../../../build/dry_run/python"))
BEGIN = "import torch, os, sys\nfrom torch import _C\n"
UP = BEGIN + "torch.cuda.init()\n_C.allocate(1024)\n"


class HookTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.notes = os.path.join(self.folder.name, "notes")
        self.work = os.path.join(self.folder.name, "work")
        os.mkdir(self.notes)
        os.mkdir(self.work)

    def tearDown(self):
        self.folder.cleanup()

    def environment(self, **more):
        paths = [HOOK, self.work, os.path.join(HERE, "fake_torch")]
        return {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONDONTWRITEBYTECODE": "1", "VRAMLAB_DRY_RUN": "1",
                "VRAMLAB_DRY_RUN_NOTES": self.notes, "VRAMLAB_DRY_RUN_SEGMENTS": "upwards",
                "VRAMLAB_DRY_RUN_HISTORY": os.path.join(self.notes, "history.%p.pickle"), **more}

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def run_program(self, text, *options, status=0, **more):
        program = self.write("program.py", text)
        result = subprocess.run([sys.executable, *options, program], text=True, cwd=self.work,
                                env=self.environment(**more), capture_output=True, check=False,
                                timeout=60)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def remove_reports(self):
        for name in os.listdir(self.notes):
            os.remove(os.path.join(self.notes, name))

    def reports(self):
        found = []
        for name in sorted(os.listdir(self.notes)):
            if name.startswith("python."):
                with open(os.path.join(self.notes, name), encoding="utf-8") as file:
                    found.append(json.load(file))
        return found

    def report(self):
        reports = self.reports()
        self.assertEqual(len(reports), 1)
        self.assertEqual(self.troubles(reports[0]), [])
        return reports[0]

    def troubles(self, report):
        # There is no stand-in driver here, which would be told where the program is.
        return [text for text in report["troubles"] if "libcuda.so.1" not in text]

    def sizes(self, report):
        with open(report["history"], "rb") as file:
            return [entry["size"] for entry in pickle.load(file)["device_traces"][0]]


class Recording(HookTest):
    def test_history_is_dumped_at_the_end(self):
        self.run_program(UP)
        report = self.report()
        self.assertEqual(self.sizes(report), [1024])
        self.assertEqual(report["torch"], "2.6.0+fake")
        self.assertTrue(report["cuda_came_up"])

    def test_everything_is_recorded(self):
        result = self.run_program(UP + "print(_C.recording)")
        self.assertIn("'enabled': 'all', 'context': 'all'", result.stdout)
        self.assertIn("'max_entries': %d" % sys.maxsize, result.stdout)

    def test_frees_have_no_stacks_where_these_lose_exceptions(self):
        result = self.run_program(UP + "print(_C.recording)", FAKE_TORCH_VERSION="2.11.0+fake")
        self.assertIn("'enabled': 'all', 'context': 'alloc'", result.stdout)

    def test_nothing_has_a_stack_where_nobody_keeps_the_history(self):
        result = self.run_program(UP + "print(_C.recording)", VRAMLAB_DRY_RUN_STACKS="none")
        self.assertIn("'enabled': 'all', 'context': None", result.stdout)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_the_compiler_is_not_imported_for_a_snapshot(self):
        result = self.run_program(UP + "_C.run_out_of_memory(4096)\nprint('_inductor' in vars(torch))")
        self.assertEqual(result.stdout, "False\n")
        self.assertIn(1024, self.sizes(self.report()))

    def test_the_collector_counts_from_nothing_once_cuda_is_up(self):
        result = self.run_program(BEGIN + "import gc\nheld = [[i] for i in range(5000)]\n"
                                  "before = gc.get_count()\ntorch.cuda.init()\nafter = gc.get_count()\n"
                                  "print(before[1] > 0, after[1:])")
        self.assertEqual(result.stdout, "True (0, 0)\n")

    def test_a_collector_that_the_program_switched_off_stays_so(self):
        result = self.run_program(BEGIN + "import gc\ngc.disable()\nheld = [[i] for i in range(5000)]\n"
                                  "torch.cuda.init()\nprint(gc.get_count()[0] >= 5000, gc.isenabled())")
        self.assertEqual(result.stdout, "True False\n")

    def test_a_compiler_that_is_there_is_asked_for_lines(self):
        result = self.run_program(UP + "torch._inductor")
        self.assertEqual(result.stdout.splitlines(), ["the compiler is imported", "the compiler is asked"])

    def test_what_the_program_does_in_its_own_atexit_is_recorded(self):
        self.run_program(BEGIN + "import atexit\natexit.register(lambda: _C.allocate(7))\n"
                         "torch.cuda.init()")
        self.assertEqual(self.sizes(self.report()), [7])

    def test_program_without_cuda_leaves_no_history(self):
        self.run_program(BEGIN)
        self.assertFalse(self.report()["cuda_came_up"])
        self.assertNotIn("history", self.report())

    def test_program_without_torch_leaves_nothing(self):
        self.run_program("print('hello')")
        self.assertEqual(os.listdir(self.notes), [])

    def test_torch_without_cuda_is_told(self):
        self.run_program(BEGIN, FAKE_TORCH_WITHOUT_CUDA="1")
        self.assertFalse(self.report()["has_cuda"])

    def test_gpus_are_not_asked_about_before_cuda_is_up(self):
        """PyTorch refuses CUDA to the forks of a process that has asked."""
        told = self.run_program("import torch\nprint(torch._C.calls)\ntorch.cuda.init()\n"
                                "print('_cuda_getArchFlags' in torch._C.calls)\n", FAKE_TORCH_CODE="sm_90")
        self.assertEqual(told.stdout, "[]\nTrue\n")

    def test_outside_of_a_dry_run_nothing_happens(self):
        self.run_program(UP, VRAMLAB_DRY_RUN="")
        self.assertEqual(os.listdir(self.notes), [])

    def test_output_knows_process_and_variables(self):
        self.run_program(UP, VRAMLAB_DRY_RUN_OUTPUT="/x/%q{RANK}-%p-%%-%h-%x.pickle", RANK="3")
        report = self.report()
        self.assertEqual(report["output"], "/x/3-%d-%%-%s-%%x.pickle"
                         % (report["pid"], os.uname().nodename))
        self.assertEqual(report["rank"], "3")

    def test_no_files_are_left_in_the_working_folder(self):
        self.run_program(UP)
        self.assertEqual(os.listdir(self.work), ["program.py"])


class Unrecorded(HookTest):
    """Calls that leave no entry in the history."""

    EMPTY = "_C._cuda_emptyCache()\n"
    OPTIONS = "_C._cuda_cudaCachingAllocator_set_allocator_settings(%r)\n"

    def noted(self, program, **more):
        self.remove_reports()
        self.run_program(program, **more)
        with open(self.report()["history"], "rb") as file:
            return pickle.load(file)["vramlab_dry_run"]

    def calls(self, program, **more):
        return [(call["call"], call["before"]) for call in self.noted(program, **more)["calls"]]

    def test_version_is_noted_and_that_there_was_no_call(self):
        self.assertEqual(self.noted(UP), {"format": 1, "torch": "2.6.0+fake", "calls": []})

    def test_architectures_with_kernels_are_noted(self):
        self.assertEqual(self.noted(UP, FAKE_TORCH_CODE="sm_90 sm_100")["kernel_code"], ["sm_90", "sm_100"])

    def test_first_works_are_noted_where_a_driver_places_segments(self):
        first = "from vramlab_dry_run.unrecorded import _note_first_work as first\n"
        noted = self.noted(UP + first + "first(0, 0)\n_C.allocate(1)\nfirst(0, 1)\n",
                           VRAMLAB_DRY_RUN_SEGMENTS="driver")
        self.assertEqual(noted["segments"], "driver")
        self.assertEqual(noted["first_work"], [{"device": 0, "before": 1, "work": "kernel"},
                                               {"device": 0, "before": 2, "work": "library"}])

    def test_emptied_cache_that_held_nothing_is_noted(self):
        self.assertEqual(self.calls(UP + self.EMPTY + self.EMPTY + "_C.allocate(1)\n" + self.EMPTY),
                         [("empty_cache", 1), ("empty_cache", 2)])

    def test_emptied_cache_that_released_something_is_not(self):
        self.assertEqual(self.calls(UP + "_C.cached.append(512)\n" + self.EMPTY + self.EMPTY),
                         [("empty_cache", 2)])

    def test_options_are_noted_with_those_at_the_start(self):
        notes = self.noted(BEGIN + self.OPTIONS % "a:1" + "torch.cuda.init()\n_C.allocate(1)\n"
                           + "try:\n    " + self.OPTIONS % "refused" + "except ValueError:\n    pass",
                           PYTORCH_CUDA_ALLOC_CONF="b:2")
        self.assertEqual(notes["options"], "b:2")
        self.assertEqual(notes["calls"],
                         [{"device": 0, "before": 0, "call": "options", "text": "a:1"},
                          {"device": 0, "before": 1, "call": "options", "text": "refused"}])

    def test_memory_fraction_is_noted_with_the_size_of_the_device(self):
        [call] = self.noted(UP + "_C._cuda_setMemoryFraction(0.5, 0)\n")["calls"]
        self.assertEqual(call, {"device": 0, "before": 1, "call": "memory_fraction",
                                "fraction": 0.5, "device_memory": 1 << 30})

    def test_memory_that_was_too_little_is_noted(self):
        limits = [{"device": 0, "bytes": (1 << 30) - (64 << 20)}]
        self.assertNotIn("memory_limits", self.noted(UP))
        for counter in ("retry", "oom"):
            short = UP + "_C.counters[%r] += 1\n" % counter
            self.assertEqual(self.noted(short)["memory_limits"], limits)
            reset = "_C._cuda_resetAccumulatedMemoryStats(0)\n"
            self.assertEqual(self.noted(short + reset)["memory_limits"], limits)
            self.assertNotIn("memory_limits", self.noted(short, VRAMLAB_DRY_RUN_SHARED="folder"))

    def test_pool_that_ends_is_noted_with_its_scopes(self):
        scope = ("from torch.cuda import memory\n%s = memory.MemPool()\n"
                 "memory._cuda_beginAllocateToPool(0, %s.id)\n_C.allocate(1)\n"
                 "memory._cuda_endAllocateCurrentStreamToPool(0, %s.id)\n")
        pool = scope.replace("%s", "pool")
        self.assertEqual(self.calls(UP + pool + "_C.allocate(1)\ndel pool\n"),
                         [("pool_begin", 1), ("pool_end", 2), ("pool_destroy", 3)])
        self.assertEqual(self.calls(UP + pool), [])

    def test_scope_in_a_capture_is_none_of_the_pool(self):
        scope = ("memory._cuda_beginAllocateToPool(0, pool.id)\n_C.allocate(1)\n_C.captures = False\n"
                 "memory._cuda_endAllocateCurrentStreamToPool(0, pool.id)\n")
        make = "from torch.cuda import memory\npool = memory.MemPool()\n"
        self.assertEqual(self.calls(UP + make + "_C.captures = True\n" + scope + scope + "del pool\n"),
                         [("pool_begin", 2), ("pool_end", 3), ("pool_destroy", 3)])

    def test_pool_that_lends_or_keeps_blocks_whole_is_noted_as_it_is_made(self):
        calls = self.noted(UP + "from torch.cuda import memory\none = memory.MemPool(None, True)\n"
                           "two = memory.MemPool(no_split=True)\nthree = memory.MemPool(use_on_oom=False)\n")["calls"]
        self.assertEqual(calls, [
            {"device": 0, "before": 1, "call": "pool_create", "pool": (0, 1), "use_on_oom": True},
            {"device": 0, "before": 1, "call": "pool_create", "pool": (0, 2), "no_split": True}])

    def test_counters_that_the_program_resets_go_on(self):
        self.assertEqual(self.calls(UP + self.EMPTY + "_C._cuda_resetAccumulatedMemoryStats(0)\n"
                                    "_C.allocate(1, 'free_requested')\n" + self.EMPTY),
                         [("empty_cache", 1), ("empty_cache", 2)])

    def test_places_are_counted_from_the_end_if_the_beginning_is_lost(self):
        calls = self.calls(UP + self.EMPTY + self.OPTIONS % "a:1" + "_C.allocate(1)\n" +
                           "_C.allocate(1)\n" + self.OPTIONS % "a:2" + "_C.allocate(1)\n"
                           "del _C.trace[:2]\n")
        self.assertEqual(calls, [("options", 0), ("options", 1)])

    def test_call_without_a_place_is_told(self):
        self.run_program(UP + "_C.allocate(1)\n_C.counters['alloc'] = 77\n" + self.EMPTY
                         + "_C.counters['alloc'] = 2\n")
        [report] = self.reports()
        self.assertIn("has no place in the history", self.troubles(report)[0])
        with open(report["history"], "rb") as file:
            self.assertNotIn("calls", pickle.load(file)["vramlab_dry_run"])


class Errors(HookTest):
    def test_exception_that_nobody_caught_is_told_with_its_place(self):
        self.run_program(UP + "def step():\n    return [][0]\n\nstep()", status=1)
        error = self.report()["error"]
        self.assertEqual(error["type"], "IndexError")
        self.assertRegex(error["place"], r"program\.py:\d+ step$")

    def test_frames_of_pytorch_say_nothing_of_the_program(self):
        self.run_program(UP + "torch.cuda.memory._record_memory_history(no_such_word=1)", status=1)
        self.assertRegex(self.report()["error"]["place"], r"program\.py:\d+ <module>$")

    def test_errors_that_no_value_leads_to(self):
        for error, may_come_from_values in (
                ("[][0]", True), ("None.shape", True), ("int([])", True), ("del unset", False),
                ("import no_such_module", False), ("sys.no_such_name", False), ("[].no_such_name", False),
                ("(lambda a: a)()", False), ("(lambda: 0)(b=1)", False), ("(lambda: 0)(1)", False),
                ("__import__('pickle').loads(b'x')", False),
                ("object.__init__([], 1)", False), ("raise RuntimeError('shapes differ')", True),
                ("raise RuntimeError(\"result type Float can't be cast to long int\")", False)):
            self.remove_reports()
            self.run_program(UP + error, status=1)
            self.assertEqual(self.report()["error"]["may_come_from_values"], may_come_from_values, error)

    def test_own_frames_are_not_shown(self):
        own = ("code = compile('def run(): raise ValueError(7)', vramlab_dry_run.__file__, 'exec')\n"
               "exec(code)\n"
               "def step():\n    try:\n        run()\n    except ValueError as error:\n"
               "        raise KeyError(8) from error\n"
               "step()")
        result = self.run_program(UP + "import vramlab_dry_run\n" + own, status=1)
        self.assertEqual(result.stderr.count("Traceback"), 2)
        self.assertEqual(result.stderr.count(", in step"), 2)
        self.assertIn("KeyError: 8", result.stderr)
        self.assertNotIn("vramlab_dry_run", result.stderr)

    def test_ends_that_are_no_errors_are_not_told(self):
        for end, status in (("", 0), ("sys.exit(3)", 3), ("raise KeyboardInterrupt", -signal.SIGINT),
                            ("try:\n    [][0]\nexcept IndexError:\n    pass", 0)):
            self.remove_reports()
            self.run_program(UP + end, status=status)
            self.assertNotIn("error", self.report(), end)


class Waiting(HookTest):
    LOOP = UP + ("from vramlab_dry_run import waiting\n"
                 "for turn in range(%d):\n"
                 "    waiting.note_read(('train.py', 7, 'wait'))\n%s")

    def test_program_that_reads_on_and_on_is_ended(self):
        result = self.run_program(self.LOOP % (20000, ""), status=1)
        self.assertIn("waits for a value", result.stderr)
        self.assertEqual(self.report()["waits_at"], "train.py:7 wait")

    def test_program_that_reads_less_goes_on(self):
        self.run_program(self.LOOP % (9999, ""))
        self.assertNotIn("waits_at", self.report())

    def test_program_that_asks_for_memory_meanwhile_goes_on(self):
        self.run_program(self.LOOP % (20000, "    if turn % 3000 == 0:\n        _C.allocate(1)\n"))
        self.assertNotIn("waits_at", self.report())


class Endings(HookTest):
    def test_sys_exit_keeps_its_status(self):
        self.run_program(UP + "sys.exit(3)", status=3)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_exception_keeps_its_status(self):
        self.run_program(UP + "raise ValueError()", status=1)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_os_exit(self):
        self.run_program(UP + "os._exit(4)", status=4)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_exec(self):
        self.run_program(UP + "os.execv('/bin/true', ['true'])")
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_being_asked_to_end(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
            with self.subTest(number):
                self.run_program(UP + f"os.kill(os.getpid(), {int(number)})", status=-number)
                self.assertEqual(self.sizes(self.report()), [1024])
                self.remove_reports()

    def test_being_asked_to_end_twice(self):
        # `timeout` asks a whole group of processes, and who started them passes it on.
        self.run_program(UP + "import vramlab_dry_run.recording as recording\ndump = recording.dump\n"
                         "def asked_again():\n    os.kill(os.getpid(), 15)\n    dump()\n"
                         "recording.dump = asked_again\nos.kill(os.getpid(), 15)", status=-signal.SIGTERM)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_being_asked_to_end_inside_a_library(self):
        # The lock is never given back, so no handler of Python's is called.
        self.run_program(UP + "import ctypes, subprocess, vramlab_dry_run.endings as endings\n"
                         "endings._SECONDS_INSIDE_A_LIBRARY = 0.1\n"
                         "libc, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)\n"
                         "libc.pthread_mutex_lock(lock)\n"
                         "subprocess.Popen(['sh', '-c', f'sleep 0.3; kill -TERM {os.getpid()}'])\n"
                         "libc.pthread_mutex_lock(lock)", status=-signal.SIGTERM)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_a_forked_child_that_is_asked_to_end_does_so_alone(self):
        result = self.run_program(
            UP + "import signal, time, vramlab_dry_run.endings as endings\n"
            "endings._SECONDS_INSIDE_A_LIBRARY = 0.1\nchild = os.fork()\n"
            "if child == 0:\n    time.sleep(60)\ntime.sleep(0.2)\n"
            "os.kill(child, signal.SIGTERM)\nprint(os.waitpid(child, 0)[1])\ntime.sleep(0.4)")
        self.assertEqual(result.stdout, f"{int(signal.SIGTERM)}\n")
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_a_signal_that_the_program_looks_at_is_left_to_it(self):
        # The module signal knows nothing of the second one.
        self.run_program("import signal, faulthandler\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
                         "faulthandler.register(signal.SIGUSR1)\n" + UP +
                         "os.kill(os.getpid(), signal.SIGHUP)\n"
                         "os.kill(os.getpid(), signal.SIGUSR1)\nprint('goes on')")
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_crash_leaves_the_history_up_to_it(self):
        self.run_program(UP + "import ctypes\nctypes.string_at(0)", status=-signal.SIGSEGV)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_abort_leaves_the_history_up_to_it(self):
        self.run_program(UP + "os.abort()", status=-signal.SIGABRT)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_out_of_memory_is_told_with_its_place(self):
        self.run_program(UP + "_C.run_out_of_memory(4096)")
        failures = self.report()["out_of_memory"]
        self.assertEqual(failures["count"], 1)
        self.assertEqual(failures["first"][0]["requested_bytes"], 4096)
        self.assertIn("program.py:5 <module>", failures["first"][0]["place"])

    def test_out_of_memory_of_a_killed_program_is_dumped(self):
        self.run_program(UP + "_C.run_out_of_memory(4096)\nos.kill(os.getpid(), 9)", status=-9)
        histories = [name for name in os.listdir(self.notes) if name.startswith("history.")]
        self.assertEqual(len(histories), 1)

    def test_signal_writes_the_history_up_to_then(self):
        self.run_program(UP + "import signal\nos.kill(os.getpid(), signal.SIGUSR2)\n"
                         "print(len(os.listdir(os.environ['VRAMLAB_DRY_RUN_NOTES'])))\n"
                         "_C.allocate(2)", VRAMLAB_DRY_RUN_SIGNAL="USR2")
        self.assertEqual(self.sizes(self.report()), [1024, 2])

    def test_signal_before_cuda_harms_nobody(self):
        self.run_program("import os, signal\nos.kill(os.getpid(), signal.SIGUSR2)",
                         VRAMLAB_DRY_RUN_SIGNAL="USR2")


class Children(HookTest):
    def test_forked_child_leaves_no_files(self):
        self.run_program(UP + "pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)\n"
                         "_C.allocate(5)")
        self.assertEqual(self.sizes(self.report()), [1024, 5])

    def test_forked_child_with_cuda_of_its_own_is_recorded(self):
        self.run_program(BEGIN + "pid = os.fork()\nif pid == 0:\n  torch.cuda.init()\n"
                         "  _C.allocate(5)\n  os._exit(0)\nos.waitpid(pid, 0)")
        histories = [report for report in self.reports() if report.get("history")]
        self.assertEqual([self.sizes(report) for report in histories], [[5]])

    def test_worker_of_multiprocessing_is_recorded(self):
        self.run_program(BEGIN + "import multiprocessing\n"
                         "def work():\n  torch.cuda.init()\n  _C.allocate(6)\n"
                         "if __name__ == '__main__':\n"
                         "  process = multiprocessing.get_context('spawn').Process(target=work)\n"
                         "  process.start()\n  process.join()\n")
        histories = [report for report in self.reports() if report.get("history")]
        self.assertEqual([self.sizes(report) for report in histories], [[6]])

    def test_python_child_is_recorded_and_others_run(self):
        self.write("child.py", UP)
        self.run_program("import subprocess, sys\nsubprocess.check_call(['/bin/true'])\n"
                         "subprocess.check_call([sys.executable, 'child.py'])")
        self.assertEqual(self.sizes(self.report()), [1024])


class UsersOwn(HookTest):
    def test_sitecustomize_runs(self):
        self.write("sitecustomize.py", "import os\nos.environ['SEEN'] = 'yes'\n")
        result = self.run_program(UP + "print(os.environ['SEEN'], sys.modules['sitecustomize'])")
        self.assertIn("yes", result.stdout)
        self.assertIn("work/sitecustomize.py", result.stdout)
        self.assertEqual(self.sizes(self.report()), [1024])

    def test_sitecustomize_that_fails_is_told_as_python_does(self):
        self.write("sitecustomize.py", "raise ValueError('mine')\n")
        result = self.run_program("print('runs')")
        self.assertIn("mine", result.stderr)
        self.assertIn("runs", result.stdout)

    def test_path_is_as_without_us(self):
        result = self.run_program("import sys\nprint(sys.path)")
        self.assertNotIn(HOOK, result.stdout)

    def test_isolated_interpreter_runs_without_hook(self):
        self.run_program("print('hello')", "-I")
        self.assertEqual(os.listdir(self.notes), [])

    def test_modules_look_as_without_us(self):
        result = self.run_program(
            BEGIN + "print(type(torch.cuda.__spec__.loader).__name__)\n"
            "print([type(finder).__module__ for finder in sys.meta_path])")
        self.assertIn("SourceFileLoader", result.stdout)
        self.assertNotIn("vramlab", result.stdout)

    def test_own_recording_goes_on_and_ours_too(self):
        self.run_program(UP + textwrap.dedent("""
            import time
            time.sleep(0.01)
            memory = torch.cuda.memory
            memory._record_memory_history(max_entries=2)
            for size in (1, 2, 3):
                _C.allocate(size)
            memory._dump_snapshot('own.pickle')
            memory._record_memory_history(enabled=None)
            assert memory._snapshot()['device_traces'] == [[]]
            _C.allocate(4)
            """))
        with open(os.path.join(self.work, "own.pickle"), "rb") as file:
            own = [entry["size"] for entry in pickle.load(file)["device_traces"][0]]
        self.assertEqual(own, [2, 3])
        self.assertEqual(self.sizes(self.report()), [1024, 1, 2, 3, 4])

    def test_pinned_memory_is_recorded_whatever_the_program_records(self):
        self.run_program(UP + textwrap.dedent("""
            memory = torch.cuda.memory
            memory._record_memory_history(max_entries=2)
            own = memory._snapshot()
            assert own['host_segments'] == own['host_traces'] == []
            memory._record_memory_history(record_pinned_host_memory=True, record_cuda=False)
            own = memory._snapshot()
            assert len(own['host_segments']) == len(own['host_traces']) == 1
            assert own['device_traces'] == [[]]
            """), FAKE_TORCH_RECORDS_HOST="1")
        with open(self.report()["history"], "rb") as file:
            history = pickle.load(file)
        self.assertEqual([len(history["host_segments"]), len(history["host_traces"])], [1, 1])
        self.assertEqual(self.sizes(self.report()), [1024])


class Steps(HookTest):
    LOOP = UP + "optimizer = torch.optim.optimizer.Optimizer()\n" + textwrap.dedent("""
        try:
            for i in range(10):
                _C.allocate(i)
                optimizer.step()
        finally:
            print('cleaned up')
        """)

    def test_program_ends_after_so_many_steps(self):
        result = self.run_program(self.LOOP, VRAMLAB_DRY_RUN_STEPS="3")
        self.assertIn("cleaned up", result.stdout)
        self.assertEqual(self.sizes(self.report()), [1024, 0, 1, 2])
        self.assertEqual(self.report()["ended_after_steps"], 3)

    def test_marks_are_annotations(self):
        self.run_program(self.LOOP, VRAMLAB_DRY_RUN_MARK_EVERY="4")
        with open(self.report()["history"], "rb") as file:
            annotations = pickle.load(file)["external_annotations"]
        ends = [mark["name"] for mark in annotations if mark["stage"] == "END"]
        self.assertEqual(ends, ["step 4", "step 8"])

    def test_step_in_another_thread_ends_the_program_too(self):
        self.run_program(UP + textwrap.dedent("""
            import threading, time
            optimizer = torch.optim.optimizer.Optimizer()
            thread = threading.Thread(target=optimizer.step)
            thread.start()
            while True:
                time.sleep(0.01)
            """), VRAMLAB_DRY_RUN_STEPS="1")



class Timings(HookTest):
    TRITON = """
        calls = []

        def do_bench(fn, warmup=25, rep=100, quantiles=None, return_mode="mean"):
            calls.append((warmup, rep))
            fn()
            return [0.0 for _ in quantiles] if quantiles else 7.5
        """

    def test_what_autotuners_measure_takes_one_time(self):
        os.mkdir(os.path.join(self.work, "triton"))
        self.write("triton/__init__.py", "from . import testing\n")
        self.write("triton/testing.py", self.TRITON)
        result = self.run_program(UP + textwrap.dedent("""
            import triton
            from triton.testing import do_bench
            print(do_bench(lambda: print("run"), 50))
            print(do_bench(lambda: None, rep=40, quantiles=(0.5, 0.2)))
            print(triton.testing.calls)
            """))
        self.assertEqual(result.stdout, "run\n0.01\n[0.01, 0.01]\n[(1, 1), (1, 1)]\n")
        self.report()


class Files(HookTest):
    def test_threads_that_write_one_file_at_a_time_leave_a_whole_one(self):
        # As where one thread writes the history while another one ends the crashed process.
        result = self.run_program("""
            import threading
            import torch
            from vramlab_dry_run import report
            begun, done = threading.Event(), threading.Event()

            def write_slowly(file):
                file.write(b"aaaa")
                file.flush()
                begun.set()
                done.wait()
                file.write(b"aaaa")

            slow = threading.Thread(target=report.replace_file, args=("file", write_slowly))
            slow.start()
            begun.wait()
            report.replace_file("file", lambda file: file.write(b"bbbbbbbb"))
            print(open("file").read())
            done.set()
            slow.join()
            print(open("file").read())
            """)
        self.assertEqual(result.stdout.split(), ["bbbbbbbb", "aaaaaaaa"])
        self.assertEqual(sorted(os.listdir(self.work)), ["file", "program.py"])


class StubLibraries(HookTest):
    def test_their_stack_can_not_be_run(self):
        # glibc 2.41 and newer load no library that does not say so, unless the program's own stack can be run.
        result = self.run_program("""
            import struct
            from vramlab_dry_run import stub_library
            for machine in "x86_64", "aarch64":
                image = stub_library.library_bytes([("cudaAdded", 801)], "libadded.so", machine)
                [count] = struct.unpack_from("<H", image, 56)
                heads = [struct.unpack_from("<II", image, 64 + 56 * each) for each in range(count)]
                print(*["%x" % flags for kind, flags in heads if kind == 0x6474E551])
            """)
        self.assertEqual(result.stdout, "6\n6\n")


class CompiledLines(HookTest):
    """Lines of the model in place of those of generated files."""

    GENERATED = """\
        def call(args):
            buf0 = empty_strided_cuda((4,), (1,), torch.float32)
            # Topologically Sorted Source Nodes: [x], Original ATen: [aten.add] of "/m/model.py", line 7, in forward
            kernel_0.run(buf0)
            # Topologically Sorted Source Nodes: [y], Original ATen: [aten.mm] of "/m/model.py", line 9, in loss
            buf1 = torch.ops.aten.mm.default(buf0)
        """

    def lines_of(self, numbers):
        folder = os.path.join(self.work, "inductor")
        os.mkdir(folder)
        generated = self.write("inductor/cabc.py", self.GENERATED)
        result = self.run_program(f"""
            import torch
            from vramlab_dry_run import compiled_lines, stacks
            outer = {{"filename": "/m/train.py", "line": 3, "name": "main"}}
            for number in {numbers}:
                frame = {{"filename": {generated!r}, "line": number, "name": "call"}}
                stack = [frame, outer]
                compiled_lines.add_to(stacks.Stacks({{"device_traces": [[{{"frames": stack}}]]}}))
                print(*["%s:%d" % (each["name"], each["line"]) for each in stack])
            """, TORCHINDUCTOR_CACHE_DIR=folder)
        return result.stdout.splitlines()

    def test_results_and_operators_have_the_line_of_their_kernel(self):
        self.assertEqual(self.lines_of((2, 4, 6, 1)),
                         ["forward:7 call:2 main:3", "forward:7 call:4 main:3",
                          "loss:9 call:6 main:3", "call:1 main:3"])

    def test_comments_get_the_line_of_the_last_node(self):
        result = self.run_program("""
            import types
            import torch
            from vramlab_dry_run import compiled_lines

            class Node:
                def __init__(self, graph, trace):
                    self.graph, self.meta = graph, {"stack_trace": trace}
                    graph.nodes.append(self)

            class Graph:
                nodes = []

            graph = Graph()
            first = Node(graph, 'File "/m/a.py", line 1, in f\\n  x\\n')
            last = Node(graph, 'File "/m/a.py", line 5, in g\\n  y\\n'
                               'File "%s", line 8, in library' % (torch.__file__))
            utils = types.SimpleNamespace(
                aggregate_origins=lambda nodes: nodes,
                get_kernel_metadata=lambda nodes, wrapper: ("# Source Nodes: [x]", "details"))
            compiled_lines.prepare(utils)
            print(utils.get_kernel_metadata([last, first], None))
            print(utils.get_kernel_metadata([], None))
            """)
        self.assertEqual(result.stdout.splitlines(),
                         ["""('# Source Nodes: [x] of "/m/a.py", line 5, in g', 'details')""",
                          "('# Source Nodes: [x]', 'details')"])


class OwnValues(HookTest):
    """Answers that --values-from may give."""

    def setUp(self):
        super().setUp()
        sys.path.insert(0, HOOK)
        from vramlab_dry_run import values

        self.values = values

    def tearDown(self):
        sys.path.remove(HOOK)
        super().tearDown()

    def test_number_is_as_wide_as_the_copy(self):
        self.assertEqual(self.values._bytes_of(-2, 2), b"\xfe\xff")
        self.assertEqual(self.values._bytes_of(1.5, 4), struct.pack("<f", 1.5))
        self.assertEqual(self.values._bytes_of(True, 1), b"\1")
        self.assertEqual(self.values._bytes_of(1.5, 16), struct.pack("<dd", 1.5, 1.5))
        self.assertEqual(self.values._bytes_of(7, 12), struct.pack("<3i", 7, 7, 7))

    def test_numbers_of_a_list_share_the_copy(self):
        self.assertEqual(self.values._bytes_of([1, 2, 3], 12), struct.pack("<3i", 1, 2, 3))
        self.assertEqual(self.values._bytes_of((0.5, 2), 16), struct.pack("<dq", 0.5, 2))
        self.assertEqual(self.values._bytes_of(bytearray(b"abc"), 3), b"abc")

    def test_what_does_not_fit_is_refused(self):
        for given, count in (([1, 2, 3], 8), ([], 8), (b"ab", 3), (1.5, 1), ([1.0], 16)):
            with self.assertRaises(ValueError, msg=str(given)):
                self.values._bytes_of(given, count)

    def test_function_sees_the_line_and_how_often_it_was_there(self):
        seen = []
        target = ctypes.create_string_buffer(8)

        def answer(read):
            seen.append(read)
            return 6 if read.times else None

        told = [self.values._fill(answer, self.values._Copy(ctypes.addressof(target), 8, 0x1000),
                                  sys._getframe(0))
                for _ in range(2)]
        self.assertEqual(told, [0, 1])
        self.assertEqual(struct.unpack("<q", target.raw[:8]), (6,))
        self.assertEqual([read.times for read in seen], [0, 1])
        self.assertEqual(os.path.basename(seen[0].file), "hook_test.py")
        self.assertEqual(seen[0].bytes, 8)

    def test_file_that_can_not_be_used_ends_the_program(self):
        for text, said in (("def other(): pass", "expected a function `values`"),
                           ("1 +", "SyntaxError")):
            path = self.write("answers.py", text)
            result = self.run_program(UP + "print('goes on')", status=1,
                                      VRAMLAB_DRY_RUN_VALUES_FROM=path)
            self.assertIn(said, result.stderr)
            self.assertNotIn("goes on", result.stdout)


class Computed(HookTest):
    def test_values_are_computed_only_where_it_is_asked_for(self):
        result = self.run_program(UP + "from vramlab_dry_run import computed\nprint(computed._mode)")
        self.assertEqual(result.stdout, "None\n")

    def test_program_goes_on_where_pytorch_has_no_such_keys(self):
        self.run_program(UP, VRAMLAB_DRY_RUN_VALUES="computed")
        report = self.reports()[0]
        self.assertEqual(self.sizes(report), [1024])
        self.assertIn("prepare", "".join(report["troubles"]))

    def test_bytes_come_from_known_values_before_the_user_is_asked(self):
        self.load()
        self.answer_with(self.computed.KNOWN)
        target = ctypes.create_string_buffer(8)
        copy = self.values._Copy(ctypes.addressof(target), 8, 0x1234)
        filled = self.values._fill(lambda read: self.fail("asked"), copy, sys._getframe(0))
        self.assertEqual((filled, target.raw), (2, (0x1234).to_bytes(8, "little")))

    def test_made_up_values_stand_where_the_user_has_none(self):
        self.load()
        self.answer_with(self.computed.MADE_UP)
        target = ctypes.create_string_buffer(8)
        copy = self.values._Copy(ctypes.addressof(target), 8, 0x1234)
        for given, told, value in ((None, 0, 0x1234), (7, 1, 7)):
            filled = self.values._fill(lambda read: given, copy, sys._getframe(0))
            self.assertEqual((filled, target.raw), (told, value.to_bytes(8, "little")))

    def test_loop_that_waits_in_vain_for_a_yes_gets_what_is_made_up(self):
        self.load()
        waiting = self.values.waiting
        self.answer_with(self.computed.KNOWN)
        target = ctypes.create_string_buffer(b"\1", 1)
        copy = self.values._Copy(ctypes.addressof(target), 1, 0)
        told = []
        for _ in range(waiting.MOST_NOES + 1):
            target.raw = b"\1"
            told.append((self.values._fill(None, copy, sys._getframe(0)), target.raw))
            waiting._read_count += 1
        self.assertEqual(set(told[:-1]), {(2, b"\0")})
        self.assertEqual(told[-1], (0, b"\1"))

    def test_loop_that_reads_nothing_made_up_is_not_waiting(self):
        self.load()
        waiting = self.values.waiting
        told = {waiting.note_answer("train.py:3", True) for _ in range(2 * waiting.MOST_NOES)}
        self.assertEqual(told, {False})

    def answer_with(self, told):
        """The address itself, as so many bytes."""
        def answer(to, count, source):
            ctypes.memmove(to, source.to_bytes(8, "little")[:count], count)
            return told

        self.computed.answer = answer

    def load(self):
        sys.path.insert(0, HOOK)
        from vramlab_dry_run import computed, values

        self.computed, self.values = computed, values
        self.addCleanup(setattr, computed, "answer", computed.answer)


class Generation(HookTest):
    """Texts of generate() end at their longest."""

    LIBRARY = """
def _has_unfinished_sequences(ask):
    return ask()
def _sample(input_ids, stopping_criteria, ask):
    return _has_unfinished_sequences(ask)
def _beam_search(cur_len, max_length, ask):
    return ask()
def _prepare_special_tokens(input_ids, stopping_criteria, ask):
    return ask()
"""

    def setUp(self):
        super().setUp()
        sys.path.insert(0, HOOK)
        from vramlab_dry_run import generation

        self.of = {}
        exec(compile(self.LIBRARY, "/site/transformers/generation/utils.py", "exec"), self.of)
        self.ask = lambda: generation.answer(1, sys._getframe(1))

    def tearDown(self):
        sys.path.remove(HOOK)
        super().tearDown()

    def told(self, words, longest):
        made = types.SimpleNamespace(shape=(2, words))
        return self.of["_sample"](made, types.SimpleNamespace(max_length=longest), self.ask)

    def test_texts_end_at_their_longest(self):
        self.assertEqual(self.told(9, 10), 0)
        self.assertEqual(self.told(10, 10), 1)
        self.assertIsNone(self.told(10, None))

    def test_beams_go_on_until_then(self):
        self.assertEqual(self.of["_beam_search"](9, 10, self.ask), 1)
        self.assertEqual(self.of["_beam_search"](10, 10, self.ask), 0)

    def test_other_questions_are_not_answered(self):
        self.assertIsNone(self.of["_prepare_special_tokens"](None, None, self.ask))
        self.assertIsNone(self.ask())

    def test_nothing_of_the_program_is_kept(self):
        made = types.SimpleNamespace(shape=(2, 9))
        before = sys.getrefcount(made)

        def ask():
            told = self.ask()
            # The arguments of two calls, and nothing that a frame has shown.
            return told, sys.getrefcount(made)

        def ask_nothing():
            return 0, sys.getrefcount(made)

        criteria = types.SimpleNamespace(max_length=9)
        seen = [self.of["_sample"](made, criteria, function)[1]
                for function in (ask, ask_nothing)]
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(sys.getrefcount(made), before)


class Serving(HookTest):
    """vLLM's engine gets one word for each request whose prompt is over."""

    LIBRARY = """
class AsyncOutput:
    def __init__(self, num_sampled_tokens, ask):
        self.told = ask()
def sample_tokens(input_batch, counts, ask):
    return AsyncOutput(counts, ask).told
"""

    def test_requests_have_one_word_after_their_prompt(self):
        sys.path.insert(0, HOOK)
        self.addCleanup(sys.path.remove, HOOK)
        from vramlab_dry_run import vllm_steps

        class Numbers(list):
            def __add__(self, other):
                return Numbers(map(sum, zip(self, other)))

            def tolist(self):
                return self

        of = {}
        exec(compile(self.LIBRARY, "/site/vllm/v1/worker/gpu/async_utils.py", "exec"), of)
        batch = types.SimpleNamespace(num_computed_tokens_np=Numbers([0, 8, 20]),
                                      num_scheduled_tokens=Numbers([8, 8, 1]),
                                      prefill_len_np=Numbers([12, 16, 16]))
        counts = types.SimpleNamespace(data_ptr=lambda: 0x1000)
        for source, told in ((0x1000, [0, 1, 1]), (0x2000, None)):
            self.assertEqual(of["sample_tokens"](
                batch, counts, lambda: vllm_steps.answer(source, sys._getframe(1))), told)
        self.assertIsNone(vllm_steps.answer(0x1000, sys._getframe(0)))


class PhasesTest(HookTest):
    """Phases of an inference engine, with a stand-in for the engine."""

    ENGINE = "from vllm.v1.engine.core import EngineCore\nEngineCore()\n"

    def environment(self, **more):
        found = super().environment(**more)
        found["PYTHONPATH"] += os.pathsep + os.path.join(HERE, "fake_engine")
        return found

    def serving(self, text=ENGINE, **more):
        self.run_program(text, VRAMLAB_DRY_RUN_PHASES="1", **more)
        return self.report()["serving"]

    def test_marks_have_their_places_in_the_history(self):
        serving = self.serving()
        found = [(mark["phase"], mark["stage"], mark["before"]) for mark in serving["marks"]
                 if mark["phase"] in ("weights", "forward", "cache_tensors")]
        self.assertEqual(found, [("weights", "begin", 0), ("weights", "end", 2), ("forward", "begin", 2),
                                 ("forward", "end", 8), ("cache_tensors", "begin", 19),
                                 ("cache_tensors", "end", 21)])

    def test_marks_have_the_allocators_figures_and_the_rest_of_the_device(self):
        [end] = [mark for mark in self.serving()["marks"] if (mark["phase"], mark["stage"]) == ("load", "end")]
        self.assertEqual((end["device"], end["allocated"], end["reserved"], end["outside"]),
                         (0, 40 << 20, 40 << 20, 64 << 20))

    def test_graphs_are_marked_one_by_one_with_their_size(self):
        begun = [mark for mark in self.serving()["marks"] if (mark["phase"], mark["stage"]) == ("capture", "begin")]
        self.assertEqual([mark["label"] for mark in begun], 2 * ["full 8", "full 4", "full 2"])
        self.assertEqual({mark["outside"] for mark in begun}, {None})

    def test_figures_of_the_engine_are_those_of_its_objects(self):
        serving = self.serving()
        self.assertEqual((serving["engine"], serving["version"], serving["missing"], serving["failed_in"],
                          serving["is_ready"]), ("vllm", "0.33.0", [], None, True))
        says = serving["says"]
        self.assertEqual(says["weights_bytes"], 40 << 20)
        self.assertEqual(says["activations_bytes"], 60 << 20, "without the estimate of the graphs")
        self.assertEqual((says["graphs_bytes"], says["graphs_estimate_bytes"]), (30 << 20, 60 << 20))
        self.assertEqual((says["cache_bytes"], says["cache_blocks"], says["block_tokens"]), (200 << 20, 200, 16))
        self.assertEqual((says["cache_tokens"], says["most_requests"], says["longest_request"]), (3200, 6.25, 512))
        self.assertEqual((says["graph_sizes"], says["graphs_mode"]), ([8, 4, 2], "FULL"))

    def test_names_that_the_engine_does_not_have_are_told(self):
        serving = self.serving(FAKE_ENGINE_FAILS="names")
        self.assertEqual(serving["missing"], ["vllm.v1.worker.gpu_worker:Worker.load_model"])
        self.assertNotIn("weights_bytes", serving["says"])
        self.assertNotIn("load", {mark["phase"] for mark in serving["marks"]})

    def test_the_innermost_phase_that_an_error_ended_is_told(self):
        serving = self.serving(FAKE_ENGINE_FAILS="graphs", status=1)
        self.assertEqual((serving["failed_in"], serving["is_ready"]), ("graphs", False))

    def test_a_program_without_an_engine_has_no_marks(self):
        serving = self.serving(UP)
        self.assertEqual((serving["engine"], serving["marks"]), (None, []))

    def test_nothing_is_marked_unless_it_is_asked_for(self):
        self.run_program(self.ENGINE)
        self.assertNotIn("serving", self.report())

    def test_the_history_is_there_once_the_engine_is_ready(self):
        self.run_program(self.ENGINE + "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
                         VRAMLAB_DRY_RUN_PHASES="1", status=-signal.SIGKILL)
        report = self.report()
        self.assertTrue(os.path.exists(report["history"]))
        self.assertEqual(report["serving"]["says"]["cache_tokens"], 3200)


    MORE = ENGINE + "from torch import _C\n_C.request(77 << 20)\n"

    def sizes(self):
        with open(self.report()["history"], "rb") as file:
            return {entry["size"] for entry in pickle.load(file)["device_traces"][0]}

    def test_history_of_a_script_goes_to_its_end(self):
        self.serving(self.MORE)
        self.assertIn(77 << 20, self.sizes())

    def test_history_of_a_server_that_makes_no_step_is_written_once(self):
        self.serving(self.MORE, VRAMLAB_DRY_RUN_SERVER="1")
        self.assertNotIn(77 << 20, self.sizes())
        self.assertIn(200 << 20, self.sizes())

    def test_history_of_a_server_has_its_steps(self):
        serving = self.serving("from vllm.v1.engine.core import EngineCore\nEngineCore().complete([[1] * 77], 2)\n",
                               VRAMLAB_DRY_RUN_SERVER="1")
        self.assertEqual(serving["says"]["steps"], 2)
        self.assertIn(77 << 10, self.sizes())

    def test_a_failed_phase_is_told_although_the_process_is_killed(self):
        serving = self.serving(
            "import os, signal\nfrom vllm.v1.engine.core import EngineCore\ntry:\n    EngineCore()\n"
            "except MemoryError:\n    os.kill(os.getpid(), signal.SIGKILL)\n",
            FAKE_ENGINE_FAILS="graphs", status=-signal.SIGKILL)
        self.assertEqual(serving["failed_in"], "graphs")
        self.assertIn(40 << 20, self.sizes())

    def test_sizes_of_sglangs_graphs_and_its_figures_are_told(self):
        serving = self.serving("from sglang.srt.managers.scheduler import Scheduler\nScheduler()\n")
        begun = [mark for mark in serving["marks"] if (mark["phase"], mark["stage"]) == ("capture", "begin")]
        self.assertEqual([mark["label"] for mark in begun], ["decode 4", "decode 2"])
        self.assertEqual((serving["engine"], serving["version"], serving["missing"], serving["is_ready"]),
                         ("sglang", "0.5.23", [], True))
        says = serving["says"]
        self.assertEqual((says["weights_bytes"], says["graphs_bytes"], says["room_bytes"]),
                         (40 << 20, 30 << 20, 96 << 20))
        self.assertEqual((says["cache_tokens"], says["cache_blocks"], says["spare_tokens"]), (3199, 3200, 1))


class StoreOfAJob:
    def __init__(self):
        self.left = 0

    def add(self, key, amount):
        self.left += amount
        return self.left


class AloneTest(HookTest):
    """A rank that runs alone says what the first rank would send, where DeepSpeed asks it to."""

    LISTS = """
        class dist:
            @staticmethod
            def get_rank():
                return 3

        def get_lst_from_rank0(lst):
            return lst if dist.get_rank() == 0 else [-1] * len(lst)

        def own_rank():
            return dist.get_rank()
        """

    def setUp(self):
        super().setUp()
        package = os.path.join("deepspeed", "runtime", "zero")
        os.makedirs(os.path.join(self.work, package))
        for folder in ("deepspeed", os.path.join("deepspeed", "runtime"), package):
            self.write(os.path.join(folder, "__init__.py"), "")
        self.write(os.path.join(package, "utils.py"), self.LISTS)

    def lists(self, **more):
        return self.run_program("from deepspeed.runtime.zero import utils\n"
                                "print(utils.get_lst_from_rank0([5, 6]), utils.own_rank())",
                                **more).stdout.strip()

    def test_lists_are_those_of_the_first_rank(self):
        self.assertEqual(self.lists(VRAMLAB_DRY_RUN_ALONE="1"), "[5, 6] 3")

    def test_ranks_with_others_ask_the_first(self):
        self.assertEqual(self.lists(), "[-1, -1] 3")


class AloneVllmTest(HookTest):
    """The ranks of vLLM compare a name in shared memory, and send objects through it."""

    STATE = """
        import types

        torch = types.SimpleNamespace(
            distributed=types.SimpleNamespace(get_world_size=lambda group: group))

        def in_the_same_node_as(pg, source_rank=0):
            raise RuntimeError("nobody answers")
        """
    QUEUE = """
        class MessageQueue:
            @staticmethod
            def create_from_process_group(pg, size, chunks, writer_rank=0):
                raise RuntimeError("nobody reads")
        """

    def setUp(self):
        super().setUp()
        package = os.path.join("vllm", "distributed", "device_communicators")
        os.makedirs(os.path.join(self.work, package))
        for folder in ("vllm", os.path.join("vllm", "distributed"), package):
            self.write(os.path.join(folder, "__init__.py"), "")
        self.write(os.path.join("vllm", "distributed", "parallel_state.py"), self.STATE)
        self.write(os.path.join(package, "shm_broadcast.py"), self.QUEUE)

    def test_a_rank_alone_has_all_others_on_its_machine_and_no_queue(self):
        result = self.run_program(
            "from vllm.distributed import parallel_state\n"
            "from vllm.distributed.device_communicators.shm_broadcast import MessageQueue\n"
            "print(parallel_state.in_the_same_node_as(3, source_rank=0),\n"
            "      MessageQueue.create_from_process_group(3, 1, 2, writer_rank=0))",
            VRAMLAB_DRY_RUN_ALONE="1")
        self.assertEqual(result.stdout.strip(), "[True, True, True] None")

    def test_ranks_with_others_ask_them(self):
        result = self.run_program("from vllm.distributed import parallel_state\n"
                                  "parallel_state.in_the_same_node_as(3)", status=1)
        self.assertIn("nobody answers", result.stderr)


class RuntimeOfVllmTest(HookTest):
    """vLLM looks for a loaded library by the beginning of its name."""

    def test_the_runtime_is_that_of_pytorch(self):
        package = os.path.join("vllm", "distributed", "device_communicators")
        os.makedirs(os.path.join(self.work, package))
        for folder in ("vllm", os.path.join("vllm", "distributed"), package):
            self.write(os.path.join(folder, "__init__.py"), "")
        self.write(os.path.join(package, "cuda_wrapper.py"),
                   "def find_loaded_library(name):\n    return 'bundled/' + name\n")
        result = self.run_program(
            "import torch\nfrom vllm.distributed.device_communicators import cuda_wrapper\n"
            "torch.version.cuda = '13.0'\n"
            "print(*map(cuda_wrapper.find_loaded_library, ['libcudart', 'libnccl']))")
        self.assertEqual(result.stdout.split(), ["libcudart.so.13", "bundled/libnccl"])


class LeavingTest(unittest.TestCase):
    """The ranks of a job of three, each with the modules of its own."""

    def rank(self, number, store):
        for name in [name for name in sys.modules if name.startswith("vramlab_dry_run")]:
            del sys.modules[name]
        sys.path.insert(0, HOOK)
        try:
            from vramlab_dry_run import leaving
        finally:
            sys.path.remove(HOOK)
        c10d = types.SimpleNamespace(
            init_process_group=lambda backend: None, _get_default_store=lambda: store,
            get_rank=lambda: number, get_world_size=lambda: 3)
        leaving.watch(c10d)
        c10d.init_process_group("nccl")
        return leaving

    def test_the_first_rank_leaves_last(self):
        store = StoreOfAJob()
        first, second, third = (self.rank(number, store) for number in range(3))
        waiting = threading.Thread(target=first.leave)
        waiting.start()
        second.leave()
        waiting.join(0.1)
        self.assertTrue(waiting.is_alive())
        third.leave()
        waiting.join()

    def test_others_that_never_come_are_not_waited_for_for_ever(self):
        first = self.rank(0, StoreOfAJob())
        first._LONGEST_WAIT = 0.05
        first.leave()

    def test_a_store_that_is_gone_is_no_trouble(self):
        last = self.rank(2, None)
        last.leave()


if __name__ == "__main__":
    unittest.main()
