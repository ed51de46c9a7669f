"""The hook's report of this process to the launcher: one JSON file, written when the process ends.

Files that others may read at any time are written under another name and renamed.
"""

import os
import re
import sys
import threading

MOST_TROUBLES = 10

values = {"troubles": []}


def trouble(where, error):
    """Something went wrong in the hook; the program goes on."""
    troubles = values["troubles"]
    text = "%s: %s: %s" % (where, type(error).__name__, error)
    if len(troubles) < MOST_TROUBLES and text not in troubles:
        troubles.append(text)


def guarded(function):
    """The same function, whose errors become troubles."""

    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            trouble(function.__name__.strip("_"), error)
            return None

    return call


def expanded(pattern):
    """%p is the process, %h the host, %q{NAME} a variable of the environment, %% a percent sign
    (tools/preload/names/file_names.h)."""

    def replace(match):
        if match.group(0) == "%%":
            return "%"
        if match.group(0) == "%p":
            return str(os.getpid())
        if match.group(0) == "%h":
            return os.uname().nodename
        return os.environ.get(match.group(1), "")

    return re.sub(r"%%|%p|%h|%q\{([^}]*)\}", replace, pattern)


def replace_file(path, write):
    """`write` is called with the open file; nobody sees half of it. A thread that ends the process may
    write the file while another one does."""
    part = "%s.part-%d-%d" % (path, os.getpid(), threading.get_ident())
    try:
        with open(part, "wb") as file:
            write(file)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise


def save():
    folder = os.environ.get("VRAMLAB_DRY_RUN_NOTES")
    if not folder or not os.path.isdir(folder):
        return
    import json

    values["pid"] = os.getpid()
    values["program"] = " ".join(getattr(sys, "argv", None) or [sys.executable])
    values["python"] = sys.version.split()[0]
    values["rank"] = os.environ.get("RANK")
    pattern = os.environ.get("VRAMLAB_DRY_RUN_OUTPUT")
    values["output"] = expanded(pattern) if pattern else None
    text = json.dumps(values).encode("utf-8")
    path = os.path.join(folder, "python.%d.json" % os.getpid())
    replace_file(path, lambda file: file.write(text))
