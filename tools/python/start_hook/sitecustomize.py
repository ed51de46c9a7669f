"""Python runs this when it starts, as `vramlab watch` and `vramlab dry-run` put their folders in front of PYTHONPATH.

It begins with what lies in its folder, takes the folder out of sys.path again, and then runs the
sitecustomize that Python would have run without it: the user's own, or that of the other command.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _begin():
    if os.path.isdir(os.path.join(_FOLDER, "vramlab_dry_run")):
        import vramlab_dry_run as start
    else:
        import vramlab_start as start
    start.begin()


def _run_the_next():
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _FOLDER]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours


try:
    _begin()
except Exception as error:  # The program must run as it would have without us.
    sys.stderr.write("vramlab: the hook for Python did not start: %r\n" % (error,))
_run_the_next()
