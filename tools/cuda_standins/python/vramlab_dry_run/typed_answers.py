"""--values ones and random: floating-point numbers that nobody knows, as numbers of their type. The
stand-in driver answers with integers, since it does not know what the program reads.
"""

import os
import random


class TypedAnswers:
    def __init__(self, torch):
        values = os.environ.get("VRAMLAB_DRY_RUN_VALUES")
        self.are_ones, self._are_random = values == "ones", values == "random"
        self._generator = torch.Generator(device="cpu").manual_seed(1) if self._are_random else None
        self._numbers = random.Random(1)

    def number(self, number):
        """In place of this one, which the driver gave."""
        if type(number) is not float or not (self.are_ones or self._are_random):
            return number
        return 1.0 if self.are_ones else self._numbers.random()

    def fill(self, tensor):
        """A tensor of the host to which unknown numbers were copied."""
        if not tensor.dtype.is_floating_point:
            return
        if self.are_ones:
            tensor.detach().fill_(1)
        elif self._are_random:
            tensor.detach().uniform_(generator=self._generator)
