"""LoRA by PEFT on a Llama that is made from its configuration."""
import os

import figures
import objects_told
import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM


def main():
    config = LlamaConfig(hidden_size=512, intermediate_size=1408, num_hidden_layers=4,
                         num_attention_heads=8, num_key_value_heads=4, vocab_size=8000)
    model = LlamaForCausalLM(config).to("cuda", torch.bfloat16)
    model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"]))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
    for _ in range(3):
        words = torch.ones(4, 256, dtype=torch.long, device="cuda")
        model(input_ids=words, labels=words).loss.backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()


os.environ["HF_HUB_OFFLINE"] = "1"
main()
