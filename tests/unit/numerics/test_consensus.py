"""A consensus of answers, before any label."""

import numpy as np
import pytest

from accuracy_assay.numerics.consensus import consensus


def made_answers(
    rng: np.random.Generator, skill: list[float], n_rows: int = 2_000, n_options: int = 5
) -> tuple[np.ndarray, np.ndarray]:
    """Answers of services that err on their own, and whether each is right."""
    truth = rng.integers(0, n_options, n_rows)
    right = rng.random((n_rows, len(skill))) < np.asarray(skill)
    other = (truth[:, None] + rng.integers(1, n_options, right.shape)) % n_options
    return np.where(right, truth[:, None], other), right


def test_with_its_own_vote_an_answer_is_as_probable_as_it_is_often_right(
    rng: np.random.Generator,
) -> None:
    """Others judge an answer as if they had not heard it; its own vote adds the rest."""
    skill = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    codes, right = made_answers(rng, skill.tolist(), 20_000)
    found = np.clip(consensus(codes), 1e-9, 1.0 - 1e-9)
    odds = found / (1.0 - found) * skill / (1.0 - skill) * 4.0
    chance = odds / (1.0 + odds)
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0)):
        at = (chance >= low) & (chance <= high)
        assert right[at].mean() == pytest.approx(chance[at].mean(), abs=0.03)


def test_a_service_that_guesses_hardly_counts(rng: np.random.Generator) -> None:
    codes, _ = made_answers(rng, [0.8, 0.8, 0.8, 0.2])
    assert consensus(codes)[:, :3] == pytest.approx(consensus(codes[:, :3]), abs=0.05)


def test_one_family_does_not_judge_itself(rng: np.random.Generator) -> None:
    codes, _ = made_answers(rng, [0.7, 0.7, 0.7])
    copies = np.concatenate([codes, codes[:, :1]], axis=1)  # the last repeats the first
    alone, apart = consensus(copies), consensus(copies, [0, 1, 2, 0])
    assert alone[:, 0].mean() > apart[:, 0].mean() + 0.05


def test_no_answer_is_never_right_and_judges_nobody() -> None:
    codes = np.array([[0, 0, -1], [1, 1, -1], [0, 1, -1]] * 10)
    found = consensus(codes)
    assert (found[:, 2] == 0.0).all()
    assert found[:, :2] == pytest.approx(consensus(codes[:, :2]))


def test_the_order_of_services_does_not_matter(rng: np.random.Generator) -> None:
    codes, _ = made_answers(rng, [0.9, 0.6, 0.5], 200)
    assert consensus(codes[:, ::-1])[:, ::-1] == pytest.approx(consensus(codes))
