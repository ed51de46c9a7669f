"""Values of the device that the program reads: they are zeros, or less than one where it is a single number, and
shapes that come from them are those of zeros."""
import figures
import torch


def main():
    x = torch.randn(1000, 1000, device="cuda")
    assert 0 <= x.sum().item() < 1
    assert not x.cpu().any()
    assert torch.nonzero(x).shape == (0, 2)
    assert (x > 0).sum().tolist() == 0
    values = torch.sort(x.flatten()).values
    print("unique", torch.unique(x).numel(), "largest", values[-1].item())
    print(torch.topk(x, 5).indices.shape, torch.cumsum(x, 0).shape, str(x[0, :3]))
    print(torch.multinomial(torch.rand(10, 100, device="cuda"), 5).shape)


main()
