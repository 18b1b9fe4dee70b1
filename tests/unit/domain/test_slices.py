"""Weak slices are found where they were put, told once, and nowhere else."""

from dataclasses import astuple, replace

import numpy as np
import pytest

from accuracy_assay.domain import slices
from accuracy_assay.domain.slices import WeakSlices, slice_name
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError

SPACE = AttributeSpace(
    (
        Attribute("accent", ("german", "french", "scots")),
        Attribute("digit", tuple(range(6))),
        Attribute("age", ("young", "old")),
    )
)
CODES = SPACE.codes(np.arange(SPACE.n_arms))
GERMAN_FIVE = (CODES[:, 0] == 0) & (CODES[:, 1] == 5)
SCOTS = CODES[:, 0] == 2


def surface(mean: np.ndarray, sd: float = 0.02, n: float = 30.0) -> AccuracySurface:
    """Return a surface whose arms have these means and independent draws around them."""
    size = SPACE.n_arms
    rng = np.random.default_rng(5)
    draws = np.clip(mean + sd * rng.standard_normal((400, size)), 0, 1).astype(np.float32)
    return AccuracySurface(
        SPACE,
        np.arange(size),
        n=np.full(size, n),
        correct=n * mean,
        support=np.linspace(100, 200, size),
        mean=mean,
        sd=np.full(size, sd),
        lower=np.clip(mean - 2 * sd, 0, 1),
        upper=np.clip(mean + 2 * sd, 0, 1),
        draws=draws,
    )


def names(found: WeakSlices) -> list[str]:
    return [each.name for each in found]


def test_two_planted_slices_are_told_in_two_lines_most_wrong_rows_first() -> None:
    mean = np.where(GERMAN_FIVE, 0.3, np.where(SCOTS, 0.6, 0.95))
    found = surface(mean).slices()
    assert names(found) == ["accent = scots", "accent = german and digit = 5"]
    scots, five = found
    assert scots.where == {"accent": "scots"}
    at = surface(mean).at(accent="scots")
    assert astuple(scots.estimate)[:7] == pytest.approx(astuple(at)[:7], rel=1e-12)
    assert scots.wrong == pytest.approx(scots.estimate.support * (1 - scots.estimate.mean))
    assert scots.wrong > five.wrong
    assert min(scots.chance_below, five.chance_below) > 0.99
    assert not scots.is_thin


def test_inside_a_slice_only_what_is_much_weaker_is_told() -> None:
    scots_five = SCOTS & (CODES[:, 1] == 5)
    a_little, much = (
        np.where(scots_five, rate, np.where(SCOTS, 0.6, 0.95)) for rate in (0.5, 0.2)
    )
    assert names(surface(a_little).slices()) == ["accent = scots"]
    assert names(surface(much).slices()) == ["accent = scots", "accent = scots and digit = 5"]


def test_where_two_slices_meet_is_no_slice_of_its_own() -> None:
    five = CODES[:, 1] == 5
    both = np.where(SCOTS & five, 0.3, np.where(SCOTS | five, 0.6, 0.95))
    assert sorted(names(surface(both).slices())) == ["accent = scots", "digit = 5"]


def test_where_accuracy_is_flat_nothing_is_told() -> None:
    found = surface(np.full(SPACE.n_arms, 0.8)).slices()
    assert not len(found)
    assert found.to_frame().is_empty()
    assert found.searched > 50
    assert found.bar == pytest.approx(0.75, abs=0.01)


def test_noise_around_a_flat_accuracy_tells_nothing() -> None:
    rng = np.random.default_rng(2)
    found = surface(0.8 + 0.02 * rng.standard_normal(SPACE.n_arms), sd=0.05).slices()
    assert not len(found)


def test_a_bar_of_ones_own_is_absolute() -> None:
    of = surface(np.where(SCOTS, 0.6, 0.95))
    assert names(of.slices(below=0.7)) == ["accent = scots"]
    assert not len(of.slices(below=0.5))
    assert of.slices(below=0.7).bar == 0.7


