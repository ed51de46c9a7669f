"""A small U-Net of diffusers, trained to remove noise."""
import os

import figures
import torch
from diffusers import DDPMScheduler, UNet2DModel


def main():
    model = UNet2DModel(sample_size=64, block_out_channels=(64, 128, 256),
                        down_block_types=("DownBlock2D", "AttnDownBlock2D", "DownBlock2D"),
                        up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D")).cuda()
    noises = DDPMScheduler(num_train_timesteps=1000)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        pictures = torch.randn(8, 3, 64, 64, device="cuda")
        noise, when = torch.randn_like(pictures), torch.randint(1000, (8,), device="cuda")
        guess = model(noises.add_noise(pictures, noise, when), when).sample
        torch.nn.functional.mse_loss(guess, noise).backward()
        optimizer.step()
        optimizer.zero_grad()


os.environ["HF_HUB_OFFLINE"] = "1"
main()
