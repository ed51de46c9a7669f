"""Random work on six streams that wait for each other now and then."""
import random

import figures
import torch


def main():
    random.seed(3)
    streams = [torch.cuda.Stream(priority=-(index % 2)) for index in range(6)]
    held = []
    for _ in range(600):
        stream = random.choice(streams)
        with torch.cuda.stream(stream):
            held.append(torch.zeros(random.randint(1, 4 << 20), device="cuda"))
            if random.random() < 0.3:
                random.choice(held).record_stream(stream)
        if random.random() < 0.1:
            stream.wait_stream(random.choice(streams))
        if random.random() < 0.05:
            random.choice(streams).synchronize()
        while len(held) > random.randint(5, 60):
            held.pop(random.randrange(len(held)))


main()
