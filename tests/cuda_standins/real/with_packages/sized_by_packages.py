"""Training by packages of others whose batch is an argument, for `vramlab fit` (fit_compared.py)."""
import argparse
import os
import tempfile

import figures
import torch

os.environ["HF_HUB_OFFLINE"] = "1"


def trainer(batch, folder):
    """Hugging Face's Trainer with a Llama that is made from its configuration."""
    from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

    config = LlamaConfig(hidden_size=256, intermediate_size=704, num_hidden_layers=4,
                         num_attention_heads=4, num_key_value_heads=2, vocab_size=4000)
    words = torch.arange(256) % 1000
    data = [{"input_ids": words, "labels": words}] * (4 * batch)
    arguments = TrainingArguments(
        output_dir=folder, max_steps=2, per_device_train_batch_size=batch, bf16=True,
        gradient_accumulation_steps=2, logging_steps=2, save_strategy="no", report_to=[])
    Trainer(LlamaForCausalLM(config), arguments, train_dataset=data).train()


def lightning(batch, folder):
    from lightning.pytorch import LightningModule, Trainer

    class Model(LightningModule):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(2000, 4000), torch.nn.GELU(), torch.nn.Linear(4000, 2000))

        def training_step(self, points, _):
            return self.layers(points).square().mean()

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

    points = torch.utils.data.DataLoader(torch.ones(2 * 200 * batch, 2000), batch_size=200 * batch)
    Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False, default_root_dir=folder,
            enable_checkpointing=False, enable_progress_bar=False, precision="bf16-mixed").fit(Model(), points)


def timm(batch, folder):
    import timm as models

    with torch.device("cuda"):
        model = models.create_model("vit_tiny_patch16_224")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores = model(torch.randn(batch, 3, 224, 224, device="cuda"))
            loss = torch.nn.functional.cross_entropy(scores, torch.randint(1000, (batch,), device="cuda"))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", choices=["trainer", "lightning", "timm"])
    parser.add_argument("--batch", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        globals()[options.by](options.batch, folder)


main()
