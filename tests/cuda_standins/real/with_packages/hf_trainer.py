"""Hugging Face's Trainer with a Llama that is made from its configuration."""
import os
import tempfile

import figures
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        words = torch.arange(index, index + 256) % 1000
        return {"input_ids": words, "labels": words}


def main():
    config = LlamaConfig(hidden_size=512, intermediate_size=1408, num_hidden_layers=4,
                         num_attention_heads=8, num_key_value_heads=4, vocab_size=8000)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, max_steps=4, per_device_train_batch_size=4, bf16=True,
            gradient_accumulation_steps=2, logging_steps=2, save_strategy="no", report_to=[],
            gradient_checkpointing=True)
        Trainer(LlamaForCausalLM(config), arguments, train_dataset=Words()).train()


os.environ["HF_HUB_OFFLINE"] = "1"
main()
