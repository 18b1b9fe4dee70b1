"""The seed set: how it is split, what is refused, and what is warned about."""

import warnings

import numpy as np
import pytest

from accuracy_assay.calibration.report import CalibrationWarning
from accuracy_assay.calibration.seed_set import SeedSet
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.errors import InputError


def split(evidence: Evidence, gold: np.ndarray, share: float = 0.2) -> SeedSet:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrationWarning)
        return SeedSet.split(evidence, gold, np.random.default_rng(0), share)


def test_a_fifth_is_held_out_and_every_row_is_used_once(world, rng) -> None:
    evidence, gold = world.draw(50, rng)
    seed = split(evidence, gold)
    assert (seed.n_rows, seed.n_held_out, seed.train.n_rows) == (50, 10, 40)
    rows = np.concatenate([seed.train.columns[0], seed.held.columns[0]])
    np.testing.assert_allclose(np.sort(rows, axis=0), np.sort(evidence.columns[0], axis=0))
    assert seed.judged[0] is seed.held
    assert split(evidence, gold, 0.5).n_held_out == 25


def test_gold_codes_stay_with_their_rows(world, rng) -> None:
    _, gold = world.draw(50, rng)
    seed = split(Evidence.exact(world.space, gold), gold)
    np.testing.assert_array_equal(np.stack(seed.train.columns, axis=1), seed.train_gold)
    np.testing.assert_array_equal(np.stack(seed.held.columns, axis=1), seed.held_gold)


def test_of_a_handful_of_rows_none_is_held_out_and_all_are_judged(world, rng) -> None:
    evidence, gold = world.draw(9, rng)
    with pytest.warns(CalibrationWarning, match="must have at least 10 rows.*got 9"):
        seed = SeedSet.split(evidence, gold, rng)
    assert seed.n_held_out == 0
    assert seed.judged[0].n_rows == 9
    assert any("at least 10 rows" in note for note in seed.notes)


def test_frequencies_are_counts_with_half_a_row_added(world, rng) -> None:
    evidence, gold = world.draw(40, rng)
    seed = split(evidence, gold)
    counts = np.bincount(seed.train_gold[:, 1], minlength=3) + 0.5
    np.testing.assert_allclose(seed.frequencies[1], counts / counts.sum())


def test_a_predictor_that_beats_its_frequencies_gives_no_note(world, rng) -> None:
    evidence, gold = world.draw(500, rng)
    assert not [note for note in split(evidence, gold).notes if "'native'" in note]


def test_a_predictor_worse_than_its_frequencies_is_warned_about_by_name(world, rng) -> None:
    seed, gold = world.draw(200, rng)
    wrong = Evidence(seed.space, (seed.columns[0][:, ::-1], *seed.columns[1:]))
    with pytest.warns(CalibrationWarning, match="predictor of attribute 'sex'"):
        SeedSet.split(wrong, gold, rng)


def test_a_value_that_never_occurs_is_named(world, rng) -> None:
    seed, gold = world.draw(300, rng)
    seen = np.flatnonzero(gold[:, 1] != 2)
    with pytest.warns(CalibrationWarning, match=r"attribute 'age'.*'old'"):
        SeedSet.split(seed.take(seen), gold[seen], rng)


def test_gold_that_cannot_be_is_refused(world, rng) -> None:
    evidence, gold = world.draw(20, rng)
    with pytest.raises(InputError, match=r"must have shape \(20, 3\); got \(19, 3\)"):
        split(evidence, gold[:-1])
    gold[4, 1] = 3
    with pytest.raises(InputError, match=r"attribute 'age'.*got code 3 in row 4"):
        split(evidence, gold)
    exact = Evidence.exact(world.space, np.zeros((20, 3), np.int64))
    with pytest.raises(InputError, match=r"exact value of attribute 'sex' must equal.*row 7"):
        split(exact, np.eye(20, 3, -7, dtype=np.int64))
