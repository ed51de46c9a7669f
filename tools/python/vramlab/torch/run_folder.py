"""The folder in which running programs can be asked: that of `vramlab watch`, else the user's own
(docs/decisions/0041-watch.md). The command looks in the same places."""

import contextlib
import os
import stat
from typing import List

#: A socket's whole path has at most 107 letters.
_LONGEST = 80


def is_of_command() -> bool:
    """Whether `vramlab watch` waits for the figures at the end."""
    return bool(os.environ.get("VRAMLAB_WATCH"))


def folder_of_run() -> str:
    """Throws OSError if it is not the user's alone."""
    named = os.environ.get("VRAMLAB_WATCH")
    if named:
        return _checked(named)
    for base in _bases():
        try:
            return _made(os.path.join(_made(base), "alone"))
        except OSError:
            continue
    raise OSError("no folder for a socket can be made")


def _bases() -> List[str]:
    of_user = os.environ.get("XDG_RUNTIME_DIR", "")
    bases = [os.path.join(of_user, "vramlab")] if of_user.startswith("/") else []
    return [base for base in [*bases, f"/tmp/vramlab-{os.getuid()}"] if len(base) <= _LONGEST]


def _made(folder: str) -> str:
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    return _checked(folder)


def _checked(folder: str) -> str:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OSError(f"expected a folder that is this user's alone, found {folder}")
    return folder
