"""The part in C++."""

import os
import pickle

observers = []
recorded = []
#: The file that a snapshot is read from.
history = [os.environ.get("FAKE_TORCH_HISTORY")]


#: Whether CUDA was used.
is_up = [True]


def _cuda_isHistoryEnabled():
    if not is_up[0]:
        os.abort()  # as PyTorch does
    return bool(recorded and recorded[-1]["enabled"])


def _cuda_attach_out_of_memory_observer(observer):
    observers.append(observer)


def snapshot():
    with open(history[0], "rb") as file:
        return pickle.load(file)


def run_out_of_memory(size):
    for observer in observers:
        observer(0, size, 1 << 30, 1 << 20)
