"""Every registered calibration follows one contract."""

import warnings

import numpy as np
import pytest

from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Calibrator
from accuracy_assay.registry import CALIBRATIONS, build_calibrator

SPACE = AttributeSpace(
    (Attribute("digit", range(3)), Attribute("sex", ("f", "m")), Attribute("old", (False, True)))
)


def draw(n: int, rng: np.random.Generator) -> tuple[Evidence, np.ndarray]:
    """The digit is revealed by the label, sex is guessed, age is exact."""
    gold = np.stack([rng.integers(0, size, n) for size in SPACE.shape], axis=1)
    right = np.where(rng.random(n) < 0.8, gold[:, 1], 1 - gold[:, 1])
    guess = np.where(np.arange(2) == right[:, None], 0.9, 0.1)
    return Evidence(SPACE, (np.full(n, -1), guess, gold[:, 2])), gold


@pytest.fixture(params=CALIBRATIONS)
def calibrator(request: pytest.FixtureRequest) -> Calibrator:
    settings = {"widths": ()} if request.param == "full" else {}
    return build_calibrator(request.param, **settings)


def test_rows_sum_to_one_and_known_attributes_hold(calibrator, rng) -> None:
    seed, gold = draw(60, rng)
    pool, truth = draw(50, rng)
    fitted = calibrator.fit(seed, gold, pool, rng)
    known = np.full((50, 3), -1)
    known[:20, 0] = truth[:20, 0]
    rows = fitted.affiliation(pool, known)
    assert rows.n_rows == 50
    np.testing.assert_allclose(np.add.reduceat(rows.weights, rows.indptr[:-1]), 1.0)
    codes = SPACE.codes(rows.indices)
    np.testing.assert_array_equal(codes[:, 2], truth[rows.row_index, 2])
    labelled = rows.row_index < 20
    np.testing.assert_array_equal(codes[labelled, 0], truth[rows.row_index[labelled], 0])
    assert np.diff(rows.indptr)[20:].min() >= 3  # all digits are still possible


def test_one_generator_gives_one_calibration(calibrator, rng) -> None:
    seed, gold = draw(60, rng)
    one, two = (
        calibrator.fit(seed, gold, seed, np.random.default_rng(5)).affiliation(seed) for _ in "ab"
    )
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_an_empty_seed_set_or_pool_is_no_obstacle(calibrator, rng) -> None:
    seed, gold = draw(40, rng)
    nothing = seed.take(slice(0, 0))
    assert calibrator.fit(seed, gold, nothing, rng).affiliation(seed).n_rows == 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        fitted = calibrator.fit(nothing, np.empty((0, 3), np.int64), seed, rng)
    assert fitted.affiliation(seed).n_rows == 40


def test_gold_that_cannot_be_is_refused_by_name(calibrator, rng) -> None:
    seed, gold = draw(40, rng)
    with pytest.raises(InputError, match=r"must have shape \(40, 3\); got \(39, 3\)"):
        calibrator.fit(seed, gold[:-1], seed, rng)
    unknown = gold.copy()
    unknown[3, 1] = -1
    with pytest.raises(InputError, match=r"attribute 'sex'.*got code -1 in row 3"):
        calibrator.fit(seed, unknown, seed, rng)
    other = gold.copy()
    other[7, 2] = 1 - other[7, 2]
    with pytest.raises(InputError, match=r"attribute 'old' must equal its gold value.*row 7"):
        calibrator.fit(seed, other, seed, rng)


def test_the_report_covers_every_uncertain_attribute_and_the_joint(calibrator, rng) -> None:
    seed, gold = draw(100, rng)
    report = calibrator.fit(seed, gold, seed, rng).report
    frame = report.to_frame()
    assert frame["attribute"].to_list() == ["digit", "sex", "joint"]
    assert (report.n_seed, report.n_held_out) == (100, 20)
    assert frame.select(pl_floats(frame)).min_horizontal().min() >= 0.0


def pl_floats(frame) -> list[str]:
    return [name for name in frame.columns if name != "attribute"]
