"""CTranslate2: types of computing, and values to the GPU and back."""

import sys

sys.path.pop(0)

import ctranslate2
import numpy

assert ctranslate2.get_cuda_device_count() == 1
assert "float16" in ctranslate2.get_supported_compute_types("cuda")
values = numpy.arange(1000, dtype=numpy.float32)
there = ctranslate2.StorageView.from_array(values).to_device(ctranslate2.Device.cuda)
back = numpy.array(there.to_device(ctranslate2.Device.cpu))
assert (back == values).all()
