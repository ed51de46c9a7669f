"""Requests of random sizes, freed in random order: what option strings change most."""
import random

import figures
import torch


def main():
    random.seed(11)
    held = []
    for _ in range(3000):
        size = random.choice([random.randint(1, 1 << 12), random.randint(1, 1 << 20),
                              random.randint(1, 1 << 24), random.randint(1, 1 << 28)])
        held.append(torch.empty(size, dtype=torch.uint8, device="cuda"))
        while sum(block.numel() for block in held) > 3 << 30 or random.random() < 0.4 and held:
            held.pop(random.randrange(len(held)))


main()
