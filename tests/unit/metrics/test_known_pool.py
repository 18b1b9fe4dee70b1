"""Averages of a known pool: their truths, and how often intervals hold them."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.metrics.known_pool import Averages, KnownPool

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


def surface(pool: KnownPool, lower: float, upper: float) -> AccuracySurface:
    """A surface that says the same of every arm, with no doubt but for its interval."""
    arms = np.arange(SPACE.n_arms)
    size = np.full(arms.shape, 1.0)

    def all_of(value: float) -> np.ndarray:
        return np.full(arms.shape, value)

    return AccuracySurface(
        SPACE,
        arms,
        all_of(0.0),
        all_of(0.0),
        size,
        all_of((lower + upper) / 2.0),
        all_of(0.0),
        all_of(lower),
        all_of(upper),
        draws=np.tile(np.linspace(lower, upper, 101, dtype=np.float32)[:, None], arms.size),
    )


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
    held = averages.held(surface(pool, 0.0, 1.0))
    assert held == {"mixes_90": 100.0, "slices_90": 100.0, "marginals_90": 100.0}


def test_an_interval_beside_the_truth_never_holds(pool: KnownPool) -> None:
    averages = Averages.draw(pool, 10, np.random.default_rng(0))
    held = averages.held(surface(pool, 0.0, 0.01))
    assert held == {"mixes_90": 0.0, "slices_90": 0.0, "marginals_90": 0.0}


def test_marginals_are_matched_by_their_value(pool: KnownPool) -> None:
    averages = Averages.draw(pool, 1, np.random.default_rng(0))
    truths = {name: table["truth"].to_numpy() for name, table in averages.marginals.items()}
    assert {name: values.size for name, values in truths.items()} == {"a": 2, "b": 3, "c": 2}
    middle = np.median(np.concatenate(list(truths.values())))
    below = sum(int((values <= middle).sum()) for values in truths.values())
    held = averages.held(surface(pool, 0.0, float(middle)))["marginals_90"]
    # The interval of an average ends a twentieth below the upper end of the draws.
    assert 0.0 <= held <= 100.0 * below / 7
