"""A whole training step in a CUDA graph, and a second graph that shares its pool."""
import figures
import torch
from torch import nn


def main():
    with torch.device("cuda"):
        model = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 1024))
        batch = torch.randn(2048, 1024)
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    training, scoring = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(training):
        step()
    with torch.cuda.graph(scoring, pool=training.pool()):
        scores = model(batch).softmax(-1)
    for _ in range(5):
        training.replay()
        scoring.replay()
    print("score", scores[0, 0].item())


main()
