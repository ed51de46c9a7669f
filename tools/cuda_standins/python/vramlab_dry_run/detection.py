"""Boxes that a detector proposes, as torchvision sifts them. All of those that nobody knows have a size, and none
hides another one: an untrained network on a GPU proposes as many as it may, and the memory of what follows goes
by their number. Of known ones the same are kept as on a GPU.
"""

import sys

# The function of torchvision and, by its copies, of others that leaves out boxes without a size.
_WITHOUT_SIZE = "remove_small_boxes"
# Boxes up to which each is compared with each other one.
_MOST_BOXES = 1 << 13


def asks_for_size(frame):
    """Whether boxes are compared there with the size that they need."""
    return frame.f_code.co_name == _WITHOUT_SIZE


def watch(mode, new_operation, call_after_import):
    """Once torchvision's operations are there."""
    def see(_):
        if "torchvision::nms" in mode.torch._C._dispatch_get_all_op_names():
            kernel = _kernel_of_nms(mode, new_operation("torchvision", "nms"))
            mode.new_library("torchvision").impl("nms", mode.key, kernel, True)

    if "torchvision.extension" in sys.modules:
        see(None)
    else:
        call_after_import("torchvision.extension", see)


def _kernel_of_nms(mode, operation):
    def kernel(keyset, boxes, scores, most_overlap):
        if type(boxes) not in mode.plain_types or not boxes.is_cuda or not boxes.size(0) or not mode.can_learn():
            return operation.run((boxes, scores, most_overlap))
        mode.known.forget_written()
        with mode.aside():
            kept, is_made_up = _kept(mode, operation, boxes, scores, most_overlap)
        mode.asks_size = True
        result = mode.run_reading(lambda: operation.run((boxes, scores, most_overlap)), None,
                                  (len(kept), is_made_up))
        mode.known.forget_written()
        if result.shape == kept.shape:
            with mode.aside():
                mode.known.learn(result, kept, is_made_up=is_made_up)
        return result

    return kernel


def _kept(mode, operation, boxes, scores, most_overlap):
    """Which ones, by their scores, and whether that is made up. Boxes whose scores nobody knows come as they lie."""
    torch, known, count = mode.torch, mode.known, boxes.size(0)
    of_boxes, of_scores = known.entry_of(boxes), known.entry_of(scores)
    if of_boxes is None or count > _MOST_BOXES:
        return torch.arange(count, device="cpu"), True
    values = torch.arange(count, 0, -1.0, device="cpu") if of_scores is None else known.view(of_scores, scores).float()
    kept = operation.plain(known.view(of_boxes, boxes).float(), values, most_overlap)
    return kept, of_boxes.is_made_up or of_scores is None or of_scores.is_made_up
