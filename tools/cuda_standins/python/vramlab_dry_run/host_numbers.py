"""Operations on tensors of the host that take less time than PyTorch's own and give the same: orders,
different numbers, what a mask picks, repeated and drawn places. The stand-in driver's library has them
for numbers that lie in a row; all others are left to PyTorch.
"""

import ctypes
import math
import os

from vramlab_dry_run import known_values

# Elements up to which the result of an operation that is made of others is computed at once.
_MOST_AT_ONCE = known_values.MOST_ELEMENTS


class _InParts(Exception):
    """The operations are to be seen of which this one is made."""


class HostNumbers:
    def __init__(self, torch, in_one_thread):
        """`in_one_thread`: gives a function that calls one of PyTorch's in a single thread."""
        self._in_one_thread = in_one_thread
        # They take no lock, so that there is no need to let other threads run meanwhile.
        library = ctypes.PyDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        pointer, count = ctypes.c_void_p, ctypes.c_ulonglong
        self._sort = library.vramlab_dry_run_sort
        self._sort.argtypes = [ctypes.c_int, pointer, count, count, ctypes.c_int, pointer, pointer]
        self._unique = library.vramlab_dry_run_unique
        self._unique.argtypes = [ctypes.c_int, pointer, count, count, pointer, pointer, pointer]
        self._unique.restype = count
        self._pick = library.vramlab_dry_run_pick
        self._pick.argtypes = [pointer, count, pointer, count, pointer]
        self._pick.restype = count
        self._repeat = library.vramlab_dry_run_repeat
        self._repeat.argtypes = [ctypes.c_int, pointer, count, pointer, count, pointer]
        self._repeat.restype = ctypes.c_longlong
        self._tile = library.vramlab_dry_run_tile
        self._tile.argtypes = [pointer, count, count, count, pointer]
        self._tile.restype = None
        self._count_classes = library.vramlab_dry_run_count_classes
        self._count_classes.argtypes = [ctypes.c_int, pointer, count]
        self._count_classes.restype = ctypes.c_longlong
        self._mark = library.vramlab_dry_run_mark
        self._mark.argtypes = [ctypes.c_int, pointer, count, count, pointer]
        self._count_in_bins = library.vramlab_dry_run_count_in_bins
        self._count_in_bins.argtypes = [ctypes.c_int, pointer, count, ctypes.c_longlong, ctypes.c_longlong, count,
                                        pointer]
        self._draw = library.vramlab_dry_run_draw
        self._draw.argtypes = [ctypes.c_int, pointer, count, count, count, count, pointer]
        self._index_select = in_one_thread(torch._C._VariableFunctions.index_select)
        self._places, self._truths, self._counts = torch.int64, (torch.bool, torch.uint8), (torch.int64, torch.int32)
        self._weights = torch.double
        # A result that is not asked for. It makes others of its type.
        self.nothing = torch.empty(0, dtype=self._places, device="cpu")
        # The letters that the library has for types: those of Python's `struct`.
        letters = {"int64": "q", "int32": "i", "int16": "h", "int8": "b", "uint8": "B", "bool": "B",
                   "float32": "f", "float64": "d"}
        self._kinds = {getattr(torch, name): ord(letter) for name, letter in letters.items()}
        self._faster = {"sort.stable": self._sorting, "_unique2": self._finding_unique,
                        "unique_dim": self._finding_unique_rows,
                        "masked_select": self._selecting, "index.Tensor": self._picking,
                        "repeat_interleave.Tensor": self._repeating,
                        "repeat_interleave.self_Tensor": self._repeating_numbers,
                        "one_hot": self._marking, "repeat": self._tiling, "histc": self._counting}

    def faster(self, name, run):
        """The overload with this name, of which `run` is PyTorch's; None where that is to be called."""
        return self._faster[name](self._in_one_thread(run)) if name in self._faster else None

    def _row_of(self, tensor):
        """As the library takes it."""
        return self._kinds[tensor.dtype], tensor.data_ptr(), tensor.numel()

    def _is_in_row(self, tensor):
        return tensor.is_contiguous() and tensor.numel() > 0

    def _sorting(self, run):
        kinds, new_places, sort_rows = self._kinds, self.nothing.new_empty, self._sort

        def sort(tensor, *, stable=None, dim=-1, descending=False):
            kind, last, total = kinds.get(tensor.dtype), tensor.dim() - 1, tensor.numel()
            if kind is None or last < 0 or dim not in (-1, last) or not total or not tensor.is_contiguous():
                return run(tensor, stable=stable, dim=dim, descending=descending)
            shape = total if last == 0 else tensor.shape
            numbers, places, count = tensor.new_empty(shape), new_places(shape), tensor.size(last)
            sort_rows(kind, tensor.data_ptr(), total // count, count, descending, numbers.data_ptr(), places.data_ptr())
            return numbers, places

        return sort

    def _finding_unique(self, run):
        def unique(tensor, is_sorted=True, return_inverse=False, return_counts=False):
            if tensor.dtype not in self._kinds or not self._is_in_row(tensor):
                return run(tensor, is_sorted, return_inverse, return_counts)
            numbers, places, counts = self._found_unique(tensor, tensor.numel(), (), return_inverse, return_counts)
            return numbers, places.view(tensor.shape) if return_inverse and tensor.dim() != 1 else places, counts

        return unique

    def _finding_unique_rows(self, run):
        def unique(tensor, dim, is_sorted=True, return_inverse=False, return_counts=False):
            count = tensor.numel()
            if tensor.dtype.is_floating_point or tensor.dtype not in self._kinds or not count:
                return run(tensor, dim, is_sorted, return_inverse, return_counts)
            rows = (tensor.movedim(dim, 0) if dim else tensor).contiguous()
            of_each, *shape = rows.shape
            numbers, *others = self._found_unique(rows, of_each, shape, return_inverse, return_counts)
            return (numbers.movedim(0, dim) if dim else numbers, *others)

        return unique

    def _found_unique(self, rows, count, shape, has_places, has_counts):
        """`shape`: of a row."""
        total, new_places = rows.numel(), self.nothing.new_empty
        numbers = rows.new_empty(total)
        places = new_places(count) if has_places else self.nothing
        counts = new_places(count) if has_counts else self.nothing
        found = self._unique(self._kinds[rows.dtype], rows.data_ptr(), count, total // count, numbers.data_ptr(),
                             places.data_ptr() if has_places else None, counts.data_ptr() if has_counts else None)
        if has_counts:
            counts.resize_(found)
        return numbers.resize_((found, *shape) if shape else found), places, counts

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
        found = self._pick(at, count, None, 0, None)
        picked = tensor.new_empty((found, *shape) if shape else found)
        self._pick(at, count, tensor.data_ptr(), tensor.nbytes // count, picked.data_ptr())
        return picked

    def _repeating_numbers(self, _):
        def repeat(tensor, repeats, dim=None, *, output_size=None):
            count, total = repeats.numel(), self._sum_of(repeats)
            if dim is None and tensor.dim() != 1:
                tensor = tensor.reshape(-1)
            # A single count stands for each number's.
            if total is None or count < 2 or count != tensor.size(dim or 0) or \
                    total * (tensor.numel() // count) > _MOST_AT_ONCE:
                raise _InParts
            if dim:
                return self._index_select(tensor, dim, self._repeated(repeats, total))
            tensor = tensor.contiguous()
            repeated = tensor.new_empty((total, *tensor.shape[1:]) if tensor.dim() > 1 else total)
            self._repeat(*self._row_of(repeats), tensor.data_ptr(), tensor.nbytes // count, repeated.data_ptr())
            return repeated

        return repeat

    def drawn(self, shape, first, probabilities, count, with_replacement=False, **_):
        """The possible places of each row from its own number and `first` on. `probabilities`: None where they are
        unknown, and all places are possible."""
        draws, among = 1 if with_replacement else count, shape[-1]
        rows = shape[0] if len(shape) > 1 else 1
        kind, at = self._kinds[self._weights], None
        if probabilities is not None:
            if probabilities.dtype not in self._kinds or not probabilities.is_contiguous():
                probabilities = probabilities.to(self._weights).contiguous()
            kind, at = self._kinds[probabilities.dtype], probabilities.data_ptr()
        places = self.nothing.new_empty((rows, draws) if len(shape) > 1 else draws)
        self._draw(kind, at, rows, among, first, draws, places.data_ptr())
        return places if draws == count else places.expand(*shape[:-1], count).contiguous()

    def _marking(self, _):
        def mark(tensor, num_classes=-1):
            tensor = tensor.contiguous()
            row = self._row_of(tensor)
            classes = self._count_classes(*row) if num_classes < 0 else num_classes
            if classes < 0 or tensor.numel() * classes > _MOST_AT_ONCE:
                raise _InParts
            marks = self.nothing.new_empty((*tensor.shape, classes))
            if not self._mark(*row, classes, marks.data_ptr()):
                raise _InParts
            return marks

        return mark

    def _repeating(self, run):
        def repeat(repeats, *, output_size=None):
            total = self._sum_of(repeats)
            return run(repeats) if total is None else self._repeated(repeats, total)

        return repeat

    def _counting(self, run):
        """On the host, PyTorch makes histograms of floating-point numbers alone."""
        def histc(tensor, bins=100, min=0, max=0):
            if tensor.dtype.is_floating_point:
                return run(tensor, bins, min, max)
            least, most = int(min), int(max)
            if (least, most) == (min, max) and tensor.dtype in self._kinds and self._is_in_row(tensor):
                counts = tensor.new_empty(bins)
                if self._count_in_bins(*self._row_of(tensor), least, most, bins, counts.data_ptr()):
                    return counts
            return run(tensor.double(), bins, min, max).to(tensor.dtype)

        return histc

    def _sum_of(self, counts):
        """None where PyTorch is to say what is wrong."""
        if counts.dtype not in self._counts or counts.dim() != 1 or not counts.is_contiguous():
            return None
        total = self._repeat(*self._row_of(counts), None, 0, None)
        return total if total >= 0 else None

    def _repeated(self, counts, total):
        """The place of each as often as it says: PyTorch divides even four among its threads, which then spin."""
        places = counts.new_empty(total)
        self._repeat(*self._row_of(counts), None, 0, places.data_ptr())
        return places

    def _tiling(self, run):
        def tile(tensor, repeats):
            total = tensor.numel() * math.prod(repeats)
            if total > _MOST_AT_ONCE:
                raise _InParts
            repeated = [dim for dim, times in enumerate(repeats) if times != 1]
            if len(repeated) != 1 or total <= 0 or not tensor.is_contiguous():
                return run(tensor, repeats)
            [dim] = repeated
            shape = [1] * (len(repeats) - tensor.dim()) + list(tensor.shape)
            pieces, times = math.prod(shape[:dim]), repeats[dim]
            shape[dim] *= times
            tiled = tensor.new_empty(shape)
            self._tile(tensor.data_ptr(), pieces, tensor.nbytes // pieces, times, tiled.data_ptr())
            return tiled

        return tile
