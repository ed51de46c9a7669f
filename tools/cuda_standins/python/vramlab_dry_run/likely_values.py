"""Floating-point numbers that nobody knows, but that are not zeros on any GPU: probabilities, what `exp`
makes, numbers that are at least one, and mean squares. A program that takes its next word on the host from
zeros ends with an error there, and so does one that makes sounds of no length, or divides by its loss.

They are those of unknown numbers that are all zeros: each of n probabilities is 1/n. They are told where
the host reads such a tensor whole or a part of it, and lead to nothing on the device: they are no known
values (known_values.py), and are noted as made up. So are orders of many numbers, which the host reads
whole. Integers that are made of probabilities are known, and made up, and so is the mean of squares: it is
less each time at its place, as loops end when it is small enough. Where numbers are picked out of such a
tensor, joined with others or written over in part, all of the result has the number: a detector compares its
scores only behind its boxes.
"""

import math
import sys

from vramlab_dry_run import place, storage_notes

# Losses, and squares of differences from numbers that are about as large as one, from which programs subtract them;
# the next loss by the one before; and the least, which fits a 32-bit number, as its reciprocal does.
_LOSS = 0.98
_FALL = 0.98
_LEAST_LOSS = 1e-30


class _Order:
    __slots__ = ("dim",)

    def __init__(self, dim):
        self.dim = dim


class LikelyValues:
    def __init__(self):
        # The number that each element of a storage is, or the order of all.
        self.notes = storage_notes.StorageNotes()
        self.note = self.notes.note
        # By place.
        self._next_losses = {}

    def note_squares(self, tensor):
        self.note(tensor, _LOSS)

    def note_order(self, tensor, dim):
        """Places of many numbers, sorted along this dimension."""
        self.note(tensor, _Order(dim))

    def dim_of_order(self, tensor):
        """None where it is none."""
        found = self.notes.of(tensor)
        return found.dim if isinstance(found, _Order) else None

    def of_any(self, tensors):
        """None where no number is noted for one of them."""
        return next((number for number in map(self.of, tensors) if number is not None), None)

    def next_loss(self):
        """The one of the program's place."""
        at = place.place_of(sys._getframe(1))
        found = self._next_losses.get(at, _LOSS)
        self._next_losses[at] = max(found * _FALL, _LEAST_LOSS)
        return found

    def of(self, tensor):
        """None where no number is noted."""
        found = self.notes.of(tensor)
        return None if isinstance(found, _Order) else found


# Larger numbers have the same power of e: the result fits each floating-point type.
_MOST_POWER = 6.0


def _of_softmax(scores, dim, *_):
    return 1 / scores.size(dim) if scores.dim() else 1.0


def _between(given, least=None, most=None):
    number = given if least is None else max(given, least)
    return number if most is None else min(number, most)


# The number that such an operation makes of numbers that are all `given`, by its name in aten. Zeros are as
# likely as of any unknown numbers.
MAKERS = {
    "exp": lambda given, *_: math.exp(min(given, _MOST_POWER)),
    "sigmoid": lambda given, *_: 1 / (1 + math.exp(-given)),
    "_softmax": lambda given, *args: _of_softmax(*args),
    "_log_softmax": lambda given, *args: math.log(_of_softmax(*args)),
    "ceil": lambda given, *_: float(math.ceil(given)),
    "round": lambda given, *_: float(round(given)),
    "sqrt": lambda given, *_: math.sqrt(max(given, 0.0)),
    "clamp": lambda given, _, *limits: _between(given, *limits),
    "clamp_min": lambda given, _, least: _between(given, least),
}

# The result has the number of the tensor, or of any of the first argument's tensors; or the product of two.
KEEPING = {"cat", "index.Tensor", "index_select", "gather", "masked_select", "max.dim", "amax"}
MULTIPLYING = {"mul.Tensor", "mul_.Tensor"}

# Their results are known, and made up, where they are at least one: lengths, counts and divisors follow from them.
LIMITING = ("clamp", "clamp_min")

# They make squares, and their mean.
SQUARING = ("pow.Tensor_Scalar", "mse_loss")
MEAN_OF_SQUARES = "mean.dim"
