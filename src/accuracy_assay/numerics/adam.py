"""Adam on all parameters as one vector, which compiles much faster."""

from typing import Any

import jax
import numpy as np
import optax

from accuracy_assay.runtime.device import put

__all__ = ["adam", "adam_start"]


def adam(learning_rate: Any) -> optax.GradientTransformation:
    """Return the optimiser; ``learning_rate`` may be traced inside compiled code."""
    return optax.flatten(optax.adam(learning_rate))


def adam_start(params: Any) -> Any:
    """Return the optimiser's state before the first step: Adam's averages are zero."""
    shapes = jax.eval_shape(adam(0.0).init, params)
    return jax.tree.map(lambda leaf: put(np.zeros(leaf.shape, leaf.dtype)), shapes)
