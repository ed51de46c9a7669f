"""Python runs this when it starts, as `vramlab watch` puts its folder in front of PYTHONPATH.

It begins to watch for PyTorch, takes its folder out of sys.path again, and then runs the
sitecustomize that Python would have run without it: the user's own, or that of a dry run.
"""

import os
import sys


def _run_the_next():
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != folder]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours


try:
    import vramlab_start

    vramlab_start.begin()
except Exception as error:  # The program must run as it would have without us.
    sys.stderr.write("vramlab watch: the hook for Python did not start: %r\n" % (error,))
_run_the_next()
