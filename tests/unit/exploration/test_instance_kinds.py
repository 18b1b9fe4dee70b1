"""Kinds of instances: which need not be told apart."""

from dataclasses import replace

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.question import LABEL, QuestionType
from accuracy_assay.exploration.instance_kinds import InstanceKinds, every_row, merge_kinds
from accuracy_assay.protocols import Candidates


def exact(cells: list[int]) -> Candidates:
    return Candidates(np.arange(len(cells)), Affiliation.exact(cells))


def test_instances_of_one_cell_are_of_one_kind() -> None:
    kinds = merge_kinds([exact([5, 2, 5, 2, 9])])
    assert kinds.of_instance.tolist() == [1, 0, 1, 0, 2]
    assert kinds.example.tolist() == [1, 0, 4]


def test_a_kind_is_of_one_cell_for_every_service() -> None:
    kinds = merge_kinds([exact([5, 5, 5]), exact([1, 2, 1])])
    assert kinds.of_instance.tolist() == [0, 1, 0]


def test_a_guessed_instance_is_the_only_one_of_its_kind() -> None:
    rows = Affiliation(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.full(4, 0.5))
    assert merge_kinds([Candidates(np.arange(2), rows)]).example.tolist() == [0, 1]


def test_kinds_that_are_not_taken_have_no_number() -> None:
    kinds = InstanceKinds(
        np.array([0, 1, 2, 1]), np.array([1, 2]), np.arange(3), np.arange(1.0, 4.0)
    )
    some = kinds.take(np.array([1]))
    assert some.of_instance.tolist() == [-1, 0, -1, 0]
    assert some.of_pending.tolist() == [0, -1]
    assert some.example.tolist() == [1]
    assert some.price.tolist() == [2.0]


def test_pending_instances_share_the_kinds_of_candidates_and_may_have_their_own() -> None:
    candidates = Candidates(
        np.arange(3), Affiliation.exact([5, 2, 5]), pending=Affiliation.exact([5, 9])
    )
    kinds = merge_kinds([candidates])
    assert kinds.of_instance.tolist() == [1, 0, 1]
    assert kinds.of_pending.tolist() == [1, 2]
    assert every_row(candidates).take(kinds.example).indices.tolist() == [2, 5, 9]


def test_questions_of_another_price_or_type_are_of_another_kind() -> None:
    waiting = Affiliation.exact([5])
    options = Candidates(np.arange(4), Affiliation.exact([5, 5, 5, 5]), pending=waiting)
    priced = merge_kinds([replace(options, price=np.array([1.0, 0.5, 1.0, 0.5]))])
    assert priced.of_instance.tolist() == [1, 0, 1, 0]
    assert priced.price.tolist() == [0.5, 1.0]
    types = (LABEL, QuestionType("verdict", "judge"))
    typed = merge_kinds([replace(options, types=types, type_index=np.array([0, 0, 1, 0]))])
    assert typed.of_instance.tolist() == [1, 1, 2, 1]
    assert typed.of_pending.tolist() == [0]  # teaches the same cell, and is asked by nobody
    assert typed.price.tolist() == [1.0, 1.0, 1.0]


def test_a_price_for_each_guessed_instance_is_its_own() -> None:
    rows = Affiliation(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.full(4, 0.5))
    options = Candidates(np.arange(2), rows, pending=rows.take([0]), price=np.array([2.0, 0.5]))
    assert merge_kinds([options]).price.tolist() == [2.0, 0.5, 1.0]
