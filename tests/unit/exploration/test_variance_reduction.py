"""variance-reduction: goals, chances, guessed arms and several services."""

from dataclasses import replace

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.question import LABEL, QuestionType
from accuracy_assay.domain.referees import REFEREES
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.exploration.expected_gains import ExpectedGains
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.protocols import Candidates
from accuracy_assay.registry import build_estimator

SPACE = AttributeSpace(
    (Attribute("a", values=("p", "q", "r")), Attribute("b", values=("x", "y", "z")))
)
SIZE = np.array([40, 40, 8, 40, 40, 40, 40, 3, 40])
ARM_OF_ROW = np.repeat(np.arange(9), SIZE)
SUPPORT = Support.count(SPACE, None, ARM_OF_ROW)


def fitted(n: list[float], y: list[float], estimator: str = "anova-gp") -> AccuracySurface:
    observed = Observations.exact(SUPPORT, np.arange(9), n, y, y)
    return build_estimator(estimator).fit(observed, np.random.default_rng(0))


@pytest.fixture(scope="module")
def surface() -> AccuracySurface:
    return fitted([9, 0, 1, 9, 9, 9, 9, 0, 9], [9, 0, 1, 5, 8, 4, 9, 0, 7])


@pytest.fixture(scope="module")
def rival() -> AccuracySurface:
    return fitted([9, 0, 1, 9, 9, 9, 9, 0, 9], [9, 0, 0, 9, 9, 9, 9, 0, 2])


CANDIDATES = Candidates(np.arange(ARM_OF_ROW.size), Affiliation.exact(ARM_OF_ROW))


def arms_of(strategy: VarianceReduction, surface: AccuracySurface, n: int) -> list[int]:
    choice = strategy.choose(surface, CANDIDATES, n, np.random.default_rng(1))
    assert np.unique(choice.positions).size == n
    return ARM_OF_ROW[choice.positions].tolist()


def test_what_nobody_has_labelled_comes_first(surface: AccuracySurface) -> None:
    picked = arms_of(VarianceReduction(), surface, 12)
    assert picked[0] in (1, 2)
    assert set(picked) >= {1, 2}
    assert not set(picked) & {0, 6}  # as accurate as arm 1, with nine labels each


def test_arms_that_are_too_small_have_no_weight(surface: AccuracySurface) -> None:
    assert 7 not in arms_of(VarianceReduction(), surface, 10)
    assert 7 in arms_of(VarianceReduction(least_rows=1), surface, 10)


def test_a_batch_spreads(surface: AccuracySurface) -> None:
    assert len(set(arms_of(VarianceReduction(), surface, 12))) > 2


@pytest.mark.parametrize("most_kinds", [1024, 4])
def test_a_batch_in_parts_is_the_batch_at_once(surface: AccuracySurface, most_kinds: int) -> None:
    strategy = VarianceReduction(most_kinds=most_kinds)
    whole = arms_of(strategy, surface, 8)
    first = strategy.choose(surface, CANDIDATES, 5, np.random.default_rng(1)).positions
    rest = np.setdiff1d(np.arange(ARM_OF_ROW.size), first)
    waiting = Affiliation.exact(ARM_OF_ROW[first])
    candidates = Candidates(rest, Affiliation.exact(ARM_OF_ROW[rest]), pending=waiting)
    later = strategy.choose(surface, candidates, 3, np.random.default_rng(2)).positions
    assert ARM_OF_ROW[rest[later]].tolist() == whole[5:]


def test_a_client_s_mix_decides(surface: AccuracySurface) -> None:
    picked = arms_of(VarianceReduction(goal="mix", mix={5: 1.0}), surface, 6)
    assert picked.count(5) >= 4


