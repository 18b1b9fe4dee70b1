"""A guessed pool in parts: the sums over cells are those of the whole."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import polars as pl
import pytest

from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import over_cells
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.numerics.grouping import sum_by_number
from accuracy_assay.protocols import StreamedCalibration
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.read import guessed_parts
from accuracy_assay.study.read.guessed_parts import GuessedPool, merge_sizes
from accuracy_assay.study.read.part_reader import PartReader
from accuracy_assay.study.read.pool_parts import frame_parts

SPACE = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("age", ("old", "young", "kid"))))
STRATA = AttributeSpace((Attribute("sure", ("no", "yes")),))
P = TypeVar("P")
R = TypeVar("R")
N_ROWS = 500
SOFT = replace(uncalibrated(SPACE), method="temperature", sharpness=np.array([1.0, 0.7]))


@pytest.fixture
def frame(rng: np.random.Generator) -> pl.DataFrame:
    age = rng.dirichlet([0.3, 0.3, 0.3], N_ROWS)
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], N_ROWS),
            **{f"p__{value}": age[:, k] for k, value in enumerate(SPACE.attributes[1].values)},
            "sure": rng.choice(["no", "yes"], N_ROWS),
        }
    )


def pool_of(frame: pl.DataFrame, part_rows: int, strata: AttributeSpace | None) -> GuessedPool:
    reader = PartReader(SPACE, {"age": "p__*"}, [], frame.columns, strata)
    return GuessedPool(frame_parts(frame, part_rows), reader)


@pytest.mark.parametrize("strata", [None, STRATA])
def test_cells_are_counted_as_in_the_whole(
    frame: pl.DataFrame, strata: AttributeSpace | None
) -> None:
    pool = pool_of(frame, 70, strata)
    whole = over_cells(
        SOFT.affiliation(pool.reader.evidence_of(frame)), strata, pool.reader.stratum_of(frame)
    )
    cells, size = sum_by_number(whole.indices, whole.weights)
    found, found_size = pool.cell_sizes(SOFT)
    np.testing.assert_array_equal(found, cells)
    np.testing.assert_allclose(found_size, size, rtol=1e-12)
    once, once_size = pool_of(frame, N_ROWS, strata).cell_sizes(SOFT)
    np.testing.assert_array_equal(once, cells)
    np.testing.assert_array_equal(once_size, size)  # in one part to the last bit


@dataclass(frozen=True)
class Plain:
    """A calibration that knows nothing of streams."""

    def affiliation(self, evidence: Evidence, known: IntArray | None = None) -> Affiliation:
        return SOFT.affiliation(evidence, known)


def test_a_calibration_need_not_stream(
    frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guessed_parts, "_CHUNK_ROWS", 30)
    pool = pool_of(frame, 200, None)
    assert isinstance(SOFT, StreamedCalibration)
    assert not isinstance(Plain(), StreamedCalibration)
    expected, found = pool.cell_sizes(SOFT), pool.cell_sizes(Plain())
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_strata_are_counted(frame: pl.DataFrame) -> None:
    n_yes = int((frame["sure"] == "yes").sum())
    stratum, size = pool_of(frame, 99, STRATA).stratum_sizes()
    assert (stratum.tolist(), size.tolist()) == ([0, 1], [N_ROWS - n_yes, n_yes])


def test_exact_attributes_need_no_calibration(frame: pl.DataFrame) -> None:
    space = AttributeSpace((SPACE.attributes[0],))
    known = GuessedPool(frame_parts(frame, 60), PartReader(space, {}, [], frame.columns))
    assert known.is_exact()
    women = int((frame["sex"] == "f").sum())
    cells, size = known.cell_sizes(None)
    assert (cells.tolist(), size.tolist()) == ([0, 1], [women, N_ROWS - women])
    gap = frame.with_columns(sex=pl.when(pl.int_range(pl.len()) != 433).then(pl.col("sex")))
    assert not replace(known, parts=frame_parts(gap, 60)).is_exact()
    assert not pool_of(frame, 60, None).is_exact()


def test_a_small_pool_is_sampled_whole_and_in_its_order(
    frame: pl.DataFrame, rng: np.random.Generator
) -> None:
    pool = pool_of(frame, 70, None)
    for found, expected in zip(
        pool.sample(rng).columns, pool.reader.evidence_of(frame).columns, strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_a_sample_has_no_row_twice_and_every_row_as_likely(rng: np.random.Generator) -> None:
    space = AttributeSpace((Attribute("row", tuple(range(60))),))
    frame = pl.DataFrame({"row": range(60)})
    pool = GuessedPool(frame_parts(frame, 25), PartReader(space, {}, [], frame.columns))
    drawn = [pool.sample(rng, 20).columns[0] for _ in range(60)]
    assert all(np.unique(rows).size == 20 for rows in drawn)
    times = np.bincount(np.concatenate(drawn), minlength=60)
    # 20 expected with a standard deviation of 3.7; five of them on either side.
    assert 2 <= times.min() <= times.max() <= 38


def test_an_error_names_the_part_and_the_row_in_it(frame: pl.DataFrame) -> None:
    bad = frame.with_columns(
        p__kid=pl.when(pl.int_range(pl.len()) == 433).then(7.0).otherwise("p__kid")
    )
    pool = pool_of(bad, 100, None)
    wanted = r"part 5, pool rows 400 to 499: evidence of attribute 'age' in row 33 must sum"
    with pytest.raises(InputError, match=wanted):
        pool.cell_sizes(SOFT)
    with pytest.raises(InputError, match=wanted):
        pool.sample(np.random.default_rng(0))


@dataclass(frozen=True)
class Travelling:
    """An engine that pickles what goes out and what comes back."""

    def map(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        for part in parts:
            sent: tuple[Callable[[P], R], P] = pickle.loads(pickle.dumps((work, part)))
            back: R = pickle.loads(pickle.dumps(sent[0](sent[1])))
            yield back


def test_the_work_travels(frame: pl.DataFrame, rng: np.random.Generator) -> None:
    here = pool_of(frame, 120, STRATA)
    there = replace(here, engine=Travelling())
    for one, two in zip(
        (*here.cell_sizes(SOFT), *here.stratum_sizes()),
        (*there.cell_sizes(SOFT), *there.stratum_sizes()),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)
    assert there.sample(rng, 40).n_rows == 40


def test_nothing_merged_is_nothing() -> None:
    cells, size = merge_sizes([])
    assert (cells.size, size.size) == (0, 0)
