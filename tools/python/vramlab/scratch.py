"""Folders for files that live as long as a value."""

import os
import shutil
import tempfile
import weakref


class Scratch:
    """A folder that is removed with the value. A forked process that has a copy leaves it alone."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="vramlab-")
        weakref.finalize(self, _remove, self.path, os.getpid())

    def file(self, name: str) -> str:
        """A path in it."""
        return os.path.join(self.path, name)


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
