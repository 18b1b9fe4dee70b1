from typing import Any

import numpy as np
import polars as pl
import pytest
from gate_world import normal_surface

import accuracy_assay as aa
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.reports.checks import Check
from accuracy_assay.study.compare.compare import compare_surfaces
from accuracy_assay.study.gate.check import check, check_all
from accuracy_assay.study.gate.margins import WIDER
from accuracy_assay.study.gate.requirement import Requirement

SEX = {"sex": "F"}


def only(surface: Any, **bars: Any) -> Check:
    (found,) = check(surface, **bars)
    return found


@pytest.mark.parametrize(
    ("bar", "verdict"),
    [(0.75, "pass"), (0.799, "not enough labels"), (0.801, "not enough labels"), (0.85, "fail")],
)
def test_the_whole_is_above_the_bar_below_it_or_nobody_can_tell(bar: float, verdict: str) -> None:
    found = only(normal_surface(0.8, 0.02), min=bar)
    assert found.verdict == verdict
    assert found.findings[0].mean == pytest.approx(0.8)
    assert (found.findings[0].bound is not None) == (verdict == "fail")


def test_a_mix_and_conditions_are_judged_in_place_of_the_whole() -> None:
    surface = normal_surface([0.9, 0.9, 0.9, 0.5, 0.5, 0.5])
    assert only(surface, min=0.8, where={"sex": "F"}).verdict == "pass"
    mostly_men = pl.DataFrame({"sex": ["F", "M"], "weight": [1.0, 9.0]})
    assert only(surface, min=0.8, under=mostly_men).verdict == "fail"


def test_more_confidence_takes_more_labels() -> None:
    surface = normal_surface(0.8, 0.03)
    sure, surer = (only(surface, min=0.775, confidence=c) for c in (0.9, 0.999))
    assert (sure.verdict, surer.verdict) == ("pass", "not enough labels")


def test_a_gap_fails_where_two_values_surely_differ_by_more() -> None:
    surface = normal_surface([0.9, 0.9, 0.9, 0.7, 0.7, 0.7])
    wide = only(surface, max_gap=0.1, between="sex")
    assert wide.verdict == "fail"
    assert wide.findings[0].place == "sex = F above sex = M"
    assert wide.findings[0].mean == pytest.approx(0.2)
    assert 0.1 < wide.findings[0].bound < 0.2
    assert only(surface, max_gap=0.3, between="sex").verdict == "pass"
    assert only(surface, max_gap=0.05, between="age").verdict == "pass"


def test_a_slice_below_is_named_however_deep_it_is() -> None:
    surface = normal_surface([0.9, 0.9, 0.9, 0.9, 0.9, 0.4])
    found = only(surface, no_slice_below=0.7)
    assert found.verdict == "fail"
    assert found.findings[0].place == "sex = M and age = old"
    assert only(surface, no_slice_below=0.6, order=1).verdict == "pass"
    assert only(normal_surface(0.9), no_slice_below=0.8).verdict == "pass"


def test_a_fall_that_the_whole_hides_fails_and_is_named() -> None:
    old = normal_surface(0.8)
    new = normal_surface([0.9, 0.9, 0.9, 0.9, 0.9, 0.7], seed=1)
    found = only(new, not_worse_than=old, by=0.02)
    assert found.verdict == "fail"
    assert [each.place for each in found.findings] == ["sex = M and age = old"]
    assert found.findings[0].mean == pytest.approx(-0.1)
    assert only(new, not_worse_than=old, by=0.02, between="sex").verdict == "pass"
    assert only(new, not_worse_than=old, by=0.2, every_arm=True).verdict == "pass"


def test_by_default_arms_are_watched_and_need_not_be_shown() -> None:
    old, new = normal_surface(0.8, 0.04), normal_surface(0.82, 0.04, seed=1)
    assert only(new, not_worse_than=old, by=0.05).verdict == "pass"
    assert only(new, not_worse_than=old, by=0.05, every_arm=True).verdict == "not enough labels"


