"""Averages of a known pool: their truths, and how often intervals hold them."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.runtime.arrays import FloatArray
from assay_bench.known_pool import Averages, KnownPool

SPACE = AttributeSpace(
    (Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r")), Attribute("c", ("u", "v")))
)


@pytest.fixture
def rows() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    n = 2_000
    codes = np.stack([rng.integers(len(a.values), size=n) for a in SPACE.attributes], axis=1)
    scores = rng.random(n) < 0.4 + 0.1 * codes.sum(axis=1)
    arms = SPACE.arm_index(codes)
    return SPACE.frame(arms).with_columns(
        pl.Series("arm", arms), pl.Series("score", scores.astype(float))
    )


@pytest.fixture
def pool(rows: pl.DataFrame) -> KnownPool:
    return KnownPool.count(SPACE, rows["arm"].to_numpy(), rows["score"].to_numpy())


def surface(lower: FloatArray | float, upper: FloatArray | float) -> AccuracySurface:
    """A surface whose arms lie evenly in their intervals, and go up and down together."""
    arms = np.arange(SPACE.n_arms)
    low, high = (np.broadcast_to(end, arms.shape).astype(float) for end in (lower, upper))
    nothing = np.zeros(arms.shape)
    share = np.linspace(0.0, 1.0, 101)[:, None]
    draws = (low + share * (high - low)).astype(np.float32)
    middle = (low + high) / 2.0
    counts = (nothing, nothing.copy(), np.ones(arms.shape))
    return AccuracySurface(SPACE, arms, *counts, middle, nothing.copy(), low, high, draws=draws)


def test_the_accuracy_is_the_mean_score(pool: KnownPool, rows: pl.DataFrame) -> None:
    assert pool.accuracy == pytest.approx(rows["score"].to_numpy().mean())


def test_the_truth_of_a_slice_is_the_mean_over_its_rows(
    pool: KnownPool, rows: pl.DataFrame
) -> None:
    rng = np.random.default_rng(0)
    named = set()
    for _ in range(20):
        part = pool.draw_slice(rng)
        named.add(len(part.where))
        matching = rows.filter(*(pl.col(name) == value for name, value in part.where.items()))
        assert part.truth == pytest.approx(matching["score"].to_numpy().mean())
    assert named == {1, 2}


def test_the_truth_of_a_mix_weighs_the_means_of_its_combinations(
    pool: KnownPool, rows: pl.DataFrame
) -> None:
    rng = np.random.default_rng(0)
    named = set()
    for _ in range(20):
        mix = pool.draw_mix(rng)
        names = [name for name in mix.table.columns if name != "weight"]
        named.add(len(names))
        means = rows.group_by(names).agg(pl.col("score").mean())
        joined = mix.table.join(means, on=names, how="inner")
        assert joined.height == mix.table.height
        assert float(mix.table["weight"].to_numpy().sum()) == pytest.approx(1.0)
        expected = joined["weight"].to_numpy() @ joined["score"].to_numpy()
        assert mix.truth == pytest.approx(expected)
    assert named == {1, 2, 3}


def test_combinations_of_few_rows_are_left_out_unless_all_are_few(rows: pl.DataFrame) -> None:
    few = pl.concat([rows.filter(a="x").head(25), rows.filter(a="y").head(5)])
    counted = KnownPool.count(SPACE, few["arm"].to_numpy(), few["score"].to_numpy())
    assert counted.by("a")["a"].to_list() == ["x"]
    assert counted.by("a", "b", "c").height == few["arm"].n_unique()


def test_an_interval_that_is_everything_always_holds(pool: KnownPool) -> None:
    averages = Averages.draw(pool, 10, np.random.default_rng(0))
    # The draws run evenly from 0 to 1, so that averages of arms have 0.05 to 0.95.
    held = averages.held(surface(0.0, 1.0))
    assert held == {"mixes_90": 100.0, "slices_90": 100.0, "marginals_90": 100.0}


def test_an_interval_beside_the_truth_never_holds(pool: KnownPool) -> None:
    averages = Averages.draw(pool, 10, np.random.default_rng(0))
    held = averages.held(surface(0.0, 0.01))
    assert held == {"mixes_90": 0.0, "slices_90": 0.0, "marginals_90": 0.0}


def test_marginals_are_matched_by_their_value(pool: KnownPool) -> None:
    averages = Averages.draw(pool, 1, np.random.default_rng(0))
    truth = dict(averages.marginals["a"].iter_rows())
    assert sum(table.height for table in averages.marginals.values()) == 7
    code = SPACE.codes(np.arange(SPACE.n_arms))[:, 0]
    for values, held in ((("x", "y"), 2), (("y", "x"), 0)):
        known = np.array([truth[value] for value in values])[code]
        found = averages.held(surface(known - 0.001, known + 0.001))
        assert found["marginals_90"] == pytest.approx(100.0 * held / 7)
