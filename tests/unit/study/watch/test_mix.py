"""A changed mix of rows is told apart from a service that got worse."""

import numpy as np
import polars as pl
from numpy.testing import assert_allclose

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.read.how import How
from accuracy_assay.study.watch.mix import Kinds
from accuracy_assay.study.watch.stream import read_stream
from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch

RATES = {"a": 0.95, "b": 0.9, "c": 0.4}


def mixed_rows(share_before: float, share_after: float, lost: float = 0.0) -> pl.DataFrame:
    """Return 60 days of labels; from day 20 on c has another share, and all kinds lose some."""
    rng = np.random.default_rng(3)
    day = np.sort(rng.integers(0, 60, 6000))
    is_c = rng.random(day.size) < np.where(day < 20, share_before, share_after)
    kind = np.where(is_c, "c", rng.choice(["a", "b"], day.size))
    rate = np.array([RATES[k] for k in kind]) * np.where(day < 20, 1.0, 1.0 - lost)
    right = (rng.random(day.size) < rate).astype(int)
    sex = rng.choice(["F", "M"], day.size)
    return pl.DataFrame({"day": day, "kind": kind, "sex": sex, "right": right})


def watched(rows: pl.DataFrame) -> Watch:
    return watch(rows, ["kind", "sex"], "right", time="day", baseline=19, every=100)


def test_more_hard_rows_are_said_and_are_no_alarm() -> None:
    found = watched(mixed_rows(0.1, 0.4))
    assert found.slices["after"][0] < found.slices["before"][0] - 0.1
    assert found.verdict == "no alarm"
    assert "another mix of rows may be all" in str(found)
    assert "overall" in found.remarks[0]


def test_a_service_that_got_worse_alarms_whatever_the_mix() -> None:
    for share in (0.1, 0.02):  # as many hard rows, or fewer
        found = watched(mixed_rows(0.1, share, lost=0.3))
        assert found.verdict == "alarm"
        assert "overall" in found.alarms["slice"].to_list()


def test_kinds_hold_arms_of_like_accuracy_together() -> None:
    rows = mixed_rows(0.1, 0.4)
    stream = read_stream(Columns(("kind", "sex"), "right"), rows, "day", 19)
    kinds = Kinds.of_baseline(stream, How.of())
    rates = np.sin(kinds.angles[kinds.of]) ** 2
    for name, rate in RATES.items():
        is_in = np.array(stream.space.attributes[0].values)[stream.codes[:, 0]] == name
        assert_allclose(rates[is_in], rate, atol=0.1)
