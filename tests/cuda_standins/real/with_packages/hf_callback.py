"""Hugging Face's Trainer with vramlab's callback: it is told the steps and passes on scalars."""
import os
import tempfile

import figures
import torch
import vramlab_module
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

import vramlab.torch


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        words = torch.arange(index, index + 128) % 1000
        return {"input_ids": words, "labels": words}


def main():
    lines, scalars = [], []
    config = LlamaConfig(hidden_size=256, intermediate_size=512, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, vocab_size=2000)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(output_dir=folder, max_steps=6, bf16=True, report_to=[],
                                      per_device_train_batch_size=2, save_strategy="no")
        callback = vramlab.torch.trainer_callback(
            every=2, log=lines.append, scalars=lambda *row: scalars.append(row))
        Trainer(LlamaForCausalLM(config), arguments, train_dataset=Words(),
                callbacks=[callback]).train()
    assert [line.split(":")[1] for line in lines] == [" step 2", " step 4", " step 6"], lines
    peak = torch.cuda.memory_stats()["reserved_bytes.all.peak"]
    assert scalars[-4:][0] == ("vramlab/peak_reserved", float(peak), 6), scalars
    print("STEPS", len(lines))


os.environ["HF_HUB_OFFLINE"] = "1"
main()
