import numpy as np
import polars as pl
import pytest
from drifting_rows import drifting_rows

from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.over_time import periods_of
from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch


@pytest.fixture(scope="module")
def lost() -> Watch:
    rows = drifting_rows(n=1600, from_day=18)
    return watch(rows, ["region"], "right", time="day", baseline=9, order=1)


def test_the_surface_now_is_of_the_last_labels_where_much_was_lost_and_of_all_elsewhere(
    lost: Watch,
) -> None:
    now = lost.surface()
    assert now.space == lost.space
    assert now.at(region="north").mean < 0.6
    for region in ("south", "east", "west"):
        # 0.8, to three binomial standard errors of the 50 labels of a period.
        assert abs(now.at(region=region).mean - 0.8) < 0.17
    north = now.at(region="north")
    alone = 1.645 * np.sqrt(0.24 / north.n)
    assert north.upper - north.lower < 2.0 * alone, "earlier periods say nothing"


def test_the_hint_names_the_slice_and_stays_apart_from_the_alarms(lost: Watch) -> None:
    found = lost.hints().row(0, named=True)
    assert found["slice"] == "region = north"
    assert found["chance_of_loss"] > 0.95
    assert found["now"] == pytest.approx(lost.surface().at(region="north").mean, abs=1e-6)
    assert found["lower"] < found["change"] < found["upper"] < 0.0


def test_a_watch_from_a_file_has_no_labels_to_fit(lost: Watch, tmp_path) -> None:
    lost.save(tmp_path / "a.watch")
    with pytest.raises(InputError, match="which keeps counts alone"):
        Watch.load(tmp_path / "a.watch").surface()


def test_periods_are_whole_times_and_few() -> None:
    versions = pl.Series(["v1"] * 300 + ["v2"] * 10)
    assert np.unique(periods_of(versions)).tolist() == [0, 1]
    days = pl.Series(np.repeat(np.arange(100), 10))
    period = periods_of(days)
    assert period[-1] == 7
    assert all(len(set(period[days == day])) == 1 for day in range(100))
    assert np.all(np.diff(period) >= 0)
