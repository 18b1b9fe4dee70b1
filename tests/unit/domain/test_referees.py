"""Referees make one signal: who agrees, how many do, or how much they do."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from accuracy_assay.domain.referees import (
    REFEREES,
    RefereeWarning,
    all_differ,
    referee_signal,
    with_referees,
)
from accuracy_assay.domain.strata import stratify
from accuracy_assay.errors import InputError, UnknownNameError

OWN = pl.Series(["a", "a", "b", "b"])


def half(truths: Any, predictions: Any) -> list[float]:
    return [0.5 + 0.5 * (t == p) for t, p in zip(truths, predictions, strict=True)]


def same(truths: Any, predictions: Any) -> list[float]:
    return [float(t == p) for t, p in zip(truths, predictions, strict=True)]


def test_few_referees_are_told_apart() -> None:
    said = {"ibm": pl.Series(["a", "b", "b", "b"]), "amazon": pl.Series(["a", "a", "a", "a"])}
    signal = referee_signal(OWN, said)
    assert signal.name == REFEREES
    assert signal.to_list() == [
        "ibm agrees, amazon agrees",
        "ibm does not, amazon agrees",
        "ibm agrees, amazon does not",
        "ibm agrees, amazon does not",
    ]


def test_patterns_stand_in_the_order_of_who_mostly_agrees() -> None:
    said = {"rarely": pl.Series(["a", "b", "a", "a"]), "mostly": pl.Series(["a", "a", "b", "a"])}
    assert referee_signal(OWN, said).dtype == pl.Enum(
        [
            "rarely does not, mostly does not",
            "rarely agrees, mostly does not",
            "rarely does not, mostly agrees",
            "rarely agrees, mostly agrees",
        ]
    )


@pytest.mark.parametrize("n_referees", [1, 2, 3])
def test_every_pattern_has_its_own_text(n_referees: int) -> None:
    rng = np.random.default_rng(n_referees)
    own = pl.Series(rng.choice(["a", "b"], 200))
    said = {f"r{k}": pl.Series(rng.choice(["a", "b"], 200)) for k in range(n_referees)}
    signal = referee_signal(own, said)
    for row, text in enumerate(signal):
        words = [f"{n} {'agrees' if s[row] == own[row] else 'does not'}" for n, s in said.items()]
        assert text == ", ".join(words)
    assert signal.n_unique() == 2**n_referees


def test_more_than_three_are_counted() -> None:
    said = {str(k): pl.Series(["a", "a", "a", "b"]) for k in range(3)} | {"x": OWN}
    signal = referee_signal(OWN, said)
    assert signal.to_list() == ["4 of 4 agree", "4 of 4 agree", "1 of 4 agree", "4 of 4 agree"]
    assert signal.dtype == pl.Enum([f"{k} of 4 agree" for k in range(5)])


def test_shares_are_averaged() -> None:
    said = {"ibm": pl.Series(["a", "b", "b", "b"]), "amazon": pl.Series(["a", "a", "a", "a"])}
    assert referee_signal(OWN, said, half).to_list() == [1.0, 0.75, 0.75, 0.75]


def test_the_referee_stands_in_the_place_of_the_truth() -> None:
    own, said = pl.Series(["one two", "one"]), {"ibm": pl.Series(["one two", "one two"])}
    assert referee_signal(own, said, "wer").to_list() == [1.0, 0.5]


def test_numbers_and_texts_agree_as_truth_and_prediction_do() -> None:
    signal = referee_signal(pl.Series(["2", "3"]), {"ibm": pl.Series([2.0, 4.0])})
    assert signal.to_list() == ["ibm agrees", "ibm does not"]


@pytest.mark.parametrize("agree", ["equal", same])
def test_who_did_not_answer_does_not_agree_and_that_is_said(agree: Any) -> None:
    own, said = pl.Series(["a", None, "b", ""]), {"ibm": pl.Series(["a", None, None, ""])}
    with pytest.warns(
        RefereeWarning, match=r"3 of 4 answers needed to compare referees \['ibm'\] .* missing"
    ) as seen:
        signal = referee_signal(own, said, agree)
    assert len(seen) == 1
    assert signal.to_list() == ["ibm agrees", *["ibm does not"] * 3]


def test_no_word_of_no_match_is_said_of_referees() -> None:
    own, said = pl.Series(["a"] * 9), {"ibm": pl.Series(["b"] * 9)}
    assert referee_signal(own, said).n_unique() == 1


def test_tables_are_looked_at_together() -> None:
    pool = pl.DataFrame({"own": ["a", "b"], "ibm": ["a", "a"]})
    labelled = pl.DataFrame({"own": ["a"], "ibm": ["a"]})
    second, first = with_referees([pool, labelled], "own", ["ibm"], half)
    assert first[REFEREES].to_list() == [1.0]
    assert second[REFEREES].to_list() == [1.0, 0.5]
    assert with_referees([pool], None, []) == [pool]


def test_a_table_without_the_column_is_named() -> None:
    with pytest.raises(UnknownNameError, match="ibm"):
        with_referees([pl.DataFrame({"own": ["a"]})], "own", ["ibm"])


def test_strata_keep_the_order_and_know_patterns_that_the_pool_lacks() -> None:
    said = {"x": pl.Series(["a", "b", "b", "b"]), "y": pl.Series(["a", "b", "b", "b"])}
    strata = stratify(pl.DataFrame(referee_signal(OWN, said)), [REFEREES])
    assert strata is not None
    assert strata.attributes[0].kind == "ordinal"
    assert strata.shape == (4,)


def test_an_agreement_that_returns_something_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"one score per pair, shape \(4,\); got \(1,\)"):
        referee_signal(OWN, {"ibm": OWN}, lambda t, p: [1.0])
    with pytest.raises(InputError, match="agreement must be a finite number in"):
        referee_signal(OWN, {"ibm": OWN}, lambda t, p: [2.0] * len(t))


def test_rows_on_which_all_differ_are_those_without_a_pair() -> None:
    said = [pl.Series(["a", "a", None]), pl.Series(["b", "a", "b"]), pl.Series(["c", "b", "c"])]
    assert all_differ(said).tolist() == [True, False, True]
    assert not all_differ(said[:1]).any()
    assert all_differ(said[:2], half).tolist() == [False, False, True]
