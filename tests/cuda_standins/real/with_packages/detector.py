"""Boxes that detectors of torchvision sift: known ones as on a GPU, and as many unknown ones as an untrained network
proposes. No known value is lost on the way."""

import figures
import torch
import torchvision
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn

CUDA = torch.device("cuda")


def boxes_that_hide_others():
    given = torch.tensor([[0.0, 0, 10, 10], [0, 0, 9, 10], [50, 50, 60, 60], [0, 1, 10, 10]])
    scores, numbers = torch.tensor([0.5, 0.9, 0.3, 0.1]), torch.arange(5).cuda()
    for _ in range(2):
        kept = torchvision.ops.nms(given.cuda(), scores.cuda(), 0.5)
        assert kept.tolist() == torchvision.ops.nms(given, scores, 0.5).tolist() == [1, 2]
        of_class = torchvision.ops.batched_nms(given.cuda(), scores.cuda(), torch.tensor([0, 1, 0, 1]).cuda(), 0.5)
        assert of_class.tolist() == [1, 0, 2]
        assert torchvision.ops.nms(given.cuda(), torch.randn(4, device=CUDA), 0.5).tolist() == [0, 2]
        unknown = torchvision.ops.nms(torch.randn(9, 4, device=CUDA), torch.randn(9, device=CUDA), 0.5)
        assert unknown.tolist() == list(range(9)) and numbers.tolist() == list(range(5))
    assert torchvision.ops.nms(torch.zeros(0, 4, device=CUDA), torch.zeros(0, device=CUDA), 0.5).shape == (0,)


def proposals():
    model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None).to(CUDA)
    pool, counts = model.roi_heads.box_roi_pool.forward, []

    def counted(maps, boxes, sizes):
        counts.append([len(proposed) for proposed in boxes])
        return pool(maps, boxes, sizes)

    model.roi_heads.box_roi_pool.forward = counted
    images = [torch.rand(3, 200, 300).to(CUDA) for _ in range(2)]
    targets = [{"boxes": torch.tensor([[10.0, 10, 100, 120], [50, 60, 200, 150]]).to(CUDA),
                "labels": torch.tensor([1, 2]).to(CUDA)} for _ in images]
    sum(model(images, targets).values()).backward()
    assert targets[0]["labels"].tolist() == [1, 2] and targets[1]["boxes"][1].tolist() == [50, 60, 200, 150]
    model.eval()
    with torch.no_grad():
        model(images)
    return counts


boxes_that_hide_others()
print("PROPOSED", proposals())
