"""torch.compile with the backend that needs no GPU. Functions of others are not compiled along."""
import figures
import gpt
import objects_told
import torch


class Averaged(torch.nn.Module):
    """Calls a compiled module from one that is not compiled."""

    def __init__(self):
        super().__init__()
        self.parts = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.BatchNorm1d(256))

    def forward(self, values):
        return self.parts(values).mean()


def main():
    model = gpt.on_gpu(layers=2)
    loss_of = torch.compile(model.loss, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        loss_of(gpt.some_words(4, 513)).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()
    compile_a_module()


def compile_a_module():
    from torch._dynamo.utils import counters

    before = counters["frames"]["total"]
    averaged = torch.nn.Sequential(torch.compile(Averaged().cuda(), backend="aot_eager"))
    values = torch.randn(4096, 256, device="cuda")
    for number in range(4):
        # The number is known, and so is what the hook knows of: it changes from call to call.
        values[number, 0] = torch.tensor(float(number)).cuda()
        averaged(values).backward()
    print("COMPILED", counters["frames"]["total"] - before)


main()
