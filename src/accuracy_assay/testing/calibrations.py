"""What every calibration keeps to: three attributes, one revealed, one guessed, one exact."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Calibrator, KeptCalibration
from accuracy_assay.registry import load_calibration
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.runtime.contracts import missing_part
from accuracy_assay.testing.laws import Laws

__all__ = ["CalibratorLaws"]

_SPACE = AttributeSpace(
    (Attribute("digit", (0, 1, 2)), Attribute("sex", ("f", "m")), Attribute("old", (False, True)))
)

_N_ROWS = 100
"""Of every seed set and pool, so that what is compiled for one law serves the others."""


class CalibratorLaws(Laws):
    """Laws of a `Calibrator` and of the calibration that it learns; say how yours is made."""

    def make(self) -> Calibrator:
        """Return the calibrator, anew at each call."""
        raise NotImplementedError("say how the calibrator is made")

    def test_a_calibrator_follows_the_protocol(self) -> None:
        """It learns from a seed set and a pool, and may tell of its steps."""
        assert missing_part(self.make(), Calibrator) is None

    def test_rows_sum_to_one_and_known_attributes_hold(self) -> None:
        """A row is a distribution over arms that contradicts nothing that is certain."""
        rng = np.random.default_rng(20211206)
        seed, gold = _draw(_N_ROWS, rng)
        pool, truth = _draw(_N_ROWS, rng)
        fitted = self.make().fit(seed, gold, pool, rng)
        known = np.full((_N_ROWS, 3), -1)
        known[:20, 0] = truth[:20, 0]
        rows = fitted.affiliation(pool, known)
        assert rows.n_rows == _N_ROWS
        np.testing.assert_allclose(np.add.reduceat(rows.weights, rows.indptr[:-1]), 1.0)
        codes = _SPACE.codes(rows.indices)
        np.testing.assert_array_equal(codes[:, 2], truth[rows.row_index, 2])
        labelled = rows.row_index < 20
        np.testing.assert_array_equal(codes[labelled, 0], truth[rows.row_index[labelled], 0])
        assert np.diff(rows.indptr)[20:].min() >= 3  # all digits are still possible

    def test_one_generator_gives_one_calibration(self) -> None:
        """All randomness comes from the generator."""
        seed, gold = _draw(_N_ROWS, np.random.default_rng(20211206))
        one, two = (
            self.make().fit(seed, gold, seed, np.random.default_rng(5)).affiliation(seed)
            for _ in range(2)
        )
        np.testing.assert_array_equal(one.indices, two.indices)
        np.testing.assert_array_equal(one.weights, two.weights)

    def test_an_empty_seed_set_or_pool_is_no_obstacle(self) -> None:
        """Without a seed set there is a `CalibrationWarning` at most."""
        rng = np.random.default_rng(20211206)
        seed, gold = _draw(_N_ROWS, rng)
        nothing = seed.take(slice(0, 0))
        assert self.make().fit(seed, gold, nothing, rng).affiliation(seed).n_rows == _N_ROWS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CalibrationWarning)
            fitted = self.make().fit(nothing, np.empty((0, 3), np.int64), seed, rng)
        assert fitted.affiliation(seed).n_rows == _N_ROWS

    def test_gold_that_cannot_be_is_refused_by_name(self) -> None:
        """The error names the attribute and the row; ``calibration.seed_set`` does it for you."""
        rng = np.random.default_rng(20211206)
        seed, gold = _draw(_N_ROWS, rng)
        with pytest.raises(
            InputError, match=rf"must have shape \({_N_ROWS}, 3\); got \({_N_ROWS - 1}, 3\)"
        ):
            self.make().fit(seed, gold[:-1], seed, rng)
        unknown = gold.copy()
        unknown[3, 1] = -1
        with pytest.raises(InputError, match=r"attribute 'sex'.*got code -1 in row 3"):
            self.make().fit(seed, unknown, seed, rng)
        other = gold.copy()
        other[7, 2] = 1 - other[7, 2]
        with pytest.raises(InputError, match=r"attribute 'old' must equal its gold value.*row 7"):
            self.make().fit(seed, other, seed, rng)

    def test_the_report_covers_every_uncertain_attribute_and_the_joint(self) -> None:
        """A calibration that can be kept says what it was worth on held-out rows."""
        rng = np.random.default_rng(20211206)
        seed, gold = _draw(_N_ROWS, rng)
        fitted = self.make().fit(seed, gold, seed, rng)
        if not isinstance(fitted, KeptCalibration):
            pytest.skip("the calibration is not one that is kept")
        frame = fitted.report.to_frame()
        assert frame["attribute"].to_list() == ["digit", "sex", "joint"]
        assert (fitted.report.n_seed, fitted.report.n_held_out) == (_N_ROWS, _N_ROWS // 5)
        numbers = [name for name in frame.columns if name != "attribute"]
        assert frame.select(numbers).min_horizontal().min() >= 0.0

    def test_a_kept_calibration_survives_its_file(self, tmp_path: Path) -> None:
        """What was saved gives the same rows when it is loaded."""
        rng = np.random.default_rng(20211206)
        seed, gold = _draw(_N_ROWS, rng)
        fitted = self.make().fit(seed, gold, seed, rng)
        if not isinstance(fitted, KeptCalibration):
            pytest.skip("the calibration is not one that is kept")
        fitted.save(tmp_path / "c.calibration")
        loaded = load_calibration(tmp_path / "c.calibration")
        one, two = fitted.affiliation(seed), loaded.affiliation(seed)
        np.testing.assert_array_equal(one.indices, two.indices)
        np.testing.assert_allclose(two.weights, one.weights, rtol=1e-6)

    def test_steps_are_told_forwards_and_never_beyond_the_last(self) -> None:
        """A progress bar never goes back; a calibrator that is quick may tell nothing."""
        rng = np.random.default_rng(20211206)
        seed, gold = _draw(_N_ROWS, rng)
        told: list[tuple[int, int, str]] = []
        self.make().fit(seed, gold, seed, rng, lambda *step: told.append(step))
        done = [step[0] for step in told]
        assert done == sorted(done)
        assert all(0 <= n <= most for n, most, _ in told)


def _draw(n: int, rng: np.random.Generator) -> tuple[Evidence, IntArray]:
    """Return rows whose digit the label reveals, whose sex is guessed and whose age is exact."""
    gold = np.stack([rng.integers(0, size, n) for size in _SPACE.shape], axis=1)
    right = np.where(rng.random(n) < 0.8, gold[:, 1], 1 - gold[:, 1])
    guess = np.where(np.arange(2) == right[:, None], 0.9, 0.1)
    return Evidence(_SPACE, (np.full(n, -1), guess, gold[:, 2])), gold
