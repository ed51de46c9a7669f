"""begin(): explains each out-of-memory of a program, and answers questions about its memory while it
runs. For `vramlab watch` and VRAMLAB=explain, which change no line of the program.

A question is a line sent to the socket PID.sock: `figures`, or `recording PATH`, which writes a
snapshot. The answer is a line of JSON. The socket is there once CUDA is up.
"""

import atexit
import contextlib
import json
import multiprocessing.util
import os
import socket
import sys
import tempfile
import threading
import time
from typing import Any, Dict, List, Optional

from vramlab.torch import pytorch
from vramlab.torch.figures import Figures
from vramlab.torch.oom import explain_oom
from vramlab.torch.run_folder import folder_of_run, is_of_command

_USUAL_ENTRIES = 100_000
_SECONDS_TO_ASK = 5.0
_LONGEST_QUESTION = 8192
_PAUSE = 0.1

_running: List["_Running"] = []


def begin() -> None:
    """Called once, when PyTorch is imported."""
    if not _running:
        entries = os.environ.get("VRAMLAB_WATCH_ENTRIES", "")
        folder = os.path.abspath(os.environ.get("VRAMLAB_WATCH_OUTPUT") or ".")
        _running.append(_Running(folder))
        explain_oom(folder, max_entries=int(entries) if entries.isdecimal() else _USUAL_ENTRIES,
                    write=_running[0].explain)
        # A process that is forked before its first use of CUDA begins by itself.
        pytorch.when_cuda_is_up(_running[0].open)


class _Running:
    """Its errors never reach the program."""

    def __init__(self, output: str) -> None:
        self._output = output
        self._figures = Figures()
        self._explanation: Optional[str] = None
        self._folder = ""
        self._socket: Optional[socket.socket] = None
        self._owner = 0

    def explain(self, text: str) -> None:
        """Tells an explanation, and keeps it in a file, for a launcher may have sent what is told
        elsewhere."""
        with contextlib.suppress(Exception):
            sys.stderr.write(text)
            sys.stderr.flush()
        for folder in (self._output, tempfile.gettempdir()):
            path = os.path.join(folder, f"vramlab-oom-{os.getpid()}.txt")
            with contextlib.suppress(OSError):
                with open(path, "a", encoding="utf-8", errors="replace", opener=_never_through_a_link) as file:
                    file.write(text)
                self._explanation = path
                return

    def open(self) -> None:
        """From now on questions are answered, and the end is told."""
        try:
            self._folder = folder_of_run()
            self._socket = _listening(self._place(".sock"))
        except Exception as error:  # pylint: disable=broad-except
            with contextlib.suppress(Exception):
                sys.stderr.write(f"vramlab: this program can't be asked about its memory: {error}\n")
            return
        self._owner = os.getpid()
        os.register_at_fork(after_in_child=self._forget)
        # Processes of multiprocessing end without atexit.
        multiprocessing.util.Finalize(None, self._close, exitpriority=0)
        atexit.register(self._close)
        threading.Thread(target=self._answer_all, args=(self._socket,), name="vramlab",
                         daemon=True).start()

    def _place(self, ending: str) -> str:
        return os.path.join(self._folder, f"{os.getpid()}{ending}")

    def _forget(self) -> None:
        """In a child, which has no thread that would answer."""
        listening, self._socket = self._socket, None
        if listening is not None:
            listening.close()

    def _close(self) -> None:
        if self._socket is None or self._owner != os.getpid():
            return
        self._socket = None
        with contextlib.suppress(Exception):
            if is_of_command():
                unfinished = self._place(".unfinished")
                with open(unfinished, "w", encoding="utf-8") as file:
                    file.write(_line(self._told()))
                os.replace(unfinished, self._place(".json"))
        with contextlib.suppress(OSError):
            os.remove(self._place(".sock"))

    def _told(self) -> Dict[str, Any]:
        return {**self._figures.now(), "explanation": self._explanation}

    def _answer_all(self, listening: socket.socket) -> None:
        while self._socket is listening:
            try:
                asking, _ = listening.accept()
                with asking:
                    asking.settimeout(_SECONDS_TO_ASK)
                    asking.sendall(_line(self._answer(_question(asking))).encode())
            except Exception:  # pylint: disable=broad-except
                # One who asked is gone, or there are no more files; then again at once helps nobody.
                time.sleep(_PAUSE)

    def _answer(self, question: str) -> Dict[str, Any]:
        try:
            word, _, path = question.partition(" ")
            if word == "figures":
                return self._told()
            if word == "recording" and os.path.isabs(path):
                pytorch.write(pytorch.snapshot(), path)
                return {"recording": path}
            return {"error": f"expected figures or recording PATH, found {question!r}"}
        except Exception as error:  # pylint: disable=broad-except
            return {"error": " ".join(f"{type(error).__name__}: {error}".split())}


def _never_through_a_link(path: str, flags: int) -> int:
    """Temporary files lie where others can make links."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def _listening(path: str) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        # A process of this number that was killed.
        os.remove(path)
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    found.bind(path)
    found.listen()
    return found


def _question(asking: socket.socket) -> str:
    text = b""
    while not text.endswith(b"\n") and len(text) < _LONGEST_QUESTION:
        more = asking.recv(_LONGEST_QUESTION)
        if not more:
            break
        text += more
    return text.decode("utf-8", "surrogateescape").rstrip("\n")


def _line(document: Dict[str, Any]) -> str:
    return json.dumps(document) + "\n"
