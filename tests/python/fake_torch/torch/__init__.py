"""As much of PyTorch as vramlab.torch touches, made for its tests: one device whose history is that
of a file."""

from torch import _C, cuda, optim  # noqa: F401
