"""Lightning's Trainer with vramlab's callback: it is told the steps and passes on scalars."""
import os
import tempfile

import figures
import torch
import vramlab_module
from lightning.pytorch import LightningModule, Trainer

import vramlab.torch


class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1000, 1000)

    def training_step(self, batch, _):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


def main():
    lines, scalars = [], []
    batches = torch.utils.data.DataLoader(torch.ones(48, 1000), batch_size=8)
    with tempfile.TemporaryDirectory() as folder:
        callback = vramlab.torch.lightning_callback(
            every=3, log=lines.append, scalars=lambda *row: scalars.append(row))
        Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False, callbacks=[callback],
                default_root_dir=folder, enable_checkpointing=False, enable_progress_bar=False,
                ).fit(Model(), batches)
    assert [line.split(":")[1] for line in lines] == [" step 3", " step 6"], lines
    assert scalars[0][0] == "vramlab/peak_allocated" and scalars[0][1] > 0, scalars
    print("STEPS", len(lines))


main()
