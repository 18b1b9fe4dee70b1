"""Who wins pairs, with ties, and whether the first answer does."""

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.pair_measure import FirstWinRate, WinRate
from accuracy_assay.errors import InputError
from accuracy_assay.registry import build_measure
from accuracy_assay.testing import MeasureLaws

PAIRS = pl.DataFrame(
    {
        "topic": ["art", "art", "law", "law", "law"],
        "model_a": ["acme", "bolt", "acme", "zen", "zen"],
        "model_b": ["bolt", "acme", "zen", "acme", "bolt"],
        "winner": ["model_a", "acme", "tie (bothbad)", "model_a", "model_b"],
        "shown": ["acme", "bolt", "acme", "zen", "zen"],
    }
)
COLUMNS = Columns(("topic",), y_true="winner", y_pred="shown")


class TestWinRateOfNamedSides(MeasureLaws):
    def make(self) -> WinRate:
        return WinRate("acme", "model_a", "model_b")

    def rows(self) -> pl.DataFrame:
        return PAIRS

    def columns(self) -> Columns:
        return COLUMNS


def test_a_win_counts_one_and_a_tie_one_half() -> None:
    rule = WinRate("acme", "model_a", "model_b")
    assert rule.qualifies(PAIRS, COLUMNS).to_list() == [True, True, True, True, False]
    assert rule.scores(PAIRS, COLUMNS).to_list()[:4] == [1.0, 1.0, 0.5, 0.0]


def test_the_win_rates_of_both_sides_of_a_pair_add_up_to_one() -> None:
    pairs = PAIRS[:2]
    rates = [WinRate(s, "model_a", "model_b").scores(pairs, COLUMNS) for s in ("acme", "bolt")]
    assert (rates[0] + rates[1]).to_list() == [1.0, 1.0]


def test_a_judge_that_prefers_the_first_shows_it_and_not_in_the_win_rate(
    rng: np.random.Generator,
) -> None:
    n = 600
    first = np.where(np.arange(n) % 2, "acme", "bolt")  # every pair both ways
    better = np.repeat(np.where(rng.random(n // 2) < 0.6, "acme", "bolt"), 2)
    biased = rng.random(n) < 0.5
    rows = pl.DataFrame(
        {
            "topic": np.repeat(rng.choice(["art", "law"], n // 2), 2),
            "pair": np.repeat(np.arange(n // 2), 2),
            "winner": np.where(biased, first, better),
            "first": first,
        }
    )
    options = {"y_true": "winner", "y_pred": "first", "cluster": "pair"}
    options["estimator"] = "beta-independent"
    won = aa.estimate(rows, ["topic"], measure="win-rate:acme", **options).overall
    leads = aa.estimate(rows, ["topic"], measure="first-win-rate:tie", **options).overall
    # Half of the verdicts go to the first: 0.5 + 0.5 * 0.5, and 0.5 * 0.6 + 0.5 * 0.5.
    assert leads.mean == pytest.approx(0.75, abs=0.06)
    assert won.mean == pytest.approx(0.55, abs=0.06)


def test_the_columns_that_are_needed_are_named() -> None:
    bare = Columns(("topic",), "winner")
    with pytest.raises(InputError, match="column of who won"):
        WinRate("acme").scores(PAIRS, bare)
    with pytest.raises(InputError, match="who was shown first"):
        FirstWinRate().scores(PAIRS, Columns(("topic",), y_true="winner"))
    with pytest.raises(InputError, match="both columns of a pair or none"):
        WinRate("acme", "model_a").deciding(COLUMNS)


def test_pairs_of_several_services_must_say_whose_they_are() -> None:
    with pytest.raises(InputError, match=r"several others won; got 'model_a', 'model_b'\."):
        WinRate("acme").scores(PAIRS, COLUMNS)
    named = build_measure("win-rate:acme:model_a:model_b")
    assert named == WinRate("acme", "model_a", "model_b")
    surface = aa.estimate(
        pl.concat([PAIRS] * 4), ["topic"], measure="win-rate:acme:model_a:model_b", y_true="winner"
    )
    assert surface.measure.startswith("win-rate of 'acme'")
    two = pl.DataFrame({"winner": ["acme", "bolt", "tie"]})
    assert WinRate("acme").scores(two, COLUMNS).to_list() == [1.0, 0.0, 0.5]