def test_several_bars_are_several_checks_and_the_worst_decides() -> None:
    gate = check(normal_surface(0.8), min=0.7, max_gap=0.5, no_slice_below=0.9, between="sex")
    assert [each.verdict for each in gate] == ["pass", "pass", "fail"]
    assert gate.verdict == "fail"
    assert not gate.passed


def test_checks_share_the_error_of_failing() -> None:
    surface = normal_surface(0.8, 0.02)
    # 1.9 judged deviations below the bar: enough for one check, not for one of ten.
    bar = 0.8 + 1.9 * WIDER * 0.02 / 6**0.5
    asked = Requirement("min", bar)
    assert check_all(surface, [asked]).verdict == "fail"
    assert check_all(surface, [asked] * 10).verdict == "not enough labels"


def test_with_nothing_changed_a_gate_seldom_fails() -> None:
    """Of 60 gates over 48 arms, each known to its own deviation, at most about 5 % may fail."""
    space = AttributeSpace((Attribute("a", tuple(range(8))), Attribute("b", tuple(range(6)))))
    truth, rng = np.full(48, 0.8), np.random.default_rng(3)
    n_failed = 0
    for seed in range(60):
        old, new = (
            normal_surface(truth + rng.normal(0.0, 0.03, 48), 0.03, space=space, seed=seed)
            for _ in range(2)
        )
        n_failed += check(new, not_worse_than=old).verdict == "fail"
    # Three are 5 %; their standard error is 1.7. Without a correction nearly all would fail.
    assert n_failed <= 7


def test_a_service_at_the_bar_in_every_slice_seldom_fails() -> None:
    """Of 60 gates over 62 slices, each at the bar, at most about 5 % may fail."""
    space = AttributeSpace((Attribute("a", tuple(range(8))), Attribute("b", tuple(range(6)))))
    rng, n_failed = np.random.default_rng(5), 0
    for seed in range(60):
        surface = normal_surface(
            0.8 + rng.normal(0.0, 0.03, 48), 0.03, space=space, seed=seed, rows=60.0
        )
        n_failed += check(surface, no_slice_below=0.8, max_gap=0.0, between="a").verdict == "fail"
    # Three are 5 %; their standard error is 1.7. Slice by slice, nearly all would fail.
    assert n_failed <= 7


def test_how_many_labels_would_settle_it_follows_the_square_root_law() -> None:
    found = only(normal_surface(0.8, 0.03), min=0.79)
    reach = WIDER * 1.645 * 0.03 / 6**0.5
    assert found.verdict == "not enough labels"
    assert found.labels_to_settle == pytest.approx(600 * ((reach / 0.01) ** 2 - 1.0), rel=0.2)
    assert found.would_be == "pass"
    assert only(normal_surface(0.8, 0.03), min=0.81).would_be == "fail"


def test_a_forecast_takes_the_place_of_that_law_where_it_can() -> None:
    surface = normal_surface(0.8, 0.03)
    wanted = []

    def forecast(half_width: float, where: Any) -> int | None:
        wanted.append((half_width, where))
        return 1_234 if where is None else None

    asked = [Requirement("min", 0.79), Requirement("min", 0.79, where={"sex": "F"})]
    whole, women = check_all(surface, asked, forecast)
    assert whole.labels_to_settle == 1_200
    assert women.labels_to_settle != 1_200
    # As narrow as 0.01 allows: the half-width of the judged spread is to be 0.01 at most.
    assert wanted[0] == (pytest.approx(0.01 / WIDER, rel=0.05), None)
    assert wanted[1][1] == {"sex": "F"}


def test_on_the_bar_no_number_of_labels_would_settle_it() -> None:
    found = only(normal_surface(0.8, 0.03), min=0.8)
    assert (found.labels_to_settle, found.would_be) == (None, None)
    assert "at the bar" in found.says


