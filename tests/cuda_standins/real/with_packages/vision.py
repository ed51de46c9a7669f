"""Torchvision's ResNet-50 in mixed precision, and timm's ViT."""
import figures
import timm
import torch
import torchvision


def train(model, batch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores = model(torch.randn(batch, 3, 224, 224, device="cuda"))
            labels = torch.randint(1000, (batch,), device="cuda")
            loss = torch.nn.functional.cross_entropy(scores, labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    with torch.device("cuda"):
        resnet = torchvision.models.resnet50()
        vit = timm.create_model("vit_small_patch16_224")
    train(resnet, 64)
    train(vit, 64)


main()
