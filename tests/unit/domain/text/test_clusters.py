"""Texts that mean the same are together, whatever the order of rows; names tell clusters apart."""

import numpy as np
import polars as pl
import pytest
from fake_embedder import WordModel

from accuracy_assay.domain.text.clusters import Clusters, cluster_texts
from accuracy_assay.domain.text.embedder import Embedder
from accuracy_assay.errors import InputError

WORDS = {"sea": "ship sail harbour storm", "kitchen": "bread oven flour sugar"}


def made(n: int, seed: int = 0) -> tuple[pl.Series, list[str]]:
    """Return texts about two things, and which."""
    rng = np.random.default_rng(seed)
    about = [("sea", "kitchen")[i % 2] for i in range(n)]
    texts = [" ".join(rng.choice(WORDS[a].split(), 4)) + f" {i}" for i, a in enumerate(about)]
    return pl.Series(texts), about


@pytest.fixture
def embed() -> Embedder:
    model = WordModel()
    return lambda texts: np.asarray(
        model.encode(texts, normalize_embeddings=True, show_progress_bar=False), dtype=float
    )


def named(found: Clusters) -> list[str]:
    return [found.values[k] for k in found.of_text]


def test_texts_about_the_same_are_in_one_cluster_named_by_their_words(embed: Embedder) -> None:
    texts, about = made(60)
    found = named(cluster_texts(texts, texts, 2, embed))
    pairs = set(zip(about, found, strict=True))
    assert len(pairs) == 2
    for subject, name in pairs:
        assert set(name.split("/")) <= set(WORDS[subject].split())


def test_the_order_of_rows_does_not_matter(embed: Embedder) -> None:
    texts, _ = made(60)
    there = dict(zip(texts, named(cluster_texts(texts, texts, 3, embed)), strict=True))
    back = texts.reverse()
    assert dict(zip(back, named(cluster_texts(back, back, 3, embed)), strict=True)) == there


def test_texts_outside_the_pool_join_the_clusters_of_the_pool(embed: Embedder) -> None:
    pool, _ = made(60)
    further, about = made(20, seed=1)
    every = pl.concat([pool, further]).unique().sort()
    found = cluster_texts(pool, every, 2, embed)
    assert set(found.values) == set(cluster_texts(pool, pool, 2, embed).values)
    of = dict(zip(every, named(found), strict=True))
    assert len({(a, of[text]) for a, text in zip(about, further, strict=True)}) == 2


def test_texts_without_telling_words_have_numbers_for_names(embed: Embedder) -> None:
    texts = pl.Series([f"{i} {i}" for i in range(20)])
    assert cluster_texts(texts, texts, 2, embed).values == ("cluster 1", "cluster 2")


def test_too_few_texts_are_refused(embed: Embedder) -> None:
    texts, _ = made(5)
    with pytest.raises(InputError, match="texts of 2 clusters must be at least 6"):
        cluster_texts(texts, texts, 2, embed)
