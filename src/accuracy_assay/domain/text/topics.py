"""Topics of a pool's texts: TF-IDF, non-negative matrix factorisation, and similarity.

Notation: n texts, V words, K topics. x (V,) is the TF-IDF row of a text, of length one; h_k (V,)
the word weights of topic k, of length one; s_k = x . h_k their similarity.

    P(topic k | x) = s_k^2 / (sum_j s_j^2 + c^2),   P(other | x) = c^2 / (sum_j s_j^2 + c^2)

The same texts give the same topics, in any order of rows: texts are sorted, the factorisation
starts at the singular vectors and takes a fixed number of steps, and the weights are rounded, so
another processor's last bits change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.text.telling import NAMED_BY, group_names, plain_words, telling_words
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray

__all__ = ["N_TOPICS", "OTHER", "Topics"]

N_TOPICS = 8
"""Default number of topics: few enough that each has texts in a pool of a thousand."""
OTHER = "other"
"""The topic of texts that are like none."""

_LEAST_LIKENESS = 0.02
"""c: a text less similar than this to all topics together has none. Chosen by hand: 3% of the
questions of MMLU are then other, and 70% of the single sentences of Common Voice."""
_MOST_TEXTS = 20_000
"""Most texts that topics are learned from, evenly spread over the distinct ones: more only cost
time."""
_WEIGHT_DECIMALS = 3
"""Decimals of a word's weight, as a share of its topic's largest."""
_STEPS = 100
"""Steps of the factorisation. Fixed: a stopping rule would depend on the last bits."""
_DECIMALS = 6
"""Decimals of probabilities: more than matter, fewer than those in which processors differ."""


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics that were found in a pool.

    Parameters
    ----------
    values
        Their names (K + 1,): the most telling words of each, and ``OTHER`` at the end.
    vectorizer
        scikit-learn's TF-IDF of a text.
    weights
        h (K, V).

    Examples
    --------
    >>> pool = pl.Series(["cats purr", "cats and dogs purr", "ships sail", "ships sail far"] * 3)
    >>> pool = pl.concat([pool + f" {word}" for word in ("now", "here", "again")])
    >>> topics = Topics.fit(pool, 2)
    >>> topics.values
    ('cats/purr/dogs', 'sail/ships/far', 'other')
    >>> topics.probabilities(pl.Series(["ships", "trees"])).argmax(axis=1).tolist()
    [1, 2]
    """

    values: tuple[str, ...]
    vectorizer: Any
    weights: FloatArray

    @classmethod
    def fit(cls, pool: pl.Series, n_topics: int = N_TOPICS) -> Topics:
        """Return the topics of a pool's texts.

        Raises
        ------
        InputError
            If the texts share too few words for so many topics.
        """
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = pool.drop_nulls().unique().sort()
        texts = texts.gather_every(max(1, -(-texts.len() // _MOST_TEXTS)))
        rows = plain_words(texts)
        words = telling_words(rows, n_topics)
        if len(words) < n_topics * NAMED_BY:
            raise InputError(
                f"texts of {n_topics} topics must share at least {n_topics * NAMED_BY} telling "
                f"words; got {len(words)} in {texts.len()} different texts. Ask for fewer topics, "
                "or another feature of the text."
            )
        vectorizer = TfidfVectorizer(analyzer=list, vocabulary=words, sublinear_tf=True)
        table = vectorizer.fit_transform(rows.to_list())
        found = NMF(n_topics, init="nndsvd", max_iter=_STEPS, tol=0.0, random_state=0).fit(table)
        weights = _rounded(found.components_)
        names = group_names(weights, words)
        order = sorted(range(len(names)), key=names.__getitem__)
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        values = (*(names[k] for k in order), OTHER)
        return cls(values, vectorizer, (weights / lengths)[order])

    def probabilities(self, texts: pl.Series) -> FloatArray:
        """Return P(topic | text), shape (n, K + 1); no text may be missing."""
        if texts.is_empty():
            return np.zeros((0, len(self.values)))
        table = self.vectorizer.transform(plain_words(texts).to_list())
        squares = np.asarray(table @ self.weights.T) ** 2
        total = squares.sum(axis=1, keepdims=True) + _LEAST_LIKENESS**2
        likely = np.round(squares / total, _DECIMALS)
        other = np.round(_LEAST_LIKENESS**2 / total, _DECIMALS)
        return np.concatenate([likely, other], axis=1)


def _rounded(components: FloatArray) -> FloatArray:
    """Return the weights of each topic's words as shares of its largest, (K, V)."""
    largest = components.max(axis=1, keepdims=True)
    shares = components[largest[:, 0] > 0.0] / largest[largest[:, 0] > 0.0]
    return np.asarray(np.round(shares, _WEIGHT_DECIMALS))
