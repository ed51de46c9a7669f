"""A DataLoader with two worker processes and pinned memory, and copies beside the training."""
import figures
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, index):
        return torch.full((3, 64, 64), float(index)), index % 10


def main():
    with torch.device("cuda"):
        model = nn.Sequential(nn.Flatten(), nn.Linear(3 * 64 * 64, 512), nn.ReLU(),
                              nn.Linear(512, 10))
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(Points(), batch_size=64, num_workers=2, pin_memory=True)
    for pictures, labels in loader:
        assert pictures.is_pinned()
        assert pictures[3, 0, 0, 0] == pictures[3, 2, 63, 63] != 0
        pictures = pictures.to("cuda", non_blocking=True)
        labels = labels.to("cuda", non_blocking=True)
        nn.functional.cross_entropy(model(pictures), labels).backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
