import numpy as np
import polars as pl
from drifting_rows import drifting_rows

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.watch.alarms import find_alarms
from accuracy_assay.study.watch.looks import Looks, Side
from accuracy_assay.study.watch.slices import watched_slices
from accuracy_assay.study.watch.stream import read_stream

STREAM = read_stream(Columns(("sex",), "right"), drifting_rows(n=900), "day", 9)
SLICES = watched_slices(STREAM.space, STREAM.codes[: STREAM.n_baseline], 1)[0]
LOOKS = Looks.every(STREAM, 100)


def alarms(named: list[float], whole: float, *, gain: bool = False) -> pl.DataFrame:
    quiet = np.full((3, LOOKS.ends.size), 0.3)
    found = quiet.copy()
    found[:, 3:] = np.array(named)[:, None]
    evidence = np.where(np.arange(LOOKS.ends.size) >= 3, whole, 0.3)
    side = Side(evidence, found, 2.0 * found)
    return find_alarms(LOOKS, SLICES, side, 0.05, np.random.default_rng(0), gain=gain)


def test_a_named_slice_has_the_time_of_the_look_that_named_it() -> None:
    found = alarms([0.3, 25.0, 0.3], 21.0)
    assert found["slice"].to_list() == ["sex = F"]
    assert found["labels"][0] == 400
    assert found["time"][0] == STREAM.times[STREAM.n_baseline + 399]
    assert found["e_value"][0] == 25.0
    row = found.row(0, named=True)
    assert row["lower"] < row["loss"] < row["upper"]


def test_where_no_slice_can_be_told_from_others_all_of_them_are_named() -> None:
    assert alarms([0.3, 15.0, 12.0], 21.0)["slice"].to_list() == ["sex = F or sex = M"]


def test_quiet_evidence_rings_nothing_and_gains_have_their_own_column() -> None:
    assert alarms([0.3, 19.0, 0.3], 19.0).height == 0
    assert "gain" in alarms([0.3, 19.0, 0.3], 19.0, gain=True).columns
