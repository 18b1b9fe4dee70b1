"""Clusters of a pool's texts: embeddings, k-means, and names of the words that tell them apart.

Topics are made of words, clusters of meaning: texts that say the same in other words are together.
Texts are sorted and the start of k-means is fixed, so the order of rows does not matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.text.embedder import Embedder
from accuracy_assay.domain.text.telling import group_names, plain_words, telling_words
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Clusters", "cluster_texts"]

_MOST_TEXTS = 20_000
"""Most texts that clusters are learned from, as of topics."""
_LEAST_TEXTS = 3
"""Least different texts per cluster that are asked for; with fewer, a cluster is its texts."""
_STARTS = 4
"""How often k-means starts; the best is taken. More change the clusters of MMLU no more."""
_WEIGHT_DECIMALS = 6
"""Decimals of a word's weight in a name, fewer than those in which processors differ."""


class Clusters(NamedTuple):
    """Names of the clusters, and the cluster of each text."""

    values: tuple[str, ...]
    of_text: IntArray


def cluster_texts(pool: pl.Series, texts: pl.Series, n_clusters: int, embed: Embedder) -> Clusters:
    """Return the clusters of the texts of a pool, and to which of them some texts belong.

    Parameters
    ----------
    pool
        The texts that clusters are learned from and named after.
    texts
        The texts to place, different ones, none missing; among them, those of the pool.
    n_clusters
        Number of clusters.
    embed
        What gives each text its place.

    Raises
    ------
    InputError
        If the pool has too few different texts.

    Examples
    --------
    >>> said = ["the ship sails far", "a ship sails home", "the ship sails on"]
    >>> said += ["bake bread in the oven", "bread from the oven", "bread and an oven"]
    >>> embed = lambda texts: np.array([[1.0, 0] if "ship" in t else [0, 1.0] for t in texts])
    >>> found = cluster_texts(pl.Series(said), pl.Series(said), 2, embed)
    >>> found.values, found.of_text.tolist()
    (('bread/oven', 'sails/ship'), [1, 1, 1, 0, 0, 0])
    """
    from sklearn.cluster import KMeans

    known = pool.drop_nulls().unique().sort()
    if known.len() < n_clusters * _LEAST_TEXTS:
        raise InputError(
            f"texts of {n_clusters} clusters must be at least {n_clusters * _LEAST_TEXTS} "
            f"different ones; got {known.len()}. Ask for fewer clusters with topics, or another "
            "feature of the text."
        )
    vectors = embed(texts.to_list())
    sample = known.gather_every(max(1, -(-known.len() // _MOST_TEXTS)))
    at = pl.DataFrame({"text": texts, "at": np.arange(texts.len())})
    own = sample.to_frame("text").join(at, on="text", how="left", maintain_order="left")["at"]
    model = KMeans(n_clusters, n_init=_STARTS, random_state=0).fit(vectors[own.to_numpy()])
    of_sample, of_text = model.labels_, model.predict(vectors)
    names = _names(sample, of_sample, n_clusters)
    order = sorted(range(n_clusters), key=names.__getitem__)
    place = np.argsort(order)
    return Clusters(tuple(names[k] for k in order), place[of_text])


def _names(texts: pl.Series, cluster: IntArray, n_clusters: int) -> list[str]:
    """Return the name of each cluster: words that are more frequent in it than elsewhere."""
    rows = plain_words(texts)
    words = telling_words(rows, n_clusters)
    if not words:
        return [f"cluster {k + 1}" for k in range(n_clusters)]
    weights = _telling(rows, words, cluster, n_clusters)
    names = group_names(weights, words)
    return [name or f"cluster {k + 1}" for k, name in enumerate(names)]


def _telling(rows: pl.Series, words: list[str], cluster: IntArray, n_clusters: int) -> FloatArray:
    """Return by how much each word's mean TF-IDF in each cluster exceeds that of all, (K, V)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = TfidfVectorizer(analyzer=list, vocabulary=words, sublinear_tf=True).fit_transform(
        rows.to_list()
    )
    member = np.zeros((n_clusters, cluster.size))
    member[cluster, np.arange(cluster.size)] = 1.0
    means = np.asarray((table.T @ member.T).T) / np.maximum(member.sum(axis=1, keepdims=True), 1.0)
    whole = np.asarray(table.mean(axis=0)).ravel()
    return np.asarray(np.round(means - whole, _WEIGHT_DECIMALS))
