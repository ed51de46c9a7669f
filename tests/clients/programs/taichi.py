"""Taichi: a field on the GPU, and a kernel over it."""

import sys

sys.path.pop(0)

import taichi

taichi.init(arch=taichi.cuda, offline_cache=False)
assert taichi.lang.impl.current_cfg().arch == taichi.cuda, "Taichi went on without a GPU"
field = taichi.field(dtype=taichi.f32, shape=(1024, 1024))


@taichi.kernel
def add_one():
    for place in taichi.grouped(field):
        field[place] += 1.0


add_one()
taichi.sync()
