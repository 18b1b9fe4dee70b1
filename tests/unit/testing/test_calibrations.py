"""Each law of a calibrator is broken by one that was made to break it, and only then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accuracy_assay.calibration.raw import Raw
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.testing import CalibratorLaws


@dataclass(frozen=True)
class Loose:
    """A calibration whose rows are changed afterwards."""

    inner: Any
    change: Callable[[Affiliation], Affiliation]

    @property
    def report(self) -> Any:
        return replace(self.inner.report, n_seed=0)

    def save(self, path: Path) -> None:
        self.inner.save(path)

    def affiliation(self, evidence: Any, known: Any = None) -> Affiliation:
        return self.change(self.inner.affiliation(evidence, known))


@dataclass(frozen=True)
class Bent:
    """A good calibrator whose calibrations are changed, or which looks at nothing."""

    change: Callable[[Affiliation], Affiliation] = lambda rows: rows
    needs_all: bool = False
    is_blind: bool = False
    steps: tuple[int, ...] = ()

    def fit(self, seed: Any, gold: Any, pool: Any, rng: Any, on_steps: Any = None) -> Any:
        assert not self.needs_all or (seed.n_rows and pool.n_rows)
        for done in self.steps if on_steps else ():
            on_steps(done, 10, "")
        if self.is_blind:
            seed, gold = seed.take(slice(0, 0)), gold[:0]
        return Loose(Raw().fit(seed, gold, pool, rng), self.change)


def doubled(rows: Affiliation) -> Affiliation:
    return Affiliation(
        rows.indptr[:-1], rows.indices[: rows.indptr[-2]], rows.weights[: rows.indptr[-2]]
    )


def jittered(rows: Affiliation) -> Affiliation:
    order = np.arange(rows.n_rows)
    return rows.take(np.roll(order, np.random.default_rng().integers(1, rows.n_rows)))


LAWS: list[tuple[str, Bent]] = [
    ("rows_sum_to_one_and_known_attributes_hold", Bent(doubled)),
    ("one_generator_gives_one_calibration", Bent(jittered)),
    ("an_empty_seed_set_or_pool_is_no_obstacle", Bent(needs_all=True)),
    ("the_report_covers_every_uncertain_attribute_and_the_joint", Bent()),
    ("steps_are_told_forwards_and_never_beyond_the_last", Bent(steps=(3, 2))),
    ("steps_are_told_forwards_and_never_beyond_the_last", Bent(steps=(3, 12))),
]


class Kept(CalibratorLaws):
    def make(self) -> Raw:
        return Raw()


@pytest.mark.parametrize(("law", "bent"), LAWS)
def test_a_law_can_be_broken(law: str, bent: Bent) -> None:
    class Broken(CalibratorLaws):
        def make(self) -> Bent:
            return bent

    getattr(Kept(), f"test_{law}")()
    with pytest.raises(AssertionError):
        getattr(Broken(), f"test_{law}")()


@pytest.mark.filterwarnings("ignore")
def test_gold_that_is_not_looked_at_is_noticed() -> None:
    class Broken(CalibratorLaws):
        def make(self) -> Bent:
            return Bent(is_blind=True)

    Kept().test_gold_that_cannot_be_is_refused_by_name()
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        Broken().test_gold_that_cannot_be_is_refused_by_name()


def test_a_file_that_holds_something_else_is_noticed(tmp_path: Path) -> None:
    class Broken(CalibratorLaws):
        def make(self) -> Bent:
            return Bent(jittered)

    Kept().test_a_kept_calibration_survives_its_file(tmp_path)
    with pytest.raises(AssertionError):
        Broken().test_a_kept_calibration_survives_its_file(tmp_path)
