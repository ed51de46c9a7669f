"""The plug-in for pytest, with a stand-in for PyTorch; the real one runs in tests/cuda_standins/real."""

import importlib.util
import os
import pickle
import re
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest

import vramlab
from vramlab.testing.recorded import RecordedTest

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = """
    import os
    import pytest
    from torch import cuda

    @pytest.mark.limit_vram("40GiB")
    def test_enough():
        pass

    @pytest.mark.limit_vram("30GiB", of="reserved")
    def test_too_much():
        pass

    @pytest.mark.limit_vram("14GiB", conf="expandable_segments:True")
    def test_enough_with_options():
        pass

    @pytest.mark.limit_vram("100GiB", gpu="gtx1080")
    def test_fits_no_small_gpu():
        pass

    @pytest.mark.limit_vram("ten")
    def test_wrong_mark():
        pass

    @pytest.mark.limit_vram_growth("1MiB")
    def test_grows():
        cuda.figures["allocated_bytes.all.current"] = 5 << 20

    @pytest.mark.limit_vram("1MiB")
    def test_own_failure():
        assert 1 == 2

    @pytest.mark.limit_vram("1MiB")
    @pytest.mark.xfail(strict=True)
    def test_expected_failure():
        assert 1 == 2

    def test_fixture(vram_recording):
        assert vram_recording().replay().peak_reserved == 42547019776

    def test_without_a_mark():
        pass
"""
CPU_TESTS = """
    import pytest
    from torch import cuda

    pytestmark = [pytest.mark.limit_vram("1MiB", gpu="gtx1080"), pytest.mark.limit_vram_growth]

    def test_uses_no_gpu_memory():
        pass
"""


@unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
class Plugin(unittest.TestCase):
    """Each test runs pytest in a folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.write("test_it.py", TESTS)
        self.history = os.path.join(self.folder, "history.pickle")
        vramlab.open("traces/samples/gpt_training.pickle.gz").convert(self.history)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def run_pytest(self, *words, **environment):
        paths = [os.path.abspath("tools/python"), os.path.join(HERE, "fake_torch")]
        command = [sys.executable, "-m", "pytest", "-p", "vramlab.pytest_plugin", "-p",
                   "no:cacheprovider", "-rA", *words]
        return subprocess.run(command, cwd=self.folder, text=True, check=False, timeout=200,
                              capture_output=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(paths),
                                   "FAKE_TORCH_HISTORY": self.history, **environment})

    def outcomes(self, result):
        return {name: outcome for outcome, name in
                re.findall(r"^(PASSED|FAILED|SKIPPED|XFAIL|ERROR) test_it.py::(\w+)",
                           result.stdout, re.MULTILINE)}

    def check_outcomes(self, result):
        expected = {"test_enough": "PASSED", "test_too_much": "FAILED",
                    "test_enough_with_options": "PASSED", "test_fits_no_small_gpu": "FAILED",
                    "test_wrong_mark": "FAILED", "test_grows": "FAILED",
                    "test_own_failure": "FAILED", "test_expected_failure": "XFAIL",
                    "test_fixture": "PASSED", "test_without_a_mark": "PASSED"}
        self.assertEqual(self.outcomes(result), expected, result.stdout + result.stderr)

    def test_marks_are_judged(self):
        result = self.run_pytest()
        self.check_outcomes(result)
        said = result.stdout
        self.assertIn("limit_vram: peak reserved 39.62 GiB is more than 30.00 GiB", said)
        self.assertIn("2.83 GiB  model.py:37 forward", said)
        self.assertRegex(said, r"limit_vram: \d+ requests fail \(replayed with gpu gtx1080\)")
        self.assertIn("expected a size such as '20GiB', found 'ten'", said)
        self.assertIn("holds 5.00 MiB more at its end than at its begin, more than 1.00 MiB", said)
        self.assertIn("assert 1 == 2", said)

    def history_of(self, name, *events):
        """A history of some events and of no final state."""
        path = os.path.join(self.folder, name)
        segment = {"device": 0, "address": 1 << 21, "total_size": 2 << 20, "allocated_size": 512,
                   "active_size": 512, "requested_size": 512, "stream": 0, "segment_type": "small",
                   "blocks": [{"address": 1 << 21, "size": 512, "requested_size": 512,
                               "state": "active_allocated"},
                              {"address": (1 << 21) + 512, "size": (2 << 20) - 512, "requested_size": 0,
                               "state": "inactive"}]}
        with open(path, "wb") as file:
            pickle.dump({"segments": [segment], "device_traces": [list(events)]}, file)
        return path

    def test_a_marked_test_that_uses_no_gpu_memory_passes(self):
        self.write("test_it.py", CPU_TESTS)
        nothing = self.history_of("nothing.pickle")
        result = self.run_pytest("--vramlab-baseline", "kept", FAKE_TORCH_HISTORY=nothing)
        self.assertEqual(self.outcomes(result), {"test_uses_no_gpu_memory": "PASSED"}, result.stdout)
        self.assertNotIn("most GPU memory", result.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "kept")))

    def test_a_single_event_is_judged_by_the_state_behind_it(self):
        self.write("test_it.py", CPU_TESTS)
        event = {"action": "alloc", "addr": 1 << 21, "size": 512, "stream": 0}
        one = self.history_of("one.pickle", event)
        result = self.run_pytest(FAKE_TORCH_HISTORY=one)
        self.assertEqual(self.outcomes(result), {"test_uses_no_gpu_memory": "FAILED"}, result.stdout)
        self.assertIn("limit_vram: reserved 2.00 MiB at the end of its single event is more than 1.00 MiB",
                      result.stdout)

    def test_the_largest_tests_are_listed_at_the_end(self):
        shown = self.run_pytest("--junitxml=report.xml").stdout
        self.assertIn("most GPU memory: 5 of 8 marked tests", shown)
        rows = re.findall(r"^ +39\.62 GiB  (test_it\.py::\w+)$", shown, re.MULTILINE)
        self.assertEqual(len(rows), 5, shown)
        self.assertEqual(rows, sorted(rows))
        with open(os.path.join(self.folder, "report.xml"), encoding="utf-8") as file:
            self.assertIn('name="vram_peak_reserved_bytes" value="42547019776"', file.read())

    def test_the_name_of_a_gpu_is_refused_with_the_nearest(self):
        self.write("test_it.py", """
            import pytest

            @pytest.mark.limit_vram("1GiB", gpu="h100-80g")
            def test_on_a_gpu():
                pass
            """)
        for words in ([], ["--vramlab-dry"]):
            result = self.run_pytest(*words)
            self.assertEqual(self.outcomes(result), {"test_on_a_gpu": "FAILED"}, result.stdout)
            self.assertIn("h100-80gb", result.stdout)
        self.assertIn("the dry run did not begin", result.stdout)

    def test_without_cuda_the_tests_run_as_they_are(self):
        result = self.run_pytest("-k", "enough or fixture", FAKE_TORCH_WITHOUT_CUDA="1")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("limit_vram is not judged: there is no CUDA here", result.stdout)
        self.assertIn("1 skipped", result.stdout)

    def program_that_only_notes_dry_runs(self, calls):
        program = self.write("program", f"""\
            #!/bin/sh
            if [ "$1" != dry-run ]; then exec {os.environ["VRAMLAB_PROGRAM"]} "$@"; fi
            echo "$@" >>{calls}
            while [ "$1" != -- ]; do shift; done
            shift
            exec "$@"
            """)
        os.chmod(program, stat.S_IRWXU)
        return program

    def check_dry_runs(self, *words):
        calls = os.path.join(self.folder, "calls.txt")
        program = self.program_that_only_notes_dry_runs(calls)
        result = self.run_pytest("--vramlab-dry", *words, VRAMLAB_PROGRAM=program)
        self.check_outcomes(result)
        with open(calls, encoding="utf-8") as file:
            told = [line.split(" -- ")[0] for line in file]
        self.assertEqual(told, ["dry-run --quiet", "dry-run --quiet --gpu gtx1080"])

    def test_a_dry_run_has_a_child_for_each_gpu(self):
        self.check_dry_runs()

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "pytest-xdist is not installed")
    def test_workers_of_xdist_run_in_the_children(self):
        self.check_dry_runs("-n", "2")

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "pytest-xdist is not installed")
    def test_workers_of_xdist_judge_marks(self):
        self.check_outcomes(self.run_pytest("-n", "2"))

    def test_a_dry_run_without_cuda_says_that_it_judges_nothing(self):
        program = self.program_that_only_notes_dry_runs(os.path.join(self.folder, "calls.txt"))
        result = self.run_pytest("--vramlab-dry", "-k", "enough", VRAMLAB_PROGRAM=program,
                                 FAKE_TORCH_WITHOUT_CUDA="1")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(result.stdout.count("limit_vram is not judged: there is no CUDA here (a dry run "
                                             "needs a PyTorch that is built for CUDA)"), 2, result.stdout)

    def test_the_first_failure_ends_a_dry_session_where_that_is_asked_for(self):
        program = self.program_that_only_notes_dry_runs(os.path.join(self.folder, "calls.txt"))
        result = self.run_pytest("--vramlab-dry", "-x", "-k", "own_failure or without",
                                 VRAMLAB_PROGRAM=program)
        self.assertEqual(self.outcomes(result), {"test_own_failure": "FAILED"}, result.stdout)
        self.assertIn("stopping after 1 failures", result.stdout)

    def test_a_dry_run_that_crashes_fails_its_tests(self):
        program = self.write("program", "#!/bin/sh\necho no GPU today\nexit 3\n")
        os.chmod(program, stat.S_IRWXU)
        result = self.run_pytest("--vramlab-dry", "-k", "enough", VRAMLAB_PROGRAM=program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("the dry run ended with status 3", result.stdout)
        self.assertIn("no GPU today", result.stdout)

    def test_a_baseline_is_kept_and_compared_with(self):
        words = ["--vramlab-baseline", "kept", "-k", "test_enough_with_options"]
        result = self.run_pytest(*words)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(os.listdir(os.path.join(self.folder, "kept")),
                         ["test_it.py-test_enough_with_options.pickle"])
        self.assertEqual(vramlab.open(os.path.join(self.folder, "kept", "test_it.py-test_enough_with_options"
                                                   ".pickle")).info.test, "test_it.py::test_enough_with_options")
        self.assertEqual(self.run_pytest(*words).returncode, 0)
        vramlab.open("traces/samples/gpt_training.pickle.gz").replay(
            conf="", force=True, snapshot_out=os.path.join(
                self.folder, "kept", "test_it.py-test_enough_with_options.pickle"))
        result = self.run_pytest(*words)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("vramlab baseline: test_it.py::test_enough_with_options is worse than", result.stdout)
        self.write("kept/.vramlab.json", """{"schema_version": 1, "fail_if": ["requests > +1"]}""")
        self.assertEqual(self.run_pytest(*words).returncode, 0)


    def test_a_baseline_of_another_test_is_refused(self):
        words = ["--vramlab-baseline", "kept", "-k", "test_enough_with_options"]
        self.assertEqual(self.run_pytest(*words).returncode, 0)
        kept = os.path.join(self.folder, "kept", "test_it.py-test_enough_with_options.pickle")
        with open(kept, "rb") as file:
            snapshot = pickle.load(file)
        with open(kept, "wb") as file:
            pickle.dump({**snapshot, "vramlab_test": "test-it.py::test_enough_with_options"}, file)
        result = self.run_pytest(*words)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("is the baseline of test-it.py::test_enough_with_options", result.stdout)


class Names(unittest.TestCase):
    """The files of recordings."""

    def test_each_test_has_its_own(self):
        names = ["t.py::test", "t.py::test[a b]", "t.py::test[a/b]", "t.py::test[a-b]", "t.py::test[\xfc]",
                 "t.py::" + "x" * 300, "t.py::" + "x" * 301, "t.py::test[\ud800]"]
        found = [RecordedTest(name).file_name for name in names]
        self.assertEqual(found[0], "t.py-test.pickle")
        self.assertEqual(len(set(found)), len(names))
        for name in found:
            self.assertRegex(name, r"\A[A-Za-z0-9_.-]{1,200}\Z")


if __name__ == "__main__":
    unittest.main()
