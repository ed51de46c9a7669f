"""TensorFlow: a layer, its gradient and a step of an optimizer."""

import sys

sys.path.pop(0)

import tensorflow as tf

assert tf.config.list_physical_devices("GPU"), "TensorFlow sees no GPU"
with tf.device("/GPU:0"):
    weights = tf.Variable(tf.ones((256, 512)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.relu(tf.ones((128, 256)) @ weights))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
print(float(loss))
