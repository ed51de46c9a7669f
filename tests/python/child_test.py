"""Errors, progress, and the end of the child process."""

import errno
import logging
import os
import pickle
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from unittest import mock

import vramlab
from vramlab import answers, child, program

SAMPLE = "traces/samples/gpt_training.pickle.gz"


class Errors(unittest.TestCase):
    """The program's messages, as exceptions."""

    def test_an_input_error_has_its_parts(self):
        with self.assertRaises(vramlab.InputError) as caught:
            vramlab.open("no such file")
        error = caught.exception
        self.assertEqual((error.file, error.position, error.expected, error.found),
                         ("no such file", None, "a file that can be read",
                          "No such file or directory"))
        self.assertEqual(str(error),
                         "no such file: expected a file that can be read, found No such file or "
                         "directory")

    def test_the_position_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.pickle")
            with open(path, "wb") as file:
                file.write(b"\x80\x04\x95")
            with self.assertRaises(vramlab.InputError) as caught:
                vramlab.open(path)
        self.assertIn("byte", caught.exception.position)

    def test_wrong_options_are_no_input_errors(self):
        with self.assertRaises(vramlab.Error) as caught:
            vramlab.open(SAMPLE).replay(gpus=3)
        self.assertNotIsInstance(caught.exception, vramlab.InputError)
        self.assertIn("--gpus", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "no option '--confs'; the nearest is --conf"):
            vramlab.open(SAMPLE).replay(confs="")
        with self.assertRaises(vramlab.Error) as caught:
            vramlab.open(SAMPLE).replay(history="many")
        self.assertNotIsInstance(caught.exception, TypeError)

    def test_a_missing_file_is_one_of_python(self):
        with self.assertRaises(FileNotFoundError) as caught:
            vramlab.open("no such file")
        again = pickle.loads(pickle.dumps(caught.exception))
        for error in (caught.exception, again):
            self.assertIsInstance(error, vramlab.InputError)
            self.assertEqual((error.errno, error.filename), (errno.ENOENT, "no such file"))
            self.assertTrue(str(error).startswith("no such file: expected "))
        with self.assertRaises(vramlab.InputError) as caught:
            vramlab.open("tests")
        self.assertNotIsInstance(caught.exception, FileNotFoundError)

    def test_nothing_else_is_opened(self):
        for source in (None, 3, {1, 2}):
            with self.assertRaisesRegex(TypeError, f"found {type(source).__name__}"):
                vramlab.open(source)

    def test_a_program_that_crashes(self):
        with Script("echo a word >&2; kill -SEGV $$"):
            with self.assertLogs("vramlab", logging.WARNING):
                with self.assertRaisesRegex(vramlab.Error, "ended with signal 11: a word"):
                    vramlab.open(SAMPLE)

    def test_a_program_of_another_version(self):
        with Script("""echo '{"schema_version": 4}'"""):
            with self.assertRaisesRegex(vramlab.Error, "expected JSON of schema version 3"):
                vramlab.open(SAMPLE)

    def test_no_program(self):
        with mock.patch.dict(os.environ, {"VRAMLAB_PROGRAM": "/no/such"}):
            with self.assertRaisesRegex(vramlab.ProgramNotFound, "/no/such"):
                vramlab.find_program()

    def test_a_console_script_is_not_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "vramlab")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
            os.chmod(path, 0o755)
            with mock.patch.dict(os.environ, {"PATH": folder, "VRAMLAB_PROGRAM": ""}), \
                    mock.patch.object(program, "__file__", os.path.join(folder, "program.py")):
                with self.assertRaises(vramlab.ProgramNotFound):
                    vramlab.find_program()


class Script:
    """A stand-in for the program, in the shell's language."""

    def __init__(self, text):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "program")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(self.path, stat.S_IRWXU)
        self.patch = mock.patch.dict(os.environ, {"VRAMLAB_PROGRAM": self.path})

    def __enter__(self):
        self.patch.start()
        return self

    def __exit__(self, *_):
        self.patch.stop()
        self.folder.cleanup()


class ProgressTold(unittest.TestCase):
    """Progress by callback."""

    def test_a_function_is_told_how_much_is_read(self):
        told = []
        vramlab.open(SAMPLE, progress=told.append)
        self.assertTrue(told)
        self.assertEqual(told[0].what, SAMPLE)
        self.assertEqual(told[0].bytes_total, os.path.getsize(SAMPLE))

    def test_an_error_of_the_function_ends_the_child(self):
        def refuse(_):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            vramlab.open(SAMPLE, progress=refuse)
        self.assertEqual(children(), [])


def children():
    listed = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "pid=,comm="],
                            capture_output=True, text=True, check=False).stdout
    return [line for line in listed.splitlines() if not line.rstrip().endswith(" ps")]


INTERRUPTED = """
    import os, subprocess, sys
    from vramlab import program
    os.environ["VRAMLAB_PROGRAM"] = sys.argv[1]
    steps = int(sys.argv[2])
    seen = 0
    # How many there were when it began to wait for the child.
    waiting = 0

    def trace(frame, event, _):
        # Counts instructions of the module in this thread; one of them is interrupted.
        global seen, waiting
        if os.path.basename(os.path.dirname(frame.f_code.co_filename)) != "vramlab":
            return None
        frame.f_trace_opcodes = True
        if frame.f_code.co_name == "_next_event" and not waiting:
            waiting = seen
        if event == "opcode":
            seen += 1
            if seen == steps:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        program.run(["sleep"])
        print("finished", seen, waiting)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        sys.settrace(None)
    alive = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "comm="],
                           capture_output=True, text=True).stdout.split()
    print("left", [name for name in alive if name != "ps"])
"""