def test_rows_for_an_average_are_drawn_by_how_unsure_their_scores_are(
    surface: AccuracySurface,
) -> None:
    strategy, rng = VarianceReduction(goal="overall"), np.random.default_rng(0)
    choice = strategy.choose(surface, CANDIDATES, 1, rng)
    rate = surface.memory.posterior.rate  # type: ignore[attr-defined]
    spread = np.sqrt(rate * (1.0 - rate))
    spread = np.maximum(spread, 0.2 * spread.max())
    arm = ARM_OF_ROW[choice.positions[0]]
    assert choice.probability[0] == pytest.approx(spread[arm] / (SIZE @ spread), rel=1e-6)
    assert choice.least is not None
    assert choice.least[0] == pytest.approx(spread.min() / (SIZE @ spread), rel=1e-6)
    # All rows are drawn in the end, whatever they are; a mix takes its own first.
    every = strategy.choose(surface, CANDIDATES, 1000, rng).positions
    assert np.sort(every).tolist() == CANDIDATES.instances.tolist()
    mixed = VarianceReduction(goal="mix", mix={2: 1.0}).choose(surface, CANDIDATES, 12, rng)
    assert ARM_OF_ROW[mixed.positions].tolist()[:8] == [2] * 8
    assert mixed.reason[8:] == ("at random",) * 4


def test_half_of_the_draws_for_an_average_may_be_uniform(surface: AccuracySurface) -> None:
    half = VarianceReduction(goal="overall", random_share=0.5)
    choice = half.choose(surface, CANDIDATES, 200, np.random.default_rng(0))
    assert 70 <= choice.reason.count("at random") <= 130
    assert choice.probability.min() >= 0.5 / ARM_OF_ROW.size


def test_the_worst_arms_get_the_labels(surface: AccuracySurface) -> None:
    picked = arms_of(VarianceReduction(goal="worst", worst=2), surface, 8)
    worst = set(np.argsort(surface.mean)[:4].tolist())
    assert sum(arm in worst for arm in picked) >= 6


def test_arms_with_old_labels_get_new_ones(surface: AccuracySurface) -> None:
    plain = arms_of(VarianceReduction(), surface, 8)
    stale = next(arm for arm in surface.arms.tolist() if plain.count(arm) <= 1)
    strategy = VarianceReduction(goal="now", staleness={stale: 1000.0}, overall_share=0.0)
    assert arms_of(strategy, surface, 8).count(stale) >= 4
    assert arms_of(VarianceReduction(goal="now"), surface, 8) == plain


def test_arms_far_from_the_bar_are_left_alone(surface: AccuracySurface) -> None:
    picked = arms_of(VarianceReduction(goal="threshold", bar=0.5), surface, 8)
    sure = {int(arm) for arm in np.flatnonzero(surface.lower > 0.6)}
    assert not sure & set(picked)


def test_services_that_differ_surely_need_no_more_labels(
    surface: AccuracySurface, rival: AccuracySurface
) -> None:
    strategy = VarianceReduction(goal="compare")
    choice = strategy.choose_shared(
        [surface, rival], [CANDIDATES, CANDIDATES], 8, np.random.default_rng(0)
    )
    picked = ARM_OF_ROW[choice.positions].tolist()
    gap = np.abs(surface.mean - rival.mean) / np.hypot(surface.sd, rival.sd)
    assert int(np.argmax(gap)) not in picked
    # One alone is chosen for as any surface, until another has answered too.
    assert arms_of(strategy, surface, 6) == arms_of(VarianceReduction(), surface, 6)


def test_services_are_compared_by_rows_that_they_answer_differently() -> None:
    # Half of the rows of each arm are answered alike; the last value of the signal says so.
    signal = Attribute(REFEREES, ("other does not", "other agrees"), kind="ordinal")
    strata = AttributeSpace((signal,))
    cell_of_row = 2 * ARM_OF_ROW + np.arange(ARM_OF_ROW.size) % 2
    support = Support.count(SPACE, strata, cell_of_row)
    cells, n = np.unique(cell_of_row, return_counts=True)
    n = np.minimum(n, 5).astype(float)
    surfaces = [
        build_estimator("anova-gp").fit(
            Observations.exact(support, cells, n, share * n, share * n), np.random.default_rng(0)
        )
        for share in (0.6, 0.8)
    ]
    candidates = Candidates(np.arange(cell_of_row.size), Affiliation.exact(cell_of_row), 2)
    n_open = int((cell_of_row % 2 == 0).sum())
    choice = VarianceReduction(goal="compare").choose_shared(
        surfaces, [candidates] * 2, n_open, np.random.default_rng(0)
    )
    assert (cell_of_row[choice.positions] % 2 == 0).all()


