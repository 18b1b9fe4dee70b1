"""A pool in parts: every row is in one of them."""

import pickle

import polars as pl

from accuracy_assay.study.read.pool_parts import FramePart, frame_parts

FRAME = pl.DataFrame({"id": range(10), "sex": list("fmfmfmfmfm")})


def test_the_parts_of_a_frame_hold_its_rows_in_their_order() -> None:
    parts = frame_parts(FRAME, 4)
    assert [part.n_rows for part in parts] == [4, 4, 2]
    assert pl.concat([part.read(["sex", "id"]) for part in parts]).equals(
        FRAME.select("sex", "id")
    )


def test_a_part_says_which_rows_it_is() -> None:
    assert [str(part) for part in frame_parts(FRAME, 6)] == [
        "pool rows 0 to 5",
        "pool rows 6 to 9",
    ]


def test_a_part_that_travels_takes_its_own_rows_alone() -> None:
    large = pl.DataFrame({"id": range(100_000)})
    part = frame_parts(large, 10)[7]
    sent = pickle.dumps(part)
    assert len(sent) < 10_000
    back: FramePart = pickle.loads(sent)
    assert back.read(["id"])["id"].to_list() == list(range(70, 80))
