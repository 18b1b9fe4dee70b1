from typing import Any

import pytest
from gate_world import normal_surface

from accuracy_assay.study.gate.check import check


def said(surface: Any = None, **bars: Any) -> str:
    (found,) = check(surface or normal_surface(0.8, 0.03), **bars)
    return found.says


def test_a_pass_says_what_was_found_and_how_sure_it_is() -> None:
    words = said(min=0.7)
    assert words.startswith("the whole pool 80.0% (90% interval 7")
    assert words.endswith("; 600 labels); holds with a probability of more than 99%")


def test_a_failure_says_what_it_is_at_most() -> None:
    words = said(min=0.9)
    assert "at most 8" in words
    assert words.endswith("with 95% confidence")
    gap = said(normal_surface([0.9] * 3 + [0.6] * 3), max_gap=0.1, between="sex")
    assert "sex = F above sex = M 30.0 points" in gap
    assert "; at least 2" in gap


def test_of_many_places_their_number_is_said_and_some_others_are_named() -> None:
    (found,) = check(normal_surface([0.9, 0.9, 0.9, 0.4, 0.4, 0.4]), no_slice_below=0.7)
    assert found.says.startswith("sex = M 40.0%")
    assert found.says.endswith("with 95% confidence over the 11 slices checked")
    head, first, *_ = found.places
    assert head == "also below 70.0%:"
    assert first.startswith("- sex = M and age = ")
    assert "; at most " in first


def test_what_is_not_settled_says_how_many_labels_would_do() -> None:
    words = said(min=0.79)
    assert "more labels would settle it as a pass, if the accuracy is as estimated" in words
    old = normal_surface(0.8, 0.03)
    loss = said(not_worse_than=old, by=0.01)
    assert "the whole pool 0.0 points (90% interval -" in loss
    assert "more labels of each service would settle it as a pass, if the difference" in loss


@pytest.mark.parametrize(("target", "words"), [("pool", " short of the whole pool"), ("x", "")])
def test_on_the_bar_nothing_but_the_whole_pool_would_do(target: str, words: str) -> None:
    surface = normal_surface(0.8, 0.03, target=target)
    assert f"no number of labels{words} would settle it: the accuracy" in said(surface, min=0.8)


def test_remarks_name_what_was_left_out_and_what_was_only_watched() -> None:
    surface = normal_surface(rows=[500.0, 500.0, 500.0, 3.0, 3.0, 3.0])
    (found,) = check(surface, not_worse_than=normal_surface(), by=0.2)
    safe, watched, thin = found.remarks
    assert found.places == ()
    assert "that is cautious" in safe
    assert watched.startswith("7 values and arms were watched")
    assert thin.startswith("left out, with fewer than 20 pool rows: sex = M; 3 arms")


def test_of_several_slices_none_of_which_is_sure_the_likeliest_are_listed() -> None:
    (found,) = check(normal_surface([0.9, 0.9, 0.9, 0.9, 0.9, 0.72], 0.05), no_slice_below=0.7)
    assert found.says.startswith(
        "none of 11 slices is below 70.0% with 95% confidence, but not all are shown to hold; "
    )
    head, place = found.places
    assert head == "likeliest to be below 70.0%:"
    assert place.startswith("- sex = M and age = old 72.0% (90% interval 63.8% to 80.2%; 100 lab")
    assert place.endswith("more labels there would tell")


def test_if_all_of_several_hold_it_says_so_of_all_together() -> None:
    words = said(no_slice_below=0.6)
    assert words.startswith("all 11 slices hold together with 95% confidence; nearest to the bar:")


def test_doubts_about_what_is_watched_are_listed_though_the_whole_passes() -> None:
    old = normal_surface(0.8, 0.03)
    new = normal_surface([0.84, 0.84, 0.84, 0.84, 0.84, 0.76], 0.03, seed=1)
    (found,) = check(new, not_worse_than=old, by=0.02)
    assert found.verdict == "pass"
    head, place = found.places
    assert head == "likeliest to be more than 2.0 points worse:"
    assert place.startswith("- sex = M and age = old -4.0 points (90% interval -1")


def test_counts_have_commas_and_no_exponent() -> None:
    assert "; 134,460 labels)" in said(normal_surface(0.8, 0.03, n=22_410.0), min=0.7)
