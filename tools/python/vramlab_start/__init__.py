"""The beginning of `vramlab watch` and of VRAMLAB=explain in a program: Python imports this when it
starts, and `vramlab.torch.running` begins once the program has imported PyTorch.

It is a package of its own because importing `vramlab` takes longer than many programs run.
"""

import os
import sys

from vramlab_start import import_watch

_HERE = os.path.dirname(os.path.abspath(__file__))
#: The folders where `vramlab` lies: beside this package, and in a wheel, which holds it once, those six
#: folders above the start-up hook's copy of this package.
_PLACES = [os.path.normpath(os.path.join(_HERE, up)) for up in ("..", "/".join([".."] * 6))]


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
    try:
        _import_module()
        from vramlab.torch import running

        running.begin()
    except Exception as error:
        _tell("vramlab: this program's memory is not watched: %r\n" % (error,))


def _import_module():
    """Imports `vramlab` alone: the start-up hook has taken its folder out of sys.path again, and other
    packages that lie beside a wheel's module may not come into the program."""
    # Not at the start of every program.
    from importlib import machinery, util

    spec = None if "vramlab" in sys.modules else machinery.PathFinder.find_spec("vramlab", _PLACES)
    if spec is None or spec.loader is None:
        return
    module = sys.modules["vramlab"] = util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["vramlab"]
        raise


def _tell(text):
    try:
        sys.stderr.write(text)
    except Exception:
        # Nobody is left to be told.
        pass