def test_one_label_serves_two_services(surface: AccuracySurface, rival: AccuracySurface) -> None:
    both = VarianceReduction().choose_shared(
        [surface, rival], [CANDIDATES, CANDIDATES], 5, np.random.default_rng(0)
    )
    twice = VarianceReduction().choose_shared(
        [surface, surface], [CANDIDATES, CANDIDATES], 5, np.random.default_rng(0)
    )
    alone = VarianceReduction().choose(surface, CANDIDATES, 5, np.random.default_rng(0))
    assert np.unique(both.positions).size == 5
    np.testing.assert_array_equal(twice.positions, alone.positions)


def test_chances_are_those_of_the_draw(surface: AccuracySurface) -> None:
    # Equal instances are drawn at random: the chance is one over their number.
    choice = VarianceReduction().choose(surface, CANDIDATES, 1, np.random.default_rng(0))
    arm = ARM_OF_ROW[choice.positions[0]]
    assert choice.probability[0] == pytest.approx(1.0 / SIZE[arm])
    always = VarianceReduction(random_share=1.0)
    uniform = always.choose(surface, CANDIDATES, 3, np.random.default_rng(0))
    total = ARM_OF_ROW.size
    np.testing.assert_allclose(uniform.probability, [1 / total, 1 / (total - 1), 1 / (total - 2)])
    assert set(uniform.reason) == {"at random"}


def test_the_floor_of_random_picks_is_met(surface: AccuracySurface) -> None:
    half = VarianceReduction(random_share=0.5)
    choice = half.choose(surface, CANDIDATES, 200, np.random.default_rng(0))
    assert 70 <= choice.reason.count("at random") <= 130
    assert choice.probability.min() >= 0.5 / ARM_OF_ROW.size


def test_nearly_certain_rows_choose_what_certain_ones_do(surface: AccuracySurface) -> None:
    spread = np.repeat(ARM_OF_ROW, 2)
    spread[1::2] = (spread[1::2] + 1) % 9
    weights = np.tile([0.999, 0.001], ARM_OF_ROW.size)
    nearly = Affiliation(np.arange(0, 2 * ARM_OF_ROW.size + 1, 2), spread, weights)
    guessed = Candidates(np.arange(ARM_OF_ROW.size), nearly)
    choice = VarianceReduction().choose(surface, guessed, 4, np.random.default_rng(0))
    assert ARM_OF_ROW[choice.positions[0]] in (1, 2)


def test_a_vague_instance_is_worth_less(surface: AccuracySurface) -> None:
    arms = np.array([1, 0, 1, 3, 4, 5, 6, 8])
    weights = np.array([1.0, *np.full(7, 1 / 7)])
    rows = Affiliation(np.array([0, 1, 8]), arms, weights)
    choice = VarianceReduction().choose(
        surface, Candidates(np.arange(2), rows), 1, np.random.default_rng(0)
    )
    assert choice.positions.tolist() == [0]


def test_few_kinds_still_find_the_best() -> None:
    # The arms that nobody has labelled come last, behind more kinds than are weighed in full.
    surface = fitted([9, 9, 9, 9, 9, 9, 0, 0, 0], [9, 8, 7, 5, 8, 4, 0, 0, 0])
    full = VarianceReduction().choose(surface, CANDIDATES, 3, np.random.default_rng(0))
    few = VarianceReduction(most_kinds=2).choose(surface, CANDIDATES, 3, np.random.default_rng(0))
    assert ARM_OF_ROW[full.positions[0]] in (6, 8)
    assert ARM_OF_ROW[few.positions[0]] == ARM_OF_ROW[full.positions[0]]


