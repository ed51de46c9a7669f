"""Calls a function when the program imports a module, without importing it ourselves."""

import sys


class _Loader:
    """The module's own loader, but for what happens once the module is there."""

    def __init__(self, loader, call):
        self._loader = loader
        self._call = call

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._call(module)


class _Finder:
    """Asks the other finders, and is gone once the module was found."""

    def __init__(self, name, found):
        self._name = name
        self._found = found

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for finder in list(sys.meta_path):
            find_spec = getattr(finder, "find_spec", None)
            spec = find_spec(name, path, target) if find_spec else None
            if spec is not None:
                self._found(spec)
                return spec
        return None


def call_before_import(name, call):
    """`call` gets the module's spec."""
    sys.meta_path.insert(0, _Finder(name, call))


def call_after_import(name, call):
    """`call` gets the module."""

    def wrap_loader(spec):
        if hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, call)

    call_before_import(name, wrap_loader)
