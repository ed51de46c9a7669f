"""Operations on tensors of the host that take less time than PyTorch's own and give the same: orders,
different numbers, what a mask picks. The stand-in driver's library has them for numbers that lie in a
row; all others are left to PyTorch.
"""

import ctypes
import os

_MOST_REPEATED = 256


class HostNumbers:
    def __init__(self, torch):
        # They take no lock, so that there is no need to let other threads run meanwhile.
        library = ctypes.PyDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        pointer, count = ctypes.c_void_p, ctypes.c_ulonglong
        self._sort = library.vramlab_dry_run_sort
        self._sort.argtypes = [ctypes.c_int, pointer, count, count, ctypes.c_int, pointer, pointer]
        self._unique = library.vramlab_dry_run_unique
        self._unique.argtypes = [ctypes.c_int, pointer, count, pointer, pointer, pointer]
        self._unique.restype = count
        self._pick = library.vramlab_dry_run_pick
        self._pick.argtypes = [pointer, count, pointer, count, pointer]
        self._pick.restype = count
        functions = torch._C._VariableFunctions
        self._empty, self._empty_like, self._host = functions.empty, functions.empty_like, torch.device("cpu")
        self._places, self._truths = torch.int64, (torch.bool, torch.uint8)
        # The letters that the library has for types: those of Python's `struct`.
        letters = {"int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B", "bool": "B",
                   "float32": "f", "float64": "d"}
        self._kinds = {getattr(torch, name): ord(letter) for name, letter in letters.items()}
        self._faster = {"sort.stable": self._sorting, "_unique2": self._finding_unique,
                        "masked_select": self._selecting, "index.Tensor": self._picking,
                        "repeat_interleave.Tensor": _repeating, "histc": _counting}

    def faster(self, name, run):
        """The overload with this name, of which `run` is PyTorch's."""
        return self._faster[name](run) if name in self._faster else run

    def _new(self, shape, kind):
        return self._empty(shape, dtype=kind, device=self._host)

    def _is_in_row(self, tensor):
        return tensor.is_contiguous() and tensor.numel() > 0

    def _sorting(self, run):
        kinds, places_kind, empty_like, sort_rows = self._kinds, self._places, self._empty_like, self._sort

        def sort(tensor, *, stable=None, dim=-1, descending=False):
            kind, last, total = kinds.get(tensor.dtype), tensor.dim() - 1, tensor.numel()
            if kind is None or last < 0 or dim not in (-1, last) or not total or not tensor.is_contiguous():
                return run(tensor, stable=stable, dim=dim, descending=descending)
            numbers, places = empty_like(tensor), empty_like(tensor, dtype=places_kind)
            count = tensor.size(last)
            sort_rows(kind, tensor.data_ptr(), total // count, count, descending, numbers.data_ptr(), places.data_ptr())
            return numbers, places

        return sort

    def _finding_unique(self, run):
        def unique(tensor, is_sorted=True, return_inverse=False, return_counts=False):
            kind = self._kinds.get(tensor.dtype)
            if kind is None or not self._is_in_row(tensor):
                return run(tensor, is_sorted, return_inverse, return_counts)
            count = tensor.numel()
            numbers = self._new(count, tensor.dtype)
            places = self._new(tensor.shape if return_inverse else 0, self._places)
            counts = self._new(count if return_counts else 0, self._places)
            found = self._unique(kind, tensor.data_ptr(), count, numbers.data_ptr(),
                                 places.data_ptr() if return_inverse else None,
                                 counts.data_ptr() if return_counts else None)
            return numbers[:found], places, counts[:found]

        return unique

    def _selecting(self, run):
        def select(tensor, mask):
            if mask.shape != tensor.shape or not self._can_pick(tensor, mask):
                return run(tensor, mask)
            return self._picked(tensor, mask, ())

        return select

    def _picking(self, run):
        def pick(tensor, indices):
            [mask, *others] = indices
            if others or mask is None or mask.dtype not in self._truths or not self._can_pick(tensor, mask) or \
                    tensor.shape[:mask.dim()] != mask.shape:
                return run(tensor, indices)
            return self._picked(tensor, mask, tensor.shape[mask.dim():])

        return pick

    def _can_pick(self, tensor, mask):
        return mask.dim() > 0 and self._is_in_row(mask) and self._is_in_row(tensor)

    def _picked(self, tensor, mask, shape):
        at, count = mask.data_ptr(), mask.numel()
        picked = self._new((self._pick(at, count, None, 0, None), *shape), tensor.dtype)
        self._pick(at, count, tensor.data_ptr(), tensor.nbytes // count, picked.data_ptr())
        return picked


def _repeating(run):
    """PyTorch's own one divides even four numbers among its threads, which then spin."""
    def repeat(repeats, **kwargs):
        counts = repeats.tolist() if repeats.dim() == 1 and repeats.numel() <= _MOST_REPEATED else [-1]
        if min(counts, default=-1) < 0 or sum(counts) > _MOST_REPEATED:
            return run(repeats, **kwargs)
        return repeats.new_tensor([place for place, count in enumerate(counts) for _ in range(count)])

    return repeat


def _counting(run):
    """On the host, histograms are made of floating-point numbers alone."""
    def histc(tensor, *args, **kwargs):
        is_float = tensor.dtype.is_floating_point
        return run(tensor, *args, **kwargs) if is_float else run(tensor.double(), *args, **kwargs).to(tensor.dtype)

    return histc
