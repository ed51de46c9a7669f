"""The files that decide what a program does: its own modules, and what it opened to read and did not write itself.
`vramlab fit` keeps the result of a run as long as they stay the same."""

import os
import sys

_MOST_FILES = 5000
_NO_FILES = ("/proc/", "/sys/", "/dev/")

_read = set()
_written = set()


def watch():
    sys.addaudithook(_note)


def _note(event, arguments):
    if event != "open":
        return
    path, mode, flags = arguments
    if not isinstance(path, (str, bytes)) or len(_read) + len(_written) >= 2 * _MOST_FILES:
        return
    writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool(
        flags & (os.O_WRONLY | os.O_RDWR))
    (_written if writes else _read).add(os.path.abspath(os.fsdecode(path)))


def _installed():
    """The folders of Python and of installed packages."""
    import sysconfig

    return tuple(os.path.join(folder, "") for name, folder in sysconfig.get_paths().items()
                 if name in ("stdlib", "platstdlib", "purelib", "platlib"))


def tell(report):
    """Path, size and time of change of each; a size below 0 for a file that is missing."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
    scratch = os.path.join(os.environ.get("VRAMLAB_DRY_RUN_NOTES", own), "")
    apart = (*_NO_FILES, *_installed(), own, scratch)
    paths = {path for path in _read - _written if "__pycache__" not in path}
    paths.update(os.path.abspath(module.__file__) for module in list(sys.modules.values())
                 if isinstance(getattr(module, "__file__", None), str))
    paths = {path for path in paths if not path.startswith(apart)}
    paths.add(sys.modules["torch.version"].__file__)
    if len(paths) > _MOST_FILES:
        return
    report.values["files"] = [[path, *_state_of(path)] for path in sorted(paths) if not os.path.isdir(path)]
    # A package that is installed or removed changes its folder.
    report.values["files"] += [[folder, *_state_of(folder)] for folder in sorted(set(_installed()))]


def _state_of(path):
    try:
        found = os.stat(path)
    except OSError:
        return -1, 0
    return found.st_size, found.st_mtime_ns
