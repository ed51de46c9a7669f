"""Generation of words with a cache of keys and values that grows by a copy for each word."""
import figures
import torch
from torch.nn import functional


def main():
    width, heads, layers = 1024, 16, 8
    with torch.device("cuda"), torch.no_grad():
        weights = [torch.randn(width, 3 * width, dtype=torch.float16) for _ in range(layers)]
        words = torch.randn(32000, width, dtype=torch.float16)
        caches = [(torch.empty(4, heads, 0, 64, dtype=torch.float16),) * 2 for _ in range(layers)]
        last = torch.zeros(4, 512, dtype=torch.long)
        for _ in range(40):
            x = words[last]
            for layer, weight in enumerate(weights):
                parts = (x @ weight).view(4, -1, 3, heads, 64).permute(2, 0, 3, 1, 4)
                key = torch.cat([caches[layer][0], parts[1]], 2)
                value = torch.cat([caches[layer][1], parts[2]], 2)
                caches[layer] = key, value
                seen = functional.scaled_dot_product_attention(parts[0], key, value)
                x = x + seen.transpose(1, 2).reshape(x.shape)
            last = torch.argmax(x[:, -1:] @ words.T, -1)
        print("last words", last.flatten().tolist())


main()
