"""The version of the clone that this module is part of. A wheel has a line instead."""

import os
import re


def _version_of_clone() -> str:
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    try:
        with open(os.path.join(top, "CMakeLists.txt"), encoding="utf-8") as file:
            found = re.search(r"^project\(vramlab VERSION ([0-9.]+)", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else "unknown"


__version__ = _version_of_clone()
