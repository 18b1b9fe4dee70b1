import numpy as np
import pytest
from drifting_rows import drifting_rows
from numpy.testing import assert_allclose

from accuracy_assay.domain.columns import Columns
from accuracy_assay.study.watch.looks import Looks, _rarer_and_rarer
from accuracy_assay.study.watch.mix import Kinds
from accuracy_assay.study.watch.slices import watched_slices
from accuracy_assay.study.watch.stream import Stream, read_stream

STREAM = read_stream(Columns(("region", "sex"), "right"), drifting_rows(n=900), "day", 9)
SLICES = watched_slices(STREAM.space, STREAM.codes[: STREAM.n_baseline], 1)[0]


def test_there_is_a_look_after_every_so_many_labels_and_one_at_the_end() -> None:
    looks = Looks.every(STREAM, 100)
    assert looks.step == 100
    assert looks.ends[-1] == STREAM.n_later
    assert np.all(np.diff(looks.ends) <= 100)
    assert Looks.every(STREAM, None).step == 1


def test_answers_are_counted_once_each() -> None:
    looks = Looks.every(STREAM, 7)
    for each in SLICES:
        baseline, blocks = looks.rights(each)
        inside = each.holds(STREAM.codes)
        right = STREAM.scores[inside].sum()
        assert_allclose(baseline + blocks.sum(axis=0), [right, inside.sum() - right])


def first_labels(n: int) -> Stream:
    n += STREAM.n_baseline
    parts = STREAM.codes[:n], STREAM.scores[:n], STREAM.times[:n]
    return Stream(STREAM.space, *parts, STREAM.n_baseline)


@pytest.mark.parametrize("every", [50, None])
def test_whoever_looks_again_when_a_table_has_grown_sees_the_same_bets(every: int | None) -> None:
    whole, part = (Looks.every(stream, every) for stream in (STREAM, first_labels(431)))
    before = part.ends[:-1]
    assert whole.ends[: before.size].tolist() == before.tolist()
    logs = [
        each.log_evidence(SLICES, 0.02, gain=False)[:, : before.size] for each in (whole, part)
    ]
    assert_allclose(*logs)


def test_looks_are_ever_rarer_by_default() -> None:
    ends = _rarer_and_rarer(1_000_000)
    assert ends[:256].tolist() == list(range(1, 257))
    late = ends[256:]
    assert np.all(np.diff(late) <= late[1:] / 64.0)
    assert ends.size < 2000


def test_gains_of_right_answers_are_losses_of_wrong_ones() -> None:
    from dataclasses import replace

    turned = replace(STREAM, scores=1.0 - STREAM.scores)
    losses = Looks.every(STREAM, 90).log_evidence(SLICES, 0.02, gain=False)
    gains = Looks.every(turned, 90).log_evidence(SLICES, 0.02, gain=True)
    assert_allclose(losses, gains)


def test_one_kind_of_its_own_accuracy_is_the_slice_itself() -> None:
    looks = Looks.every(STREAM, 90)
    one = Kinds(np.zeros(STREAM.scores.size, np.int64), np.array([0.4]))
    for gain in (False, True):
        alone = looks.log_evidence(SLICES, 0.02, gain=gain)
        assert_allclose(looks.log_evidence(SLICES, 0.02, gain=gain, kinds=one), alone)