def test_more_picks_than_candidates_takes_them_all(surface: AccuracySurface) -> None:
    few = Candidates(np.arange(5), Affiliation.exact([0, 1, 2, 2, 7]))
    choice = VarianceReduction().choose(surface, few, 9, np.random.default_rng(0))
    assert sorted(choice.positions.tolist()) == [0, 1, 2, 3, 4]


def test_nothing_to_choose_from(surface: AccuracySurface) -> None:
    none = Candidates(np.arange(0), Affiliation.exact([]))
    assert VarianceReduction().choose(surface, none, 3, np.random.default_rng(0)).reason == ()


def test_mistakes_are_named(surface: AccuracySurface) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UnknownNameError, match="goal"):
        VarianceReduction(goal="best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"random_share.*1\.5"):
        VarianceReduction(random_share=1.5)
    with pytest.raises(InputError, match="bar"):
        VarianceReduction(goal="threshold").choose(surface, CANDIDATES, 1, rng)
    with pytest.raises(InputError, match="mix"):
        VarianceReduction(goal="mix").choose(surface, CANDIDATES, 1, rng)


def test_without_a_joint_posterior_arms_are_independent() -> None:
    surface = fitted([9, 1, 1, 9, 9, 9, 9, 1, 9], [9, 1, 1, 5, 8, 4, 9, 1, 7], "beta-independent")
    picked = arms_of(VarianceReduction(), surface, 6)
    assert len(set(picked)) > 1
    strata = Candidates(CANDIDATES.instances, Affiliation.exact(ARM_OF_ROW * 4 + 1), 4)
    choice = VarianceReduction().choose(surface, strata, 6, np.random.default_rng(1))
    assert ARM_OF_ROW[choice.positions].tolist() == picked


def test_clusters_that_differ_are_asked_in_turn() -> None:
    # One arm in six clusters; of three of them ten labels each say that clusters differ wildly.
    arms = AttributeSpace((Attribute("a", ("p", "q")),))
    speakers = AttributeSpace((Attribute("who", tuple(range(6)), kind="cluster"),))
    cell_of_row = np.repeat(np.arange(12), 40)
    support = Support.count(arms, speakers, cell_of_row)
    n = np.array([10.0, 10.0, 10.0, 0.0, 0.0, 0.0] * 2)
    y = np.array([10.0, 1.0, 9.0, 0.0, 0.0, 0.0] * 2)
    seen = Observations.exact(support, np.arange(12), n, y, y)
    surface = build_estimator("anova-gp").fit(seen, np.random.default_rng(0))
    of_p = np.flatnonzero(cell_of_row < 6)
    candidates = Candidates(of_p, Affiliation.exact(cell_of_row[of_p]), 6)
    choice = VarianceReduction(overall_share=0.0).choose(
        surface, candidates, 6, np.random.default_rng(1)
    )
    picked = cell_of_row[choice.positions] % 6
    assert set(picked.tolist()) == {3, 4, 5}
    assert np.bincount(picked, minlength=6).max() == 2


def counted(n_taken: int = 0) -> Candidates:
    """The same candidates by their arms, of which some instances of arm 1 are gone."""
    count = SIZE - np.where(np.arange(9) == 1, n_taken, 0)
    return Candidates(np.arange(9), Affiliation.exact(np.arange(9)), count=count)


@pytest.mark.parametrize("cover_labels", [0, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_that_stand_for_many_are_chosen_as_the_many_are(
    surface: AccuracySurface, seed: int, cover_labels: int
) -> None:
    strategy = VarianceReduction(cover_labels=cover_labels)
    each = strategy.choose(surface, CANDIDATES, 12, np.random.default_rng(seed))
    alike = strategy.choose(surface, counted(), 12, np.random.default_rng(seed))
    assert alike.positions.tolist() == ARM_OF_ROW[each.positions].tolist()
    assert alike.probability.tolist() == each.probability.tolist()
    assert alike.least.tolist() == each.least.tolist()
    assert alike.reason == each.reason
    # The ranks name the same rows: each is one of those that are left then.
    rows = [np.flatnonzero(arm == ARM_OF_ROW).tolist() for arm in range(9)]
    named = [rows[arm].pop(rank) for arm, rank in zip(alike.positions, alike.rank, strict=True)]
    assert named == each.positions.tolist()


def test_no_more_is_picked_than_candidates_stand_for(surface: AccuracySurface) -> None:
    choice = VarianceReduction().choose(surface, counted(40), 400, np.random.default_rng(0))
    expected = SIZE - np.where(np.arange(9) == 1, 40, 0)
    assert np.bincount(choice.positions, minlength=9).tolist() == expected.tolist()


@pytest.mark.slow
def test_a_random_share_falls_on_instances_alike_whatever_stands_for_them(
    surface: AccuracySurface,
) -> None:
    strategy, rng = VarianceReduction(random_share=1.0), np.random.default_rng(0)
    rounds = 200  # as if all stood for as many, the smallest would be ten errors off
    picks = [strategy.choose(surface, counted(), 1, rng) for _ in range(rounds)]
    share = np.bincount([int(c.positions[0]) for c in picks], minlength=9) / rounds
    expected = SIZE / SIZE.sum()
    error = np.sqrt(expected * (1.0 - expected) / rounds)
    assert np.all(np.abs(share - expected) < 5.0 * error)
    assert picks[0].probability[0] == pytest.approx(1.0 / SIZE.sum())


def test_some_arms_stand_for_all_with_their_weight(surface: AccuracySurface) -> None:
    posterior = surface.memory.posterior  # type: ignore[attr-defined]
    view = ExpectedGains(posterior, np.full(9, 1.0 / 9.0), Affiliation.exact(np.array([1, 4])))
    some = view.of_some_arms(3)
    assert np.count_nonzero(some.weight) == 5
    assert some.weight[[1, 4]].tolist() == [1.0 / 9.0] * 2
    assert some.weight.sum() == pytest.approx(1.0)
    assert view.of_some_arms(9) is view


def test_some_arms_lead_to_much_the_same_choice(surface: AccuracySurface) -> None:
    picked = arms_of(VarianceReduction(most_kinds=4, most_arms=3), surface, 6)
    assert set(picked) & {1, 2} == {1, 2}


def test_the_cut_of_variance_counts_per_price(surface: AccuracySurface) -> None:
    labels = VarianceReduction().choose(surface, CANDIDATES, 1, np.random.default_rng(1))
    first = int(ARM_OF_ROW[labels.positions[0]])
    dear = replace(CANDIDATES, price=np.where(first == ARM_OF_ROW, 1e6, 1.0))
    picks = VarianceReduction().choose(surface, dear, 12, np.random.default_rng(1))
    assert first not in ARM_OF_ROW[picks.positions]
    cheap = replace(CANDIDATES, price=np.where(ARM_OF_ROW == 0, 1e-6, 1.0))
    picks = VarianceReduction().choose(surface, cheap, 12, np.random.default_rng(1))
    assert (ARM_OF_ROW[picks.positions] == 0).all()


@pytest.mark.parametrize("most_kinds", [1024, 4])
def test_a_cheap_second_type_of_question_is_asked_in_place_of_dear_labels(
    surface: AccuracySurface, most_kinds: int
) -> None:
    n = ARM_OF_ROW.size
    both = Candidates(
        np.tile(np.arange(n), 2),
        Affiliation.exact(np.tile(ARM_OF_ROW, 2)),
        price=np.repeat([1.0, 0.2], n),
        types=(LABEL, QuestionType("verdict", of="judge")),
        type_index=np.repeat([0, 1], n),
    )
    strategy = VarianceReduction(most_kinds=most_kinds)
    picks = strategy.choose(surface, both, 4, np.random.default_rng(1))
    asked = [both.question(p, f"x{both.instances[p]}") for p in picks.positions.tolist()]
    assert {(q.asks, q.of, q.price) for q in asked} == {("verdict", "judge", 0.2)}
    alone = strategy.choose(surface, CANDIDATES, 4, np.random.default_rng(1))
    arms = [ARM_OF_ROW[both.instances[p]] for p in picks.positions]
    assert arms == ARM_OF_ROW[alone.positions].tolist()
