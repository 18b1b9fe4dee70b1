"""What other calibrations of guessed attributes add to a fitted surface."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import accuracy_assay as aa
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.estimators.anova.anova_gp import AnovaGP
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.numerics.gp.marginal_likelihood import fit_at
from accuracy_assay.runtime.precision import precision
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.reader import read

NAMES = {"sex": ("f", "m"), "age": ("a", "b", "c"), "place": ("x", "y", "z", "w")}


def made_rows(n_rows: int = 3_000, seed: int = 0) -> pl.DataFrame:
    """Rows with three guessed attributes; half of the guesses are far from sure."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {}
    right = np.full(n_rows, 0.9)
    for name, values in NAMES.items():
        code = rng.integers(0, len(values), n_rows)
        scores = 1.5 * np.eye(len(values))[code] + rng.normal(size=(n_rows, len(values)))
        said = np.exp(2.0 * scores)
        said /= said.sum(axis=1, keepdims=True)
        columns[name] = np.asarray(values)[code]
        columns |= {f"p_{name}__{v}": said[:, k] for k, v in enumerate(values)}
        right -= 0.2 * (code == 0)
    columns["correct"] = (rng.random(n_rows) < right).astype(float)
    return pl.DataFrame(columns)


COLUMNS = Columns.of(
    list(NAMES), score="correct", evidence={name: f"p_{name}__*" for name in NAMES}
)


@pytest.fixture(scope="module")
def observations() -> Observations:
    rows = made_rows()
    gold = rows.head(150)
    more = rows.slice(150, 450).with_columns(pl.lit(None, pl.String).alias(n) for n in NAMES)
    found = read(COLUMNS, pl.concat([gold, more]), rows.drop(*NAMES, "correct"), How.of())
    return found.observe()


def certain(observations: Observations) -> Observations:
    """Return the same as if the calibration were known."""
    support = replace(observations.support, others=None)
    return replace(observations, support=support, others=None)


def fit(observations: Observations) -> AccuracySurface:
    return AnovaGP().fit(observations, np.random.default_rng(0))


@pytest.fixture(scope="module")
def doubted(observations: Observations) -> AccuracySurface:
    return fit(observations)


@pytest.fixture(scope="module")
def sure(observations: Observations) -> AccuracySurface:
    return fit(certain(observations))


def test_doubt_moves_no_mean_and_narrows_no_interval(
    doubted: AccuracySurface, sure: AccuracySurface
) -> None:
    np.testing.assert_array_equal(doubted.mean, sure.mean)
    assert (doubted.sd >= sure.sd).all()
    assert (doubted.sd > sure.sd).any()
    for wide, narrow in [
        (doubted.overall, sure.overall),
        *((doubted.at(sex=s), sure.at(sex=s)) for s in NAMES["sex"]),
    ]:
        assert wide.mean == narrow.mean
        assert wide.lower <= narrow.lower
        assert wide.upper >= narrow.upper


def test_exact_attributes_have_no_doubt() -> None:
    rows = made_rows(600)
    surface = aa.estimate(rows.head(200), list(NAMES), "correct", pool=rows)
    assert surface.joint is not None
    assert surface.joint.doubt is None


def test_steps_from_the_mode_are_near_the_fit_to_other_mixtures(
    doubted: AccuracySurface,
) -> None:
    model = doubted.memory
    assert isinstance(model, AnovaModel)
    best = model.nodes[0]
    labels, *others = model.rows.mixtures()
    moved = best.respond(labels, others[:2])  # type: ignore[union-attr]
    fitted = best.fitted
    for b, other in enumerate(others[:2]):
        with precision():
            refit = fit_at(fitted.theta, fitted.cells, other, best.g, fitted.layout)
        size = labels.P.shape[1]
        wanted = np.asarray(refit.mode.eta)[:size] - np.asarray(fitted.mode.eta)[:size]
        at = np.searchsorted(model.support.cells, model.rows.cells)
        assert np.abs(moved[at, b] - wanted).max() < 0.05 * np.abs(wanted).max()


def test_a_file_answers_with_the_same_doubt(doubted: AccuracySurface, tmp_path: Path) -> None:
    doubted.save(tmp_path / "guessed.surface")
    loaded = AccuracySurface.load(tmp_path / "guessed.surface")
    pairs = [(doubted.overall, loaded.overall), (doubted.at(age="a"), loaded.at(age="a"))]
    pairs += [(doubted.at(sex="f", age="b"), loaded.at(sex="f", age="b"))]
    for mine, theirs in pairs:
        assert mine.lower == pytest.approx(theirs.lower, abs=1e-6)
        assert mine.upper == pytest.approx(theirs.upper, abs=1e-6)
