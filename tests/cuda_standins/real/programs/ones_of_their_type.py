"""--values ones: an unknown number is a one of its type, and known ones are computed all the same."""
import figures
import torch


def main():
    unknown = torch.randn(300, 300, device="cuda")
    for kind in (torch.double, torch.float, torch.half, torch.bfloat16):
        numbers = unknown.to(kind)
        assert numbers.sum().item() == 1 and numbers[0, :3].tolist() == [1] * 3
        assert torch.equal((numbers @ numbers).cpu(), torch.ones(300, 300, dtype=kind))
    for kind in (torch.int64, torch.int32, torch.uint8):
        assert unknown.to(kind).sum().item() == 1
    assert (unknown > 0).any() and (unknown < 0).any(), "a truth is yes"
    known = torch.arange(5, device="cuda")
    assert (known > 2).nonzero().tolist() == [[3], [4]] and known.sum().item() == 10
    assert (known * unknown[0, :5].long()).tolist() == [0, 1, 2, 3, 4]
    print("ALL RIGHT")


main()
