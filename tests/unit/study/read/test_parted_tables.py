"""A pool in parts gives the problem that the whole gives."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.calibration.full import Full
from accuracy_assay.calibration.raw import Raw
from accuracy_assay.calibration.temperature import Temperature
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.observations import Observations
from accuracy_assay.protocols import Calibrator
from accuracy_assay.study.read.guessed_tables import PartedTables, read_guessed
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.part_reader import PartReader
from accuracy_assay.study.read.pool_parts import frame_parts
from accuracy_assay.study.read.problem import Problem
from accuracy_assay.study.read.spaces import guessed_space
from accuracy_assay.study.read.tables import LabelledTables

N_POOL, N_LABELS = 900, 120
NAMES = ["sex", "age", "place"]
PATTERNS = {"age": "p_age__*", "place": "p_place__*"}
NO_NETWORK = Full(widths=())
JUDGES = [f"judge {k}" for k in range(4)]


@pytest.fixture
def pool(rng: np.random.Generator) -> pl.DataFrame:
    """Rows with two attributes that depend on each other, guessed by hasty predictors."""
    age = rng.integers(0, 3, N_POOL)
    place = np.where(rng.random(N_POOL) < 0.7, age, rng.integers(0, 3, N_POOL))
    columns: dict[str, np.ndarray] = {"sex": rng.choice(["f", "m"], N_POOL)}
    for name, codes in (("age", age), ("place", place)):
        score = rng.normal(size=(N_POOL, 3)) + 2.0 * (codes[:, None] == np.arange(3))
        made = np.exp(2.5 * score) / np.exp(2.5 * score).sum(axis=1, keepdims=True)
        columns |= {f"p_{name}__{v}": made[:, k] for k, v in enumerate("abc")}
        columns[name] = np.array(list("abc"))[codes]
    columns |= {name: rng.integers(0, 5, N_POOL).astype(str) for name in JUDGES}
    columns["sure"] = rng.random(N_POOL)
    columns["who"] = rng.choice(["ann", "bob", "eve"], N_POOL)
    return pl.DataFrame(columns)


def both(
    pool: pl.DataFrame, calibrator: Calibrator, *signals: str, cluster: str | None = None
) -> tuple[Problem, Problem, np.ndarray]:
    """Return the problem of the whole pool, that of its parts, and the labels' scores."""
    labelled, unseen = pool[:N_LABELS], pool.drop("age", "place")
    scores = (labelled["judge 2"].cast(pl.Int64) > 1).cast(pl.Float64)
    columns = Columns(tuple(NAMES), "score", signals=signals, cluster=cluster, evidence=PATTERNS)
    how = How.of("constant", calibration=calibrator, target="pool")
    whole = read_guessed(LabelledTables(columns, labelled, unseen, scores), how).problem
    space = guessed_space(NAMES, [unseen, labelled], PATTERNS)
    reader = PartReader(space, PATTERNS, (), unseen.columns)
    parts = frame_parts(unseen, 130)
    parted = PartedTables(columns, labelled, scores.to_numpy(), parts, reader, how)
    return whole, parted.problem(calibrator).problem, scores.to_numpy()


def observe(problem: Problem, scores: np.ndarray) -> Observations:
    rows = problem.arms.evidence.n_rows - N_LABELS + np.arange(N_LABELS)
    return problem.condensed(rows, scores).observe(rows, scores)


def compare(one: Observations, two: Observations) -> None:
    assert one.support.strata == two.support.strata
    np.testing.assert_array_equal(one.support.cells, two.support.cells)
    np.testing.assert_allclose(one.support.size, two.support.size, rtol=1e-9)
    np.testing.assert_array_equal(one.affiliation.indices, two.affiliation.indices)
    np.testing.assert_allclose(one.affiliation.weights, two.affiliation.weights, rtol=1e-9)
    np.testing.assert_array_equal(one.score, two.score)


@pytest.mark.filterwarnings("ignore::accuracy_assay.calibration.report.CalibrationWarning")
@pytest.mark.parametrize("calibrator", [Raw(), Temperature(), NO_NETWORK])
def test_parts_give_what_the_whole_gives(pool: pl.DataFrame, calibrator: Calibrator) -> None:
    whole, parted, scores = both(pool, calibrator)
    compare(observe(whole, scores), observe(parted, scores))
    assert parted.support.arm_size.sum() == pytest.approx(N_POOL)
    assert parted.arms.evidence.n_rows == N_LABELS
    assert parted.candidate.n_rows == 0


def test_signals_and_clusters_divide_the_arms_of_parts_alike(pool: pl.DataFrame) -> None:
    whole, parted, scores = both(pool, Raw(), "sure", "judge 1", cluster="who")
    assert parted.support.n_clusters == 3
    compare(observe(whole, scores), observe(parted, scores))


def test_what_signals_say_of_an_arm_needs_the_cells_of_parts_alone(pool: pl.DataFrame) -> None:
    whole, parted, scores = both(pool, Temperature(), "judge 1")
    known, seen = (observe(problem, scores).support for problem in (whole, parted))
    assert known.strata is seen.strata is None
    assert known.opinion is not None
    assert seen.opinion is not None
    assert np.corrcoef(known.opinion, seen.opinion)[0, 1] > 0.8  # rows tell more than cells


def test_many_signals_are_condensed_before_cells_are_counted(pool: pl.DataFrame) -> None:
    whole, parted, scores = both(pool, Raw(), *JUDGES, cluster="who")
    assert whole.support.n_strata > parted.support.n_strata
    assert parted.condensed(np.arange(N_LABELS), scores).support.n_strata == 3  # the clusters
    compare(observe(whole, scores), observe(parted, scores))


def test_a_pool_without_a_guess_is_not_calibrated(pool: pl.DataFrame) -> None:
    labelled = pool[:N_LABELS]
    scores = np.ones(N_LABELS)
    space = guessed_space(["sex"], [pool, labelled], {})
    reader = PartReader(space, {}, (), pool.columns)
    columns, how = Columns(("sex",), "score"), How.of("constant", target="pool")
    parted = PartedTables(columns, labelled, scores, frame_parts(pool, 400), reader, how)
    problem = parted.problem(Temperature()).problem
    assert problem.arms.calibration is None
    assert (
        problem.support.arm_size.tolist()
        == pool["sex"].value_counts().sort("sex")["count"].to_list()
    )