def test_without_a_label_or_a_place_to_look_at_nothing_is_decided() -> None:
    found = only(normal_surface(0.9, n=0.0), min=0.5)
    assert (found.verdict, found.says) == ("not enough labels", "no label yet")
    prior = normal_surface(0.9, n=0.0)
    assert only(normal_surface(0.8), not_worse_than=prior).says == "no label yet"
    thin = only(normal_surface(0.9, rows=2.0), max_gap=0.1, between="sex")
    assert thin.verdict == "not enough labels"
    assert set(thin.thin) == {"sex = F", "sex = M"}
    assert "no two values with 20 or more pool rows" in thin.says


def test_a_rate_of_errors_is_refused_with_what_to_measure_instead() -> None:
    rate = normal_surface(0.2, 0.01).with_details(is_error=True, measure="false-positive-rate")
    with pytest.raises(
        InputError, match=r"got false-positive-rate\. Measure .* true-negative-rate"
    ):
        check(rate, min=0.1)


def test_a_probability_is_said_of_one_accuracy_or_loss_only() -> None:
    """That all of many slices hold is doubted by each unsure one: no such number is said."""
    surface = normal_surface(0.8, 0.05)
    for bars in ({"min": 0.79}, {"min": 0.79, "where": SEX}, {"not_worse_than": surface}):
        chance = only(surface, **bars).chance
        assert chance is not None
        assert 0.0 < chance < 1.0
    many: tuple[dict[str, Any], ...] = (
        {"no_slice_below": 0.75},
        {"max_gap": 0.02, "between": "sex"},
        {"max_gap": 0.02, "between": "age"},
        {"not_worse_than": surface, "between": "sex"},
        {"no_slice_below": 0.2},
        {"no_slice_below": 0.99},
    )
    for bars in many:
        found = only(surface, **bars)
        assert found.chance is None
        assert not any("probability" in reason for reason in found.reasons)


def test_a_place_has_the_number_that_the_surface_and_the_comparison_say() -> None:
    rates = [0.9, 0.9, 0.9, 0.9, 0.9, 0.74]
    surface, old = normal_surface(rates, 0.03), normal_surface(0.8, 0.03, seed=1)
    (worst, *_) = only(surface, no_slice_below=0.7).findings
    expected = surface.at(sex="M", age="old")
    assert (worst.place, worst.labels) == ("sex = M and age = old", expected.n)
    assert (worst.mean, worst.lower, worst.upper) == pytest.approx(
        (expected.mean, expected.lower, expected.upper)
    )
    (whole,) = only(surface, min=0.85).findings
    overall = surface.overall
    assert (whole.lower, whole.upper) == pytest.approx((overall.lower, overall.upper))
    (_, loss) = only(surface, not_worse_than=old, by=0.02).findings
    found = compare_surfaces({"new": surface, "old": old}).at(sex="M", age="old")
    difference = found.difference("new", "old")
    assert (loss.mean, loss.lower, loss.upper) == pytest.approx(
        (difference.mean, difference.lower, difference.upper)
    )


def test_the_likeliest_places_are_named_with_the_labels_that_would_settle_each() -> None:
    surface = normal_surface([0.9, 0.9, 0.72, 0.9, 0.9, 0.68], 0.05)
    found = only(surface, no_slice_below=0.7)
    assert found.verdict == "not enough labels"
    assert [each.place for each in found.findings] == [
        "sex = M and age = old",
        "sex = F and age = old",
    ]
    lowest, other = found.findings
    assert lowest.lower < 0.7 < lowest.upper
    # Both are two points from the bar: one must be shown to be below it, one above.
    assert lowest.labels_to_settle is not None
    assert other.labels_to_settle is not None
    for each in found.findings:
        assert any(each.place in line and "there would tell" in line for line in found.places)


def test_of_what_holds_the_place_with_the_lowest_bound_is_named() -> None:
    """Not the one that is surest in its own spreads: its accuracy may be the highest."""
    surface = normal_surface([0.95, 0.95, 0.95, 0.95, 0.95, 0.7], 0.03)
    found = only(surface, no_slice_below=0.4)
    assert (found.verdict, found.findings[0].place) == ("pass", "sex = M and age = old")


