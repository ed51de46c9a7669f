"""Weights that a step of an optimizer changed, which nobody knows. Zeros are no weights: a program that leaves out
the least of them ends with an error. They are read, and compared, as numbers that a layer begins with, drawn
for their storage: the same at each reading, and by views of it.
"""

import weakref

from vramlab_dry_run import known_values, storage_notes

# Their absolute values, by the name of the operation in aten, are noted, too, and copies.
ABSOLUTE = "abs"


class _Drawn:
    """`bound`: none is larger, or less than it with the other sign."""

    __slots__ = ("seed", "bound", "are_absolute")

    def __init__(self, seed, bound, are_absolute=False):
        self.seed, self.bound, self.are_absolute = seed, bound, are_absolute


class TrainedWeights:
    def __init__(self, torch):
        self._torch = torch
        # Weights that an optimizer changes are such at any version; results that were made of them, at their own.
        self._notes = storage_notes.StorageNotes()
        self._count = 0
        # By optimizer, where its weights lay after its last step.
        self._addresses_of = weakref.WeakKeyDictionary()

    def note(self, optimizer, tensors):
        """After a step: those that it changed, most of which are noted already."""
        addresses = list(map(self._torch.Tensor.data_ptr, tensors))
        if self._addresses_of.get(optimizer) == addresses:
            return
        self._addresses_of[optimizer] = addresses
        for tensor in tensors:
            if tensor.is_cuda and tensor.dtype.is_floating_point and tensor.numel() and self._notes.of(tensor) is None:
                columns = tensor.numel() // tensor.size(0) if tensor.dim() > 1 else 1
                self._count += 1
                self._notes.note(tensor, _Drawn(self._count, columns**-0.5), is_for_any_version=True)

    def note_result(self, result, tensor, are_absolute=False):
        """The result of an operation on all of a tensor has the same numbers, or their absolute values."""
        drawn = self._notes.of(tensor)
        if drawn is not None:
            self._notes.note(result, _Drawn(drawn.seed, drawn.bound, drawn.are_absolute or are_absolute))

    def forget(self, tensor):
        """Before it is made zeros. An optimizer may change them again."""
        if self._notes.forget(tensor):
            self._addresses_of.clear()

    def are_noted(self, tensor):
        return self._notes.of(tensor) is not None

    def of(self, tensor):
        """On the host; None where they are none, or too many."""
        drawn = self._notes.of(tensor)
        if drawn is None:
            return None
        count = tensor.untyped_storage().nbytes() // tensor.element_size()
        if count > known_values.MOST_LARGE:
            return None
        generator = self._torch.Generator(device="cpu").manual_seed(drawn.seed)
        numbers = self._torch.empty(count, dtype=self._torch.float32, device="cpu")
        numbers.uniform_(-drawn.bound, drawn.bound, generator=generator)
        if drawn.are_absolute:
            numbers.abs_()
        return numbers.to(tensor.dtype).as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
