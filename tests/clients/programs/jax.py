"""JAX: a product of matrices, its sum on the host, and a step of training."""

import sys

sys.path.pop(0)

import jax
import jax.numpy as jnp

assert jax.devices()[0].platform == "gpu", jax.devices()
x = jnp.ones((1024, 1024))
print((x @ x).sum())
weights = {"first": jnp.ones((256, 512)), "second": jnp.ones((512, 10))}


def loss(weights, batch):
    return (jax.nn.relu(batch @ weights["first"]) @ weights["second"]).mean()


step = jax.jit(jax.grad(loss))
gradients = step(weights, jnp.ones((128, 256)))
jax.block_until_ready(gradients)
