"""The program as a child process. However the caller stops waiting, an interrupt included, the child
is ended and reaped."""

import collections
import json
import queue
import subprocess
import threading
from typing import IO, Any, Deque, Dict, Iterator, List, NamedTuple, Optional, Sequence

_SECONDS_TO_END = 5.0
_TEXTS_KEPT = 20
_MESSAGE = b'{"vramlab_message":'


class Ended(NamedTuple):
    """How the program ended; `output` is empty where it went to our own standard output."""

    status: int
    output: bytes
    errors: List[Dict[str, Any]]
    #: The last of what else was said on standard error.
    texts: List[str]


class Child:
    """An interrupt is raised in the main thread, so another one starts the child and waits for it:
    no interrupt falls between the start and the note of it. Use as a context manager."""

    def __init__(self, command: Sequence[str], environment: Dict[str, str], is_ours: bool,
                 memory_bytes: Optional[int] = None) -> None:
        self._command = command
        self._environment = environment
        #: Nobody else's program runs in it, so that its output is an answer for us.
        self._is_ours = is_ours
        self._memory_bytes = memory_bytes
        #: An interrupt may keep the main thread from releasing it, which then ends the child again.
        self._lock = threading.RLock()
        self._is_over = False
        self._process: Optional["subprocess.Popen[bytes]"] = None
        #: Messages as they come; then an Ended, or what prevented the start.
        self.events: "queue.Queue[Any]" = queue.Queue()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def end(self) -> None:
        """Ends what still runs, and does nothing otherwise."""
        try:
            self._end()
        except BaseException:
            # An interrupt while the child is being ended; what is over is not ended twice.
            self._end()
            raise

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _run(self) -> None:
        try:
            process = self._begin()
            if process is not None:
                self.events.put(self._follow(process))
        except BaseException as error:  # pylint: disable=broad-except
            self.events.put(error)

    def _begin(self) -> Optional["subprocess.Popen[bytes]"]:
        with self._lock:
            if not self._is_over:
                self._process = subprocess.Popen(
                    self._command,
                    env=self._environment,
                    stdin=subprocess.DEVNULL if self._is_ours else None,
                    stdout=subprocess.PIPE if self._is_ours else None,
                    stderr=subprocess.PIPE,
                )
                if self._memory_bytes is not None:
                    # Not every system has it.
                    import resource

                    limit = (self._memory_bytes, self._memory_bytes)
                    resource.prlimit(self._process.pid, resource.RLIMIT_AS, limit)
            return self._process

    def _follow(self, process: "subprocess.Popen[bytes]") -> Ended:
        output: List[bytes] = []
        reader = threading.Thread(target=_read_all, args=(process.stdout, output), daemon=True)
        reader.start()
        errors: List[Dict[str, Any]] = []
        texts: Deque[str] = collections.deque(maxlen=_TEXTS_KEPT)
        for line in _pieces(process.stderr):
            if not line.startswith(_MESSAGE):
                texts.append(line.decode("utf-8", "replace"))
                self.events.put(texts[-1])
                continue
            message = json.loads(line.decode("utf-8", "replace"))
            if message["vramlab_message"] not in ("progress", "work"):
                errors.append(message)
            self.events.put(message)
        reader.join()
        return Ended(process.wait(), b"".join(output), errors, list(texts))


def _read_all(source: Optional[IO[bytes]], output: List[bytes]) -> None:
    if source is not None:
        with source:
            output.append(source.read())


def _pieces(source: Any) -> Iterator[bytes]:
    """Messages as whole lines; what other programs print as it comes, for they draw bars."""
    pending = b""
    is_begin_of_line = True
    with source:
        for chunk in iter(lambda: source.read1(65536), b""):
            pending += chunk
            while pending:
                end = pending.find(b"\n") + 1
                is_message = is_begin_of_line and _MESSAGE.startswith(pending[: len(_MESSAGE)])
                if is_message and not end:
                    break
                piece, pending = (pending[:end], pending[end:]) if end else (pending, b"")
                is_begin_of_line = piece.endswith(b"\n")
                yield piece
    if pending:
        yield pending
