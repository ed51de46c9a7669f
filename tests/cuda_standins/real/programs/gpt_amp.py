"""Mixed precision with a GradScaler and clipped gradients."""
import figures
import gpt
import objects_told
import torch


def main():
    model = gpt.on_gpu()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for _ in range(3):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model.loss(gpt.some_words(8, 513))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        objects_told.tell(model, optimizer)
        scaler.update()
        optimizer.zero_grad()
    print("scale", scaler.get_scale())


main()
