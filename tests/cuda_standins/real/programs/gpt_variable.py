"""GPT training with another length in each step."""
import random

import figures
import gpt
import torch


def main():
    random.seed(5)
    model = gpt.on_gpu(layers=4)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(12):
        model.loss(gpt.some_words(random.randint(4, 12), random.randint(65, 1000))).backward()
        optimizer.step()
        optimizer.zero_grad()


main()
