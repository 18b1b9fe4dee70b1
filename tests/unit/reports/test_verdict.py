"""The verdict says how good the whole is and where it fails, and no more than is known."""

from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from accuracy_assay.domain.averages import Estimate
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.slices import WeakSlice, WeakSlices
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.card import render_card
from accuracy_assay.reports.escaping import markdown_text
from accuracy_assay.reports.page import render_page
from accuracy_assay.reports.plain_text import plain_text
from accuracy_assay.reports.report import Report
from accuracy_assay.reports.terminal import summary
from accuracy_assay.reports.verdict import share_text, verdict


def weak(where: dict, mean: float, rows: float = 1_000.0, labels: float = 50.0) -> WeakSlice:
    estimate = Estimate(mean, 0.02, mean - 0.03, mean + 0.03, 0.9, labels, rows, "pool")
    return WeakSlice(where, estimate, 0.99)


def told(report: Report, *found: WeakSlice, mean: float = 0.77, width: float = 0.04) -> str:
    """Return the verdict on a pool of 24,000 rows with these weak slices."""
    shown = replace(report)
    ends = mean - width / 2, mean + width / 2
    overall = Estimate(mean, 0.01, *ends, 0.9, 1_100.0, 24_000.0, "pool")
    shown.__dict__["overall"] = overall
    shown.__dict__["slices"] = WeakSlices(found, 0.72, 170, 0.1)
    return verdict(shown)


def test_two_slices_of_one_attribute_name_it_once(bare: Report) -> None:
    assert told(bare, weak({"rotation": 50}, 0.38), weak({"rotation": -50}, 0.49)) == (
        "Right for 77% of these 24,000 rows. Fails most on rotation 50 (38%) and -50 (49%)."
    )


def test_slices_of_several_attributes_name_all_of_them(bare: Report) -> None:
    found = weak({"digit": 7, "noise": "noisy"}, 0.38), weak({"rotation": -50}, 0.49)
    assert told(bare, *found).endswith(
        "Fails most on digit 7, noise noisy (38%) and on rotation -50 (49%)."
    )


@pytest.mark.parametrize(
    ("is_verified", "said"), [(False, ", going by unverified labels."), (True, ".")]
)
def test_labels_that_nothing_verifies_are_named(
    bare: Report, is_verified: bool, said: str
) -> None:
    trust = LabelTrust(400, 9, 1200, 60, 0.7, 0.2, is_verified=is_verified)
    shown = replace(bare, surface=bare.surface.with_details(**trust.details))
    assert told(shown).startswith(f"Right for 77% of these 24,000 rows{said} ")


def test_a_third_slice_and_one_with_few_wrong_rows_are_not_named(bare: Report) -> None:
    first, second = weak({"a": 1}, 0.4), weak({"a": 2}, 0.4)
    third, tiny = weak({"a": 3}, 0.4), weak({"a": 4}, 0.1, rows=50)
    assert told(bare, first, second, third).endswith("Fails most on a 1 (40%) and 2 (40%).")
    assert told(bare, first, tiny).endswith("Fails most on a 1 (40%).")


def test_a_slice_that_rests_on_its_neighbours_is_named_only_if_there_is_no_other(
    bare: Report,
) -> None:
    thin, own = weak({"a": 1}, 0.1, labels=3.0), weak({"a": 2}, 0.4)
    assert told(bare, thin, own).endswith("Fails most on a 2 (40%).")
    assert told(bare, thin).endswith("Fails most on a 1 (10%).")


def test_a_wide_interval_is_told_by_its_ends(bare: Report) -> None:
    assert told(bare, mean=0.7, width=0.4).startswith("Right for 50% to 90% of these 24,000 rows.")


def test_without_weak_slices_it_says_why_none_is_named(flat: Report, bare: Report) -> None:
    assert verdict(flat).endswith("No slice is clearly weaker.")
    small = replace(flat.surface, support=np.full(6, 2.0), n=np.full(6, 2.0), correct=np.ones(6))
    assert verdict(Report("", small)).endswith("No slice is large enough to look at.")
    few = replace(flat.surface, n=np.full(6, 1.0), correct=np.ones(6))
    assert not few.tells_arms_apart
    assert verdict(Report("", few)).endswith("Too few labels to tell where it fails.")


def test_rates_of_errors_and_other_measures_are_named(errors: Report) -> None:
    said = verdict(errors)
    assert said.startswith("False-positive rate: ")
    assert "Worst on" in said
    assert "Right" not in said


@pytest.mark.parametrize(
    ("changes", "is_graded"),
    [
        ({"details": {"dispersion": 1.0}}, False),
        ({"details": {"dispersion": 0.4}}, True),
        ({"n": np.full(6, 2.0), "correct": np.full(6, 1.5)}, True),
        ({"n": np.full(6, 2.0), "correct": np.full(6, 1.0)}, False),
        ({"n": np.full(6, 1.7), "correct": np.full(6, 1.2)}, False),  # guessed attributes
    ],
)
def test_scores_between_wrong_and_right_are_no_share_of_right_rows(
    surface: AccuracySurface, changes: dict, is_graded: bool
) -> None:
    said = verdict(Report("", replace(surface, **changes)))
    assert said.startswith("Scores " if is_graded else "Right for ")


def test_names_from_outside_stay_on_one_line_and_are_cut(bare: Report) -> None:
    said = told(bare, weak({"town\n": "x" * 500 + "\x1b[2J"}, 0.4))
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) < 200


def test_a_share_that_is_not_all_or_nothing_does_not_say_so() -> None:
    assert [share_text(x) for x in (0.9949, 0.995, 0.9996, 1.0)] == [
        *("99%", "99.5%", "over 99.9%", "100%"),
    ]
    assert [share_text(x) for x in (0.0051, 0.0049, 0.0004, 0.0)] == [
        *("1%", "0.5%", "under 0.1%", "0%"),
    ]


def test_print_the_terminal_the_page_and_the_card_say_the_same(bare: Report) -> None:
    said = verdict(bare)
    assert "Fails most on age >60 (40%)" in said
    assert str(bare.surface).startswith(said)
    assert said in plain_text(summary(bare))
    assert said in unescape(render_page(bare))
    assert markdown_text(said) in render_card(bare)


def test_it_says_the_typical_error_before_and_after_the_labels_that_halve_its_square(
    bare: Report,
) -> None:
    def having(more: float) -> Report:
        known = {"expected_macro_mse": 0.36, "labels_to_halve": more}
        return replace(bare, surface=bare.surface.with_details(**known))

    left = bare.surface.support.sum() - bare.surface.n_labels
    assert left > 23.4
    said = verdict(having(23.4))
    assert said == (
        f"{verdict(bare)} Labelling about 23 more would cut the typical error of an arm from 6.0 "
        "to 4.2 points."
    )
    assert verdict(having(left + 1.0)) == verdict(bare)
    report = having(23.4)
    assert str(report.surface).startswith(said)
    assert said in " ".join(plain_text(summary(report)).split())
    assert said in unescape(render_page(report))
    assert markdown_text(said) in render_card(report)
    assert said in unescape(report.surface._repr_html_())
