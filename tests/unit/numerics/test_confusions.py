"""Which class a wrong row has: shares learned from labelled mistakes, and draws of sizes."""

import numpy as np
import pytest

from accuracy_assay.numerics.confusions import (
    Mistakes,
    PredictedArms,
    Sharing,
    draw_wrong_sizes,
    learn_sharing,
)


def arms_of(codes: list[list[int]], predicted: list[int], n_classes: int) -> PredictedArms:
    table = np.asarray(codes)
    _, group = np.unique(table, axis=0, return_inverse=True)
    return PredictedArms(table, group.reshape(-1), np.asarray(predicted), n_classes)


def mistakes_of(*kinds: tuple[int, int, float]) -> Mistakes:
    arm, label, count = zip(*kinds, strict=True)
    return Mistakes(np.asarray(arm), np.asarray(label), np.asarray(count, dtype=float))


GRID = arms_of([[0], [0], [1], [1]], [0, 1, 0, 1], n_classes=3)


@pytest.mark.parametrize("are_rows", [True, False])
def test_every_wrong_row_gets_a_class_other_than_its_prediction(
    rng: np.random.Generator, are_rows: bool
) -> None:
    of_third = 5.0 if are_rows else 5.5
    unknown = np.tile([0.0, 3.0, of_third, 2.0], (50, 1))
    sizes = draw_wrong_sizes(
        GRID, mistakes_of((0, 1, 2.0), (3, 2, 4.0)), Sharing(), unknown, rng, are_rows=are_rows
    )
    np.testing.assert_allclose(sizes.sum(axis=2), np.tile([3.0, 2.0 + of_third], (50, 1)))
    only_first = np.zeros((50, 4))
    only_first[:, 0] = 4.0
    sizes = draw_wrong_sizes(
        GRID, mistakes_of((0, 1, 2.0)), Sharing(), only_first, rng, are_rows=are_rows
    )
    assert not sizes[:, :, 0].any()


def test_with_two_classes_nothing_is_uncertain(rng: np.random.Generator) -> None:
    arms = arms_of([[0], [0]], [0, 1], n_classes=2)
    unknown = np.tile([4.0, 7.0], (20, 1))
    sizes = draw_wrong_sizes(
        arms, mistakes_of((0, 1, 1.0)), Sharing(), unknown, rng, are_rows=True
    )
    np.testing.assert_allclose(sizes, np.tile([[7.0, 4.0]], (20, 1, 1)))


def test_shares_of_one_arm_are_the_dirichlet_posterior(rng: np.random.Generator) -> None:
    """Alone, an arm has Dirichlet(c beta + counts), with beta that of all mistakes.

    beta = E[Gamma(s mu)] shares; with mu drawn around (1 + counts). The mean of the shares is
    (c beta + counts) / (c + n), checked within four standard errors.
    """
    arms = arms_of([[0]], [3], n_classes=3)  # the answer was none of the classes
    counts, c = np.array([6.0, 3.0, 0.0]), 8.0
    found = draw_wrong_sizes(
        arms,
        mistakes_of((0, 0, 6.0), (0, 1, 3.0)),
        Sharing(concentration=c),
        np.ones((20_000, 1)),
        rng,
        are_rows=False,
    )[:, 0]
    beta = (counts + 1.0) / (counts + 1.0).sum()
    expected = (c * beta + counts) / (c + counts.sum())
    error = found.std(axis=0) / np.sqrt(found.shape[0])
    assert np.all(np.abs(found.mean(axis=0) - expected) < 4.0 * error + 1e-12)


def test_arms_that_learn_from_the_same_mistakes_err_together(rng: np.random.Generator) -> None:
    arms = arms_of([[0], [1], [2]], [0, 0, 0], n_classes=3)
    sizes = draw_wrong_sizes(
        arms,
        mistakes_of((0, 1, 3.0), (0, 2, 3.0)),
        Sharing(concentration=1024.0),
        np.full((4_000, 3), 10.0),
        rng,
        are_rows=False,
    )
    assert np.corrcoef(sizes[:, 1, 1], sizes[:, 2, 1])[0, 1] > 0.9


def test_sharing_follows_what_the_mistakes_share(rng: np.random.Generator) -> None:
    """Arms whose mistakes are alike share freely; arms that each have their own do not."""
    codes = [[b] for b in range(12)]
    arms = arms_of(codes, [0] * 12, n_classes=4)
    alike = [(b, k, n) for b in range(12) for k, n in ((1, 6.0), (2, 2.0))]
    unlike = [(b, 1 + int(rng.integers(3)), 8.0) for b in range(12)]
    together, apart = (
        learn_sharing(arms, mistakes_of(*alike)),
        learn_sharing(arms, mistakes_of(*unlike)),
    )
    assert apart.concentration < 4.0
    assert together.concentration > 8.0 * apart.concentration


def test_few_mistakes_leave_the_usual_sharing() -> None:
    assert learn_sharing(GRID, mistakes_of((0, 1, 2.0))) == Sharing()
