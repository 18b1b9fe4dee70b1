"""Laws of the surface: averages agree with one another, and files with memory."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface


@st.composite
def surfaces(draw: st.DrawFn) -> AccuracySurface:
    shape = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    space = AttributeSpace(
        tuple(Attribute(f"a{k}", tuple(f"v{i}" for i in range(v))) for k, v in enumerate(shape))
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    low, mean, high = np.sort(rng.random((3, space.n_arms)), axis=0)
    n = rng.integers(0, 9, space.n_arms).astype(float)
    support = n + rng.integers(0, 5, space.n_arms)
    support[0] += 1.0
    draws = rng.random((30, space.n_arms), dtype=np.float32) if draw(st.booleans()) else None
    return AccuracySurface(
        space,
        np.arange(space.n_arms),
        n,
        n * rng.random(space.n_arms),
        support,
        mean,
        rng.random(space.n_arms) / 2,
        low,
        high,
        draw(st.sampled_from([0.5, 0.9, 0.99])),
        draws,
        {"estimator": "any"},
    )


@given(surfaces(), st.data())
def test_marginals_average_to_the_overall_accuracy(
    surface: AccuracySurface, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(surface.space.names), min_size=1, unique=True))
    part = surface.marginal(*names)
    weight, mean = part.get_column("support").to_numpy(), part.get_column("mean").to_numpy()
    assert weight @ mean / weight.sum() == pytest.approx(surface.overall.mean)
    assert weight.sum() == pytest.approx(surface.support.sum())


@given(surfaces(), st.data())
def test_a_marginal_row_is_what_at_says(surface: AccuracySurface, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(surface.space.names))
    for row in surface.marginal(name).iter_rows(named=True):
        found = surface.at(**{name: row[name]})
        for field in ("n", "support", "mean", "sd", "lower", "upper"):
            assert getattr(found, field) == pytest.approx(row[field])


@given(surfaces(), st.data())
def test_under_the_pool_s_own_mix_is_the_overall_accuracy(
    surface: AccuracySurface, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(surface.space.names), min_size=1, unique=True))
    pool = surface.space.frame(np.repeat(surface.arms, surface.support.astype(int)))
    weighted = surface.space.frame(surface.arms).with_columns(weight=pl.Series(surface.support))
    for mix in (pool.select(names), weighted.select(*names, "weight")):
        found, overall = surface.under(mix), surface.overall
        assert (found.mean, found.sd) == pytest.approx((overall.mean, overall.sd))
        assert (found.lower, found.upper) == pytest.approx((overall.lower, overall.upper))


@given(surfaces(), st.floats(0.1, 10.0))
def test_a_mix_depends_on_proportions_alone(surface: AccuracySurface, factor: float) -> None:
    rng = np.random.default_rng(surface.arms.size)
    mix = surface.space.frame(surface.arms).with_columns(
        weight=pl.Series(rng.random(surface.arms.size))
    )
    scaled = mix.with_columns(pl.col("weight") * factor)
    assert surface.under(scaled).mean == pytest.approx(surface.under(mix).mean)


@given(surfaces())
def test_averages_lie_within_the_arms(surface: AccuracySurface) -> None:
    used = surface.mean[surface.support > 0.0]
    found = surface.overall
    assert used.min() - 1e-12 <= found.mean <= used.max() + 1e-12
    assert 0.0 <= found.lower <= found.upper <= 1.0


@given(surfaces())
def test_worst_and_best_are_ordered_by_the_ends_and_leave_nothing_out(
    surface: AccuracySurface,
) -> None:
    worst, best = surface.worst(10_000), surface.best(10_000)
    assert worst.height == best.height == int((surface.support > 0.0).sum())
    for is_rare in (False, True):
        part = (pl.col("support") < 5.0) == is_rare
        assert worst.filter(part).get_column("upper").is_sorted()
        assert best.filter(part).get_column("lower").is_sorted(descending=True)
        for by_mean, is_descending in ((surface.worst, False), (surface.best, True)):
            means = by_mean(10_000, by="mean").filter(part).get_column("mean")
            assert means.is_sorted(descending=is_descending)


@settings(max_examples=25)
@given(surfaces())
def test_a_surface_survives_its_file(surface: AccuracySurface) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.surface"
        surface.save(path)
        loaded = AccuracySurface.load(path)
    assert loaded.space == surface.space
    assert loaded.to_frame().equals(surface.to_frame())
    assert loaded.overall == surface.overall
    assert loaded.details == surface.details
    assert (loaded.draws is None) == (surface.draws is None)
