"""The beginning of `vramlab watch` and of VRAMLAB=explain in a program: Python imports this when it
starts, and `vramlab.torch.running` begins once the program has imported PyTorch.

It is a package of its own because importing `vramlab` takes longer than many programs run.
"""

import os
import sys

from vramlab_start import import_watch


def is_wanted():
    """Whether `vramlab watch` started the program, or its user asked for explanations."""
    return bool(os.environ.get("VRAMLAB_WATCH")) or os.environ.get("VRAMLAB") == "explain"


def begin():
    """Called when the interpreter starts; a second call does nothing."""
    if is_wanted() and not _begun:
        _begun.append(True)
        import_watch.call_after_import("torch", _begin_beside)


_begun = []


def _begin_beside(_):
    """The program must run as it would have without us."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # The start-up hook has taken its folder out again.
    sys.path.insert(0, folder)
    try:
        from vramlab.torch import running

        running.begin()
    except Exception as error:
        _tell("vramlab: this program's memory is not watched: %r\n" % (error,))
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


def _tell(text):
    try:
        sys.stderr.write(text)
    except Exception:
        # Nobody is left to be told.
        pass
