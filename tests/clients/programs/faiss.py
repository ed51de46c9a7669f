"""Faiss: an index on the GPU, filled and searched."""

import sys

sys.path.pop(0)

import faiss
import numpy

assert faiss.get_num_gpus() == 1, faiss.get_num_gpus()
vectors = numpy.random.default_rng(0).random((10_000, 64), dtype=numpy.float32)
index = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, faiss.IndexFlatL2(64))
index.add(vectors)
distances, numbers = index.search(vectors[:5], 4)
assert index.ntotal == 10_000 and numbers.shape == (5, 4)
