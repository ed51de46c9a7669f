"""The start-up hook of `vramlab watch`, with a stand-in for PyTorch: explanations, figures, questions."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import vramlab

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.abspath("tools/python")
HOOK = os.path.join(SOURCES, "start_hook")
FAKE_TORCH = os.path.join(HERE, "fake_torch")
BEGIN = """
    import json, os, socket, sys, threading
    import torch
    from torch import _C, cuda

    folder = os.environ.get("VRAMLAB_WATCH", "")

    def figures(allocated, reserved, stranded=0, failures=0):
        cuda.figures.clear()
        for name, value in (("allocated_bytes", allocated), ("reserved_bytes", reserved),
                            ("inactive_split_bytes", stranded)):
            cuda.figures[name + ".all.current"] = cuda.figures[name + ".all.peak"] = value
        cuda.figures["num_ooms"] = failures

    def ask(question):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(f"{folder}/{os.getpid()}.sock")
            asking.sendall(question.encode() + b"\\n")
            return json.loads(asking.makefile().read())
"""


class Hooked(unittest.TestCase):
    """Each test runs a program in an interpreter of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.sockets = os.path.join(scratch.name, "sockets")
        os.mkdir(self.sockets, 0o700)

    def run_program(self, text, begin=BEGIN, paths=(HOOK, SOURCES, FAKE_TORCH), **environment):
        path = os.path.join(self.folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(begin) + textwrap.dedent(text))
        settings = {"VRAMLAB_WATCH": self.sockets, "PYTHONPATH": os.pathsep.join(paths), **environment}
        result = subprocess.run(
            [sys.executable, path], cwd=self.folder, text=True, capture_output=True, check=False, timeout=120,
            env={**os.environ, **{name: value for name, value in settings.items() if value}})
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def told(self):
        """The figures that processes left at their end."""
        found = []
        for name in sorted(os.listdir(self.sockets)):
            self.assertTrue(name.endswith(".json"), name)
            with open(os.path.join(self.sockets, name), encoding="utf-8") as file:
                found.append(json.load(file))
        return found

    def test_a_running_program_tells_its_figures(self):
        said = self.run_program("""
            figures(3 << 20, 8 << 20, 1 << 20)
            print(json.dumps(ask("figures")))
            print(ask("weather")["error"])
            print(ask("recording relative")["error"])
            print([thread.daemon for thread in threading.enumerate()])
        """, RANK="3").stdout.splitlines()
        found = json.loads(said[0])
        self.assertEqual((found["rank"], found["program"], found["explanation"]), (3, "program.py", None))
        self.assertEqual(found["devices"], [{
            "device": 0, "allocated_bytes": 3 << 20, "reserved_bytes": 8 << 20, "stranded_bytes": 1 << 20,
            "peak_allocated_bytes": 3 << 20, "peak_reserved_bytes": 8 << 20, "peak_stranded_bytes": 1 << 20,
            "failures": 0}])
        self.assertEqual(said[1:], ["expected figures or recording PATH, found 'weather'",
                                    "expected figures or recording PATH, found 'recording relative'",
                                    "[False, True]"])

    def test_the_figures_at_the_end_have_the_peaks_that_were_seen(self):
        self.run_program("""
            figures(3 << 20, 8 << 20)
            ask("figures")
            figures(1 << 20, 2 << 20)
        """)
        device = self.told()[0]["devices"][0]
        self.assertEqual((device["reserved_bytes"], device["peak_reserved_bytes"]), (2 << 20, 8 << 20))

    def test_a_recording_is_written_when_asked_for(self):
        history = os.path.join(self.folder, "history.pickle")
        vramlab.open("traces/samples/leak.vtrace").replay(snapshot_out=history)
        self.run_program("""
            path = os.path.abspath("asked.pickle")
            assert ask("recording " + path) == {"recording": path}
            assert "No such file" in ask("recording /no/such/folder/a")["error"]
        """, FAKE_TORCH_HISTORY=history)
        asked = vramlab.open(os.path.join(self.folder, "asked.pickle"))
        self.assertGreater(asked.replay().peak_reserved, 0)

    def test_an_out_of_memory_is_explained_and_kept(self):
        history = os.path.join(self.folder, "failed.pickle")
        vramlab.open("traces/samples/fragments.vtrace").replay(device_memory="1GiB", on_oom="skip",
                                                               snapshot_out=history)
        output = os.path.join(self.folder, "output")
        os.mkdir(output)
        said = self.run_program("""
            from vramlab.torch import oom
            # However busy the machine is.
            oom._LONGEST_SECONDS = 300.0
            figures(0, 0, failures=1)
            _C.run_out_of_memory(3 << 30)
            print(_C.recorded)
        """, FAKE_TORCH_HISTORY=history, VRAMLAB_WATCH_OUTPUT=output, VRAMLAB_WATCH_ENTRIES="500")
        self.assertIn("'max_entries': 500", said.stdout)
        self.assertIn("holds most", said.stderr)
        (found,) = self.told()
        self.assertEqual(found["devices"][0]["failures"], 1)
        with open(found["explanation"], encoding="utf-8") as file:
            self.assertIn(file.read(), said.stderr)
        self.assertEqual(sorted(os.path.splitext(name)[1] for name in os.listdir(output)),
                         [".html", ".pickle", ".txt"])

    def test_each_process_tells_for_itself(self):
        self.run_program("""
            import multiprocessing

            def work(number):
                figures(number << 20, number << 20)

            if __name__ == "__main__":
                figures(9 << 20, 9 << 20)
                for method in ("spawn", "fork"):
                    process = multiprocessing.get_context(method).Process(target=work, args=(4,))
                    process.start()
                    process.join()
                    assert process.exitcode == 0
                if os.fork() == 0:
                    sys.exit(0)
                os.wait()
                print(ask("figures"))
        """)
        # A child of fork can't use CUDA once its parent has.
        self.assertEqual(sorted(found["devices"][0]["reserved_bytes"] for found in self.told()),
                         [4 << 20, 9 << 20])

    def test_a_process_that_uses_cuda_only_after_it_was_forked_tells_for_itself(self):
        self.run_program("""
            pending = []
            cuda._lazy_call = pending.append
            from vramlab.torch import running
            running._running.clear()
            running.begin()
            child = os.fork()
            for action in pending if child == 0 else []:
                action()
            if child == 0:
                figures(1 << 20, 2 << 20)
                sys.exit(0)
            os.waitpid(child, 0)
        """)
        self.assertIn(2 << 20, [device["reserved_bytes"] for found in self.told() for device in found["devices"]])

    def test_programs_without_pytorch_and_before_cuda_tell_nothing_of_devices(self):
        self.run_program("import sys\nassert 'vramlab' not in sys.modules\n", begin="")
        self.assertEqual(self.told(), [])
        self.run_program("_C.is_up[0] = False\nassert ask('figures')['devices'] == []\n")
        self.assertEqual(self.told()[0]["devices"], [])

    def test_the_users_own_sitecustomize_runs_and_our_folder_is_gone(self):
        own = os.path.join(self.folder, "own")
        os.mkdir(own)
        with open(os.path.join(own, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write("print('own one ran')\n")
        said = self.run_program("""
            figures(1 << 20, 1 << 20)
            assert not [path for path in sys.path if path.endswith("start_hook")]
            assert "own" in sys.modules["sitecustomize"].__file__
        """, paths=(HOOK, SOURCES, own, FAKE_TORCH)).stdout
        self.assertEqual(said, "own one ran\n")
        self.assertEqual(len(self.told()), 1)

    def test_a_dry_runs_hook_runs_too(self):
        dry_run = os.path.join(os.path.dirname(os.environ["VRAMLAB_PROGRAM"]), "dry_run", "python")
        if not os.path.isdir(dry_run):
            self.skipTest("the stand-ins for CUDA's libraries are not built")
        self.run_program("""
            assert "vramlab_dry_run" in sys.modules
            figures(1 << 20, 1 << 20)
        """, paths=(HOOK, SOURCES, dry_run, FAKE_TORCH))
        self.assertEqual(len(self.told()), 1)

    def test_a_folder_of_others_is_refused_in_one_line(self):
        os.chmod(self.sockets, 0o755)
        said = self.run_program("figures(1 << 20, 1 << 20)\nprint('ran')\n")
        self.assertEqual(said.stdout, "ran\n")
        self.assertRegex(said.stderr, "^vramlab: this program can't be asked about its memory: expected a folder "
                                      "that is this user's alone, found .*\n$")

    def test_an_error_of_ours_is_one_line(self):
        said = self.run_program("import sys\nsys.modules['vramlab.torch'] = None\nimport torch\nprint('ran')\n",
                                begin="")
        self.assertEqual(said.stdout, "ran\n")
        self.assertRegex(said.stderr, "^vramlab: this program's memory is not watched: .*\n$")

    def test_the_environment_alone_is_enough_where_the_wheel_is_installed(self):
        sys.path.insert(0, SOURCES)
        import backend

        site = os.path.join(self.folder, "site")
        os.mkdir(site)
        with open(os.path.join(site, "vramlab.pth"), "w", encoding="utf-8") as file:
            file.write(backend._start_up_line())
        begin = f"import site, sys\nsite.addsitedir({site!r})\n"
        program = """
            print("vramlab_start" in sys.modules)
            import torch
            print([name for name in ("vramlab.torch.running",) if name in sys.modules])
        """
        for value, found in (("explain", "True\n['vramlab.torch.running']\n"), ("", "False\n[]\n"),
                             ("other", "True\n[]\n")):
            said = self.run_program(program, begin=begin, paths=(SOURCES, FAKE_TORCH), VRAMLAB=value,
                                    VRAMLAB_WATCH="", XDG_RUNTIME_DIR=self.folder)
            self.assertEqual((said.stdout, said.stderr), (found, ""))
        self.assertEqual(os.listdir(os.path.join(self.folder, "vramlab", "alone")), [])

    def test_a_wheel_holds_the_module_once_and_its_hook_finds_it(self):
        sys.path.insert(0, SOURCES)
        import backend

        installed = pathlib.Path(self.folder, "installed")
        watch = installed / "lib" / "vramlab" / "watch" / "python"
        shutil.copytree(HOOK, watch)
        for package in ("vramlab", "vramlab_start"):
            shutil.copytree(os.path.join(SOURCES, package), watch / package)
        site = pathlib.Path(self.folder, "site")
        for name, (data, _) in backend._wheel_files(installed, "any"):
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_bytes(data)
        self.assertEqual([str(path.relative_to(site)) for path in site.rglob("recording.py")],
                         ["vramlab/recording.py"])
        hook = str(site / "vramlab" / "lib" / "vramlab" / "watch" / "python")
        said = self.run_program("""
            figures(1 << 20, 1 << 20)
            print(sys.modules["vramlab"].__file__)
            print([path for path in sys.path if "site" in path and path.startswith(os.getcwd())])
        """, paths=(hook, FAKE_TORCH)).stdout
        self.assertEqual(said, f"{site}/vramlab/__init__.py\n[]\n")
        self.assertEqual(len(self.told()), 1)


if __name__ == "__main__":
    unittest.main()
