from dataclasses import replace

import polars as pl
import pytest

from accuracy_assay.demo.run import (
    Demo,
    _with_outlook,
    default_method,
    default_rivals,
    run_demo,
)
from accuracy_assay.metrics.labels_to_halve import labels_to_halve
from accuracy_assay.registry import PRESETS
from accuracy_assay.reports.report import report_of
from accuracy_assay.study.method import is_available, parse_method
from accuracy_assay.tasks.digits import digits


def test_the_default_is_at_hand_and_has_signals_where_attributes_are_exact() -> None:
    for use_predictors in (False, True):
        assert is_available(default_method(use_predictors))
        assert parse_method(default_method(use_predictors)).use_signals is not use_predictors


def test_a_method_is_shown_against_random_labels_of_the_same_estimator() -> None:
    assert default_rivals("constant+signals/largest-variance")[0] == "constant+signals/random"
    assert default_rivals("constant/random") == ("aaa-2021",)
    assert default_rivals("aaa-2021") == ("aaa-2021/random@full-2021",)


def test_a_preset_is_shown_with_its_own_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(digits(n_rows=2_000), evidence={}, from_label=())
    monkeypatch.setattr("accuracy_assay.demo.run.load_task", lambda name: small)
    preset = {"estimator": "constant", "strategy": "random", "calibration": "full", "batch": 12}
    monkeypatch.setitem(PRESETS, "brief", preset)  # type: ignore[arg-type]
    rivals = ("brief", "constant/random")
    demo = run_demo("beta-independent/random", rivals, budget=36, seed_size=300, batch=18)
    labels = {name: curve["labels"].to_list() for name, curve in demo.report.curves.items()}
    assert labels["beta-independent/random"] == [300, 318, 336]
    assert labels["brief"] == [300, 312, 324, 336]
    assert labels["constant/random"] == [300, 336]


@pytest.fixture(scope="module")
def shown() -> Demo:
    """A small demonstration: 1,500 digits labelled at random, so that some arms are known."""
    small = replace(digits(n_rows=2_000), evidence={}, from_label=())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("accuracy_assay.demo.run.load_task", lambda name: small)
        return run_demo("beta-independent/random", (), budget=1_500, seed_size=300, batch=1_500)


def test_every_arm_that_the_page_calls_weak_shows_its_instances(shown: Demo) -> None:
    report = shown.report
    worst = report.surface.arms[report.weak_arms()[:15]]
    assert worst.size > 0
    occupied = set(report.truth.arms.tolist()) if report.truth is not None else set()
    assert set(report.examples) == set(worst.tolist())
    assert all(bool(report.examples[arm]) == (arm in occupied) for arm in worst.tolist())


def test_weak_slices_show_labelled_digits_that_are_in_them_misread_ones_first(shown: Demo) -> None:
    report = shown.report
    assert len(report.slices) > 0
    assert set(report.cases) == {part.name for part in report.slices}
    rows = shown.task.rows.rows_by_key("id", named=True, unique=True)
    for part in report.slices:
        cases = report.cases[part.name]
        assert [case.is_right for case in cases] == sorted(case.is_right for case in cases)
        for case in cases:
            assert all(str(rows[case.id][k]) == str(v) for k, v in part.where.items())
            assert (case.label == case.answer) == case.is_right


def test_the_report_says_what_more_labels_would_do_by_its_own_fit(shown: Demo) -> None:
    rounds = {"labels": [100, 200, 400], "expected_macro_mse": [4.0, 2.0, 9.9]}
    surface = shown.history.surface.with_details(expected_macro_mse=1.0)
    history = replace(shown.history, metrics=pl.DataFrame(rounds), surface=surface)
    chosen = parse_method("anova-gp/variance-reduction")
    found = _with_outlook(chosen, history)
    assert report_of(found, "").labels_to_halve == labels_to_halve(
        [100, 200, 400], [4.0, 2.0, 1.0]
    )
    silent = replace(history, surface=surface.with_details(expected_macro_mse=None))
    assert report_of(_with_outlook(chosen, silent), "").labels_to_halve is None
