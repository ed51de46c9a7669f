"""generate() of Hugging Face, for a GPT-2 and a Llama that are made from their configurations: greedy,
drawn and with beams. Texts end at their longest, though the end token never comes."""
import os

import figures
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM


def main():
    models = (GPT2LMHeadModel(GPT2Config(n_layer=4)),
              LlamaForCausalLM(LlamaConfig(hidden_size=256, intermediate_size=512,
                                           num_hidden_layers=2, num_attention_heads=4)))
    words = torch.ones(2, 64, dtype=torch.long, device="cuda")
    ways = ({"max_new_tokens": 20}, {"max_length": 84, "do_sample": True, "top_k": 50},
            {"max_new_tokens": 20, "num_beams": 3})
    for model in models:
        model.cuda().eval()
        for way in ways:
            made = model.generate(words, attention_mask=torch.ones_like(words), pad_token_id=0,
                                  **way)
            assert made.shape == (2, 84), made.shape


os.environ["HF_HUB_OFFLINE"] = "1"
main()
