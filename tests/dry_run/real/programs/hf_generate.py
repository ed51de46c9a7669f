"""Hugging Face's generate() with a GPT-2 that is made from its configuration."""
import os

import figures
import torch
from transformers import GPT2Config, GPT2LMHeadModel


def main():
    model = GPT2LMHeadModel(GPT2Config(n_layer=4, bos_token_id=0, eos_token_id=None)).cuda().eval()
    words = torch.ones(2, 64, dtype=torch.long, device="cuda")
    made = model.generate(words, attention_mask=torch.ones_like(words), max_new_tokens=20,
                          do_sample=False, pad_token_id=0)
    print("words", tuple(made.shape))
    assert made.shape == (2, 84)


os.environ["HF_HUB_OFFLINE"] = "1"
main()
