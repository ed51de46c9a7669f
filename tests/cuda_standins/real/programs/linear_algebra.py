"""Transforms, decompositions, sparse products and random numbers: libraries that training seldom
uses."""
import figures
import torch


def main():
    torch.manual_seed(1)
    with torch.device("cuda"):
        square, tall = torch.randn(8, 256, 256), torch.randn(512, 128)
        torch.fft.irfft2(torch.fft.rfft2(square))
        torch.linalg.qr(tall)
        torch.linalg.inv(square)
        torch.linalg.svd(tall, full_matrices=False)
        torch.linalg.eig(square[0])
        torch.linalg.eigvalsh(square[0] @ square[0].T)
        torch.linalg.cholesky_ex(square[0] @ square[0].T)
        sparse = torch.eye(256).to_sparse_csr()
        (sparse @ square[0]).sum()
        torch.einsum("bij,bjk->bik", square, square)
        torch.bmm(square.bfloat16(), square.bfloat16())
        torch.randperm(100_000)
        torch.bernoulli(square.sigmoid())


main()
