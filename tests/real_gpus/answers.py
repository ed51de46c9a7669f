"""The answers of a GPU to Liger-Kernel's kernels, for `vramlab dry-run --values-from`.

Their backward passes ask whether the gradient that arrives is 1.0 (`torch.equal`), and then save a product. The
benchmarks give them random gradients, so on a GPU the answer is no.
"""


def values(read):
    if "liger_kernel/ops/" in read.file and read.bytes == 1:
        return 0
    return None
