"""The accuracy in each stratum of a signal."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import accuracy_assay as aa
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.study.judges.signal_strata import accuracy_by_row, accuracy_by_stratum


def made(**options: object) -> aa.AccuracySurface:
    rng = np.random.default_rng(0)
    truth = rng.choice(["a", "b", "c", "d"], 800)
    said = {
        name: np.where(rng.random(800) < rate, truth, rng.choice(["a", "b", "c", "d"], 800))
        for name, rate in (("own", 0.7), ("other", 0.8))
    }
    rows = pl.DataFrame({"sex": rng.choice(["f", "m"], 800), "truth": truth, **said})
    given = {"y_true": "truth", "y_pred": "own", "pool": rows, "referees": ["other"], **options}
    return aa.estimate(rows[:200], ["sex"], **given)


def test_where_referees_agree_the_service_is_mostly_right() -> None:
    surface = made()
    found = accuracy_by_stratum(surface, REFEREES)
    assert found is not None
    assert found["stratum"].to_list() == ["other does not", "other agrees"]
    assert found["rows"].sum() == 800.0
    assert found["labels"].sum() == 200.0
    alone, together = found["accuracy"].to_list()
    assert alone < 0.5 < 0.9 < together
    weighted = (found["rows"] * found["accuracy"]).sum() / 800.0
    assert weighted == pytest.approx(surface.overall.mean, abs=0.01)


def test_rows_tell_the_same_as_cells() -> None:
    surface = made()
    posterior = surface.memory.posterior
    cells = np.repeat(posterior.support.cells, posterior.support.size.astype(int))
    codes = cells % posterior.support.n_strata
    values = posterior.support.strata.attributes[0].values
    column = pl.Series(REFEREES, [values[k] for k in codes], dtype=pl.Enum(values))
    n_strata = posterior.support.n_strata
    found = accuracy_by_row(surface, cells, n_strata, column, np.arange(cells.size) < 7)
    expected = accuracy_by_stratum(surface, REFEREES)
    assert found["labels"].sum() == 7.0
    assert_frame_equal(found.drop("labels"), expected.drop("labels"))
    constant = column[:1].new_from_index(0, 800)
    assert accuracy_by_row(surface, cells, n_strata, constant, cells > 0) is None


def test_a_surface_without_such_a_signal_knows_nothing_of_it() -> None:
    assert accuracy_by_stratum(made(), "confidence") is None
    assert accuracy_by_stratum(made(referees=None), REFEREES) is None
    assert accuracy_by_stratum(made(estimator="beta-independent"), REFEREES) is None
