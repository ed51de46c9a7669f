"""A GPT as the programs of the suite train it."""

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
    def __init__(self, width=768, layers=6, heads=12, words=8192, length=1024, checkpoint=False):
        super().__init__()
        self.words, self.checkpoint = words, checkpoint
        self.word, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, words):
        x = self.word(words) + self.place(torch.arange(words.shape[1], device=words.device))
        for block in self.blocks:
            if self.checkpoint:
                x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return self.head(self.norm(x))

    def loss(self, words):
        scores = self(words[:, :-1])
        return functional.cross_entropy(scores.reshape(-1, self.words), words[:, 1:].reshape(-1))


def on_gpu(**sizes):
    """Made on the GPU at once, so that the host holds no weights."""
    with torch.device("cuda"):
        return Gpt(**sizes)


def some_words(batch, length, words=8192):
    return torch.randint(words, (batch, length), device="cuda")
