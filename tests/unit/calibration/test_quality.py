"""What a report measures, worked out by hand and against the world's own truth."""

import numpy as np
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.quality import reported
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.block_prior import Block

EMPTY = CalibrationReport("full", 0, 0)


@pytest.fixture
def truth(world) -> FittedCalibration:
    table = np.log(world.pi).reshape(world.space.shape)
    potential = Potential((Block((0, 1, 2), table),))
    return FittedCalibration(world.space, "full", world.sharpness, potential, EMPTY)


def seed_set(evidence: Evidence, gold: np.ndarray) -> SeedSet:
    """Return a seed set with all rows held out but the first two, and even frequencies."""
    even = tuple(np.full(size, 1.0 / size) for size in evidence.space.shape)
    first, rest = slice(0, 2), slice(2, None)
    return SeedSet(
        evidence.take(first), gold[first], evidence.take(rest), gold[rest], even, ("a note",)
    )


def test_log_losses_are_those_of_the_held_out_rows(world, truth, rng) -> None:
    evidence, gold = world.draw(802, rng)
    report = reported(truth, seed_set(evidence, gold), {"width": 0}).report
    P = world.posterior(evidence)[2:]
    arms = world.space.arm_index(gold[2:])
    assert report.joint.log_loss_after == pytest.approx(-np.log(P[np.arange(800), arms]).mean())
    assert report.joint.log_loss_prior == pytest.approx(np.log(12.0))
    sex = report.attributes[0]
    said = evidence.columns[0][2:][np.arange(800), gold[2:, 0]]
    assert sex.log_loss_before == pytest.approx(-np.log(said).mean())
    of_sex = P.reshape(800, 2, 6).sum(axis=2)[np.arange(800), gold[2:, 0]]
    assert sex.log_loss_after == pytest.approx(-np.log(of_sex).mean())


def test_the_truth_has_lower_losses_and_errors_than_the_predictors(world, truth, rng) -> None:
    report = reported(truth, seed_set(*world.draw(3_002, rng)), {}).report
    for quality in (*report.attributes, report.joint):
        assert quality.log_loss_after < quality.log_loss_before
    assert report.joint.after.ece < report.joint.before.ece


def test_it_says_what_it_was_measured_on(world, truth, rng) -> None:
    report = reported(truth, seed_set(*world.draw(12, rng)), {"width": 3}).report
    assert (report.method, report.n_seed, report.n_held_out) == ("full", 12, 10)
    assert report.notes == ("a note",)
    assert report.details["width"] == 3
    np.testing.assert_allclose(list(report.details["temperatures"].values()), world.temperatures)


def test_exact_attributes_have_no_quality(world, truth, rng) -> None:
    evidence, gold = world.draw(40, rng)
    exact = Evidence(world.space, (gold[:, 0], *evidence.columns[1:]))
    report = reported(truth, seed_set(exact, gold), {}).report
    assert [quality.name for quality in report.attributes] == ["age", "native"]