def test_rates_of_errors_are_weak_above() -> None:
    rates = surface(np.where(SCOTS, 0.4, 0.05)).with_details(is_error=True)
    found = rates.slices()
    assert names(found) == ["accent = scots"]
    assert (found.side, found.bar > rates.overall.mean) == ("above", True)
    assert found.found[0].chance_below > 0.99
    support = found.found[0].estimate.support
    assert found.found[0].wrong == pytest.approx(0.4 * support, rel=0.02)
    assert names(rates.slices(below=0.3)) == ["accent = scots"]
    assert rates.worst(1)["accent"].item() == "scots"
    assert rates.best(1)["accent"].item() != "scots"


def test_a_slice_with_few_labels_is_thin() -> None:
    found = surface(np.where(GERMAN_FIVE, 0.3, 0.95), n=4.0).slices()
    assert [each.is_thin for each in found] == [True]


def test_arms_without_draws_are_independent() -> None:
    drawn = surface(np.where(SCOTS, 0.6, 0.95))
    plain = AccuracySurface(
        SPACE, drawn.arms, drawn.n, drawn.correct, drawn.support, drawn.mean, drawn.sd,
        drawn.lower, drawn.upper,
    )  # fmt: skip
    assert names(plain.slices()) == ["accent = scots"]
    assert plain.slices().to_frame().equals(plain.slices().to_frame())


def test_the_frame_has_the_numbers_of_the_slices() -> None:
    found = surface(np.where(GERMAN_FIVE, 0.3, np.where(SCOTS, 0.6, 0.95))).slices()
    for row, each in zip(found.to_frame().iter_rows(named=True), found, strict=True):
        assert row["slice"] == each.name
        assert row["wrong"] == each.wrong
        assert row["chance_below"] == each.chance_below
        for name in ("mean", "sd", "lower", "upper", "n", "support"):
            assert row[name] == getattr(each.estimate, name)


def test_a_pool_without_rows_has_no_slices() -> None:
    full = surface(np.where(SCOTS, 0.6, 0.95))
    empty = AccuracySurface(
        SPACE, full.arms, full.n, full.correct, 0.0 * full.support, full.mean, full.sd,
        full.lower, full.upper,
    )  # fmt: skip
    assert not len(empty.slices())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"below": 80}, "below must lie between 0 and 1; got 80. Write 80% as 0.8."),
        ({"margin": 5}, "margin must lie in [0, 1); got 5. Write 5% as 0.05."),
        ({"order": 0}, "order must be at least 1 attribute; got 0."),
        ({"fdr": 10}, "fdr must lie between 0 and 1; got 10. Write 10% as 0.1."),
        ({"least_rows": 0}, "least_rows must be more than 0; got 0."),
    ],
)
def test_numbers_of_another_kind_are_refused(options: dict[str, float], said: str) -> None:
    with pytest.raises(InputError) as refused:
        surface(np.full(SPACE.n_arms, 0.8)).slices(**options)
    assert str(refused.value) == said


def test_of_very_many_arms_slices_name_fewer_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    mean = np.where(GERMAN_FIVE, 0.4, 0.9)
    assert surface(mean).slices().searched > surface(mean).slices(order=2).searched
    # 36 arms: seven choices of up to three attributes are 252 memberships, six of two are 216.
    monkeypatch.setattr(slices, "_MOST_MEMBERSHIPS", 220)
    assert surface(mean).slices().searched == surface(mean).slices(order=2).searched
    monkeypatch.setattr(slices, "_MOST_MEMBERSHIPS", 1)
    assert surface(mean).slices().searched == surface(mean).slices(order=1).searched


def test_a_slice_is_named_by_its_values_with_nothing_hidden() -> None:
    assert slice_name({"a": "x\x1b", "b": 1}) == r"a = x\x1b and b = 1"


def test_arms_without_rows_have_no_say() -> None:
    mean = np.where(GERMAN_FIVE, 0.3, np.where(SCOTS, 0.6, 0.95))
    whole = surface(mean)
    empty = (CODES[:, 1] == 0) & ~SCOTS
    assert whole.draws is not None
    other = np.where(empty, 0.0, np.asarray(whole.draws))  # they would be the weakest of all
    support = np.where(empty, 0.0, whole.support)
    found = [
        replace(whole, support=support, draws=drawn.astype(np.float32)).slices()
        for drawn in (np.asarray(whole.draws), other)
    ]
    assert names(found[0]) == names(found[1]) == names(whole.slices())
    assert [e.chance_below for e in found[0]] == [e.chance_below for e in found[1]]
