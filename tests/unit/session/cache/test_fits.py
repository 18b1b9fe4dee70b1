"""A fit that another process made serves the next choice, and only the very same one."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.posterior import CellPosterior
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.session.cache.fits import Covariances, NotKeptError

N = 60
FITS: list[int] = []
"""Labels of each fit that a test made."""


@dataclass(frozen=True)
class _Memory:
    """A joint posterior in which neighbouring cells are correlated."""

    support: Any
    labelled: FloatArray

    @property
    def posterior(self) -> CellPosterior:
        each = np.ones(self.support.cells.size)

        def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
            return 0.01 * np.exp(-np.abs(rows[:, None] - columns[None, :]) / 3.0)

        return CellPosterior(
            self.support, 0.6 * each, 0.01 * each, 0.25 * each, self.labelled, covariance
        )


@dataclass(frozen=True)
class Correlated:
    """An estimator that notes its fits and leaves a joint posterior of the cells."""

    def fit(
        self,
        observations: Observations,
        rng: np.random.Generator,
        previous: AccuracySurface | None = None,
    ) -> AccuracySurface:
        FITS.append(int(observations.n_labels))
        surface = BetaIndependent().fit(observations, rng, None)
        support = observations.support
        labelled = np.zeros(support.cells.size)
        return replace(surface, memory=_Memory(support, labelled))


@dataclass(frozen=True)
class Other(Correlated):
    """The same under another name."""


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that makes a store whose fits are counted."""
    FITS.clear()
    rng = np.random.default_rng(0)
    pool = pl.DataFrame(
        {
            "id": [f"x{i}" for i in range(N)],
            "sex": rng.choice(["f", "m"], N),
            "age": rng.integers(0, 4, N),
            "guess": rng.choice(["cat", "dog"], N),
        }
    )
    pool.write_parquet(tmp_path / "pool.parquet")

    def create(**sections: Any) -> Path:
        assay = {
            "estimator": f"{__name__}:Correlated",
            "strategy": {"name": "variance-reduction", "cover_labels": 0},
            "batch": 4,
        }
        spec = {
            "assay": assay | sections.pop("assay", {}),
            "pool": {"path": str(tmp_path / "pool.parquet")},
            "attribute": [{"name": "sex"}, {"name": "age"}],
            "service": [{"name": "reader", "column": "guess"}],
            "label": {"choices": ["cat", "dog"]},
        } | sections
        store = tmp_path / "s.assay"
        aa.Assay.create(store, spec).close()
        return store

    return create


def ask(store: Path, n: int = 3, who: str = "ann") -> list[str]:
    """Ask in a session of its own, as a command does."""
    with aa.Assay.open(store) as assay:
        return assay.ask(n, annotator=who)["id"].to_list()


def test_a_second_question_fits_nothing_and_asks_what_a_fit_would(
    make: Callable[..., Path], tmp_path: Path
) -> None:
    store = make()
    kept = [ask(store) for _ in range(4)]
    assert FITS == [0]
    with aa.Assay.open(store) as assay:
        assay.tell(kept[0], ["cat"] * 3, "ann")
    kept += [ask(store) for _ in range(3)]
    assert FITS == [0, 3]
    store.unlink()
    again = make()
    own = []
    for turn in range(7):
        if turn == 4:
            with aa.Assay.open(again) as assay:
                assay.tell(own[0], ["cat"] * 3, "ann")
        for folder in Path(f"{again}.cache").glob("fit-*"):
            shutil.rmtree(folder)
        own.append(ask(again))
    assert own == kept
    assert len(FITS) == 9


@pytest.mark.parametrize("change", ["label", "estimator", "pool", "damage", "undo"])
def test_a_fit_of_anything_else_is_not_used(
    make: Callable[..., Path], tmp_path: Path, change: str
) -> None:
    store = make()
    held = ask(store)
    with aa.Assay.open(store) as assay:
        assay.tell(held[:1], ["cat"], "ann")
    ask(store)
    assert FITS == [0, 1]
    if change == "label":
        with aa.Assay.open(store) as assay:
            assay.tell(held[:1], ["dog"], "ann", replace=True)
    elif change == "estimator":
        with aa.Assay.open(store) as assay:
            assay.edit({"assay": {"estimator": f"{__name__}:Other"}})
    elif change == "pool":
        pool = pl.read_parquet(tmp_path / "pool.parquet")
        pool.with_columns(more=pl.lit(1)).write_parquet(tmp_path / "pool.parquet")
        aa.Assay.open(store).close()
    elif change == "damage":
        for file in Path(f"{store}.cache").glob("fit-*/*.npz"):
            file.write_bytes(file.read_bytes()[:100])
    else:
        with aa.Assay.open(store) as assay:
            assay.undo("ann")
    ask(store)
    assert len(FITS) == 3
    ask(store)
    assert len(FITS) == 3


def test_a_choice_that_needs_more_than_was_kept_makes_the_fit_again(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make()
    first = ask(store)

    monkeypatch.setattr("accuracy_assay.session.cache.fits._places", lambda *_: None)
    assert not set(ask(store)) & set(first)
    assert FITS == [0, 0]


def test_large_covariances_are_not_kept(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accuracy_assay.session.cache.fits._MOST_BYTES", 100)
    store = make()
    ask(store)
    ask(store)
    assert FITS == [0, 0]


def test_an_estimator_without_a_joint_posterior_is_kept_too(
    make: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make(assay={"estimator": "beta-independent"})
    first = ask(store)

    def never(*_: object) -> None:
        raise AssertionError("it was fitted again")

    monkeypatch.setattr(BetaIndependent, "fit", never)
    assert not set(ask(store)) & set(first)


def test_surfaces_for_people_are_always_fitted(make: Callable[..., Path]) -> None:
    store = make()
    ask(store)
    with aa.Assay.open(store) as assay:
        assay.ask(1)
        assert assay.surface().joint_draws is not None  # which a kept fit does not have
    assert FITS == [0, 0]


def test_covariances_are_found_by_position() -> None:
    values = np.arange(12.0).reshape(3, 4)
    blocks = Covariances([(np.array([2, 5, 9]), np.array([0, 1, 4, 7]), values)])
    assert blocks(np.array([2, 5, 9]), np.array([0, 1, 4, 7])) is values
    assert blocks(np.array([9, 2]), np.array([4])).tolist() == [[10.0], [2.0]]
    assert blocks(np.array([], dtype=int), np.array([4])).shape == (0, 1)
    for rows, columns in ([[3], [0]], [[2], [8]]):
        with pytest.raises(NotKeptError):
            blocks(np.array(rows), np.array(columns))