class Interrupts(unittest.TestCase):
    """An interrupt ends the child and reaps it."""

    def setUp(self):
        # A process in the background is started with interrupts ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)

    def interrupt_soon(self):
        timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
        self.addCleanup(timer.join)
        timer.start()

    def run_interrupted(self, script, opcode):
        """The output of a program that is interrupted at an instruction; 0 is none."""
        words = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), script.path, str(opcode)]
        result = subprocess.run(words, env={**os.environ, "PYTHONPATH": "tools/python"}, text=True,
                                capture_output=True, check=False, timeout=90)
        self.assertIn("left []", result.stdout, f"at {opcode}: {result.stderr}")
        return result.stdout

    def test_at_any_instruction(self):
        with Script("exec sleep 0.05") as script:
            _, count, waiting = self.run_interrupted(script, 0).split()[:3]
            self.assertGreater(int(waiting), 100)
            self.assertGreater(int(count), int(waiting) + 30)
            # The child may be over by then, and end the program before that instruction.
            for opcode in range(int(waiting), int(count), 10):
                self.run_interrupted(script, opcode)
        with Script("exec sleep 100") as script:
            for opcode in range(1, int(waiting), max(1, int(waiting) // 30)):
                self.assertIn("interrupted", self.run_interrupted(script, opcode))

    def test_while_the_child_works(self):
        with Script("exec sleep 100"):
            self.interrupt_soon()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                program.run(["sleep"])
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(children(), [])

    def test_a_child_that_does_not_listen_is_killed(self):
        with Script("trap '' TERM INT; while :; do sleep 0.1; done"), \
                mock.patch.object(child, "_SECONDS_TO_END", 0.3):
            self.interrupt_soon()
            with self.assertRaises(KeyboardInterrupt):
                program.run(["sleep"])
        self.assertEqual([name for name in children() if "program" in name], [])


class OtherPrograms(unittest.TestCase):
    """Text that a user's program prints is passed on."""

    def test_messages_are_told_from_other_text(self):
        text = (b'{"vramlab_message":"error"}\n10 %\r20 %\r{"vramlab_message":"no"}\nend\n'
                b'{"vramlab_message":"error"}\n{"vram')
        for size in (1, 2, 7, 1000):
            source = mock.MagicMock()
            chunks = [text[i:i + size] for i in range(0, len(text), size)] + [b""]
            source.read1 = lambda _, chunks=iter(chunks): next(chunks)
            pieces = list(child._pieces(source))
            self.assertEqual(b"".join(pieces), text)
            self.assertEqual([piece for piece in pieces if piece.startswith(b'{"vramlab_message')
                              and piece.endswith(b'"error"}\n')],
                             [b'{"vramlab_message":"error"}\n'] * 2)

    def test_a_dry_run_without_its_stand_ins_or_with_them(self):
        try:
            run = vramlab.dry_run([sys.executable, "-c", "import sys; sys.exit(5)"], quiet=True)
        except vramlab.Error as error:
            self.assertIn("dry_run", str(error))
            self.skipTest("the stand-ins for CUDA's libraries are not built")
        self.assertEqual(run.exit_status, 5)
        self.assertEqual(run.histories, [])

    def test_the_largest_value_that_fits(self):
        for words in (["sh", "-c", "exit {status:0,3}"], ["sh", "-c", "true {n:1..9}"]):
            try:
                found = vramlab.fit(words, gpu=["a100-40gb", "rtx4090"], no_cache=True)
            except vramlab.Error as error:
                self.assertIn("dry_run", str(error))
                self.skipTest("the stand-ins for CUDA's libraries are not built")
            self.assertIsNone(found.best)
            self.assertIn("used no memory of a GPU", found.rows[0].problem)
        with self.assertRaises(vramlab.InputError):
            vramlab.fit(["true", "{n:9..1}"], gpu="rtx4090")

    def test_an_engine_that_is_none(self):
        try:
            found = vramlab.serve([sys.executable, "-c", "raise SystemExit(4)"], gpu="l4", quiet=True)
        except vramlab.Error as error:
            self.assertIn("dry_run", str(error))
            self.skipTest("the stand-ins for CUDA's libraries are not built")
        self.assertEqual((found.has_started, found.exit_status, found.gpu), (False, 4, "l4"))
        self.assertEqual(found.rows, [])
        self.assertIsNone(found.worst)

    def test_parts_of_an_engine(self):
        names = ("weights", "activations", "graphs", "beside_graphs", "cache", "cache_tokens", "buffers", "outside",
                 "peak_with_cache", "left", "possible_cache", "possible_cache_tokens")
        processes = [{"process": number, "engine": "vllm", "version": "0.33.0", "is_ready": True,
                      "parts": {**dict.fromkeys(names), "peak_with_cache": peak, "cache_tokens": tokens}}
                     for number, peak, tokens in ((1, None, None), (2, 30, 160), (3, 20, 170))]
        found = answers.Serving({"processes": processes})
        self.assertEqual(found.worst.cache_tokens, 160)
        self.assertEqual([row.cache_tokens for row in found.rows], [None, 160, 170])

    def test_a_program_on_the_allocator(self):
        try:
            self.assertEqual(vramlab.run(["sh", "-c", "exit 7"], mode="off"), 7)
        except vramlab.Error as error:
            self.assertIn("libvramlab_preload", str(error))
            self.skipTest("the library that is preloaded is not built")
        with self.assertRaises(vramlab.Error):
            vramlab.run(["true"], mode="no_such_mode")

    def test_wrong_options_of_a_dry_run(self):
        with self.assertRaises(vramlab.Error):
            vramlab.dry_run(["true"], gpu="no-such-gpu")


if __name__ == "__main__":
    unittest.main()
