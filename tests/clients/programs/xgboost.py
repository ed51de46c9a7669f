"""XGBoost: three trees on the GPU."""

import sys

sys.path.pop(0)

import numpy
import xgboost

rows = numpy.random.default_rng(0).random((2000, 20), dtype=numpy.float32)
labels = (rows[:, 0] > 0.5).astype(numpy.float32)
settings = {"device": "cuda", "tree_method": "hist", "max_depth": 3, "objective": "reg:pseudohubererror"}
xgboost.train(settings, xgboost.DMatrix(rows, labels), 3)
