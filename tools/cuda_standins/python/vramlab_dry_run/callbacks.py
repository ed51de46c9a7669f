"""Functions of Python that the stand-in driver calls, from any thread, and its notes."""

import ctypes
import os

# The driver's functions that were given one, each with what it was given.
_given = []


def give(setter_name, kind, function):
    """`kind`: made by ctypes.CFUNCTYPE. No exception may leave the function."""
    driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    setter = getattr(driver, setter_name)
    setter.restype = None
    setter.argtypes = [ctypes.c_void_p]
    callback = kind(function)
    setter(ctypes.cast(callback, ctypes.c_void_p))
    _given.append((setter, callback))


def write_notes():
    """The notes up to now are written: a signal that ends the process asks nobody."""
    ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD).vramlab_dry_run_write_notes()


def take_back():
    """The interpreter ends, and nobody can be asked any more."""
    for setter, _ in _given:
        setter(None)
