"""vramlab.torch with a stand-in for PyTorch; real ones run in tests/cuda_standins/real."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import vramlab

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN = """
    import os, sys
    import torch
    from torch import _C, cuda, optim
    import vramlab.torch
    from vramlab.torch import oom
    _C.history[0] = sys.argv[1]
    # However busy the machine is.
    oom._LONGEST_SECONDS = 300.0
"""


def history_with_failures(path):
    """A recording that ran out of memory twice."""
    rec = vramlab.open("traces/samples/fragments.vtrace")
    rec.replay(device_memory="1GiB", on_oom="skip", snapshot_out=path)
    return path


class WithStandIn(unittest.TestCase):
    """Each test runs a program in an interpreter of its own."""

    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory()
        cls.history = history_with_failures(os.path.join(cls.files.name, "failed.pickle"))

    @classmethod
    def tearDownClass(cls):
        cls.files.cleanup()

    def run_program(self, text, folder, **environment):
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(BEGIN) + textwrap.dedent(text))
        paths = [os.path.abspath("tools/python"), os.path.join(HERE, "fake_torch")]
        result = subprocess.run([sys.executable, path, self.history], cwd=folder, text=True,
                                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths),
                                     **environment},
                                capture_output=True, check=False, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_the_largest_value_that_a_function_fits_with(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                def step(batch, kind, scale=1.0):
                    with open("told", "a") as file:
                        file.write(repr((batch, kind, scale)))

                if __name__ == "__main__":
                    import doctest
                    import vramlab
                    from vramlab.torch import fitting
                    assert doctest.testmod(fitting).failed == 0
                    try:
                        found = vramlab.torch.fit(step, batch=range(4, 9), kind="a{b", scale=0.5, gpu="rtx4090",
                                                  no_cache=True)
                        print(found.searched, found.rows[0].problem)
                    except vramlab.Error as error:
                        assert "dry_run" in str(error), error
                        print("the stand-ins for CUDA's libraries are not built")
                    try:
                        vramlab.torch.fit(lambda batch: None, batch=range(1, 9), gpu="rtx4090")
                    except ValueError as error:
                        print(error)
            """, folder).stdout
            if "are not built" not in said:
                with open(os.path.join(folder, "told"), encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith("(4, 'a{b', 0.5)"))
                self.assertIn("batch batch=4 used no memory of a GPU", said)
        self.assertIn("expected a function at the top of a module", said)

    def test_a_cell_of_a_notebook(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                import vramlab

                class Shell:
                    def register_magic_function(self, function, kind, name):
                        assert (kind, name) == ("cell", "vramlab")
                        self.magic = function
                    def run_cell(self, text):
                        exec(text, {})

                shell = Shell()
                vramlab.load_ipython_extension(shell)
                torch.cuda.init()
                cuda.figures["allocated_bytes.all.current"] = 1 << 20
                found = shell.magic("-o kept.pickle", "from torch import cuda; "
                                    "cuda.figures['allocated_bytes.all.current'] = 3 << 20; print('ran')")
                print(found)
                assert found.growth_bytes == 2 << 20 and found.peak_reserved == found.recording.replay().peak_reserved
                assert "<svg" in found._repr_html_() and "out of memory on GPU 0" in found._repr_html_()
                assert os.path.exists("kept.pickle")
                assert shell.magic("", "").recording.info.rows
                empty = {"segments": [], "device_traces": [[]], "allocator_settings": {}}
                cuda.memory._snapshot = lambda *_: empty
                assert shell.magic("", "print('asks for nothing')") is None
                try:
                    shell.magic("wrong", "print('never')")
                except TypeError as error:
                    print(error)
                os.environ["FAKE_TORCH_WITHOUT_CUDA"] = "1"
                assert shell.magic("", "print('ran too')") is None
            """, folder).stdout
        self.assertIn("ran\npeak allocated ", said)
        self.assertIn(", +2.00 MiB held after the cell\n", said)
        self.assertIn("out of memory on GPU 0: ", said)
        self.assertIn("expected %%vramlab or %%vramlab -o FILE, found %%vramlab wrong", said)
        self.assertIn("asks for nothing\n%%vramlab: the cell asked for no memory of a GPU\n", said)
        self.assertIn("records nothing", said)
        self.assertIn("ran too\n", said)
        self.assertNotIn("never\n", said)

    def test_an_out_of_memory_is_explained(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                vramlab.torch.explain_oom()
                def ask():
                    _C.run_out_of_memory(3 << 30)
                ask()
            """, folder).stderr
            lines = said.splitlines()
            self.assertLessEqual(len(lines), 20)
            # The recording of the stand-in has another request than the program's.
            self.assertRegex(lines[0], r"^vramlab: out of memory on GPU 0: .* requested at "
                                       r"worst_case.py:\d+ ")
            for word in ("there was", "holds most", "setting", "certainty", "recording", "report"):
                self.assertIn(word, said)
            self.assertNotIn("Error", said)
            kept = [name for name in sorted(os.listdir(folder)) if name.startswith("vramlab-oom")]
            self.assertEqual([os.path.splitext(name)[1] for name in kept], [".html", ".pickle"])

    def test_a_request_without_a_stack_has_the_line_that_pytorch_was_called_from(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("""
                from vramlab.torch import oom_text
                failure = oom_text.Failure(0, 512, "program.py:7 ask")
                def told(place):
                    return oom_text.answer({"answer": {
                        "text": "headline\\n  there was", "out_of_memory": {"call_site": place}}}, failure)
                assert told("a.py:1 f") == ["vramlab: headline", "  there was"]
                assert told(None)[1] == "  called from        program.py:7 ask", told(None)
            """, folder)

    def test_at_most_three_are_explained_and_none_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                vramlab.torch.explain_oom()
                vramlab.torch.explain_oom()
                for _ in range(5):
                    _C.run_out_of_memory(1 << 30)
                assert len(_C.observers) == 1
            """, folder).stderr
            self.assertEqual(said.count("out of memory on GPU 0"), 5)
            self.assertEqual(said.count("holds most"), 3)

    def test_where_the_folder_cannot_be_written_to_temporary_files_are(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                vramlab.torch.explain_oom("no/such/folder")
                _C.run_out_of_memory(1 << 30)
            """, folder, TMPDIR=folder).stderr
            self.assertIn("holds most", said)
            self.assertIn(f"recording          {folder}/vramlab-oom-", said)

    def test_own_errors_are_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                import tempfile
                tempfile.tempdir = "no/temporary/files"
                vramlab.torch.explain_oom("no/such/folder")
                _C.run_out_of_memory(1 << 30)
            """, folder).stderr
            lines = said.splitlines()
            self.assertEqual(len(lines), 2, said)
            self.assertIn("out of memory on GPU 0: 1.00 GiB requested at program.py", lines[0])
            self.assertIn("(the recording is not kept: FileNotFoundError", lines[1])

    def test_a_program_that_hangs_is_not_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            slow = os.path.join(folder, "slow")
            with open(slow, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nexec sleep 100\n")
            os.chmod(slow, 0o755)
            said = self.run_program("""
                import time
                oom._LONGEST_SECONDS = 2.0
                vramlab.torch.explain_oom()
                begin = time.monotonic()
                _C.run_out_of_memory(1 << 30)
                # The program sleeps for much longer.
                assert time.monotonic() - begin < 60
            """, folder, VRAMLAB_PROGRAM=slow).stderr
            self.assertIn("no answer in time", said)
            self.assertIn("out of memory on GPU 0", said)

    def test_the_recording_is_as_long_as_asked_and_the_programs_own_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("""
                cuda.memory._record_memory_history(max_entries=7)
                vramlab.torch.explain_oom()
                assert len(_C.recorded) == 1, _C.recorded
                cuda.memory._record_memory_history(None)
                with vramlab.torch.record("run.pickle", max_entries=9) as r:
                    assert _C.recorded[-1]["max_entries"] == 9
                assert not _C.recorded[-1]["enabled"]
                assert r.recording.replay().peak_reserved > 0

                @vramlab.torch.record("function.pickle")
                def train():
                    return 5

                assert train() == 5
                assert os.path.exists("function.pickle")
                try:
                    with vramlab.torch.record("failed.pickle"):
                        raise KeyError
                except KeyError:
                    assert os.path.exists("failed.pickle")
            """, folder)

    def test_a_recording_may_begin_before_the_first_use_of_cuda(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("""
                _C.is_up[0] = False
                with vramlab.torch.record("run.pickle"):
                    cuda.init()
                    assert _C.recorded[-1]["enabled"]
                vramlab.torch.explain_oom()
            """, folder)

    def test_a_recording_that_cannot_be_kept_hides_no_error_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                try:
                    with vramlab.torch.record("no/such/folder.pickle"):
                        raise MemoryError("out of memory")
                except MemoryError:
                    print("caught")
                assert not _C.recorded[-1]["enabled"]
                try:
                    with vramlab.torch.record("no/such/folder.pickle"):
                        pass
                except FileNotFoundError:
                    print("told")
            """, folder)
            self.assertEqual(said.stdout.split(), ["caught", "told"])
            self.assertIn("no/such/folder.pickle is not written: FileNotFoundError", said.stderr)

    def test_steps_are_watched_and_growth_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_program("""
                told = []
                watching = vramlab.torch.watch(every=2, scalars=lambda *row: told.append(row))
                first, second = optim.optimizer.Optimizer(), optim.optimizer.Optimizer()
                for step in range(1, 13):
                    names = ("allocated_bytes", "reserved_bytes", "inactive_split_bytes")
                    for name in names:
                        for when in ("current", "peak"):
                            cuda.figures[f"{name}.all.{when}"] = step << 21
                    first.step()
                    second.step()
                watching.stop()
                first.step()
                import json
                print(json.dumps(told))
            """, folder)
        told = json.loads(result_of(said))
        self.assertEqual(sorted({row[2] for row in told}), [2, 4, 6, 8, 10, 12])
        self.assertIn(["vramlab/peak_reserved", float(4 << 21), 4], told)
        lines = said.stderr.splitlines()
        self.assertEqual(sum("grew for the" in line for line in lines), 3)
        self.assertTrue(lines[0].startswith("vramlab: step 2: peak allocated 4.00 MiB"), lines[0])

    def test_frameworks_are_imported_when_they_are_used(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("""
                found = {name.partition(".")[0] for name in sys.modules}
                assert not found & {"transformers", "lightning", "pytorch_lightning"}, found
            """, folder)


def result_of(result):
    return result.stdout.splitlines()[-1]


if __name__ == "__main__":
    unittest.main()
