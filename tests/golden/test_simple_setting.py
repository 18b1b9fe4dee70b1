"""The two tables of the paper's appendix, twenty seeds, within a tenth of what it prints."""

from functools import cache

import numpy as np
import pytest

from accuracy_assay.errors import InputError
from assay_bench.paper import SIMPLE_SETTING
from assay_bench.simple_setting import LABELS, SimpleFit, fit_simple

pytestmark = pytest.mark.slow
TENTH = 0.1
FEW, MANY = LABELS == 1.0, LABELS == 20.0


@cache
def fitted(method: str) -> SimpleFit:
    return fit_simple(method)


@pytest.mark.parametrize("method", list(SIMPLE_SETTING))
def test_error_and_length_are_the_papers(method: str) -> None:
    ours, paper = fitted(method), SIMPLE_SETTING[method]
    assert ours.as_read.bias2 == pytest.approx(paper.bias2, rel=TENTH)
    assert ours.as_read.variance == pytest.approx(paper.variance, rel=TENTH)
    assert ours.as_read.mse == pytest.approx(paper.mse, rel=TENTH)
    assert ours.length == pytest.approx(paper.length, rel=TENTH)


@pytest.mark.parametrize("method", list(SIMPLE_SETTING))
def test_scales_by_arm_are_the_papers(method: str) -> None:
    np.testing.assert_allclose(fitted(method).scales, SIMPLE_SETTING[method].scales, rtol=TENTH)


def test_pooling_at_least_doubles_the_length() -> None:
    assert fitted("beta-gp-slp").length >= 2.0 * fitted("beta-gp").length


def test_without_supervision_the_scale_hardly_sees_the_counts() -> None:
    scales = np.array(fitted("beta-gp").scales)
    assert scales[MANY].mean() / scales[FEW].mean() < 1.2


@pytest.mark.parametrize("method", ["beta-gp-sl", "beta-gp-slp", "beta-gp-sl-dirichlet"])
def test_with_supervision_the_scale_follows_the_counts(method: str) -> None:
    scales = np.array(fitted(method).scales)
    assert scales[MANY].mean() / scales[FEW].mean() > 5.0


def test_the_exact_expectation_shrinks_towards_one_half() -> None:
    row = fitted("beta-gp")
    assert row.exact.variance < row.as_read.variance


def test_one_seed_has_no_variance() -> None:
    with pytest.raises(InputError, match="at least 2; got 1"):
        fit_simple("beta-gp", 1)
