"""LSTM layers with dropout that predict the next token, trained on sequences of several lengths."""
import figures
import torch
from torch import nn


def main():
    with torch.device("cuda"):
        words, head = nn.Embedding(5000, 256), nn.Linear(512, 5000)
        layers = nn.LSTM(256, 512, num_layers=2, dropout=0.2, batch_first=True)
    parameters = [*words.parameters(), *layers.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters)
    for length in (35, 70, 50):
        batch = torch.randint(5000, (20, length), device="cuda")
        scores = head(layers(words(batch))[0])
        nn.functional.cross_entropy(scores.flatten(0, 1), batch.flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()


main()
