"""Trains a GPT. The argument: sequences of 1024 tokens in a batch."""

import sys
import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention_in, self.attention_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.attention_in(self.norm_1(x)).view(batch, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.attention_out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(functional.gelu(self.wide(self.norm_2(x))))


class Gpt(nn.Module):
    def __init__(self, width, layers, heads, words):
        super().__init__()
        self.word, self.place = nn.Embedding(words, width), nn.Embedding(1024, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, words):
        x = self.word(words) + self.place(torch.arange(words.shape[1], device=words.device))
        for block in self.blocks:
            x = block(x)
        return functional.linear(self.norm(x), self.word.weight)


model = Gpt(width=1024, layers=24, heads=16, words=50304).cuda()
optimizer = torch.optim.AdamW(model.parameters())

for step in range(100):
    words = torch.randint(50304, (int(sys.argv[1]), 1025), device="cuda")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        scores = model(words[:, :-1])
        loss = functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 10 == 0:
        print(step, loss.item())
