"""--values ones and random: floating-point numbers that nobody knows, as numbers of their type. The
stand-in driver answers with integers, since it does not know what the program reads.
"""

import os
import random


class TypedAnswers:
    def __init__(self, torch):
        values = os.environ.get("VRAMLAB_DRY_RUN_VALUES")
        self.are_ones = values == "ones"
        # Whether there are any: the driver's own answers are zeros otherwise, which all types have.
        self.are_given = values in ("ones", "random")
        self._generator = torch.Generator(device="cpu").manual_seed(1)
        self._numbers = random.Random(1)

    def number(self):
        return 1.0 if self.are_ones else self._numbers.random()

    def fill(self, tensor):
        """A tensor of the host to which unknown numbers were copied."""
        if self.are_ones:
            tensor.detach().fill_(1)
        else:
            tensor.detach().uniform_(generator=self._generator)