def test_of_very_many_that_fail_the_clearest_are_found_and_all_are_counted() -> None:
    space = AttributeSpace((Attribute("a", tuple(range(15))), Attribute("b", tuple(range(10)))))
    found = only(normal_surface(0.5, 0.01, space=space), no_slice_below=0.8)
    assert (found.n_failed, found.n_places, len(found.findings)) == (175, 175, 100)
    assert found.places[-1] == "- and 169 more"
    old = normal_surface(0.3, 0.01, space=space)
    gain = only(normal_surface(0.5, 0.01, space=space, seed=1), not_worse_than=old)
    assert (gain.n_better, len(gain.better)) == (176, 100)


def test_one_weak_arm_is_not_named_three_times() -> None:
    surface = normal_surface([0.9, 0.9, 0.9, 0.9, 0.9, 0.7], 0.05, rows=[500] * 5 + [5_000])
    names = [each.place for each in only(surface, no_slice_below=0.72).findings]
    assert names == ["sex = M and age = old"]


def test_what_got_better_is_listed_too() -> None:
    old = normal_surface(0.8)
    new = normal_surface([0.9, 0.8, 0.8, 0.8, 0.8, 0.7], seed=1)
    found = only(new, not_worse_than=old, by=0.02)
    assert found.findings[0].place == "sex = M and age = old"
    best = {each.place: each for each in found.better}
    assert "sex = F and age = young" in best
    assert 0.0 < best["sex = F and age = young"].bound < 0.1
    assert not only(old, not_worse_than=normal_surface(0.8, seed=1)).better
    assert not only(new, no_slice_below=0.5).better


def test_with_nothing_changed_nothing_is_said_to_be_better() -> None:
    """Of 60 gates over 48 arms at most about 5 % may list a gain; their standard error is 1.7."""
    space = AttributeSpace((Attribute("a", tuple(range(8))), Attribute("b", tuple(range(6)))))
    rng, n_better = np.random.default_rng(4), 0
    for seed in range(60):
        old, new = (
            normal_surface(0.8 + rng.normal(0.0, 0.03, 48), 0.03, space=space, seed=seed)
            for _ in range(2)
        )
        n_better += bool(only(new, not_worse_than=old).better)
    assert n_better <= 7


def test_strictly_not_enough_labels_is_a_failure() -> None:
    surface = normal_surface(0.8, 0.03)
    assert check(surface, min=0.79).verdict == "not enough labels"
    strict = check(surface, min=0.79, strict=True)
    assert (strict.verdict, strict.checks[0].verdict) == ("fail", "not enough labels")
    assert check(surface, min=0.5, strict=True).passed


def test_one_surface_has_one_verdict() -> None:
    surface = normal_surface(0.8, 0.03)
    assert only(surface, no_slice_below=0.75) == only(surface, no_slice_below=0.75)


def test_arms_without_joint_draws_are_independent() -> None:
    surface = normal_surface(0.8, 0.02, draws=None)
    assert only(surface, min=0.75).verdict == "pass"
    assert only(surface, not_worse_than=normal_surface(0.9, 0.02, draws=None)).verdict == "fail"


def test_a_paired_comparison_is_judged_row_by_row() -> None:
    rng = np.random.default_rng(0)
    sex, hard = rng.choice(["F", "M"], 400), rng.random(400) < 0.4
    new = np.where(hard & (sex == "F"), 0, (rng.random(400) < 0.9).astype(int))
    rows = pl.DataFrame({"sex": sex, "new": new, "old": np.where(sex == "F", 1, new)})
    options: dict[str, Any] = {"scores": ["new", "old"], "estimator": "beta-independent"}
    pair = aa.compare(rows, ["sex"], **options)
    found = only(pair.surfaces["new"], not_worse_than=pair, by=0.1, between="sex")
    assert found.verdict == "fail"
    assert found.findings[0].place == "sex = F"
    assert found.asks == "not more than 10.0 points worse than old, nor for any value of sex"
    assert "row by row" in found.remarks[0]


def test_a_gate_without_a_check_is_refused() -> None:
    with pytest.raises(InputError, match="must have a bar"):
        check(normal_surface())
    with pytest.raises(InputError, match="must have a check"):
        check_all(normal_surface(), [])
