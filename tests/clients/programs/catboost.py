"""CatBoost: three trees on the GPU."""

import sys

sys.path.pop(0)

import catboost
import numpy
from catboost.utils import get_gpu_device_count

assert get_gpu_device_count() == 1, "CatBoost sees no GPU"
rows = numpy.random.default_rng(0).random((500, 5))
catboost.CatBoostClassifier(iterations=3, task_type="GPU", verbose=False,
                            allow_writing_files=False).fit(rows, (rows[:, 0] > 0.5).astype(int))
