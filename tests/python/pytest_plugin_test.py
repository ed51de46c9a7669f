"""The plug-in for pytest, with a stand-in for PyTorch; the real one runs in tests/cuda_standins/real."""

import importlib.util
import os
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
        self.assertEqual(self.run_pytest(*words).returncode, 0)
        vramlab.open("traces/samples/gpt_training.pickle.gz").replay(
            conf="", force=True, snapshot_out=os.path.join(
                self.folder, "kept", "test_it.py-test_enough_with_options.pickle"))
        result = self.run_pytest(*words)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("vramlab baseline: worse than", result.stdout)
        self.write("kept/.vramlab.json", """{"schema_version": 1, "fail_if": ["requests > +1"]}""")
        self.assertEqual(self.run_pytest(*words).returncode, 0)


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
